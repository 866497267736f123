"""What the agents of every cycle used, summed once and then added to (A11)."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

from tdd_orchestrator.cycle.usage_text import Used, used_by
from tdd_orchestrator.model.summary import summarize, summarize_agent
from tdd_orchestrator.notes.codec import Record
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.notes.selection import Shortcut

_WORKED = ("handoff", "error", "fix")  # kinds whose agent did the work of the record


def used_in_all(history: History, common_dir: Path) -> Used:
    """Return the sums over the whole audit log. StoreDamaged where it cannot be read."""
    tip = history.tip()
    if tip is None:
        return Used()
    file = Shortcut(common_dir / "tdd" / "totals", history.ref)
    kept = file.read("notes", "newest", "used")
    notes, newest, sums = kept or ("", "", ())
    newer = history.since(notes, newest) if kept else None
    if newer is None:
        newest, sums, newer = "", (), list(history.trail(newest_first=False))
    used = sum((_used_by(entry.record) for entry in newer), Used(*sums))
    if newer:
        newest = max([newest, *(entry.record["at"] for entry in newer)])
        file.write(notes=tip[0], newest=newest, used=astuple(used))
    return used


def _used_by(record: Record) -> Used:
    seen = summarize(record)
    consulted = record.get("consulted")
    asked = [one for one in consulted if isinstance(one, dict)] if isinstance(consulted, list) else []
    agents = [*([seen.agent] if seen.kind in _WORKED else []), *map(summarize_agent, asked)]
    landed = seen.kind == "cycle_ended" and seen.outcome == "landed"
    return sum(map(used_by, agents), Used(landed=int(landed), wall=seen.wall))
