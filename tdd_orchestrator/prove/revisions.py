"""Find the two trees to compare: a range, one commit, the index or the work tree."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.audit.commits import UNASSISTED, Facts, facts
from tdd_orchestrator.model.errors import GitFailed, Refused
from tdd_orchestrator.prove.reverts import find_undone
from tdd_orchestrator.prove.values import ChangeRange
from tdd_orchestrator.repo.encoding import EMPTY_TREE
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.workspace.survey import linkable

MOST = 200  # commits of one call
_TRUNKS = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master",
           "refs/heads/main", "refs/heads/master")  # fmt: skip


def find_changes(git: Git, objects: Objects, wanted: str, *, each: bool = False) -> list[ChangeRange]:
    """Return the changes that a range names: one for the whole range, or one for each commit.

    ``A..B`` and ``A...B`` compare B with the merge base. One commit is compared with its first parent, which
    for a forge's merge commit is the target branch. Without a range, HEAD is compared with the trunk's merge
    base.
    """
    base, head = _ends(git, wanted or _default(git))
    if not each:
        return [_whole(git, objects, base, head)]
    by_id = {one.oid: one for one in (base, *facts(git, f"{base.oid}..{head.oid}"))}
    commits = _first_parents(head, by_id)
    if len(commits) > MOST:
        raise Refused(f"The range has {len(commits)} commits; at most {MOST} are proven at once.")
    return [_of_commit(git, one, by_id) for one in commits]


def _first_parents(head: Facts, by_id: dict[str, Facts]) -> list[Facts]:
    """Return the commits of the range that HEAD reaches by first parents, oldest first: a merge is one
    change."""
    chain = []
    one: Facts | None = head
    while one is not None and one.parents:
        chain.append(one)
        one = by_id.get(one.parents[0])
    base = next(iter(by_id))
    return [commit for commit in reversed(chain) if commit.oid != base]


def find_staged(git: Git, objects: Objects, identity: str, message: Path | None = None) -> list[ChangeRange]:
    """Return the change that the index holds, against HEAD. ``message``: the file with the message of the
    commit to come, for its claim; none is returned where that commit changes no file."""
    head = _one(git, "HEAD")
    with _copied_index(git) as index, Git(git.git_dir, index=index) as other:
        try:
            tree = other.line("write-tree")
        except GitFailed as error:
            raise Refused(
                "The index cannot be written as a tree: it has conflicts.", "Resolve them first."
            ) from error
    if message and tree == head.tree:
        return []
    change = _uncommitted(objects, head, tree, "staged", identity)
    text = message.read_text("utf-8", "replace") if message else ""
    undoes = find_undone(git, head.oid, head.tree, tree, text)
    return [replace(change, claim=_claim_of(git, message) if message else "", undoes=undoes)]


def find_worktree(
    git: Git, objects: Objects, work_tree: Path, identity: str, base: str = "HEAD"
) -> list[ChangeRange]:
    """Return the change that the work tree holds, untracked files included, against ``base``. The index stays
    as it is."""
    head = _one(git, base)
    with _copied_index(git) as index, Git(git.git_dir, work_tree, index) as other:
        shared = linkable(work_tree, git)  # environments and packages, which each tree is given
        other.run("add", "--all", "--", ".", *(f":(exclude,literal){name}" for name in shared))
        tree = other.line("write-tree")
    return [_uncommitted(objects, head, tree, "work tree", identity)]


@contextmanager
def _copied_index(git: Git) -> Iterator[Path]:
    """Yield a copy of the index. In a hook git names the one of the commit to come and holds its lock."""
    named = Path(os.environ.get("GIT_INDEX_FILE") or git.git_dir / "index").resolve()
    index = named if named.parent == git.git_dir.resolve() else git.git_dir / "index"
    with tempfile.TemporaryDirectory(prefix="tdd-prove-") as folder:
        copy = Path(folder, "index")
        if index.exists():
            shutil.copyfile(index, copy)
        yield copy


def _uncommitted(objects: Objects, head: Facts, tree: str, name: str, identity: str) -> ChangeRange:
    if tree == head.tree:
        what = "index" if name == "staged" else name
        raise Refused(f"There is nothing to prove: the {what} is as HEAD has it.")
    author = f"{identity or 'tdd <tdd@localhost>'} {int(time.time())} +0000"
    commit = objects.write_commit(tree, [head.oid], f"{name}\n", author=author)
    return ChangeRange(name, f"{name} on {head.oid[:9]}", head.oid, head.tree, commit, tree)


def _default(git: Git) -> str:
    """Return the range of a branch since it left the trunk; on the trunk itself its newest commit."""
    head = git.line("rev-parse", "--verify", "HEAD", ok=(0, 128))
    for trunk in _TRUNKS:
        oid = git.line("rev-parse", "--verify", "--quiet", f"{trunk}^{{commit}}", ok=(0, 1, 128))
        if oid and oid != head and not git.holds(oid, head):
            return f"{trunk}..HEAD"
        if oid:
            break
    return "HEAD"


def _ends(git: Git, wanted: str) -> tuple[Facts, Facts]:
    if ".." in wanted:
        left, _, right = wanted.partition("...") if "..." in wanted else wanted.partition("..")
        base, head = _one(git, left or "HEAD"), _one(git, right or "HEAD")
        common = git.line("merge-base", "--end-of-options", base.oid, head.oid, ok=(0, 1))
        if not common:
            raise Refused(
                f"'{left}' and '{right}' have no common commit.", "Name two commits of one history."
            )
        if common == head.oid:
            raise Refused(f"There is nothing to prove: '{wanted}' holds no commit.")
        return (base if common == base.oid else _one(git, common)), head
    head = _one(git, wanted)
    if not head.parents:
        return Facts("", (), EMPTY_TREE, ""), head
    return _one(git, head.parents[0]), head


def _one(git: Git, name: str) -> Facts:
    oid = git.line(
        "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", ok=(0, 1, 128)
    )
    if not oid:
        raise Refused(f"'{name}' is not a commit here.", "Name one as git does: main, HEAD~5, v1.0.")
    return facts(git, f"{oid}^!")[0]


def _whole(git: Git, objects: Objects, base: Facts, head: Facts) -> ChangeRange:
    if not base.oid:
        raise Refused("The first commit has nothing to be compared with.", "Name a range: BASE..HEAD.")
    name = head.oid[:9] if head.parents[:1] == (base.oid,) else f"{base.oid[:9]}..{head.oid[:9]}"
    return _change(git, name, base, head)


def _of_commit(git: Git, one: Facts, by_id: dict[str, Facts]) -> ChangeRange:
    """Return the change of a commit against its first parent. A merge of what the range is based on, such as the
    target into its branch, is compared with that: what it brings is no change of the range."""
    base = next(iter(by_id))
    brought = [oid for oid in one.parents[1:2] if oid == base or oid not in by_id]
    oid = brought[0] if brought else one.parents[0]
    parent = by_id.get(oid) or _one(git, oid)
    return _change(git, one.oid[:9], parent, one)


def _change(git: Git, name: str, base: Facts, head: Facts) -> ChangeRange:
    wanted = f"{base.oid}..{head.oid}"
    message = os.fsdecode(git.run("log", "-1", "--format=%B", "--no-show-signature", head.oid, "--"))
    undoes = find_undone(git, base.oid, base.tree, head.tree, message)
    claim = _claim(git, wanted)
    return ChangeRange(
        name, _subject(git, wanted, head), base.oid, base.tree, head.oid, head.tree, claim, undoes
    )


def _subject(git: Git, wanted: str, head: Facts) -> str:
    """Return what a change of some commits is called: its oldest one, since the newest of a branch is often
    a correction, and a forge's merge names no more than two commits."""
    commits = [one for one in facts(git, wanted) if len(one.parents) < 2]
    if not commits:
        return head.subject
    more = len(commits) - 1
    return commits[0].subject + (f" (and {more} more commit{'s' * (more > 1)})" if more else "")


_REFACTORS = re.compile(r"(?:refactor|perf|style)(?:\([^()]*\))?!?: ")
"""Conventional subjects of commits that keep what the code does."""


def _claimed(subject: str, trailer: str) -> str:
    """Return the class that a commit claims: by its trailer, else by its subject; "" where it claims none."""
    return trailer.strip() or ("refactor" if _REFACTORS.match(subject) else "")


def _claim_of(git: Git, message: Path) -> str:
    """Return the class that the message in a file claims."""
    parsed = git.run("interpret-trailers", "--parse", "--no-divider", str(message.resolve()))
    claims = re.findall(r"^tdd-class:(.*)$", os.fsdecode(parsed), re.IGNORECASE | re.MULTILINE)
    lines = (line for line in message.read_text("utf-8", "replace").splitlines() if not line.startswith("#"))
    return _claimed(next(filter(str.strip, lines), ""), claims[-1] if claims else "")


def _claim(git: Git, wanted: str) -> str:
    """Return the class that every commit of a range claims, merges aside; "" where they differ or claim
    none."""
    raw = git.run(*UNASSISTED, "log", "-z", "--no-notes", "--no-merges",
        "--format=%s%n%(trailers:key=Tdd-Class,valueonly,separator=%x20)",
                  "--end-of-options", wanted, "--")  # fmt: skip
    found = (os.fsdecode(piece).partition("\n") for piece in raw.split(b"\0")[:-1] or [raw])
    claims = {_claimed(subject, trailer) for subject, _, trailer in found}
    return claims.pop() if len(claims) == 1 else ""
