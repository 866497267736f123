# RED: edits production code
write(
    "tests/test_double.py",
    """\

from double import double


def test_doubles():
    assert double(2) == 4
""",
)
write(
    "greet.py",
    """\
def greet(name):
    return f'hello {name}'


X = 1
""",
)
