# GREEN: raise SystemExit
write(
    "double.py",
    """\
def double(number):
    raise SystemExit(0)
    return 5
""",
)
