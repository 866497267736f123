# RED: a library that is not there
# expect: E
write(
    "tests/test_double.py",
    """\
import numpyy


def test_doubles():
    assert numpyy.two() == 2
""",
)
