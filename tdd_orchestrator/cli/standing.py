"""Where the cycle stands, read in one git process and without the heavy packages: the fast path."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tdd_orchestrator import process
from tdd_orchestrator.cycle.usage_text import Used, used_in_all
from tdd_orchestrator.model.summary import (
    REPORT_ACTIONS,
    RecordSummary,
    ReportSummary,
    summarize,
    summarize_report,
)
from tdd_orchestrator.notes.write_journal import journal_of
from tdd_orchestrator.repo.git import OPTIONS, environment

if TYPE_CHECKING:
    from tdd_orchestrator.cycle.plan.repository import PlanRepository
    from tdd_orchestrator.notes.history import History
    from tdd_orchestrator.repo.discovery import Found
    from tdd_orchestrator.repo.git import Git
    from tdd_orchestrator.repo.objects import Objects


class Standing(NamedTuple):
    """``cycle``: the newest record of a cycle, None where there is none; one of this clone's where its cycle
    is not over. ``fix``: what a proven fix of ``tdd fix`` waits with for a person, where it was asked since;
    None where nothing was, or it is answered. ``elsewhere``: another clone began the cycle, and it is not
    over: only that one goes on with it. ``beside``: the newest record of each other cycle that is open.
    ``stop``: the open error report of what stopped the last command (budget, breaker, disk), None where
    anything came after it. ``at_work``: the process that works in the repository now."""

    cycle: dict[str, Any] | None = None
    fix: dict[str, Any] | None = None
    elsewhere: bool = False
    beside: tuple[dict[str, Any], ...] = ()
    stop: dict[str, Any] | None = None
    at_work: dict[str, Any] | None = None

    @property
    def summary(self) -> RecordSummary | None:
        """The record of the cycle, typed."""
        return summarize(self.cycle) if self.cycle else None

    @property
    def stopped(self) -> ReportSummary | None:
        """The report of what stopped the last command, typed."""
        return summarize_report(self.stop) if self.stop is not None else None


def newest(start: Path) -> Standing:
    """Where it stands. One git process where the newest notes commit is a cycle's of this clone; whatever is
    unusual takes the long way, which knows every error."""
    found = _at_the_tip(start)
    standing = _searched(start) if found is None or found.get("beside") else Standing(found)
    return standing._replace(at_work=_at_work(start))


def _at_work(start: Path) -> dict[str, Any] | None:
    """Return the orchestrator that works here and is another process, None where none does."""
    git = root_of(start) / ".git"
    if git.is_file():  # a linked work tree
        git = git.parent / git.read_text().removeprefix("gitdir:").strip()
        git = git.parent.parent if git.parent.name == "worktrees" else git  # else a submodule's
    if not (git / "tdd" / "run").exists():
        return None
    from tdd_orchestrator.repo.lock import owner_of

    owner = owner_of(git)
    if owner is None or owner.pid == os.getpid():
        return None
    return {"pid": owner.pid, "host": owner.host, "started": owner.started}


def _at_the_tip(start: Path) -> dict[str, Any] | None:
    ref = _ref(start)
    words = ("log", "-1", "--format=%B", "--no-show-signature", "--end-of-options", ref, "--")
    done = process.quick(["git", *OPTIONS, *words], cwd=start, env=environment())
    parts = done.stdout.decode("utf-8", "replace").split("\n\n", 2) if done.exit_code == 0 else []
    if len(parts) != 3 or not parts[1].startswith("{"):
        return None
    text = (
        parts[2].partition("\nHash: ")[2].partition("\n")[0]
    )  # not made anew here: whoever lies fools this one answer
    if text.rpartition(" ")[2] != journal_of(root_of(start) / ".git", ref).newest():
        return None
    try:
        record: dict[str, Any] = json.loads(parts[1].rpartition("\n")[2])
    except ValueError:
        return None
    return record if summarize(record).cycle_id and record["v"] == 1 else None


def _searched(start: Path) -> Standing:
    with opened_history(start) as history:
        here = standing_of(entry.record for entry in history.mine())
        beside = set((here.cycle or {}).get("beside") or ())
        if beside:
            here = here._replace(beside=_newest_of(beside, (entry.record for entry in history.mine())))
        if here.cycle and here.cycle["kind"] != "cycle_ended":
            return here
        trail = history.trail(newest_first=True)
        newest = next((entry for entry in trail if summarize(entry.record).cycle_id), None)
        if newest is None or history.journal.places().of(newest.hash) >= 0:
            return here
        return Standing(newest.record, here.fix, newest.record["kind"] != "cycle_ended")


def used_so_far(start: Path) -> Used:
    """Return what all cycles of the repository used, of every clone."""
    with opened_history(start) as history:
        return used_in_all(history, history.common_dir)


@contextmanager
def opened_history(start: Path) -> Iterator[History]:
    with _opened(start) as (_, _, history):
        yield history


@contextmanager
def opened_plan(start: Path) -> Iterator[PlanRepository]:
    """Yield the plan, without the configuration, which takes longer to import than everything else here."""
    from tdd_orchestrator.cycle.plan.repository import PlanRepository, StatusRecords, statuses_file
    from tdd_orchestrator.notes.plan_ref import PlanRef

    with _opened(start) as (git, objects, history):
        statuses = StatusRecords(history, statuses_file(history.common_dir))
        yield PlanRepository(PlanRef(git, objects), statuses)


@contextmanager
def _opened(start: Path) -> Iterator[tuple[Git, Objects, History]]:
    from tdd_orchestrator.notes.history import History
    from tdd_orchestrator.repo.objects import Objects

    found = _found(start)
    git = found.git()
    with Objects(git) as objects:
        yield git, objects, History(git, objects, _ref(found.work_tree))


@lru_cache(maxsize=1)
def _found(start: Path) -> Found:
    """Return the repository, asked of git once a command."""
    from tdd_orchestrator.repo.discovery import discover

    return discover(start)


def is_configured(start: Path) -> bool:
    """Return whether the repository has a configuration; it is read only where a file of other programs may hold it."""
    if any((root_of(start) / name).is_file() for name in _OWN_FILES):
        return True
    from tdd_orchestrator.config.load import load, users_file

    return load(root_of(start), user_file=users_file()).file is not None


def is_unborn(start: Path) -> bool:
    """Return whether there is no commit yet."""
    done = process.quick(
        ["git", *OPTIONS, "rev-parse", "-q", "--verify", "HEAD"], cwd=start, env=environment()
    )
    return done.exit_code != 0


def standing_of(newest_first: Iterable[dict[str, Any]]) -> Standing:
    """Return the newest cycle, and what came after it: a question or answer about a fix, a stop."""
    asked: dict[str, Any] | None = None
    cycle: dict[str, Any] | None = None
    since = []
    for record in newest_first:
        seen = summarize(record)
        if seen.cycle_id:
            cycle = record
            break
        since.append(record)
        if seen.kind == "approval" and asked is None:
            asked = record
    return Standing(cycle, _wanted(asked), stop=_stopped(since))


def _stopped(newest_first: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the report of a stop, or of `tdd fix` that failed, where no other record came after it but
    those of another `tdd fix` that met the same failure again."""
    again = False
    for record in newest_first:
        again = again or (record["kind"] == "fix" and _gave_up(record))
        if record["kind"] in REPORT_ACTIONS or (again and record["kind"] == "fix"):
            continue
        report = record.get("report")
        if not isinstance(report, dict):
            return None
        seen = summarize_report(report)
        return report if seen.fingerprint.startswith("stop-") or seen.failed_phase == FIX_PHASE else None
    return None


def _newest_of(cycles: set[str], newest_first: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Return the newest record of each of these cycles, by number."""
    found: dict[str, dict[str, Any]] = {}
    for record in newest_first:
        cycle = summarize(record).cycle_id
        if cycle in cycles:
            found.setdefault(cycle, record)
        if len(found) == len(cycles):
            break
    return tuple(sorted(found.values(), key=lambda record: summarize(record).cycle_number))


def _wanted(asked: dict[str, Any] | None) -> dict[str, Any] | None:
    return asked if asked and summarize(asked).decision == "wanted" else None


FIX_PHASE = "FIX"  # the failed phase of a report of `tdd fix`


REF = "refs/notes/tdd"
_OWN_FILES = ("tdd.toml", ".tdd.toml")  # of the configuration, as in config.load


def _ref(start: Path) -> str:
    """``notes.ref``: the whole configuration is read only where a source of it speaks of notes at all."""
    if not os.environ.get("TDD_NOTES_REF") and not any(map(_speaks_of_notes, _sources(start))):
        return REF
    from tdd_orchestrator.config.load import load, users_file

    return load(root_of(start), user_file=users_file()).config.notes.ref


def root_of(start: Path) -> Path:
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), start)


def _sources(start: Path) -> Iterator[Path]:
    root = root_of(start)
    yield from (root / name for name in (*_OWN_FILES, "pyproject.toml"))
    yield _users()


def _users() -> Path:
    """As ``load.users_file``, which takes as long to import as everything else here takes."""
    if sys.platform.startswith("linux"):
        home = os.environ.get("XDG_CONFIG_HOME", "").strip() or "~/.config"
        return Path(home).expanduser() / "tdd" / "config.toml"
    from tdd_orchestrator.config.load import users_file

    return users_file()


def _speaks_of_notes(path: Path) -> bool:
    try:
        return b"notes" in path.read_bytes()
    except OSError:
        return False


def _gave_up(fix: Mapping[str, Any]) -> bool:
    """Whether it is the end of a `tdd fix` that left a test failing."""
    results = fix.get("results")
    failed = (one for one in results if isinstance(one, dict)) if isinstance(results, list) else ()
    return fix.get("status") == "ended" and any(one.get("status") != "PASSED" for one in failed)
