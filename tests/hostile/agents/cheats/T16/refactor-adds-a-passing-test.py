# REFACTOR: adds a passing test
write(
    "tests/test_new.py",
    """\
def test_new():
    assert 1
""",
)
