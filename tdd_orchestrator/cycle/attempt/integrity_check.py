"""Over an agent that no sandbox holds: the user's repository is looked at before it works, and after."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tdd_orchestrator.agents.sandbox import choose
from tdd_orchestrator.cycle.plan import status_records
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.notes import selection, tree
from tdd_orchestrator.notes.codec import decode_note
from tdd_orchestrator.notes.write_journal import places_in
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import ZERO
from tdd_orchestrator.workspace import repository_snapshot
from tdd_orchestrator.workspace.folders import remove
from tdd_orchestrator.workspace.repository_snapshot import Memory, Snapshot

_CLAIMS = frozenset(
    {"baseline", "cycle_started", "intent", "handoff", "error", "landing", "cycle_ended", "resumed",
        "rebased",
     "rollback", "approval", "fix", "reattached"}
)  # fmt: skip
"""Records that only the holder of the run lock writes: while an agent works, that is nobody."""


@dataclass(frozen=True, slots=True)
class Before:
    """What the journal holds, and the notes commit to which that belongs; facts of the files that spare
    reading the notes."""

    memory: Memory
    journal: bytes
    notes: str
    shortcuts: tuple[int, ...]


def begin(context: Workshop, agent: str) -> Before | None:
    """What to compare with; None where a sandbox or a person's own hand makes it needless."""
    if agent == "human" or choose(context.settings.sandbox) != "none":
        return None
    journal, notes = context.store.journal.read(0)[1], refs.read(context.git, context.store.ref) or ""
    facts = _facts_of_shortcuts(context.git.common_dir)
    return Before(
        repository_snapshot.remember(context.git, checkout=not context.settings.inplace),
        journal,
        notes,
        facts,
    )


def end(context: Workshop, before: Before | None, keep: Path) -> Snapshot:
    """What the agent did to the user's repository; git's own files, our refs and our ledger are as they were
    again."""
    if before is None:
        return Snapshot()
    if _facts_of_shortcuts(context.git.common_dir) != before.shortcuts:
        for path in _shortcuts(context.git.common_dir):
            remove(path)  # the agent may have written it; the notes themselves are read the next time
    seen = repository_snapshot.compare(
        context.git, before.memory, keep, genuine=lambda old, new: _genuine(context, old, new)
    )
    if _restore_journal(context, before):
        seen = replace(
            seen, restored=(*seen.restored, f".git/tdd/{context.store.journal.path.name} was changed")
        )
    for what in (*seen.restored, *seen.told):
        context.watch.note(what)
    return seen


def _restore_journal(context: Workshop, before: Before) -> bool:
    """What stood there stands there, and what came is of records that came to the notes meanwhile. Whether it
    was not so."""
    held = context.store.journal.read(0)[1]
    if held == before.journal:
        return False
    now, lines = tuple(places_in(held)), tuple(places_in(before.journal))
    fresh = (
        context.store.announced(before.notes) if refs.read(context.git, context.store.ref) else frozenset()
    )
    rightly = (*lines, *(line for line in now if line in fresh and line not in lines))
    if now != rightly:
        context.store.journal.rewrite(rightly)
    return not set(now) <= set(rightly) or not set(lines[:-1]) <= set(now)


def _genuine(context: Workshop, old: str, new: str) -> bool:
    """Whether the notes went on from ``old`` without a claim that only we could make (T24)."""
    if new == ZERO or context.objects.find(new) is None:
        return False
    if old != ZERO and not context.git.holds(new, old):
        return False
    roots: list[str | None] = [context.objects.read_commit(old).tree] if old != ZERO else []
    for commit, blob in tree.differing(context.objects, context.objects.read_commit(new).tree, roots):
        note = decode_note(context.objects.read_kind(blob, "blob"), commit)
        before = (
            {record["id"] for record in context.store.of(commit, roots[0]).records}
            if roots and roots[0]
            else set()
        )
        fresh = [record for record in note.records if record["id"] not in before]
        if any(record.known_good or record.kind in _CLAIMS for record in read_all(fresh)):
            return False
    return True


def _shortcuts(common_dir: Path) -> tuple[Path, ...]:
    return status_records.path_in(common_dir), selection.path_in(common_dir)


def _facts_of_shortcuts(common_dir: Path) -> tuple[int, ...]:
    """What changes whenever one of the files is written."""
    found: list[int] = []
    for path in _shortcuts(common_dir):
        with suppress(OSError):
            seen = os.lstat(path)
            found += (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
    return tuple(found)
