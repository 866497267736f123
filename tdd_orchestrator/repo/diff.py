"""The difference of two trees: its paths without a git process, its text and patch id by one that stays."""

from __future__ import annotations

import hashlib
import re

from tdd_orchestrator.model.errors import StoreDamaged
from tdd_orchestrator.process import Finished
from tdd_orchestrator.repo.encoding import EMPTY_TREE, TREE_MODE, Entry, parse_tree
from tdd_orchestrator.repo.git import Git, failed
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


_ARGS = ("diff-tree", "--stdin", "-p", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
_END = (
    b"end of this difference\n"  # git repeats a line that names no object, and no line of a patch begins so
)
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_SPACE = b" \t\r\n"
_BYTES = 20  # of a patch id


def diff_of_trees(git: Git, before: str, after: str) -> bytes:
    """Return the unified diff. GitFailed where git cannot read a tree."""
    child = git.helper(*_ARGS)
    assert child.stdin is not None
    assert child.stdout is not None
    lines: list[bytes] = []
    try:
        child.stdin.write(f"{before} {after}\n".encode() + _END)
        child.stdin.flush()
        while (line := child.stdout.readline()) and line != _END:
            lines.append(line)
    except BrokenPipeError:
        line = b""
    except BaseException:
        git.drop(*_ARGS)  # broken off, it has still to say what would be taken for another answer
        raise
    if line != _END or not lines or lines[0].split() != [before.encode(), after.encode()]:
        words = (*_ARGS[:1], before, after)
        if not line:
            child.wait()  # it has ended: its exit code says why
        raise failed(words, Finished(words, child.poll(), b"", git.drop(*_ARGS)))
    return b"".join(lines[1:])


def shortstat(diff: bytes) -> str:
    """Return what ``git diff --shortstat`` says of a diff, a renamed file as two; "" of an empty one."""
    plus = minus = old = new = 0
    heads: set[bytes] = set()  # a file that becomes a link has two that are alike
    for line in diff.split(b"\n"):
        mark = line[:1]
        if old or new:  # lines left of a hunk
            old -= mark in (b"-", b" ")
            new -= mark in (b"+", b" ")
            plus += mark == b"+"
            minus += mark == b"-"
        elif hunk := _HUNK.match(line):
            old, new = (int(count or 1) for count in hunk.groups())
        elif line.startswith(b"diff --git "):
            heads.add(line)
    if not heads:
        return ""
    none = not plus and not minus
    words = [f"{len(heads)} file{'s' * (len(heads) != 1)} changed"]
    words += [f"{plus} insertion{'s' * (plus != 1)}(+)"] if plus or none else []
    words += [f"{minus} deletion{'s' * (minus != 1)}(-)"] if minus or none else []
    return ", ".join(words)


def patch_id(git: Git, diff: bytes) -> str:
    """Return git's stable patch id of a diff; "" for an empty one. git is asked where the diff has binary files."""
    if not diff:
        return ""
    if b"\0" in diff or re.search(rb"^(?:Binary files|GIT binary patch)", diff, re.MULTILINE):
        return git.run("patch-id", "--stable", stdin=diff).split()[0].decode("ascii")
    total, one = 0, hashlib.sha1(usedforsecurity=False)
    old = new = -1  # lines left of a hunk; -1: in a file's head
    for line in diff.split(b"\n")[:-1]:
        if line.startswith(b"\\ ") or (old == -1 and line.startswith(b"index ")):
            continue
        if old == -1 and line.startswith(b"--- "):
            old = new = 1
        if (old, new) == (0, 0):
            hunk = _HUNK.match(line)
            if hunk:
                old, new = (int(count or 1) for count in hunk.groups())
                continue
            total += int.from_bytes(one.digest(), "little")
            one = hashlib.sha1(usedforsecurity=False)
            old = new = -1
        old -= old != -1 and line[:1] in (b"-", b" ")
        new -= new != -1 and line[:1] in (b"+", b" ")
        one.update(line.translate(None, _SPACE))
    total += int.from_bytes(one.digest(), "little")
    return int(total % (1 << 8 * _BYTES)).to_bytes(_BYTES, "little").hex()
