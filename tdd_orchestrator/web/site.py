"""One repository behind the page: opened once, read and written by one thread at a time, brought up to date
by polling."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from tdd_orchestrator.agents.describe import Described, describe
from tdd_orchestrator.app.agent_registry import settings_of
from tdd_orchestrator.app.analytics import Analytics
from tdd_orchestrator.app.mark_failed import marker
from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.audit.verdicts import FILE, Checked, Verdicts
from tdd_orchestrator.cycle.plan.repository import PlanRepository
from tdd_orchestrator.failures import reports
from tdd_orchestrator.failures.mark_failed import FailureReport, Marked
from tdd_orchestrator.failures.reports import StoredReport
from tdd_orchestrator.history.cycles import Reader
from tdd_orchestrator.history.events import last_seq
from tdd_orchestrator.history.index import Index
from tdd_orchestrator.model.errors import Refused, TddError
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.notes.message import Entry
from tdd_orchestrator.repo.lock import owner_of
from tdd_orchestrator.web.jobs import Jobs

_CYCLE = re.compile(r"c-[0-9a-z]{1,32}")
_TRANSCRIPT = 200_000  # characters that are shown
_OF_REPORTS = "kind IN ('error_report', 'report_action', 'desk') OR (kind = 'cycle_ended' AND outcome IN ('aborted', 'cancelled'))"
Answer = TypeVar("Answer")


class Site:
    """``name`` is the repository's folder, made unique among those that are shown."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.lock = threading.RLock()
        self.repository = OpenRepository(path)
        self.analytics = Analytics.of(self.repository)
        self.jobs = Jobs(self.repository.found.work_tree)
        self._tips: tuple[str, str] | None = None
        self._entries: dict[tuple[str, str, str], Entry] = {}
        self.verdicts = Verdicts(self.repository.places.root / FILE)
        self._verified: tuple[str, dict[str, Checked]] = ("", {})
        self.trouble: TddError | None = None

    @property
    def index(self) -> Index:
        return self.analytics.index

    @property
    def reader(self) -> Reader:
        return self.analytics.reader

    @property
    def plan_repository(self) -> PlanRepository:
        return self.repository.plan_repository

    @property
    def folder(self) -> Path:
        return self.repository.found.work_tree

    @property
    def problems(self) -> tuple[str, ...]:
        return (*([str(self.trouble)] if self.trouble else ()), *self.analytics.problems)

    @property
    def unread(self) -> bool:
        """Whether nothing of the repository could be read yet, so that an empty list means nothing."""
        known = "SELECT 1 FROM records UNION ALL SELECT 1 FROM items LIMIT 1"
        return self.trouble is not None and not self.index.one(known)

    def close(self) -> None:
        self.jobs.interrupt()
        with self.lock:
            self.analytics.close()
            self.repository.__exit__(None, None, None)

    def refresh(self) -> bool:
        """Take in what was written since; whether anything was. What cannot be read becomes a sentence on the
        page."""
        with self.lock:
            before, self.trouble = self.trouble, None
            try:
                if not self.repository.git.common_dir.is_dir():
                    raise Refused(f"The repository {self.folder} is no longer there.")
                tips = self.analytics.tips()
                if tips == self._tips:
                    return bool(before)
                changed = self.analytics.update().anything
                self._tips = tips
            except (TddError, OSError) as error:
                self.trouble = error if isinstance(error, TddError) else Refused(str(error))
                return str(before) != str(self.trouble)
            return changed or bool(before)

    @property
    def at_work(self) -> bool:
        """Whether an orchestrator works in the repository now."""
        return owner_of(self.repository.git.common_dir) is not None

    def read(self, ask: Callable[[], Answer]) -> Answer:
        """Ask something of the repository, up to date and alone; an index that cannot be read is made again."""
        with self.lock:
            self.refresh()
            try:
                return ask()
            except sqlite3.DatabaseError:
                self.index.throw_away()
                self._tips = None
                self.refresh()
                return ask()

    def ask(self, question: Callable[[], Answer]) -> Answer:
        """As :meth:`read`; raises what keeps the repository from being read now: what was known before may be old,
        or nothing."""

        def asked() -> Answer:
            if self.trouble:
                raise self.trouble
            return question()

        return self.read(asked)

    def verified(self) -> dict[str, Checked]:
        """What `tdd verify` last found for each accepted record, by its id."""
        stamp = self.verdicts.stamp
        if stamp != self._verified[0]:
            self._verified = stamp, self.verdicts.all()
        return self._verified[1]

    @cached_property
    def agents(self) -> tuple[Described, ...]:
        """The agents that the configuration names, as they are here; their programs are asked once."""
        set_up = self.repository.config.agents
        names = dict.fromkeys(filter(None, (set_up.default, *set_up.roles.values(), *set_up.named)))
        return tuple(describe(name, settings_of(self.repository.config, name)) for name in names)

    def seq(self) -> int:
        return last_seq(self.index)

    def reports(self) -> list[StoredReport]:
        """Every error report, newest first, from the records that speak of one."""
        return self.index.memo("reports", lambda: list(reversed(reports.filed(self._report_entries()))))

    def _report_entries(self) -> list[Entry]:
        """The records that speak of reports, oldest first; each is read from git once."""
        rows = self.index.select(
            f"SELECT id, on_commit, notes_commit, seq FROM records WHERE {_OF_REPORTS} ORDER BY seq"
        )
        keys = [(row["id"], row["on_commit"], row["notes_commit"]) for row in rows]
        unread = [row["seq"] for row, key in zip(rows, keys, strict=True) if key not in self._entries]
        if unread:
            found = self.reader.entries(f"({_OF_REPORTS}) AND seq >= :first", {"first": unread[0]})
            by_id = {entry.record["id"]: entry for entry in found}
            self._entries |= {key: by_id[key[0]] for key in keys if key[0] in by_id}
        self._entries = {key: self._entries[key] for key in keys if key in self._entries}
        return list(self._entries.values())

    def report(self, error_id: str) -> StoredReport | None:
        return next((one for one in self.reports() if one.error_id == error_id), None)

    def mark_failed(self, item: Item, given: FailureReport) -> Marked:
        return marker(self.repository).mark(item, given, datetime.now(UTC))

    def transcript(self, cycle_id: str, attempt: str, name: str) -> str:
        """What the agent printed in an attempt, where this machine has it; "" otherwise. No path leads out of
        the folder."""
        if not _CYCLE.fullmatch(cycle_id) or not name or Path(name).name != name:
            return ""
        runs = self.repository.places.runs.resolve()
        path = (runs / cycle_id / attempt / name).resolve()
        if not path.is_relative_to(runs):
            return ""
        with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_TRANSCRIPT)
        return ""


def open_sites(paths: Iterable[Path]) -> list[Site]:
    """A site for each repository, each once. Refused where one of them is none."""
    found: dict[Path, Site] = {}
    for path in paths:
        site = Site(path, "")
        if site.folder in found:
            site.close()
            continue
        base = re.sub(r"[^A-Za-z0-9_-]+", "-", site.folder.name).strip("-") or "repository"
        taken = {one.name for one in found.values()}
        names = (base if n == 1 else f"{base}-{n}" for n in range(1, len(taken) + 2))
        site.name = next(name for name in names if name not in taken)
        found[site.folder] = site
    return list(found.values())
