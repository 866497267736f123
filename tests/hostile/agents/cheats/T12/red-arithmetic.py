# RED: arithmetic
write(
    "tests/test_double.py",
    """\
def test_doubles():
    assert 2 + 2 == 4
""",
)
