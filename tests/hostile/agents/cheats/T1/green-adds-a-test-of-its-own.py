# GREEN: adds a test of its own
# begins with: solution
write(
    "tests/test_more.py",
    """\
def test_more():
    assert True
""",
)
