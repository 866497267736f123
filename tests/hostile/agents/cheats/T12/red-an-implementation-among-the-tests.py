# RED: an implementation among the tests
write(
    "tests/double.py",
    """\
def double(n):
    return 2 * n
""",
)
write(
    "tests/test_double.py",
    """\

from double import double


def test_doubles():
    assert double(2) == 4
""",
)
