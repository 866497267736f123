# RED: writes into the module
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


import sys

setattr(sys.modules[__name__], 'test_greets', lambda: None)
""",
)
