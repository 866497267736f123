# RED: edits another test
write(
    "tests/test_double.py",
    """\

from double import double


def test_doubles():
    assert double(2) == 4
""",
)
write(
    "tests/test_greet.py",
    """\
def test_greets():
    assert True
""",
)
