"""Collect the context and the evidence of a failure (F2, A8)."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tdd_orchestrator.cycle.evidence import decode
from tdd_orchestrator.diagnosis.context import CONSOLE, Evidence, Exchange, request_for
from tdd_orchestrator.diagnosis.evidence import gather as gather_evidence
from tdd_orchestrator.failures.report import Context
from tdd_orchestrator.model.diagnosis import Diagnosis
from tdd_orchestrator.model.error_report import ReportExchange, ReportSeen
from tdd_orchestrator.model.parts import ErrorDetails
from tdd_orchestrator.model.reading import read_as
from tdd_orchestrator.model.records import Record, Trouble
from tdd_orchestrator.model.report import Case, Report
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from tdd_orchestrator.cycle.context import CycleContext, Repository
    from tdd_orchestrator.cycle.proof import Prover
    from tdd_orchestrator.cycle.state import CycleState
    from tdd_orchestrator.model.plan import Item
    from tdd_orchestrator.runners.run import Suite


_COMMANDS = 10


def failed_commit(state: CycleState) -> str:
    """The last refused candidate, or the newest accepted commit where none was made."""
    last = state.attempts[-1] if state.attempts else None
    return last.commit if last is not None and last.commit else state.tip


def trouble_of(records: Sequence[Record]) -> Trouble:
    """The newest refused attempt among a cycle's records, oldest first; an empty one where there is none."""
    refused = (one for one in reversed(records) if isinstance(one, Trouble))
    return next(refused, Trouble(error="", error_details=ErrorDetails(type="", message="")))


def gather(context: CycleContext, state: CycleState, item: Item, why: str, error_id: str) -> Context:
    commit = failed_commit(state)
    return Context(
        error_id=error_id,
        at=context.clock.now().isoformat(timespec="seconds"),
        phase=str(state.phase),
        why=why,
        workflow_id=state.cycle_id,
        item_id=item.id,
        item=item.title,
        issue=item.issue,
        branch=state.branch,
        base=state.base,
        commit=commit,
        retry=state.retried,
        verdicts=tuple(attempt.verdict for attempt in state.refused()),
        changed=_names(
            context.repo, "diff-tree", "-r", "-z", "--name-only", "--end-of-options", state.base, commit
        ),
        paths=frozenset(
            _names(
                context.repo, "ls-tree", "-r", "-z", "--name-only", "--full-tree", "--end-of-options", commit
            )
        ),
        verification=commands(context.prover.suites),
        root=str(context.prover.tree.path),
    )


def evidence_of(prover: Prover, trouble: Trouble) -> Report | None:
    """The test run of a refused attempt, whole; None where none was made. StoreDamaged where it cannot be
    read."""
    blob = trouble.tests.evidence
    return decode(prover.read_blob(blob)) if blob else None


def commands(suites: Iterable[Suite]) -> tuple[str, ...]:
    """How this repository is tested, as lines for a shell."""
    lines = []
    for suite in suites:
        line = shlex.join(suite.command)
        lines.append(one_line(f"(cd {shlex.quote(suite.cwd)} && {line})" if suite.cwd else line, 500))
    return tuple(lines[:_COMMANDS])


def _names(repo: Repository, *words: str) -> tuple[str, ...]:
    raw = repo.git.run(*words)
    return tuple(os.fsdecode(name) for name in raw.split(b"\0") if name)


_ENTRY, _BODY, _STATEMENT = 300, 500, 2000  # characters
_EXCHANGES = 5
_PICTURE = 4 << 20  # bytes of a screenshot that are kept


def failing_case(trouble: Trouble, evidence: Report | None) -> Case | None:
    """Return the failing test that the report is about: one that had to pass, else the first."""
    if evidence is None or not evidence.failing:
        return None
    wanted = set(trouble.tests.target_tests)
    return min(evidence.failing, key=lambda case: case.id not in wanted)


def seen_at(context: CycleContext, trouble: Trouble, evidence: Report | None, commit: str) -> ReportSeen:
    """Return what was seen of the failing test. A screenshot is kept as a blob with the record.

    The files are looked at only where the proof tree still stands at the failed commit, as it does right
    after its proof; after a restart there is what the record itself says.
    """
    case = failing_case(trouble, evidence)
    if case is None:
        return ReportSeen()
    root = context.prover.tree.path
    found = gather_evidence(root, case) if context.prover.tree.at == commit else Evidence()
    request = request_for(case, read_as(Diagnosis, trouble.diagnosis), found)
    return ReportSeen(
        test=one_line(request.test_id, _ENTRY),
        failed_step=one_line(request.failed_step, _ENTRY),
        sql=one_line(request.sql, _STATEMENT),
        table=request.table,
        policy=request.policy,
        console=[one_line(entry, _ENTRY) for entry in request.console[-CONSOLE:]],
        network=[_exchange(one) for one in request.network[-_EXCHANGES:]],
        screenshot=_kept(context.repo, root, request.screenshot),
    )


def _exchange(one: Exchange) -> ReportExchange:
    return ReportExchange(
        request=one_line(f"{one.method} {one.url}", _ENTRY),
        status=one.status,
        request_body=one_line(one.request_body, _BODY),
        response_body=one_line(one.response_body, _BODY),
        failure=one_line(one.failure, _ENTRY),
    )


def _kept(repo: Repository, root: Path, screenshot: str) -> str:
    """The blob of a picture that lies in the tree, "" where there is none; links are not followed."""
    path = root / screenshot
    inside = bool(screenshot) and path.resolve().is_relative_to(root.resolve())
    if not inside or not path.is_file() or path.stat().st_size > _PICTURE:
        return ""
    return repo.store.evidence(path.read_bytes())
