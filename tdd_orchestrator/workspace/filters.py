"""Test the user's filters (git-lfs, git-crypt ...) on a landing's files, in a temporary folder.

A required filter that fails stops git after the branch has moved: the files would stay behind.
"""

from __future__ import annotations

from tdd_orchestrator.model.errors import GitFailed
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.tree_diff import differing
from tdd_orchestrator.workspace.folders import remove

_FILES = (0o100644, 0o100755)


def failing_filter(git: Git, objects: Objects, old: str, new: str) -> str:
    """Return git's message if a filter cannot produce a file of ``new``; '' if all can."""
    trees = (objects.read_commit(commit).tree for commit in (old, new))
    wanted = [(name, after) for name, _, after in differing(objects, *trees) if after and after[0] in _FILES]
    if not wanted:
        return ""
    rows = [b"%o %s\t%s" % (mode, oid.encode(), name) for name, (mode, oid) in wanted]
    place = git.common_dir / "tdd" / "filtered"
    remove(place)  # the run lock is held: a crashed run left it
    (place / "files").mkdir(parents=True)
    beside = Git(git.git_dir, place / "files", place / "index")
    beside.keep = git.keep
    try:
        beside.run(
            "update-index", "-z", "--index-info", stdin=b"\0".join([*_attributes(git, new), *rows]) + b"\0"
        )
        names = b"\0".join(name for name, _ in wanted)
        beside.run("checkout-index", "-z", "--stdin", stdin=names)
    except GitFailed as error:
        lines = [line.strip() for line in error.stderr.splitlines() if line.strip()]
        return " ".join(lines[-2:]).replace("fatal: ", "").rstrip(".")
    finally:
        remove(place)
    return ""


def _attributes(git: Git, commit: str) -> list[bytes]:
    """Return index lines of the commit's attribute files, which assign the filters."""
    rows = git.run("ls-tree", "-r", "-z", commit).split(b"\0")
    found = [row for row in rows if row.endswith((b"\t.gitattributes", b"/.gitattributes"))]
    return [row.replace(b" blob ", b" ", 1) for row in found]
