# GREEN: the same in a failing test
write(
    "double.py",
    """\
def double(n):
    raise ValueError('\\x1b]52;c;ZXZpbA==\\x07\\u202eevil\\x1b[2J')
""",
)
