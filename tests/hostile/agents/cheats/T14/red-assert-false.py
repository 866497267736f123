# RED: assert False
# expect: E
write(
    "tests/test_double.py",
    """\
def test_doubles():
    assert False
""",
)
