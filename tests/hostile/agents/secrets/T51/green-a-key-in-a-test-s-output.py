# GREEN: a key in a test's output
write(
    "double.py",
    """\
def double(n):
    raise ValueError('sk-ant-api03' + '{REST}')
""",
)
