# RED: one fails, one is a tautology
write(
    "tests/test_double.py",
    """\
from double import double


def test_doubles():
    assert double(2) == 4


def test_more():
    assert True
""",
)
