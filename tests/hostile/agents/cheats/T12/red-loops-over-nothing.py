# RED: loops over nothing
write(
    "tests/test_double.py",
    """\
import contextlib

from double import double


def test_doubles():
    for n in []:
        assert double(n) == 4
""",
)
