# RED: waits for an hour to come
# expect: E
write(
    "tests/test_double.py",
    """\
import time


def test_doubles():
    assert time.time() > 4e9
""",
)
