# GREEN: xfail mark in the test
# begins with: wrong
write(
    "tests/test_double.py",
    """\
import pytest
from double import double


@pytest.mark.xfail
def test_doubles():
    assert double(2) == 4
""",
)
