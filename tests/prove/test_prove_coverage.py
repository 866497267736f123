"""Changed lines that no test executes: a warning or a refusal of `tdd prove`, only where it is asked for."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from change_repository import CODE, Repository
from test_prove_verdicts import TEST_TRIPLE

pytestmark = [
    pytest.mark.journey,
    pytest.mark.skipif(find_spec("coverage") is None, reason="coverage.py is not installed"),
]
TRIPLE = "\n\ndef triple(number):\n    if number > 100:\n        raise ValueError\n    return number * 3\n"


def test_lines_that_no_test_executes(repository: Repository) -> None:
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE})
    config = (repository.root / "tdd.toml").read_text()
    change = repository.prove_one()
    assert (change["verdict"], change["uncovered"], change["warnings"]) == ("proven", [], [])

    (repository.root / "tdd.toml").write_text(f'{config}[proof]\ncovered = "warn"\n')
    change = repository.prove_one("HEAD")
    assert (change["verdict"], change["uncovered"]) == ("proven", ["calc.py:7"])
    assert change["warnings"] == ["no test executes calc.py:7"]

    (repository.root / "tdd.toml").write_text(f'{config}[proof]\ncovered = "require"\n')
    answer = repository.prove("HEAD")
    (change,) = answer["changes"]
    assert (change["verdict"], answer["code"]) == ("uncovered", 1)
    assert change["reasons"] == ["no test executes calc.py:7"]
