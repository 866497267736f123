# RED: a conftest with fixtures for all
# expect: T
write(
    "tests/test_double.py",
    """\

from double import double


def test_doubles():
    assert double(2) == 4
""",
)
write(
    "tests/conftest.py",
    """\
import pytest


@pytest.fixture(autouse=True)
def quiet():
    yield
""",
)
