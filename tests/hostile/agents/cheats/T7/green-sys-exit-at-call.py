# GREEN: sys.exit at call
write(
    "double.py",
    """\
def double(number):
    import sys
    sys.exit(0)
    return 5
""",
)
