"""Put a commit's change onto another commit, without a work tree."""

from __future__ import annotations

from tdd_orchestrator.cycle.context import Repository
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.repo.git import INSTALL_GIT, failed

_UNKNOWN = 129  # what git leaves with that does not know these options
_ANONYMOUS = "anonymous_commit <anonymous_commit@localhost> 0 +0000"


class LandingConflict(Refused):
    """The cycle conflicts with commits that reached the branch meanwhile."""


def rebased(repo: Repository, base: str, tip: str, head: str, branch: str) -> dict[str, str]:
    """Return each commit of a cycle -> the same change on ``head``; LandingConflict where one does not
    apply."""
    mapping: dict[str, str] = {}
    new_parent = head
    chain = repo.git.run("rev-list", "--reverse", "--end-of-options", f"{base}..{tip}").decode().split()
    for commit in chain:
        tree = rebased_tree(repo, new_parent, commit, branch, tip)
        facts = repo.objects.read_commit(commit)
        mapping[commit] = repo.objects.write_commit(
            tree, [new_parent], facts.message, author=facts.author, committer=facts.committer
        )
        new_parent = mapping[commit]
    return mapping


def rebased_tree(repo: Repository, onto: str, commit: str, branch: str, tip: str = "") -> str:
    """Return the tree of ``onto`` with the change of ``commit``, as a cherry-pick makes it: what the
    user removed from the branch meanwhile stays removed. `merge-tree` gets commits made for the three
    trees, since it merges from a common ancestor."""

    def anonymous_commit(tree: str, *parents: str) -> str:
        return repo.objects.write_commit(tree, parents, "merged\n", author=_ANONYMOUS)

    picked = repo.objects.read_commit(commit)
    before = anonymous_commit(repo.objects.read_commit(picked.parents[0]).tree)
    sides = (
        anonymous_commit(repo.objects.read_commit(onto).tree, before),
        anonymous_commit(picked.tree, before),
    )
    words = ("merge-tree", "--write-tree", "--no-messages", "--end-of-options", *sides)
    done = repo.git.finished(*words)
    if done.exit_code == _UNKNOWN:
        raise Refused(
            f"The branch {branch} moved, and this git cannot merge without a work tree.",
            f"{INSTALL_GIT}, then run the same command again; the cycle is kept.",
        )
    if done.exit_code not in (0, 1):
        raise failed(words, done)
    if done.exit_code == 1:
        raise LandingConflict(
            f"The branch {branch} moved, and the cycle conflicts with what came.",
            f"The cycle is kept. Merge it by hand, and the next command sees it: git merge {(tip or commit)[:12]}",
        )
    return done.stdout.decode().split()[0]
