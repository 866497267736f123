"""Find the commit that a change takes back exactly, as ``git revert`` does."""

from __future__ import annotations

import re
from itertools import pairwise

from tdd_orchestrator.audit.commits import UNASSISTED
from tdd_orchestrator.repo.git import Git

_NEWEST = 50  # commits whose trees are compared
_NAMED = re.compile(r"This\s+reverts\s+commit\s+([0-9a-f]{7,64})\b")


def find_undone(git: Git, base: str, base_tree: str, head_tree: str, message: str) -> str:
    """Return the commit of BASE's history that a change takes back; "" where there is none.

    HEAD has the tree from before it, or the message names it and the change is its patch, reversed.
    """
    rows = git.run(
        *UNASSISTED, "log", "--first-parent", f"--max-count={_NEWEST}", "--format=%H %T", base, "--"
    )
    commits = [row.split() for row in rows.decode("ascii").splitlines()]
    for (oid, _), (_, tree_before) in pairwise(commits):
        if tree_before == head_tree:
            return oid
    named: list[str] = _NAMED.findall(message)
    for name in dict.fromkeys(named):
        if _is_undone(git, base, base_tree, head_tree, name):
            return name
    return ""


def _is_undone(git: Git, base: str, base_tree: str, head_tree: str, name: str) -> bool:
    commit = git.line("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", ok=(0, 1, 128))
    parent = git.line("rev-parse", "--verify", "--quiet", f"{name}^1^{{commit}}", ok=(0, 1, 128))
    if not commit or not parent or not git.holds(base, commit):
        return False
    patch = _patch(git, parent, commit)
    return bool(patch) and patch == _patch(git, head_tree, base_tree)


def _patch(git: Git, before: str, after: str) -> str:
    """Return the id of a patch, which neither lines elsewhere nor blanks at its place change; "" for none."""
    words = ("-p", "-r", "--full-index", "--binary", "--no-renames", "--no-ext-diff", "--no-textconv")
    text = git.run("diff-tree", *words, before, after)
    named: bytes = git.run("patch-id", "--verbatim", stdin=text) if text else b""
    return named.decode("ascii").partition(" ")[0]
