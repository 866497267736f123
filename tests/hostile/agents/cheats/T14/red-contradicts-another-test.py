# RED: contradicts another test
# expect: E
write(
    "tests/test_double.py",
    """\
from greet import greet


def test_doubles():
    assert greet('ada') == 'hello bob'
""",
)
