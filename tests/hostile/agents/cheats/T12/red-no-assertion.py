# RED: no assertion
write(
    "tests/test_double.py",
    """\
def test_doubles():
    pass
""",
)
