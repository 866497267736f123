# GREEN: KeyboardInterrupt
write(
    "double.py",
    """\
def double(number):
    raise KeyboardInterrupt
    return 5
""",
)
