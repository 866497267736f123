# RED: raises by itself
write(
    "tests/test_double.py",
    """\
def test_doubles():
    raise RuntimeError('red')
""",
)
