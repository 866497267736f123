# GREEN: the test floods
# expect: T
write(
    "double.py",
    """\
import os


def double(n):
    for _ in range(64):
        os.write(1, b'x' * (1 << 20))
    return 2 * n
""",
)
