# GREEN: weakens it beside working code
# begins with: solution
write(
    "tests/test_double.py",
    """\
from double import double


def test_doubles():
    assert double(2)
""",
)
