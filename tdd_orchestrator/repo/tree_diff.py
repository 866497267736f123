"""Where two trees differ, without a git process: of what is the same in both, nothing is read."""

from __future__ import annotations

from tdd_orchestrator.model.errors import StoreDamaged
from tdd_orchestrator.repo.encoding import EMPTY_TREE, TREE_MODE, Entry, parse_tree
from tdd_orchestrator.repo.objects import Objects

Difference = tuple[bytes, Entry | None, Entry | None]
"""(path, what stands there before, and after); None where nothing does."""


def differing(objects: Objects, before: str, after: str) -> list[Difference]:
    """What ``git diff-tree -r --no-renames`` says of two trees, in its order. StoreDamaged where one cannot
    be read, or has a name twice."""
    found: list[Difference] = []
    todo = [(b"", before, after)] if before != after else []
    while todo:
        folder, old, new = todo.pop()
        olds, news = _entries(objects, old), _entries(objects, new)
        for name in olds.keys() | news.keys():
            one, two = olds.get(name), news.get(name)
            if one == two:
                continue
            folders = _folder(one), _folder(two)
            if folders[0] != folders[1]:
                todo.append((folder + name + b"/", *folders))
            files = _file(one), _file(two)
            if files[0] != files[1]:
                found.append((folder + name, *files))
    return sorted(found, key=lambda row: row[0])


def _entries(objects: Objects, tree: str) -> dict[bytes, Entry]:
    rows = parse_tree(objects.read_kind(tree, "tree"))
    entries = dict(rows)
    if len(entries) != len(rows):
        names = [name for name, _ in rows]
        twice = next(name for name in names if names.count(name) > 1)
        raise StoreDamaged(
            f"The tree {tree[:12]} has {twice.decode('utf-8', 'replace')!r} twice.", "Run git fsck."
        )
    return entries


def _folder(entry: Entry | None) -> str:
    return entry[1] if entry and entry[0] == TREE_MODE else EMPTY_TREE


def _file(entry: Entry | None) -> Entry | None:
    return None if entry is None or entry[0] == TREE_MODE else entry
