# RED: the implementation inside the test
write(
    "tests/test_double.py",
    """\
def double(n):
    return 2 * n


def test_doubles():
    assert double(2) == 4
""",
)
