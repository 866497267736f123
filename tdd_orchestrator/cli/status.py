"""Where the cycle stands, in one git process and without the heavy rooms: the fast path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tdd_orchestrator.notes.history import History
from tdd_orchestrator.repo.discovery import discover
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.text import one_line


def newest(start: Path) -> dict[str, Any] | None:
    """The newest record of a cycle, or None where there is none."""
    found = discover(start)
    git = found.git()
    with Objects(git) as objects:
        store = History(git, objects, _ref(found.work_tree))
        entry = store.last()
        if entry is not None and entry.record.get("cycle_id"):
            return dict(entry.record)
        for other in store.trail(newest_first=True):
            if other.record.get("cycle_id"):
                return dict(other.record)
    return None


REF = "refs/notes/tdd"


def _ref(root: Path) -> str:
    """``notes.ref`` of tdd.toml, read only where the file speaks of notes at all."""
    for name in ("tdd.toml", ".tdd.toml"):
        path = root / name
        if path.is_file() and b"[notes]" in path.read_bytes():
            import tomllib

            return str(tomllib.loads(path.read_text("utf-8")).get("notes", {}).get("ref", REF))
    return REF


def said(record: Mapping[str, Any] | None) -> str:
    """A few lines for a person."""
    if record is None:
        return 'No cycle yet. Add a behaviour (tdd plan add "...") and run `tdd cycle next`.'
    head = f"cycle {record.get('cycle_number')}: {one_line(str(record.get('item', '')), 100)}"
    lines = [f"{head} (on {record.get('branch')})", f"  {_stands(record)}"]
    reasons = record.get("reasons") or []
    if reasons:
        lines.append(f"  {one_line(str(reasons[0]), 200)}")
    lines.append(f"  next: {_next(record)}")
    return "\n".join(lines)


def _stands(record: Mapping[str, Any]) -> str:
    kind, phase, attempt = record.get("kind"), record.get("phase"), record.get("attempt")
    if kind == "cycle_ended":
        return f"{record.get('outcome')}, {record.get('at')}"
    if kind == "intent":
        return f"{phase}: attempt {attempt} was begun ({(record.get('agent') or {}).get('name', '')})"
    if kind == "error":
        return f"{phase}: attempt {attempt} refused ({record.get('verdict')}), retry_count {record.get('retry_count')}"
    if kind == "handoff":
        return f"{phase}: accepted at attempt {attempt}"
    if kind == "approval":
        return f"{phase}: approval {record.get('decision')} ({record.get('gate')})"
    return f"{phase}: {kind}"


def _next(record: Mapping[str, Any]) -> str:
    if record.get("kind") == "cycle_ended":
        return (
            "tdd cycle resume, or tdd cycle next" if record.get("outcome") == "aborted" else "tdd cycle next"
        )
    if record.get("kind") == "approval" and record.get("decision") == "wanted":
        return "tdd cycle approve, or tdd cycle reject"
    return f"{record.get('next_phase') or record.get('phase')} (tdd cycle next)"


def told(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """One cycle as lines, oldest first."""
    lines = []
    for record in records:
        kind = record.get("kind")
        if kind == "cycle_started":
            lines.append(f"cycle {record['cycle_number']}: {record['item']} ({record['cycle_id']})")
        elif kind in (
            "handoff",
            "error",
            "cycle_ended",
            "approval",
            "rollback",
            "rebased",
            "resumed",
            "incident",
        ):
            lines.append(f"  {str(record.get('at', ''))[:19]}  {_stands(record)}")
            lines += [f"      {one_line(str(reason), 200)}" for reason in (record.get("reasons") or [])[:3]]
    return lines or ["No cycle yet."]
