"""Notes in a tree, at any fan-out: found, set, walked. Flat, one level, two levels, or mixed, as git leaves
it.

Only the trees on the way to a note are read and written. A level that has folders keeps them; a flat level of
more than 256 notes is split into folders by the next two digits, as git would come to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tdd_orchestrator.notes.codec import joined
from tdd_orchestrator.repo.encoding import (
    EMPTY_TREE,
    TREE_MODE,
    Entry,
    entry,
    entry_at,
    parse_tree,
    with_entry,
)
from tdd_orchestrator.repo.objects import Objects

_SPLIT = 256
_DEEPEST = 36  # digits left after two levels of folders: git goes on, 65,536 folders are enough for us
_BLOB = 0o100644
_HEX = frozenset(b"0123456789abcdef")
_FOLDER = re.compile(rb"40000 [0-9a-f]{2}\0")


def blobs(objects: Objects, root: str, oid: str) -> list[str]:
    """The note blobs of an object: one, or none; more where two clones with different fan-outs were
    merged."""
    found = []
    tree, rest = root, oid.encode()
    while True:
        data = objects.read_kind(tree, "tree")
        note = entry(data, rest)
        if note is not None:
            found.append(note[1])
        folder = entry(data, rest[:2])
        if folder is None or folder[0] != TREE_MODE or len(rest) <= 2:
            return found
        tree, rest = folder[1], rest[2:]


def first_other(objects: Objects, root: str) -> str:
    """The first name at the top of a tree that is neither a note nor a folder of notes; empty where all
    are."""
    for name, (mode, _) in parse_tree(objects.read_kind(root, "tree")):
        length = 2 if mode == TREE_MODE else 40
        if len(name) != length or not _HEX.issuperset(name):
            return name.decode("utf-8", "replace")
    return ""


def put(objects: Objects, root: str, oid: str, blob: str) -> str:
    """The tree with the note of one object set, at one depth only."""
    return _set(objects, root, oid.encode(), blob)


def _set(objects: Objects, tree: str, rest: bytes, blob: str) -> str:
    """As :func:`_put` for one note, by changing a few bytes of each tree on the way."""
    data = objects.read_kind(tree, "tree")
    flat, folder = entry_at(data, rest), entry(data, rest[:2])
    inside = folder is not None and folder[0] == TREE_MODE and len(rest) > 2
    full = len(data) > _SPLIT * (len(rest) + 28) and not inside
    if (flat and inside) or full:
        return _put(objects, tree, {rest: blob})
    if inside or (flat is None and _FOLDER.search(data)):
        below = _set(objects, folder[1] if folder else EMPTY_TREE, rest[2:], blob)
        return objects.write("tree", with_entry(data, rest[:2], (TREE_MODE, below)))
    return objects.write("tree", with_entry(data, rest, (_BLOB, blob)))


def put_many(objects: Objects, root: str, notes: Mapping[str, str]) -> str:
    """The tree with notes (object -> blob) set, each at one depth only; every tree on the way is written
    once."""
    return _put(objects, root, {oid.encode(): blob for oid, blob in notes.items()})


def _put(objects: Objects, tree: str, notes: Mapping[bytes, str]) -> str:
    entries = objects.read_tree(tree)
    folders = _has_folders(entries)
    below: dict[bytes, dict[bytes, str]] = {}
    width = 0
    for rest, blob in notes.items():
        width = len(rest)
        flat = entries.pop(rest, None) is not None
        folder = entries.get(rest[:2])
        if width > 2 and ((folder is not None and folder[0] == TREE_MODE) or (folders and not flat)):
            below.setdefault(rest[:2], {})[rest[2:]] = blob
        else:
            entries[rest] = (_BLOB, blob)
    for name, inner in below.items():
        old = entries.get(name, (TREE_MODE, EMPTY_TREE))[1]
        entries[name] = (TREE_MODE, _put(objects, old, inner))
    if len(entries) > _SPLIT and width > _DEEPEST:
        entries = _split(objects, entries, width)
    return objects.write_tree(entries)


def union(objects: Objects, root: str, other: str) -> str:
    """The tree with every line of both, as ``cat_sort_uniq`` merges; what only one side has stays, also
    removed notes."""
    if root == EMPTY_TREE:
        return other
    changed: dict[str, str] = {}
    for oid, blob in differing(objects, other, [root]):
        theirs = objects.read_kind(blob, "blob").split(b"\n")
        held = blobs(objects, root, oid)
        ours = [line for one in held for line in objects.read_kind(one, "blob").split(b"\n")]
        if len(held) != 1 or not set(theirs) <= {*ours, b""}:
            changed[oid] = objects.write_blob(joined([*ours, *theirs]))
    return put_many(objects, root, changed) if changed else root


def _has_folders(entries: dict[bytes, Entry]) -> bool:
    return any(len(name) == 2 and mode == TREE_MODE for name, (mode, _) in entries.items())


def _split(objects: Objects, entries: dict[bytes, Entry], width: int) -> dict[bytes, Entry]:
    """A flat level into folders; what is no note stays where it is."""
    folders: dict[bytes, dict[bytes, Entry]] = {}
    kept = {}
    for name, value in entries.items():
        if len(name) == width and _HEX.issuperset(name):
            folders.setdefault(name[:2], {})[name[2:]] = value
        else:
            kept[name] = value
    return kept | {name: (TREE_MODE, objects.write_tree(below)) for name, below in folders.items()}


def walk(objects: Objects, root: str, prefix: bytes = b"") -> Iterator[tuple[str, str]]:
    """(object, blob) of every note, in the order of the tree."""
    for name, (mode, oid) in parse_tree(objects.read_kind(root, "tree")):
        if mode == TREE_MODE and len(name) == 2 and _HEX.issuperset(name) and len(prefix) < 38:
            yield from walk(objects, oid, prefix + name)
        elif len(prefix) + len(name) == 40 and _HEX.issuperset(name):
            yield (prefix + name).decode(), oid


def differing(
    objects: Objects, root: str | None, others: list[str | None], prefix: bytes = b""
) -> Iterator[tuple[str, str]]:
    """(object, blob) of the notes in ``root`` that none of the other trees holds as it is, at the same
    depth."""
    if root is None or root in others:
        return
    beside = [objects.read_tree(other) if other else {} for other in others]
    for name, value in parse_tree(objects.read_kind(root, "tree")):
        if any(tree.get(name) == value for tree in beside):
            continue
        if value[0] == TREE_MODE and len(name) == 2:
            below = [
                tree[name][1] if name in tree and tree[name][0] == TREE_MODE else None for tree in beside
            ]
            yield from differing(objects, value[1], below, prefix + name)
        elif len(prefix) + len(name) == 40 and _HEX.issuperset(name):
            yield (prefix + name).decode(), value[1]
