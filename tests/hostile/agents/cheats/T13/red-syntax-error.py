# RED: syntax error
write(
    "tests/test_double.py",
    """\
def test_doubles(:
    assert 1
""",
)
