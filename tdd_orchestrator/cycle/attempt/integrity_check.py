"""Over an agent that no sandbox holds: the user's repository is looked at before it works, and after."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.agents.sandbox import choose
from tdd_orchestrator.cycle.context import Agents, CycleContext, Repository
from tdd_orchestrator.cycle.plan import repository
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.notes import selection, tree
from tdd_orchestrator.notes.codec import decode_note
from tdd_orchestrator.notes.write_journal import places_in
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import ZERO
from tdd_orchestrator.workspace import repository_snapshot
from tdd_orchestrator.workspace.folders import remove
from tdd_orchestrator.workspace.repository_snapshot import Before, Snapshot

_CLAIMS = frozenset(
    {"baseline", "cycle_started", "intent", "handoff", "error", "landing", "cycle_ended", "resumed",
        "rebased",
     "rollback", "approval", "fix", "reattached"}
)  # fmt: skip
"""Records that only the holder of the run lock writes. What this process wrote itself while an agent
worked is known."""


def begin(context: CycleContext, agent: str) -> bool:
    """Start to watch the user's repository, unless a sandbox or a person's own work makes that needless.
    Agents that work at the same time share the first snapshot: a later one would hold what another has
    done."""
    if agent == "human" or choose(context.settings.sandbox) != "none":
        return False
    if not context.agents.guard.agents:
        context.agents.guard.before = _snapshot(context)
    context.agents.guard.agents += 1
    return True


def end(context: CycleContext, watched: bool, keep: Path) -> Snapshot:
    """Return what the agent did to the user's repository, after git's files, our refs and our journal
    are restored."""
    before = context.agents.guard.before
    if not watched or before is None:
        return Snapshot()
    if _facts_of_shortcuts(context.repo.git.common_dir) != before.shortcuts:
        for path in _shortcuts(context.repo.git.common_dir):
            remove(path)  # the agent may have written it; the notes themselves are read the next time
    memory = replace(before.memory, refs=_with_our_moves(context.repo, before))
    seen = repository_snapshot.compare(
        context.repo.git, memory, keep, genuine=lambda old, new: _genuine(context.repo, old, new)
    )
    journal, changed = _restore_journal(context.repo, before)
    if changed:
        seen = replace(
            seen, restored=(*seen.restored, f".git/tdd/{context.repo.store.journal.path.name} was changed")
        )
    for what in (*seen.restored, *seen.reported):
        context.watch.note(what)
    leave(context.agents, watched)
    if context.agents.guard.before is not None:
        context.agents.guard.before = replace(
            before,
            memory=memory,
            journal=journal,
            notes=memory.refs.get(context.repo.store.ref, ""),
            shortcuts=_facts_of_shortcuts(context.repo.git.common_dir),
            moves=len(context.repo.git.moves),
        )
        follow(context, compared=True)
    return seen


def leave(agents: Agents, watched: bool) -> None:
    """An agent has ended; where its work was broken off, nothing is compared."""
    agents.guard.agents -= watched
    if not agents.guard.agents:
        agents.guard.before = None


def follow(context: CycleContext, *, compared: bool = False) -> None:
    """Add what a landing changed (index and checkout) to the snapshot of the agents at work; with
    ``compared`` the branches too."""
    before = context.agents.guard.before
    if before is None:
        return
    known = before.memory
    fresh = repository_snapshot.remember(context.repo.git, checkout=known.checkout is not None)
    moved = _with_our_moves(context.repo, before)
    ours = {ref: oid for ref, oid in moved.items() if ref.startswith(repository_snapshot.OWN)}
    branches = fresh.refs if compared else moved
    theirs = {ref: oid for ref, oid in branches.items() if not ref.startswith(repository_snapshot.OWN)}
    entrance = replace(fresh.entrance, odd=known.entrance.odd)
    memory = replace(known, refs={**theirs, **ours}, entrance=entrance, checkout=fresh.checkout)
    context.agents.guard.before = replace(before, memory=memory, moves=len(context.repo.git.moves))


def _snapshot(context: CycleContext) -> Before:
    journal, notes = (
        context.repo.store.journal.read(0)[1],
        refs.read(context.repo.git, context.repo.store.ref) or "",
    )
    memory = repository_snapshot.remember(context.repo.git, checkout=not context.settings.inplace)
    shortcuts = _facts_of_shortcuts(context.repo.git.common_dir)
    return Before(memory, journal, notes, shortcuts, len(context.repo.git.moves))


def _with_our_moves(repo: Repository, before: Before) -> dict[str, str]:
    """Return the refs of the snapshot, with this process's own moves since."""
    moved = {**before.memory.refs, **dict(repo.git.moves[before.moves :])}
    return {ref: oid for ref, oid in moved.items() if oid != ZERO}


def _restore_journal(repo: Repository, before: Before) -> tuple[bytes, bool]:
    """Restore the journal, with the records that reached the notes meanwhile.

    Return its bytes, and whether they had been changed.
    """
    held = repo.store.journal.read(0)[1]
    if held == before.journal:
        return held, False
    now, lines = tuple(places_in(held)), tuple(places_in(before.journal))
    fresh = repo.store.announced(before.notes) if refs.read(repo.git, repo.store.ref) else frozenset()
    rightly = (*lines, *(line for line in now if line in fresh and line not in lines))
    if now != rightly:
        repo.store.journal.rewrite(rightly)
    right = "".join(f"{line}\n" for line in rightly).encode()
    return right, not set(now) <= set(rightly) or not set(lines[:-1]) <= set(now)


def _genuine(repo: Repository, old: str, new: str) -> bool:
    """Whether the notes went on from ``old`` without a claim that only we could make (T24)."""
    if new == ZERO or repo.objects.find(new) is None:
        return False
    if old != ZERO and not repo.git.holds(new, old):
        return False
    roots: list[str | None] = [repo.objects.read_commit(old).tree] if old != ZERO else []
    for commit, blob in tree.differing(repo.objects, repo.objects.read_commit(new).tree, roots):
        note = decode_note(repo.objects.read_kind(blob, "blob"), commit)
        before = (
            {record["id"] for record in repo.store.of(commit, roots[0]).records}
            if roots and roots[0]
            else set()
        )
        fresh = [record for record in note.records if record["id"] not in before]
        if any(record.known_good or record.kind in _CLAIMS for record in read_all(fresh)):
            return False
    return True


def _shortcuts(common_dir: Path) -> tuple[Path, ...]:
    return repository.statuses_file(common_dir), selection.path_in(common_dir)


def _facts_of_shortcuts(common_dir: Path) -> tuple[int, ...]:
    """What changes whenever one of the files is written."""
    found: list[int] = []
    for path in _shortcuts(common_dir):
        with suppress(OSError):
            seen = os.lstat(path)
            found += (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
    return tuple(found)
