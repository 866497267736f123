"""Records of one subject, found again without reading the whole notes log: the notes commits that hold them
are listed in a file in git's own folder, for the notes commit up to which that list goes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tdd_orchestrator.notes.codec import Record, order
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.notes.message import Entry

_FORMAT = 1


def path_in(common_dir: Path) -> Path:
    """Where the file is."""
    return common_dir / "tdd" / "selected"


def select(
    history: History, common_dir: Path, subject: str, belongs: Callable[[Record], bool]
) -> list[Entry]:
    """Every entry of the audit log whose record belongs to the subject, the oldest first, each record once.

    ``subject`` names the question, and changes when ``belongs`` does. StoreDamaged where the audit log cannot
    be read.
    """
    tip = history.tip()
    if tip is None:
        return []
    path, found = path_in(common_dir), dict[str, Entry]()
    held = _load(path, history, subject)
    newer = history.since(held["notes"], held["newest"]) if held else None
    known = [history.announced_in(oid) for oid in held["commits"]] if held and newer is not None else []
    if held is None or newer is None or None in known:
        held, known, newer = None, [], list(history.trail(newest_first=False))
    for entry in (*(one for one in known if one), *(one for one in newer if belongs(one.record))):
        found.setdefault(entry.record["id"], entry)
    if held is None or newer:
        newest = max([held["newest"] if held else "", *(one.record["at"] for one in newer)])
        _save(path, history, subject, tip[0], newest, list(found.values()))
    return sorted(found.values(), key=lambda one: order(one.record))


def _load(path: Path, history: History, subject: str) -> dict[str, Any] | None:
    try:
        data = json.loads(path.read_bytes())
        fits = (data["format"], data["ref"], data["subject"]) == (_FORMAT, history.ref, subject)
        return {name: data[name] for name in ("notes", "newest", "commits")} if fits else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # it is only a shortcut


def _save(path: Path, history: History, subject: str, notes: str, newest: str, found: list[Entry]) -> None:
    commits = [entry.notes_commit for entry in found]
    if any(history.announced_in(oid) is None for oid in commits):
        return  # somebody else's notes commit holds one: it is looked for in all of them each time
    data = {"format": _FORMAT, "ref": history.ref, "subject": subject, "notes": notes, "newest": newest,
            "commits": commits}  # fmt: skip
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(OSError):  # a folder that cannot be written costs time, nothing else
        fresh.parent.mkdir(exist_ok=True)
        fresh.write_text(json.dumps(data), encoding="ascii")
        os.replace(fresh, path)
