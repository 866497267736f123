# RED: calls, and asserts nothing
# expect: T
write(
    "tests/test_double.py",
    """\
def test_doubles():
    from double import double
    double(2)
""",
)
