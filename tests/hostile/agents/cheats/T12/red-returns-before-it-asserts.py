# RED: returns before it asserts
write(
    "tests/test_double.py",
    """\
import contextlib

from double import double


def test_doubles():
    return
    assert double(2) == 4
""",
)
