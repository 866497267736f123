# RED: asserts in a function that nobody calls
write(
    "tests/test_double.py",
    """\
import contextlib

from double import double


def test_doubles():
    def never():
        assert double(2) == 4
""",
)
