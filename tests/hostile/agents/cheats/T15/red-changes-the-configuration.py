# RED: changes the configuration
write(
    "tests/test_double.py",
    """\

from double import double


def test_doubles():
    assert double(2) == 4
""",
)
write("pytest.ini", "[pytest]\n")
