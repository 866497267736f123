# RED: writes the implementation too
write(
    "tests/test_double.py",
    """\

from double import double


def test_doubles():
    assert double(2) == 4
""",
)
write(
    "double.py",
    """\

def double(number):
    return number * 2
""",
)
