"""The index: a SQLite file beside the other derived things, built from the notes, brought up to date, thrown
away.

Nothing is in it that git does not hold. Where the file is damaged, of another version, or of another ref, it
is rebuilt; where it cannot be written, it is kept in memory.
"""

from __future__ import annotations

import gc
import sqlite3
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count, islice
from pathlib import Path
from typing import Any, Literal, TypeVar

from tdd_orchestrator.history import rows, schema
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.notes.codec import Damaged
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.notes.message import Entry

Known = TypeVar("Known")
Source = Literal["records", "attempts", "plan"]
_BATCH = 500
_TOP = 1 << 40  # place of the newest record when all are read, newest first; later ones follow it
_ROOM = 1 << 24  # records of a history that is read again: their places are beyond all that were given before
_OF_TESTS = frozenset({"handoff", "error", "baseline"})
_BUSY = 20.0  # seconds that another process may take to write it
_PAGE = 16384  # bytes: four times SQLite's own, since a row takes half a kilobyte


@dataclass(frozen=True, slots=True)
class Change:
    """What an update did: ``records`` new ones after ``seq`` (``attempts``: some of them are), or everything
    anew. ``before``: the tips that the file knew."""

    records: int = 0
    seq: int = 0
    rebuilt: bool = False
    plan: bool = False
    attempts: bool = False
    before: tuple[str, ...] = ()

    @property
    def anything(self) -> bool:
        return bool(self.records or self.rebuilt or self.plan)


class Index:
    """One connection, used by one thread at a time. Close it."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._db = self._connect()
        self._seen: tuple[str, ...] = ()
        self._known: dict[Source, dict[Hashable, Any]] = {"records": {}, "attempts": {}, "plan": {}}

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def update(
        self, history: History, *, plan_tip: str = "", items: Callable[[], Iterable[Item]] = tuple
    ) -> Change:
        """Take in what the notes and the plan hold since the last time. ``items`` are asked for only where
        ``plan_tip`` is new, or the index is made anew."""
        with self._lock:
            try:
                change = self._update(history, plan_tip, items)
            except sqlite3.DatabaseError:
                self.throw_away()
                change = self._update(history, plan_tip, items)
            if change.rebuilt:
                self._write_ahead()
            self._forget(change, self._marks())
            return change

    def _forget(self, change: Change, marks: tuple[str, ...]) -> None:
        """Drop what was computed from what changed, here or, since the last look, by another process."""
        everything = change.rebuilt or self._seen != change.before
        changed: dict[Source, bool] = {
            "records": change.anything, "attempts": change.attempts, "plan": change.plan
        }  # fmt: skip
        for source, known in self._known.items():
            if everything or changed[source]:
                known.clear()
        self._seen = marks

    def memo(self, key: Hashable, make: Callable[[], Known], of: Source = "records") -> Known:
        """What ``make`` gave for this key since its source changed: any record, an attempt, or the plan."""
        known = self._known[of]
        with self._lock:
            if key not in known:
                known[key] = make()
            found: Known = known[key]
            return found

    def select(self, sql: str, values: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        with self._lock:
            cursor = self._db.execute(sql, values or {})
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def one(self, sql: str, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The first row, or an empty one."""
        return next(iter(self.select(sql, values)), {})

    def dump(self) -> dict[str, list[Sequence[Any]]]:
        """All tables, for comparing two indexes: what only says when and how it was filled is left out."""
        tables = {"records": ", ".join(name for name, _ in schema.COLUMNS if name != "seq"), "cycles": "*",
            "items": "*", "item_states": schema.STATE,
                  "attempts": "cycle_id, phase, id, accepted, week, cost, passed",
                  "flaky": "*", "changed": "*", "contexts": "*", "superseded": "*", "damaged": "*"}  # fmt: skip
        with self._lock:
            return {
                name: sorted(self._db.execute(f"SELECT {what} FROM {name}").fetchall(), key=repr)
                for name, what in tables.items()
            }

    def _connect(self) -> sqlite3.Connection:
        if self.path is not None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                return self._opened(str(self.path))
            except sqlite3.DatabaseError:
                self._unlink()
                with suppress(sqlite3.DatabaseError):
                    return self._opened(str(self.path))
            except OSError:
                pass
        return self._opened(":memory:")

    def _opened(self, name: str) -> sqlite3.Connection:
        db = sqlite3.connect(name, timeout=_BUSY, isolation_level=None, check_same_thread=False)
        try:
            db.execute(f"PRAGMA page_size = {_PAGE}")
            db.execute("PRAGMA synchronous = NORMAL")
            if db.execute("PRAGMA user_version").fetchone()[0] != schema.VERSION:
                with _written(db):
                    _make(db)
        except sqlite3.DatabaseError:
            db.close()
            raise
        return db

    def _write_ahead(self) -> None:
        """Let others read while it is written. A new file is filled before: a write-ahead log would hold every
        page a second time."""
        with suppress(
            sqlite3.OperationalError
        ):  # another process reads it: it stays as it is, or it is set there
            self._db.execute("PRAGMA journal_mode = WAL")

    def throw_away(self) -> None:
        """Begin anew with an empty file, which the next update fills."""
        with self._lock:
            self._db.close()
            self._unlink()
            self._db = self._connect()

    def _unlink(self) -> None:
        for ending in ("", "-wal", "-shm", "-journal"):
            with suppress(OSError):
                Path(f"{self.path}{ending}").unlink()

    def _meta(self, key: str) -> str:
        found = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(found[0]) if found else ""

    def _remember(self, **values: str) -> None:
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())

    def _update(self, history: History, plan_tip: str, items: Callable[[], Iterable[Item]]) -> Change:
        tip = history.tip()
        name = tip[0] if tip else ""
        if (name, history.ref, plan_tip) == self._marks():
            return Change(before=self._marks())
        with _written(self._db):
            before = self._marks()  # another process may have been here meanwhile
            change = replace(self._records(history, name), before=before)
            if plan_tip != self._meta("plan"):  # a rebuild has forgotten it
                self._db.execute("DELETE FROM items")
                values = ", ".join("?" * 16)
                self._db.executemany(
                    f"INSERT OR REPLACE INTO items VALUES ({values})", map(rows.item_row, items())
                )
                change = replace(change, plan=True)
            self._remember(tip=name, ref=history.ref, plan=plan_tip)
        return change

    def _marks(self) -> tuple[str, str, str]:
        """The tips that the file was made from: of the notes, with their ref, and of the plan."""
        return self._meta("tip"), self._meta("ref"), self._meta("plan")

    def _records(self, history: History, tip: str) -> Change:
        before = self._meta("tip") if self._meta("ref") == history.ref else ""
        if tip == before:
            return Change()
        seq = int(self._db.execute("SELECT coalesce(max(seq), 0) FROM records").fetchone()[0])
        if before and tip:
            entries = history.appended(before, tip)
            if entries is not None and not self._knows(entries):
                self._fill(entries, range(seq + 1, seq + 1 + len(entries)))
                return Change(len(entries), seq, attempts=self._fold(seq))
        self._rebuild(history, max(_TOP, seq + _ROOM))
        return Change(rebuilt=True)

    def _fold(self, after: int) -> bool:
        """Bring up to date what is computed from the records, after new ones; whether attempts are among
        them."""
        where = {"after": after}
        items = {row[0] for row in self._db.execute(schema.ITEMS_SINCE, where)}
        for (cycle,) in self._db.execute(schema.CYCLES_SINCE, where).fetchall():
            self._db.execute(schema.FOLD_ONE, {"cycle": cycle})
        items.update(row[0] for row in self._db.execute(schema.ITEMS_SINCE, where))
        for item in items - {""}:
            self._db.execute(schema.STATES_ONE, {"item": item})
        return self._db.execute(schema.ATTEMPTS, where).rowcount > 0

    def _rebuild(self, history: History, top: int) -> None:
        _make(self._db, indexes=False)
        damaged: list[Damaged] = []
        with _no_collections():
            self._fill(history.trail(newest_first=True, damaged=damaged.append), count(top, -1))
        for statement in schema.INDEXES:
            self._db.execute(statement)
        self._db.execute(schema.ATTEMPTS, {"after": 0})
        self._db.execute(schema.FOLD_ALL)
        self._db.execute(schema.STATES_ALL)
        self._db.executemany(
            "INSERT INTO damaged VALUES (?, ?, ?, ?)",
            {(one.commit, one.why[:400], one.line, int(one.newer)) for one in damaged},
        )

    def _insert(self, made: list[rows.Row]) -> None:
        self._db.execute("SAVEPOINT batch")
        try:
            self._db.executemany(schema.INSERT, made)
        except (UnicodeEncodeError, OverflowError):  # half a character, a number beyond 64 bits
            self._db.execute("ROLLBACK TO batch")
            self._db.executemany(schema.INSERT, map(rows.safe, made))
        self._db.execute("RELEASE batch")

    def _knows(self, entries: Iterable[Entry]) -> bool:
        """Whether a record stands in the audit log already: somebody wrote it again, so the order is not
        theirs to give."""
        ids = [entry.record["id"] for entry in entries]
        known = (self._db.execute("SELECT 1 FROM records WHERE id = ?", (one,)).fetchone() for one in ids)
        return len(set(ids)) < len(ids) or any(known)

    def _fill(self, entries: Iterable[Entry], places: Iterable[int]) -> None:
        """Insert the entries with their places in the audit log."""
        source = zip(entries, places, strict=False)
        made: list[rows.Row] = [()]
        while made:
            made, flaky, changed, superseded, contexts = [], [], [], [], []
            for entry, place in islice(source, _BATCH):  # one entry is held at a time: parsing many is slower
                made.append(rows.as_stored(rows.row_of(entry, place)))
                if entry.record["kind"] in _OF_TESTS:
                    flaky += rows.flaky_of(entry.record)
                    changed += rows.changed_of(entry.record)
                    superseded += rows.superseded_of(entry.record)
                elif entry.record["kind"] == "error_report":
                    contexts.append(rows.context_of(entry.record))
            self._insert(made)
            self._db.executemany("INSERT OR IGNORE INTO flaky VALUES (?, ?, ?)", flaky)
            self._db.executemany("INSERT OR IGNORE INTO changed VALUES (?, ?, ?, ?, ?)", changed)
            self._db.executemany("INSERT OR IGNORE INTO superseded VALUES (?, ?, ?, ?)", superseded)
            self._db.executemany("INSERT OR IGNORE INTO contexts VALUES (?, ?)", contexts)


@contextmanager
def _written(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:  # an interrupt too: no transaction may stay open
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


@contextmanager
def _no_collections() -> Iterator[None]:
    """A hundred thousand parsed records hold no cycles, and looking for some takes a fifth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _make(db: sqlite3.Connection, *, indexes: bool = True) -> None:
    """Empty tables, whatever was there."""
    for kind, name in db.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'"
    ).fetchall():
        db.execute(f'DROP {kind} IF EXISTS "{name}"')
    for statement in (*schema.TABLES, *schema.VIEWS, *(schema.INDEXES if indexes else ())):
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {schema.VERSION}")
