"""Records of commits that were rewritten: found again by commit, then by tree, then by patch (N5).

Amend and rebase carry notes along where ``tdd init`` has set that up; cherry-pick and squash never do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from tdd_orchestrator.notes import tree
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

_BATCH = 200  # commits whose patches are computed in one go


@dataclass(frozen=True, slots=True)
class Refound:
    """``how`` is commit, tree, patch or "" (nothing found). More than one in ``commits``: it cannot be told
    which."""

    how: str = ""
    commits: tuple[str, ...] = ()


def refind(
    git: Git, objects: Objects, history: History, commits: Sequence[str], *, by_patch: bool = True
) -> dict[str, Refound]:
    """Return for each commit the annotated commits whose records are its own, by its id, its tree or its
    patch."""
    tip = history.tip()
    if tip is None:
        return {commit: Refound() for commit in commits}
    noted = [oid for oid, _ in tree.walk(objects, tip[1].tree)]
    known = set(noted)
    found = {commit: Refound("commit", (commit,)) for commit in commits if commit in known}
    ways = (("tree", trees), ("patch", patches)) if by_patch else (("tree", trees),)
    for how, identify in ways:
        open_ones = [commit for commit in commits if commit not in found]
        if not open_ones:
            break
        sought = identify(git, open_ones)
        candidates: dict[str, list[str]] = {}
        for commit, key in identify(git, noted).items():
            candidates.setdefault(key, []).append(commit)
        for commit, key in sought.items():
            if key in candidates:
                found[commit] = Refound(how, tuple(sorted(candidates[key])))
    return {commit: found.get(commit, Refound()) for commit in commits}


def trees(git: Git, commits: Iterable[str]) -> dict[str, str]:
    """Commit -> its tree; what is no commit, or is gone, is left out."""
    commits = list(commits)
    ask = "".join(f"{commit}^{{tree}}\n" for commit in commits).encode()
    answers = (
        git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=ask).decode().splitlines()
    )
    return {
        commit: answer.split(" ")[0]
        for commit, answer in zip(commits, answers, strict=True)
        if answer.endswith(" tree") and not answer.startswith(commit)
    }


def patches(git: Git, commits: Iterable[str]) -> dict[str, str]:
    """Commit -> its stable patch id; merges and commits that change nothing have none."""
    found = {}
    todo = iter(trees(git, commits))
    while batch := list(islice(todo, _BATCH)):
        words = (
            "diff-tree",
            "--stdin",
            "--root",
            "-p",
            "-r",
            "--no-ext-diff",
            "--no-textconv",
            "--full-index",
            "--binary",
        )
        text = git.run(*words, stdin="".join(f"{commit}\n" for commit in batch).encode())
        for line in git.run("patch-id", "--stable", stdin=text).decode().splitlines() if text else ():
            patch, _, commit = line.partition(" ")
            found[commit] = patch
    return found
