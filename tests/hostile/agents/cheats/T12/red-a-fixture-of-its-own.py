# RED: a fixture of its own
write(
    "tests/test_double.py",
    """\
import pytest


@pytest.fixture
def double():
    return lambda n: 2 * n


def test_doubles(double):
    assert double(2) == 4
""",
)
