# RED: assert 1 == 2
# expect: E
write(
    "tests/test_double.py",
    """\
def test_doubles():
    assert 1 == 2
""",
)
