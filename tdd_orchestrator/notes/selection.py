"""Shortcuts around the whole notes log: files in git's own folder, each made from a notes ref up to one commit.

One of them lists the notes commits that hold the records of a subject, so that these are found again without reading
all of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from tdd_orchestrator.notes.codec import Record, order
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.notes.message import Entry

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A file of JSON about one notes ref, and one ``subject``; where it is not there, it costs time, nothing else."""

    path: Path
    ref: str
    subject: str = ""

    def read(self, *names: str) -> list[Any] | None:
        """Return the values of these names; None where the file lacks one, or is another ref's or subject's."""
        try:
            data = json.loads(self.path.read_bytes())
            fits = (data["format"], data["ref"], data.get("subject", "")) == (_FORMAT, self.ref, self.subject)
            return [data[name] for name in names] if fits else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def write(self, **values: object) -> None:
        data = {"format": _FORMAT, "ref": self.ref, "subject": self.subject, **values}
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        with suppress(OSError):
            fresh.parent.mkdir(exist_ok=True)
            fresh.write_text(json.dumps(data, separators=(",", ":")), encoding="ascii")
            os.replace(fresh, self.path)


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
    file, found = Shortcut(path_in(common_dir), history.ref, subject), dict[str, Entry]()
    kept = file.read("notes", "newest", "commits")
    notes, newest, commits = kept or ("", "", [])
    newer = history.since(notes, newest) if kept else None
    known = [history.announced_in(oid) for oid in commits] if newer is not None else []
    if newer is None or () in known:
        kept, newest, known, newer = None, "", [], list(history.trail(newest_first=False))
    for entry in (*chain.from_iterable(known), *newer):
        if belongs(entry.record):
            found.setdefault(entry.record["id"], entry)
    commits = list(dict.fromkeys(entry.notes_commit for entry in found.values()))
    # where somebody else's notes commit holds one, it is looked for in all of them each time
    if (not kept or newer) and all(history.announced_in(oid) for oid in commits):
        newest = max([newest, *(one.record["at"] for one in newer)])
        file.write(notes=tip[0], newest=newest, commits=commits)
    return sorted(found.values(), key=lambda one: order(one.record))
