# RED: the standard library
write(
    "tests/test_double.py",
    """\
import math


def test_doubles():
    assert math.prod([2, 2]) == 4
""",
)
