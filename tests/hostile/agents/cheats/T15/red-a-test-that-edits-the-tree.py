# RED: a test that edits the tree
write(
    "tests/test_double.py",
    """\
import pathlib


def test_doubles():
    pathlib.Path('double.py').write_text('def double(n): return 2 * n')
    from double import double
    assert double(2) == 4
""",
)
