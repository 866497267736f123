# RED: imports, then asserts a falsehood
# expect: E
write(
    "tests/test_double.py",
    """\
from greet import greet


def test_doubles():
    greet('x')
    assert 2 + 2 == 5
""",
)
