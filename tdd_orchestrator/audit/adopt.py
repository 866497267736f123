"""Records for the commits of a range that a forge made by squash, rebase or merge."""

from __future__ import annotations

from dataclasses import dataclass

from tdd_orchestrator.audit import audit_log
from tdd_orchestrator.audit.commits import accepted, facts
from tdd_orchestrator.audit.reattach import Orphan, orphans, reattach
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects


@dataclass(frozen=True, slots=True)
class Adoption:
    """``adopted``: commits that got records; ``unclear``: several records fit; ``reachable`` of ``proven``
    commits."""

    adopted: tuple[Orphan, ...]
    unclear: tuple[Orphan, ...]
    reachable: int
    proven: int


def adopt(git: Git, objects: Objects, store: Store, wanted: str) -> Adoption:
    """Re-attach what is certain in the range, and count the proven commits that its end can reach.

    A commit counts as reachable where it is an ancestor, or where an ancestor stands for it.
    """
    commits = facts(git, wanted)
    inside = {one.oid for one in commits}
    head = commits[-1].oid if commits else wanted
    found = [one for one in orphans(git, objects, store, head) if one.commit in inside]
    adopted = tuple(one for one in found if one.certain and reattach(store, one))
    trail = audit_log.read(git, objects, store)
    history = set(git.run("rev-list", "--end-of-options", head).decode("ascii").split())
    proven, stood_for = set(), set()
    for commit, records in trail.by_commit.items():
        if accepted(records):
            proven.add(commit)
        if commit in history:
            sources = {str(record["source"]) for record in records if record["kind"] == "reattached"}
            stood_for |= sources | {other for source in sources for other in proven_with(git, source)}
    reachable = sum(commit in history | stood_for for commit in proven)
    return Adoption(adopted, tuple(one for one in found if len(one.sources) > 1), reachable, len(proven))


def proven_with(git: Git, source: str) -> frozenset[str]:
    """Return the commits below one that a squash commit stands for: it holds their work as well."""
    return frozenset(git.run("rev-list", "--end-of-options", source).decode("ascii").split())
