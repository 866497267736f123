# RED: a counter in a file
write(
    "tests/test_double.py",
    """\
import os, pathlib, tempfile


def test_doubles():
    p = pathlib.Path(tempfile.gettempdir(), f'{os.getppid()}-count')
    n = int(p.read_text()) + 1 if p.exists() else 0
    p.write_text(str(n))
    assert n % 2
""",
)
