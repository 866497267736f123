# RED: a coin
write(
    "tests/test_double.py",
    """\
import random


def test_doubles():
    assert random.random() > 0.5
""",
)
