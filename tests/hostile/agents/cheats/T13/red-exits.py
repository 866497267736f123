# RED: exits
write(
    "tests/test_double.py",
    """\
import os


def test_doubles():
    os._exit(1)
""",
)
