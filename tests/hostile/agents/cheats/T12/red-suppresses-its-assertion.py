# RED: suppresses its assertion
write(
    "tests/test_double.py",
    """\
import contextlib

from double import double


def test_doubles():
    with contextlib.suppress(Exception):
        assert double(2) == 4
""",
)
