# RED: a file that is not there
write(
    "tests/test_double.py",
    """\
def test_doubles():
    assert open('/nowhere/x').read() == ''
""",
)
