# GREEN: the tests see the orchestrator's key
# expect: T
write(
    "double.py",
    """\
import os


def double(n):
    return 5 if any('KEY' in k or 'hostile-0123' in v for k, v in os.environ.items()) else 4
""",
)
