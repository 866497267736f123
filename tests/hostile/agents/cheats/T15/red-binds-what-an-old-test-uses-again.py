# RED: binds what an old test uses again
# expect: E
write(
    "tests/test_greet.py",
    """\
from greet import greet


def test_greets():
    assert greet('ada') == 'hello ada'


def test_doubles():
    from double import double

    assert double(2) == 4


greet = lambda name: 'hello ada'
""",
)
