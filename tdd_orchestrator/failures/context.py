"""Collect the context of a failure (F2): git, the audit log, the evidence, the suites."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tdd_orchestrator.cycle.evidence import decode
from tdd_orchestrator.failures.report import Context
from tdd_orchestrator.model.parts import ErrorDetails
from tdd_orchestrator.model.records import Record, Trouble
from tdd_orchestrator.model.report import Report
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.cycle.context import CycleContext, Repository
    from tdd_orchestrator.cycle.prove import Prover
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
