"""How an error was fixed before, and how often that worked (D6): from the records of fixes and cycles, by its
fingerprint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from tdd_orchestrator.cycle.context import Repository
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.records import Approval, Fix, Handoff, Record, Trouble

_LOOKED_AT = 2_000  # records, the newest ones
_SEEN = frozenset({Verdict.STILL_FAILING, Verdict.PARTLY_FAILING, Verdict.BREAKS_EXISTING})
"""Refusals whose tests ran: what failed before, and is not what fails now, was fixed on the way."""
_NOT_RUN = frozenset({Verdict.AGENT_FAILED, Verdict.NO_CHANGE, Verdict.FORBIDDEN_CHANGE, Verdict.TAMPERED})
"""Refusals without a test run: the error that stood before them still stands."""


@dataclass(frozen=True, slots=True)
class KnownFix:
    """``by`` is the role whose ``commit`` was the last that fixed it; ``worked`` of ``tried`` attempts at it
    did."""

    by: str = ""
    commit: str = ""
    tried: int = 0
    worked: int = 0


def known(records: Sequence[Record], fingerprint: str) -> KnownFix:
    """``records`` oldest first. An attempt at an error is the one after the refusal that showed it; a fix
    that a person rejected has fixed nothing."""
    rejected = rejections(records)
    known_fix = KnownFix()
    open_: dict[tuple[str, str], str] = {}  # cycle and phase -> what its last attempt failed with
    for record in records:
        place = (record.cycle_id, record.phase)
        if isinstance(record, Fix) and record.agent.role and record.fingerprint == fingerprint:
            worked = bool(record.cured_by) and record.tip not in rejected
            known_fix = _tried(known_fix, record.agent.role, record.tip, worked)
        elif isinstance(record, Handoff):
            fingerprint_before = open_.pop(place, "")
            if record.agent.role and fingerprint_before == fingerprint:
                known_fix = _tried(known_fix, record.agent.role, record.tip, worked=True)
        elif isinstance(record, Trouble) and not record.move.provider_away:
            if record.agent.role and open_.get(place) == fingerprint:
                fixed = record.fingerprint != fingerprint and record.verdict in _SEEN
                known_fix = _tried(known_fix, record.agent.role, record.candidate, fixed)
            if place not in open_ or record.verdict not in _NOT_RUN:
                open_[place] = record.fingerprint
    return known_fix


def _tried(known_fix: KnownFix, role: str, commit: str, worked: bool) -> KnownFix:
    tried = replace(known_fix, tried=known_fix.tried + 1)
    return replace(tried, by=role, commit=commit, worked=known_fix.worked + 1) if worked else tried


def rejections(records: Iterable[Record]) -> dict[str, str]:
    """Return commit -> the person's comment, for each fix that was rejected before it landed."""
    return {
        one.tip: one.comment
        for one in records
        if isinstance(one, Approval) and one.fix_id and one.decision == "rejected"
    }


def unwanted(records: Sequence[Record], test: str) -> tuple[str, ...]:
    """A sentence for each fix of this test that a person rejected since one of it has landed; ``records``
    oldest first."""
    rejected = rejections(records)
    hints: list[str] = []
    for record in records:
        if not isinstance(record, Fix) or record.status != "accepted":
            continue
        commit, about = record.tip, [one.test for one in record.results[:1]]
        if about != [test]:
            continue
        if commit not in rejected:
            hints = []
            continue
        why = f": {rejected[commit]}" if rejected[commit] else "."
        hints.append(f"A person rejected the fix {commit[:12]} (`git show {commit[:12]}`){why}")
    return tuple(hints)


def lately(repo: Repository) -> Sequence[Record]:
    """The newest records, oldest first."""
    newest = islice(repo.store.trail(newest_first=True), _LOOKED_AT)
    return [entry.typed for entry in newest][::-1]


def fix_hint(repo: Repository, fingerprint: str) -> str:
    """A sentence for the person or agent that fixes it, or "" where it was never fixed."""
    if not fingerprint:
        return ""
    known_fix = known(lately(repo), fingerprint)
    if not known_fix.worked:
        return ""
    return (
        f"by {known_fix.by} in {known_fix.commit[:12]} (`git show {known_fix.commit[:12]}`); "
        f"{known_fix.worked} of {known_fix.tried} attempts worked"
    )
