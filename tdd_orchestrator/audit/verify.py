"""Run one audit: read the audit log, check its chain, replay its range."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tdd_orchestrator.audit import chain, commits, signing
from tdd_orchestrator.audit.audit_log import Trail
from tdd_orchestrator.audit.findings import CommitResult, Finding, errors
from tdd_orchestrator.audit.replay import Replay
from tdd_orchestrator.audit.run_trees import Runs
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.notes.known_good import ATTEMPTS
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

_BATCH = 200


@dataclass(slots=True)
class Audit:
    """The result. ``commits`` of the range, of which ``tracked`` have a record; ``trees`` that were run."""

    rows: list[CommitResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    records: int = 0
    commits: int = 0
    tracked: int = 0
    trees: int = 0
    seconds: float = 0.0  # spent in test commands
    signed: int = 0

    @property
    def proven(self) -> bool:
        return not errors(self.findings) and all(row.ok for row in self.rows)


def audit(
    git: Git,
    objects: Objects,
    history: History,
    wanted: str,
    *,
    require_all: bool = False,
    must_sign: bool = False,
    replay: Callable[[], tuple[CycleContext, Runs]] | None = None,
) -> Audit:
    """Check the audit log, and replay the range ``wanted`` if ``replay`` is given.

    Of a range with a beginning (``A..B``) the log is read as far back as its records go, otherwise all
    of it. Raises Refused without records, NewerSchema if a later version wrote one.
    """
    known = signing.keys(git)
    trail = Trail(git, objects, history, known.options)
    if trail.empty:
        raise Refused(
            f"There are no records in {history.ref}: nothing can be verified.",
            "In a fresh clone, fetch them first: tdd sync",
        )
    listed = commits.facts(git, wanted)
    found = commits.resolve(git, trail, listed, require_all=require_all)
    if ".." in wanted:
        trail.narrow({one.oid for one in listed} | {step.source for step in found.steps.values()})
    checked = chain.check(
        trail,
        lambda oids: _look(objects, oids),
        refs.listed(git, ATTEMPTS),
        must_sign=must_sign,
        closed=known.closed,
    )
    done = Audit(findings=checked.findings, records=checked.lines, signed=checked.signatures)
    done.findings += found.findings
    if must_sign:
        done.findings += signing.unsigned(objects, checked.signed, found)
    done.commits, done.tracked = len(found.commits), len(found.steps) + len(found.squashed) + len(found.fixes)
    if replay is not None:
        context, runs = replay()
        again = Replay(context, runs, trail, found, checked.known_failing)
        done.rows = again.seen()
        done.findings += again.findings
        done.trees, done.seconds = len(runs.proofs), runs.seconds
    return done


def _look(objects: Objects, oids: Iterable[str]) -> dict[str, tuple[str, bytes]]:
    """Return (kind, content) of the objects that exist."""
    todo = [oid for oid in oids if len(oid) == 40 and set(oid) <= _HEX]
    found: dict[str, tuple[str, bytes]] = {}
    for start in range(0, len(todo), _BATCH):
        batch = todo[start : start + _BATCH]
        for oid, answer in zip(batch, objects.find_many(batch), strict=True):
            if answer is not None:
                found[oid] = answer[1], answer[2]
    return found


_HEX = frozenset("0123456789abcdef")
