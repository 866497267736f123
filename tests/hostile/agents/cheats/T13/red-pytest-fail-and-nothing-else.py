# RED: pytest.fail and nothing else
# expect: E
write(
    "tests/test_double.py",
    """\
import pytest


def test_doubles():
    pytest.fail('red')
""",
)
