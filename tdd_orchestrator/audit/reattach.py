"""Find commits that lost their records in a rewrite, by tree, then by patch, and re-attach them (N5)."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from tdd_orchestrator.model.parts import TestEvidence
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.model.records import Handoff, Reattached
from tdd_orchestrator.notes.rewritten import refind
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

_MOST = 1000  # newest commits of a cycle that are searched
_NEWEST = 200  # newest commits without a trailer that are searched for squash merges


@dataclass(frozen=True, slots=True)
class Orphan:
    """``sources``: the commits whose records fit. Exactly one is certain; with several, none is used."""

    commit: str
    how: str = ""
    sources: tuple[str, ...] = ()

    @property
    def certain(self) -> bool:
        return len(self.sources) == 1


def orphans(git: Git, objects: Objects, store: Store, head: str) -> list[Orphan]:
    """Return the commits below ``head`` without a record whose records can be found.

    Those with a cycle's trailer are found by tree, then by patch; others (a squash merge loses
    trailers) only by exactly the tree of an accepted record.
    """
    named = git.run("rev-list", f"--max-count={_MOST}", "--grep=^Tdd-Cycle: ", "--end-of-options", head)
    commits = named.decode("ascii").split()
    found = refind(git, objects, store, commits)
    lost = [
        Orphan(commit, found[commit].how, found[commit].commits)
        for commit in commits
        if found[commit].how != "commit"
    ]
    return lost + [
        Orphan(commit, "tree", (source,))
        for commit, source in squashed(git, objects, store, head, set(commits))
    ]


def squashed(
    git: Git, objects: Objects, store: Store, head: str, apart: Container[str] = ()
) -> list[tuple[str, str]]:
    """Return the newest commits without a record whose tree was proven, each with the proven commit."""
    newest = git.run("rev-list", f"--max-count={_NEWEST}", "--first-parent", "--end-of-options", head)
    commits = [commit for commit in newest.decode("ascii").split() if commit not in apart]
    found = refind(git, objects, store, commits, by_patch=False)
    pairs = []
    for commit in commits:
        sources = found[commit].commits if found[commit].how == "tree" else ()
        proven = [
            source for source in sources if any(one.known_good for one in read_all(store.of(source).records))
        ]
        pairs += [(commit, proven[0])] if proven else []
    return pairs


def reattach(store: Store, orphan: Orphan) -> bool:
    """Re-attach the accepted phase to a certain orphan; False if its source has none."""
    accepted = [
        record
        for record in read_all(store.of(orphan.sources[0]).records)
        if isinstance(record, Reattached) or (isinstance(record, Handoff) and record.status != "given_up")
    ]
    if not accepted:
        return False
    source = next((record for record in reversed(accepted) if record.known_good), accepted[-1])
    believed = source in read_all(store.own(orphan.sources[0]))
    store.append(
        orphan.commit,
        _record(orphan, source, believed),
        subject=f"re-attached by {orphan.how}: {source.item}",
    )
    return True


def _record(orphan: Orphan, source: Handoff | Reattached, believed: bool) -> dict[str, Any]:
    """Return the record, with its runs if ``believed`` (same tree, recorded in this clone), to save runs."""
    same_tree = orphan.how == "tree" and believed
    record = Reattached(
        item_id=source.item_id,
        item=source.item,
        branch=source.branch,
        phase=source.phase,
        next_phase=source.next_phase,
        known_good=source.known_good and same_tree,
        source=orphan.sources[0],
        how=orphan.how,
        verdict=source.verdict,
        tests=source.tests if same_tree else TestEvidence(),
    )
    return record.model_dump(mode="json", exclude={"at", "id", "v", "prev"})
