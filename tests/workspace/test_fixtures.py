"""Which files outside the tests' folders the tests stand on, and which of those that they import are under test."""

from __future__ import annotations

import pytest

from tdd_orchestrator.workspace.fixtures import borrowed

FIXTURE = "import pytest\n\n\n@pytest.fixture\ndef shop():\n    return {}\n"
HOOK = "def pytest_runtest_setup(item):\n    item.begun = True\n"
APP = "def create_app():\n    return {}\n"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"conftest.py": "pytest_plugins = ['shopkit.plugin']\n", "shopkit/plugin.py": APP}, {"shopkit/plugin.py"}),
        ({"conftest.py": "pytest_plugins = 'shopkit.plugin'\n", "src/shopkit/plugin.py": APP}, {"src/shopkit/plugin.py"}),
        ({"conftest.py": "pytest_plugins: list[str] = ('a', 'b')\n", "a.py": APP, "b/__init__.py": ""}, {"a.py", "b/__init__.py"}),
        ({"tests/conftest.py": "from shopkit.plugin import *\n", "shopkit/plugin.py": FIXTURE}, {"shopkit/plugin.py"}),
        ({"tests/conftest.py": "from shopkit.plugin import shop\n", "shopkit/plugin.py": HOOK}, {"shopkit/plugin.py"}),
        ({"tests/conftest.py": "from shopkit import plugin\n", "shopkit/plugin.py": FIXTURE}, {"shopkit/plugin.py"}),
        ({"shop/tests/conftest.py": "from ..testing import *\n", "shop/testing.py": FIXTURE}, {"shop/testing.py"}),
        ({"conftest.py": "from . import kit\n", "kit.py": FIXTURE}, {"kit.py"}),
        ({"web/tests/conftest.py": "from kit import shop\n", "web/kit.py": FIXTURE}, {"web/kit.py"}),
        ({"conftest.py": "from kit import *\n", "kit.py": FIXTURE + "from more import *\n", "more.py": HOOK}, {"kit.py", "more.py"}),
        ({"pytest.ini": "[pytest]\naddopts = -q -p qa.plugin\n", "qa/plugin.py": HOOK}, {"qa/plugin.py"}),
        ({"pyproject.toml": "addopts = ['-p', 'qa.plugin']\n", "qa/plugin.py": HOOK}, {"qa/plugin.py"}),
        ({"pytest.ini": "[pytest]\naddopts =\n    -ra\n    -p qa.plugin\n", "qa/plugin.py": HOOK}, {"qa/plugin.py"}),
        ({"tox.ini": "[testenv]\ncommands =\n    python -m mypy -p shop --strict\n    pytest -q\n", "shop/__init__.py": APP}, set()),
        ({"conftest.py": "from shop.app import create_app\n", "shop/__init__.py": "", "shop/app.py": APP}, set()),
        ({"conftest.py": "import shop\n", "shop.py": "def fixture():\n    return 1\n"}, set()),
        ({"conftest.py": "pytest_plugins = ['pytester']\n", "shop.py": APP}, set()),
        ({"conftest.py": "def broken(:\n", "shop.py": FIXTURE}, set()),
        ({"pytest.ini": "[pytest]\naddopts = -p no:cacheprovider\n", "no.txt": ""}, set()),
        ({"tests/test_a.py": "from shop import a\n", "shop.py": FIXTURE}, set()),
        (
            {"conftest.py": "pytest_plugins = ['pytester', 'shopkit.plugin']\n", "shopkit/plugin.py": HOOK,
             "pyproject.toml": "[project.entry-points.pytest11]\nshop = 'shopkit.plugin'\n"},
            set(),
        ),
    ],
)  # fmt: skip
def test_what_the_tests_stand_on(files: dict[str, str], found: set[str]) -> None:
    assert borrowed(set(files), files.__getitem__) & files.keys() == found


def test_what_would_be_found_in_front_of_it_is_kept_as_well() -> None:
    files = {"conftest.py": "pytest_plugins = ['kit']\n", "kit.py": HOOK}
    assert "kit/__init__.py" in borrowed(set(files), files.__getitem__)


def test_a_plug_in_that_the_command_names() -> None:
    files = {"qa/plugin.py": HOOK}
    assert "qa/plugin.py" in borrowed(set(files), files.__getitem__, "python -m pytest -p qa.plugin")
