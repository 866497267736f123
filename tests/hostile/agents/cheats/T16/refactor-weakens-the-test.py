# REFACTOR: weakens the test
write(
    "tests/test_double.py",
    """\
def test_doubles():
    assert True
""",
)
