# RED: deletes another test
# expect: E
write(
    "tests/test_double.py",
    """\

from double import double


def test_doubles():
    assert double(2) == 4
""",
)
os.remove("tests/test_greet.py")
