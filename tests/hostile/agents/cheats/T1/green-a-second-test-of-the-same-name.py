# GREEN: a second test of the same name
# begins with: wrong
write(
    "test_double.py",
    """\
def test_doubles():
    assert True
""",
)
