"""How an error was cured before, and how often that worked (D6): from the records of fixes and cycles, by its fingerprint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from tdd_orchestrator.cycle.state import of_the_transport
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.model.phase import Verdict

_LOOKED_AT = 2_000  # records, the newest ones
_SEEN = frozenset({Verdict.STILL_FAILING, Verdict.PARTLY_FAILING, Verdict.BREAKS_EXISTING})
"""Refusals whose tests ran: what failed before, and is not what fails now, was cured on the way."""


@dataclass(frozen=True, slots=True)
class Cure:
    """``by`` is the role whose ``commit`` was the last that cured it; ``worked`` of ``tried`` attempts at it did."""

    by: str = ""
    commit: str = ""
    tried: int = 0
    worked: int = 0


def known(records: Sequence[Mapping[str, Any]], fingerprint: str) -> Cure:
    """``records`` oldest first. An attempt at an error is the one after the refusal that showed it; a fix that a person
    rejected has cured nothing."""
    rejected = rejections(records)
    cure = Cure()
    open_: dict[tuple[str, str], str] = {}  # cycle and phase -> what its last attempt failed with
    for record in records:
        kind, place = record["kind"], (str(record.get("cycle_id", "")), str(record.get("phase", "")))
        role = str((record.get("agent") or {}).get("role", ""))
        if kind == "fix" and role and record.get("fingerprint") == fingerprint:
            tip = str(record.get("tip", ""))
            cure = _tried(cure, role, tip, bool(record.get("cured_by")) and tip not in rejected)
        elif kind in ("handoff", "error") and not of_the_transport(record.get("move") or {}):
            found = str(record.get("fingerprint", ""))
            if role and open_.get(place) == fingerprint:
                gone = kind == "handoff" or (found != fingerprint and record.get("verdict") in _SEEN)
                commit = record.get("tip" if kind == "handoff" else "candidate")
                cure = _tried(cure, role, str(commit or ""), gone)
            open_[place] = found
    return cure


def _tried(cure: Cure, role: str, commit: str, worked: bool) -> Cure:
    tried = replace(cure, tried=cure.tried + 1)
    return replace(tried, by=role, commit=commit, worked=cure.worked + 1) if worked else tried


def rejections(records: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Commit -> what the person said, of each fix that was rejected before it landed."""
    answers = (one for one in records if one["kind"] == "approval" and one.get("fix_id"))
    return {
        str(one.get("tip")): str(one.get("comment", ""))
        for one in answers
        if one.get("decision") == "rejected"
    }


def unwanted(records: Sequence[Mapping[str, Any]], test: str) -> tuple[str, ...]:
    """A sentence for each fix of this test that a person rejected since one of it has landed; ``records`` oldest first."""
    rejected = rejections(records)
    said: list[str] = []
    for record in records:
        commit, about = str(record.get("tip", "")), [one.get("test") for one in record.get("results") or ()]
        if record["kind"] != "fix" or record.get("status") != "accepted" or about[:1] != [test]:
            continue
        if commit not in rejected:
            said = []
            continue
        why = f": {rejected[commit]}" if rejected[commit] else "."
        said.append(f"A person rejected the fix {commit[:12]} (`git show {commit[:12]}`){why}")
    return tuple(said)


def lately(shop: Workshop) -> Sequence[Mapping[str, Any]]:
    """The newest records, oldest first."""
    newest = islice(shop.store.trail(newest_first=True), _LOOKED_AT)
    return [entry.record for entry in newest][::-1]


def told(shop: Workshop, fingerprint: str) -> str:
    """A sentence for whoever mends it, or "" where it was never cured."""
    if not fingerprint:
        return ""
    cure = known(lately(shop), fingerprint)
    if not cure.worked:
        return ""
    return f"by {cure.by} in {cure.commit[:12]} (`git show {cure.commit[:12]}`); {cure.worked} of {cure.tried} attempts worked"
