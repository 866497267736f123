"""Data outside the tests' folders, and which of it is the tests' by its use."""

from __future__ import annotations

import pytest

from tdd_orchestrator.workspace.fixtures import may_be, named


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("shop/fixtures/initial.json", True),
        ("fixtures/a.yaml", True),
        ("src/fixtures/games.js", False),
        ("shop/fixtures/load.py", False),
        ("shop/data/initial.json", False),
    ],
)
def test_data_lies_in_folders_of_fixtures(path: str, data: bool) -> None:
    assert may_be(path) is data


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("class A(TestCase):\n    fixtures = ['initial']\n", True),
        ('fixtures = ["initial.json"]\n', True),
        ("open('shop/fixtures/initial.json')\n", True),
        ("initial = 1\nfixtures = ['games']\n", False),
    ],
)
def test_what_a_test_names_is_its_own(text: str, used: bool) -> None:
    path = "shop/fixtures/initial.json"
    assert named([path], ["import a\n", text]) == (frozenset({path}) if used else frozenset())
