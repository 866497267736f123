"""Find commits that lost their records, by tree, then by patch, and re-attach them (N5)."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from tdd_orchestrator.audit.audit_log import Trail
from tdd_orchestrator.audit.commits import Facts, accepted, facts
from tdd_orchestrator.model.parts import TestEvidence
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.model.records import AnyRecord, Handoff, Reattached, Record
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
    """Return the newest commits without a record whose tree was proven on another branch, each with the proven
    commit. One that has the proven commit behind it, such as a revert, only came back to its tree."""
    newest = git.run("rev-list", f"--max-count={_NEWEST}", "--first-parent", "--end-of-options", head)
    commits = [commit for commit in newest.decode("ascii").split() if commit not in apart]
    found = refind(git, objects, store, commits, by_patch=False)
    by_tree = {commit: found[commit].commits for commit in commits if found[commit].how == "tree"}
    behind = set(git.run("rev-list", "--end-of-options", head).decode("ascii").split()) if by_tree else set()
    pairs = []
    for commit, sources in by_tree.items():
        proven = [
            source
            for source in sources
            if source not in behind and any(map(_is_proven, read_all(store.of(source).records)))
        ]
        pairs += [(commit, proven[0])] if proven else []
    return pairs


def _is_proven(record: AnyRecord | Record) -> bool:
    """Whether the record is of work that was accepted on a tree whose whole run succeeded."""
    return isinstance(record, (Handoff, Reattached)) and record.known_good


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


_COMPARED = 50  # commits of the range, and proven branches, compared by patch


@dataclass(frozen=True, slots=True)
class Adoption:
    """``adopted``: commits that got records; ``unclear``: several records fit; ``reachable`` of ``proven``
    commits; ``bare``: commits of the range without a record, where proven ones are out of reach."""

    adopted: tuple[Orphan, ...]
    unclear: tuple[Orphan, ...]
    reachable: int
    proven: int
    bare: tuple[str, ...] = ()


def adopt(git: Git, objects: Objects, store: Store, wanted: str) -> Adoption:
    """Re-attach unambiguous records in the range, and count the proven commits reachable from its end.

    A commit counts as reachable if it is an ancestor, or an ancestor is its squash.
    """
    commits = facts(git, wanted)
    inside = {one.oid for one in commits}
    head = commits[-1].oid if commits else wanted
    found = [one for one in orphans(git, objects, store, head) if one.commit in inside]
    trail = Trail(git, objects, store)
    found += _squashes_of_moved_branches(git, trail, commits, {one.commit for one in found})
    adopted = tuple(one for one in found if one.certain and reattach(store, one))
    if adopted:
        trail = Trail(git, objects, store)
    history = set(git.run("rev-list", "--end-of-options", head).decode("ascii").split())
    proven, stood_for = set(), set()
    for note in trail.notes():
        commit, records = note.commit, note.records
        if accepted(records):
            proven.add(commit)
        if commit in history:
            sources = {str(record["source"]) for record in records if record["kind"] == "reattached"}
            stood_for |= sources | {other for source in sources for other in proven_with(git, source)}
    reachable = sum(commit in history | stood_for for commit in proven)
    unclear = tuple(one for one in found if len(one.sources) > 1)
    named = {one.commit for one in (*adopted, *unclear)}
    bare = [
        one.oid for one in commits if one.oid not in named and len(one.parents) < 2 and not trail.of(one.oid)
    ]
    lost = tuple(bare) if reachable < len(proven) else ()
    return Adoption(adopted, unclear, reachable, len(proven), lost)


def _squashes_of_moved_branches(
    git: Git, trail: Trail, commits: list[Facts], apart: Container[str]
) -> list[Orphan]:
    """Return commits whose patch is that of a whole proven branch, from where the branch left their history."""
    found = []
    bare = [one for one in commits[-_COMPARED:] if len(one.parents) == 1 and not trail.of(one.oid)]
    proven = _known_good(trail) if bare else []
    for one in (one for one in bare if one.oid not in apart):
        patch = _patch(git, one.parents[0], one.oid)
        fitting = [tip for tip in _proven_ends(git, proven, one.oid) if patch and patch == _patch(
            git, git.line("merge-base", "--end-of-options", tip, one.oid, ok=(0, 1)), tip)]  # fmt: skip
        found += [Orphan(one.oid, "patch", tuple(fitting))] if fitting else []
    return found


def _known_good(trail: Trail) -> list[str]:
    """Return the commits with an accepted record that calls them known-good."""
    notes = trail.notes()
    return [note.commit for note in notes if any(one.get("known_good") for one in accepted(note.records))]


def _proven_ends(git: Git, proven: list[str], commit: str) -> list[str]:
    """Return the proven commits that ``commit`` cannot reach and no other such commit stands on."""
    if not proven:
        return []
    wanted = "\n".join((*proven[-_COMPARED:], f"^{commit}", "")).encode("ascii")
    listed = git.run("rev-list", "--parents", "--ignore-missing", "--stdin", stdin=wanted).decode("ascii")
    rows = [line.split() for line in listed.splitlines()]
    below = {parent for row in rows for parent in row[1:]}
    return [row[0] for row in rows if row[0] in proven and row[0] not in below]


def _patch(git: Git, base: str, head: str) -> str:
    """Return git's stable id of the patch between two commits; "" where there is none."""
    options = ("diff-tree", "-p", "--no-ext-diff", "--no-textconv", "--no-color", "--end-of-options")
    found = git.run("patch-id", "--stable", stdin=git.run(*options, base, head)).split() if base else []
    return found[0].decode("ascii") if found else ""


def proven_with(git: Git, source: str) -> frozenset[str]:
    """Return the commits below one that a squash commit stands for: it holds their work as well."""
    return frozenset(git.run("rev-list", "--end-of-options", source).decode("ascii").split())
