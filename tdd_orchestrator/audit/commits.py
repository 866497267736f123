"""List the commits of a range with their accepted records, also after a rewrite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field

from tdd_orchestrator.audit.audit_log import Trail
from tdd_orchestrator.audit.findings import Finding
from tdd_orchestrator.model.errors import GitFailed, Refused
from tdd_orchestrator.model.phase import COMMITTED, Phase
from tdd_orchestrator.model.reading import read_as
from tdd_orchestrator.model.records import Fix, Handoff
from tdd_orchestrator.notes.codec import Record
from tdd_orchestrator.notes.rewritten import patches, trees
from tdd_orchestrator.repo.git import Git

_FORMAT = (
    "%H%n%P%n%T%n%s%n%(trailers:key=Tdd-Cycle,valueonly,separator=%x20)%n"
    "%(trailers:key=Tdd-Phase,valueonly,separator=%x20)"
)


UNASSISTED = ("-c", "core.commitGraph=false")
"""Git options to read parents from the commits: a commit-graph file could name others and hide commits."""


@dataclass(frozen=True, slots=True)
class Facts:
    """A commit with the trailers that tdd writes."""

    oid: str
    parents: tuple[str, ...]
    tree: str
    subject: str
    cycles: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One accepted phase to replay. The record ``id`` on ``source`` was written for it, and is read on
    demand.

    ``how``: commit, carried, tree, patch or squash.
    """

    commit: Facts
    source: str
    id: str
    how: str
    trail: Trail = field(repr=False, compare=False)

    @property
    def record(self) -> Handoff:
        return read_as(Handoff, self._stored)

    @property
    def _stored(self) -> Record:
        return next(record for record in self.trail.of(self.source) if record["id"] == self.id)

    @property
    def phase(self) -> Phase:
        return Phase(self._stored["phase"])

    @property
    def cycle(self) -> str:
        return cycle_of(self._stored)


@dataclass(slots=True)
class Range:
    """The content of a range: steps by commit, squashed cycles, commits without a record, and findings."""

    commits: list[Facts] = field(default_factory=list)
    steps: dict[str, Step] = field(default_factory=dict)
    squashed: dict[str, Record] = field(
        default_factory=dict
    )  # commit -> last record of the whole cycle in it
    fixes: dict[str, tuple[Facts, Fix]] = field(default_factory=dict)  # commits of ``tdd fix``
    require_all: bool = False
    findings: list[Finding] = field(default_factory=list)


def cycle_of(record: Record) -> str:
    """Return the cycle of a record; a proof on a moved branch names it as ``rebased``."""
    return str(record.get("cycle_id") or record.get("rebased") or "")


def accepted(records: Iterable[Record]) -> list[Record]:
    """Return the handoffs that have a commit of their own."""
    phases = {str(Phase.RED), str(Phase.GREEN), str(Phase.REFACTOR)}
    return [
        record
        for record in records
        if record["kind"] == "handoff"
        and record.get("verdict") in COMMITTED
        and record.get("phase") in phases
        and cycle_of(record)
    ]


def facts(git: Git, *words: str) -> list[Facts]:
    """Return commits in the order of ``git log``, parents first. Raises Refused for an unknown range."""
    try:
        raw = git.run(
            *UNASSISTED, "log", "-z", "--topo-order", "--reverse", "--no-notes", "--no-show-signature",
            "--encoding=UTF-8",
            f"--format={_FORMAT}", "--end-of-options", *words, "--",
        )  # fmt: skip
    except GitFailed as error:
        raise Refused(
            f"'{' '.join(words)}' is not a range of commits here.",
            "Name one as git does: main..HEAD, HEAD~5.., v1.0.",
        ) from error
    found = []
    for piece in raw.decode("utf-8", "replace").split("\0"):
        if piece:
            oid, parents, tree, subject, cycles, phases = (piece.split("\n") + [""] * 6)[:6]
            found.append(
                Facts(
                    oid, tuple(parents.split()), tree, subject, tuple(cycles.split()), tuple(phases.split())
                )
            )
    return found


def resolve(git: Git, trail: Trail, commits: list[Facts], *, require_all: bool = False) -> Range:
    """Return every commit of a range with its own record."""
    found = Range(commits, require_all=require_all)
    lost = []
    for commit in found.commits:
        own = accepted(trail.of(commit.oid))
        if len({(cycle_of(record), record["phase"]) for record in own}) > 1:
            _squash(found, commit, own)
        elif own:
            how = "commit" if any(_written_for(record, commit.oid) for record in own) else "carried"
            found.steps[commit.oid] = Step(commit, commit.oid, own[-1]["id"], how, trail)
        elif commit.cycles:
            lost.append(commit)
        elif fix := _fixed(trail.of(commit.oid)):
            found.fixes[commit.oid] = commit, fix
        elif require_all:
            found.findings.append(
                Finding("no-record", f"{_named(commit)} has no accepted record (--require-all).", commit.oid)
            )
    if lost:
        _find_again(git, trail, lost, found)
    return found


def _written_for(record: Record, commit: str) -> bool:
    return commit in (record.get("candidate"), record.get("tip"))


def _fixed(records: Sequence[Record]) -> Fix | None:
    """Return the record of a commit made by ``tdd fix``: it names who fixed it; attempts do not."""
    fixes = (read_as(Fix, record) for record in records if record["kind"] == "fix")
    return next((record for record in fixes if record.cured_by), None)


def _written(trail: Trail, cycles: Set[str]) -> dict[str, list[tuple[str, Record]]]:
    """Cycle -> (commit, accepted record)."""
    found: dict[str, list[tuple[str, Record]]] = {}
    for note in trail.notes():
        for record in accepted(note.records):
            if cycle_of(record) in cycles:
                found.setdefault(cycle_of(record), []).append((note.commit, record))
    return found


def _squash(found: Range, commit: Facts, records: Sequence[Record]) -> None:
    """Record several phases on one commit, whose notes git carried over in a squash."""
    order = [str(Phase.RED), str(Phase.GREEN), str(Phase.REFACTOR)]
    last = max(records, key=lambda record: (str(record["at"]), order.index(record["phase"])))
    if last.get("tree") == commit.tree:
        found.squashed[commit.oid] = last
    else:
        found.findings.append(
            Finding(
                "out-of-place",
                f"{_named(commit)} holds several phases in one and is not what the last of them left: "
                "it cannot be seen again that its test failed first.",
                commit.oid,
            )
        )


def _find_again(git: Git, trail: Trail, lost: Sequence[Facts], found: Range) -> None:
    """Match commits that lost their record, by tree, then by patch, never by guess (N5)."""
    written = _written(trail, {cycle for commit in lost for cycle in commit.cycles})
    open_ones: dict[str, tuple[Facts, list[tuple[str, Record]]]] = {
        commit.oid: (commit, [pair for cycle in commit.cycles for pair in written.get(cycle, ())])
        for commit in lost
    }
    for how, identify in (("tree", trees), ("patch", patches)):
        if not open_ones:
            return
        names = set(open_ones) | {commit for _, pairs in open_ones.values() for commit, _ in pairs}
        keys = identify(git, sorted(names))
        for oid in list(open_ones):
            commit, pairs = open_ones[oid]
            same = [pair for pair in pairs if oid in keys and keys.get(pair[0]) == keys[oid]]
            if same:
                del open_ones[oid]
                _take(found, commit, same, how, trail)
    for commit, pairs in open_ones.values():
        what = f"{_named(commit)} says that it belongs to the cycle {commit.cycles[0]}, and has no record"
        why = ": it is not what was recorded, by commit, tree or patch." if pairs else ", nor has that cycle."
        found.findings.append(Finding("no-record", what + why, commit.oid))


def _take(found: Range, commit: Facts, pairs: Sequence[tuple[str, Record]], how: str, trail: Trail) -> None:
    kinds = {(cycle_of(record), record["phase"]) for _, record in pairs}
    source, record = pairs[-1]
    if len(kinds) > 1:
        listed = ", ".join(sorted(f"{phase} of {cycle}" for cycle, phase in kinds))
        what = f"{_named(commit)} fits several records by its {how}: {listed}."
        found.findings.append(Finding("ambiguous-record", what, commit.oid))
    elif how == "tree" and len(set(commit.phases)) > 1:
        found.squashed[commit.oid] = record
    else:
        found.steps[commit.oid] = Step(commit, source, record["id"], how, trail)


def _named(commit: Facts) -> str:
    return f"{commit.oid[:12]} ({commit.subject[:60]})"
