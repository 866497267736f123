# GREEN: the test hangs
write(
    "double.py",
    """\
import time


def double(n):
    time.sleep(100)
""",
)
