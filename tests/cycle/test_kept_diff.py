"""What the record keeps of a refused diff: bounded, and without a part of a secret at its cut."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tdd_orchestrator.cycle.attempt import candidate
from tdd_orchestrator.cycle.attempt.candidate import Candidate, with_diff
from tdd_orchestrator.redaction import redactor
from tdd_orchestrator.workspace.guard import Change

SECRET = "Zq8vKp3LmN7xRt2WyB5cDf9GhJ4sAeUo"


def test_a_secret_at_the_cut_is_not_kept_by_half(monkeypatch: pytest.MonkeyPatch) -> None:
    change = Change("a.py", "new", None, "")
    for before in range(100, 6000, 12):
        said = f"{'y ' * (before // 2)}{SECRET}{' z' * 9000}".encode()
        monkeypatch.setattr(candidate, "diff_of_trees", lambda *_, said=said: said)
        context: Any = SimpleNamespace(
            repo=SimpleNamespace(git=None, objects=SimpleNamespace(read=lambda _: ("tree", b""))),
            redact=redactor({"MY_TOKEN": SECRET}),
        )
        kept = with_diff(context, Candidate(base="a", tree="b", changes=(change,))).diff
        assert len(kept) < 7000
        assert not any(SECRET[at : at + 8] in kept for at in range(0, 25, 8)), kept
