# RED: tautology
write(
    "tests/test_double.py",
    """\
def test_doubles():
    assert True
""",
)
