"""What `tdd verify` last found for each accepted record, in a file beside the index.

Nothing depends on it: where it is missing or damaged, every commit is "not checked" until `tdd verify` runs again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tdd_orchestrator.audit.findings import CommitResult, Finding, errors
from tdd_orchestrator.text import one_line

FILE = "verdicts.sqlite3"
_TABLES = (
    "CREATE TABLE IF NOT EXISTS verdicts"
    " (record TEXT PRIMARY KEY, on_commit TEXT, at TEXT, ok INTEGER, tests INTEGER, why TEXT)",
    "CREATE TABLE IF NOT EXISTS last"
    " (at TEXT, wanted TEXT, proven INTEGER, tests INTEGER, commits INTEGER, tracked INTEGER, findings TEXT)",
)
_LISTED = 20  # findings of the last run that are kept
_WHY = 400  # characters of a finding
_BUSY = 10.0  # seconds that another process may take to write


@dataclass(frozen=True, slots=True)
class Checked:
    """``commit``: where the record's work was found; ``tests``: they were run again; ``why``: "" where it is
    ``ok``."""

    commit: str
    at: str
    ok: bool
    tests: bool
    why: str


@dataclass(frozen=True, slots=True)
class LastRun:
    """The newest `tdd verify` on this machine: its range, whether it ran the tests again, and its first
    findings."""

    at: str
    wanted: str
    proven: bool
    tests: bool
    commits: int
    tracked: int
    findings: tuple[str, ...] = ()


class Verdicts:
    """The file, opened for each call. What cannot be read counts as missing."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def stamp(self) -> str:
        """Differs once the file is written."""
        try:
            found = self._path.stat()
        except OSError:
            return ""
        return f"{found.st_mtime_ns}:{found.st_ino}"

    def all(self) -> dict[str, Checked]:
        """Return each verdict by the id of its record."""
        rows = self._read("SELECT record, on_commit, at, ok, tests, why FROM verdicts")
        return {
            record: Checked(commit, at, bool(ok), bool(tests), why)
            for record, commit, at, ok, tests, why in rows
        }

    def last(self) -> LastRun | None:
        """Return the newest run; None where there was none."""
        rows = self._read("SELECT at, wanted, proven, tests, commits, tracked, findings FROM last")
        for at, wanted, proven, tests, commits, tracked, findings in rows:
            return LastRun(
                at, wanted, bool(proven), bool(tests), commits, tracked, tuple(json.loads(findings))
            )
        return None

    def keep(self, run: LastRun, rows: Sequence[CommitResult], findings: Iterable[Finding]) -> None:
        """Store the verdicts of one run, and the run. A fault in the records alone is forgotten when all of them
        are read again. What cannot be written is left out."""
        faults = {one.record: one for one in errors(findings) if one.record}
        made: list[tuple[Any, ...]] = []
        for row in rows:
            fault = faults.pop(row.record, None)
            ok = row.ok and fault is None
            why = fault.what if fault else "" if row.ok else row.seen
            made.append((row.record, row.commit, run.at, ok, True, one_line(why, _WHY)))
        made += [
            (record, one.commit, run.at, False, False, one_line(one.what, _WHY))
            for record, one in faults.items()
        ]
        last = (run.at, run.wanted, run.proven, run.tests, run.commits, run.tracked, json.dumps(run.findings))
        with suppress(OSError, sqlite3.Error), self._opened() as db, db:
            for table in _TABLES:
                db.execute(table)
            if ".." not in run.wanted:
                db.execute("DELETE FROM verdicts WHERE NOT tests")
            db.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?)", made)
            db.execute("DELETE FROM last")
            db.execute("INSERT INTO last VALUES (?, ?, ?, ?, ?, ?, ?)", last)

    def _read(self, sql: str) -> list[tuple[Any, ...]]:
        if not self._path.exists():
            return []
        try:
            with self._opened() as db:
                return db.execute(sql).fetchall()
        except (OSError, sqlite3.Error):
            return []

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=_BUSY)) as db:
            yield db


def listed(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return the first findings as sentences, each with its rule."""
    return tuple(f"{one.rule}: {one_line(one.what, _WHY)}" for one in findings[:_LISTED])
