"""Collect the evidence of a failure (A8) from the proof tree: step, console, network, SQL, screenshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tdd_orchestrator.diagnosis.context import CONSOLE, Evidence, Exchange, request_for
from tdd_orchestrator.diagnosis.evidence import gather
from tdd_orchestrator.model.diagnosis import Diagnosis, read_diagnosis
from tdd_orchestrator.model.records import Trouble
from tdd_orchestrator.model.report import Case, Report
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from tdd_orchestrator.cycle.context import CycleContext, Repository

_ENTRY, _BODY, _STATEMENT = 300, 500, 2000  # characters
_EXCHANGES = 5
_PICTURE = 4 << 20  # bytes of a screenshot that are kept


def failing_case(trouble: Trouble, evidence: Report | None) -> Case | None:
    """Return the failing test that the report is about: one that had to pass, else the first."""
    if evidence is None or not evidence.failing:
        return None
    wanted = set(trouble.tests.target_tests)
    return min(evidence.failing, key=lambda case: case.id not in wanted)


def seen_at(context: CycleContext, trouble: Trouble, evidence: Report | None, commit: str) -> dict[str, Any]:
    """The report's ``seen``; what nothing is known of is left out. A screenshot is kept as a blob with the
    record.

    The files are looked at only where the proof tree still stands at the failed commit, as it does right
    after its proof; after a restart there is what the record itself says.
    """
    case = failing_case(trouble, evidence)
    if case is None:
        return {}
    root = context.prover.tree.path
    found = gather(root, case) if context.prover.tree.at == commit else Evidence()
    request = request_for(case, read_diagnosis(trouble.diagnosis) or Diagnosis(), found)
    data = {
        "test": one_line(request.test_id, _ENTRY),
        "failed_step": one_line(request.failed_step, _ENTRY),
        "sql": one_line(request.sql, _STATEMENT),
        "table": request.table,
        "policy": request.policy,
        "console": [one_line(entry, _ENTRY) for entry in request.console[-CONSOLE:]],
        "network": [_exchange(one) for one in request.network[-_EXCHANGES:]],
        "screenshot": _kept(context.repo, root, request.screenshot),
    }
    return {key: value for key, value in data.items() if value}


def _exchange(one: Exchange) -> dict[str, Any]:
    return {
        "request": one_line(f"{one.method} {one.url}", _ENTRY),
        "status": one.status,
        "request_body": one_line(one.request_body, _BODY),
        "response_body": one_line(one.response_body, _BODY),
        "failure": one_line(one.failure, _ENTRY),
    }


def _kept(repo: Repository, root: Path, screenshot: str) -> str:
    """The blob of a picture that lies in the tree, "" where there is none; links are not followed."""
    path = root / screenshot
    inside = bool(screenshot) and path.resolve().is_relative_to(root.resolve())
    if not inside or not path.is_file() or path.stat().st_size > _PICTURE:
        return ""
    return repo.store.evidence(path.read_bytes())
