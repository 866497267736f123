# RED: a value of its own
write(
    "tests/test_double.py",
    """\
def test_doubles():
    doubled = 4
    assert doubled == 4
""",
)
