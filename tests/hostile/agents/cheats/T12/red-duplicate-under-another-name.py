# RED: duplicate under another name
write(
    "tests/test_double.py",
    """\
from greet import greet


def test_again():
    assert greet('ada') == 'hello ada'
""",
)
