"""A moved RED is run once where it fails as it failed when it was accepted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tdd_orchestrator.cycle.landing import reproof
from tdd_orchestrator.cycle.state import Attempt, CycleState
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict

FILE, TARGET, OTHER = "tests/test_a.py", "tests/test_a.py::test_a", "tests/test_b.py::test_b"


def test_a_test_file_that_does_not_load_is_no_reason_to_run_everything_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    red = Attempt(Phase.RED, 1, "proven", (), "a", "red", "", "", "", failing=(FILE,), accepted=True)
    refused = Attempt(Phase.RED, 1, "breaks_existing", (), "a", "red", "", "", "", failing=(OTHER,))
    state = CycleState(
        "c", 1, "i", "it", "main", "b", "t", Phase.COMPLETE, targets=(TARGET,), attempts=(refused, red)
    )
    cases = tuple(Case(one, one, Outcome.FAILED) for one in (FILE, TARGET, OTHER))
    report = Report(RunVerdict.FAILED, cases=cases)

    def prove(commit: str, tree: str, *, watched: Any, suspects: Any) -> Any:
        return [case.id for case in suspects(report)]

    monkeypatch.setattr(reproof, "tree_of", lambda repo, commit: commit)
    monkeypatch.setattr(reproof, "tests_at", lambda context, commit: [])
    prover = SimpleNamespace(prove=prove, recorded=lambda tree, records: None)
    context: Any = SimpleNamespace(repo=None, prover=prover, run=SimpleNamespace(records=[], proved_ahead={}))
    assert reproof.run_moved(context, state, Phase.RED, "x") == [OTHER]
    assert reproof.run_moved(context, state, Phase.GREEN, "x") == [FILE, TARGET, OTHER]
