"""What a plain ``git notes`` took away while we wrote, found and put back.

``git notes`` does not compare before it swaps: between its reading and its writing another writer's commit
may land, and is then pushed off the ref, or stays as a parent while its lines are gone from the tree. Records
are never taken away on purpose by anything of ours, so whatever a foreign notes commit lacks of them is put
back. (A line that is no record may be taken out by hand; a ref set back to an earlier commit was set back on
purpose.)
"""

from __future__ import annotations

from tdd_orchestrator.model.errors import NewerSchema
from tdd_orchestrator.notes import message, tree
from tdd_orchestrator.notes.codec import decode_line, joined
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.repo.encoding import Commit, parse_commit
from tdd_orchestrator.repo.git import ZERO, Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.reflog import movements


def repaired(git: Git, objects: Objects, history: History, tip: tuple[str, Commit]) -> tuple[str, list[str]]:
    """(notes tree with everything put back, parents that hold it): the tip's own where nothing is amiss."""
    oid, commit = tip
    root, parents = commit.tree, [oid]
    if message.parse(commit.message, oid) is not None:
        return root, parents
    for lost in _pushed_aside(git, objects, history, oid):
        root = tree.union(objects, root, objects.read_commit(lost).tree)
        parents.append(lost)
    for _, seen, entry in history.foreign([oid]):
        for parent in seen.parents if entry is None else ():
            root = _put_back(objects, root, objects.read_commit(parent).tree, seen.tree)
    return root, parents


def _pushed_aside(git: Git, objects: Objects, history: History, tip: str) -> list[str]:
    """Commits that the reflog knows and that no longer lie below the tip, back to the last write of ours."""
    lost: list[str] = []
    for old, new in movements(git, history.ref):
        found = objects.find(new) if ZERO not in (old, new) else None
        if found is None or found[1] != "commit":
            continue
        after = parse_commit(found[2])
        if old in after.parents:
            if message.parse(after.message, new) is not None:
                break
        elif objects.find(old) and not git.holds(old, new):
            lost.append(old)
    return [one for one in lost if not git.holds(tip, one)]


def _put_back(objects: Objects, root: str, before: str, after: str) -> str:
    """``root`` with the records that ``before`` has and ``after`` lacks."""
    changed: dict[str, str] = {}
    for oid, blob in tree.differing(objects, before, [after]):
        kept = _lines(objects, tree.blobs(objects, after, oid))
        gone = [line for line in _lines(objects, [blob]) if line not in kept and _is_record(line)]
        now = _lines(objects, tree.blobs(objects, root, oid)) if gone else {}
        if not now.keys() >= set(gone):
            changed[oid] = objects.write_blob(joined([*now, *gone]))
    return tree.put_many(objects, root, changed) if changed else root


def _lines(objects: Objects, blobs: list[str]) -> dict[bytes, None]:
    """The lines of some blobs, each once, in their order."""
    every = (line for blob in blobs for line in objects.read_kind(blob, "blob").split(b"\n"))
    return dict.fromkeys(line for line in every if line)


def _is_record(line: bytes) -> bool:
    try:
        return bool(decode_line(line))
    except NewerSchema:
        return True
    except ValueError:
        return False
