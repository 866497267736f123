# GREEN: renames the test
# begins with: wrong
write(
    "tests/test_double.py",
    """\
from double import double


def doubles():
    assert double(2) == 4
""",
)
