# RED: a name error of its own
write(
    "tests/test_double.py",
    """\
def test_doubles():
    assert resutl == 4
""",
)
