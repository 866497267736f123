# RED: a fixture that is not there
write(
    "tests/test_double.py",
    """\
def test_doubles(nothing):
    assert nothing == 1
""",
)
