"""Check that the objects named by records exist unchanged: commits, trees, evidence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping

from tdd_orchestrator.audit.audit_log import runs_of
from tdd_orchestrator.audit.findings import Finding
from tdd_orchestrator.cycle.evidence import decode, summary
from tdd_orchestrator.model.errors import StoreDamaged
from tdd_orchestrator.notes.codec import Record

Lookup = Callable[[Iterable[str]], Mapping[str, tuple[str, bytes]]]
"""Returns (kind, content) of those object ids that exist."""


def check_objects(records: Iterable[tuple[str, Record]], look: Lookup) -> Iterator[Finding]:
    """Check the commits, trees and evidence that some records name, each with its commit."""
    records = list(records)
    wanted: dict[str, None] = {}
    for commit, record in records:
        wanted[commit] = None
        if record.get("candidate"):
            wanted[str(record["candidate"])] = None
        for run in runs_of(record):
            wanted[str(run.get("evidence"))] = None
    found = look(wanted)
    for commit, record in records:
        yield from _commits(commit, record, found)
        for run in runs_of(record):
            yield from _evidence(commit, record, run, found)


def _commits(commit: str, record: Record, found: Mapping[str, tuple[str, bytes]]) -> Iterator[Finding]:
    identity, kind = str(record["id"]), str(record["kind"])
    candidate = str(record.get("candidate") or "")
    for oid in dict.fromkeys((commit, candidate)):
        if oid and (oid not in found or found[oid][0] != "commit"):
            rule = (
                "missing-commit"
                if kind == "handoff" and record.get("verdict") == "proven"
                else "missing-attempt"
            )
            yield Finding(
                rule,
                f"The {kind} record {identity} names the commit {oid[:12]}, which is missing.",
                commit,
                identity,
            )
    tree = str(record.get("tree") or "")
    if candidate in found and tree:
        actual = found[candidate][1][5:45].decode("ascii", "replace")
        run = str((record.get("tests") or {}).get("tree") or tree)
        for named, what in ((tree, "tree"), (run, "tests.tree")):
            if named != actual:
                yield Finding(
                    "tree-mismatch",
                    f"The {kind} record {identity} on {commit[:12]} names {named[:12]} as {what}; "
                    f"its commit {candidate[:12]} has {actual[:12]}.",
                    commit, identity,
                )  # fmt: skip


def _evidence(
    commit: str, record: Record, run: Mapping[str, object], found: Mapping[str, tuple[str, bytes]]
) -> Iterator[Finding]:
    identity, oid = str(record["id"]), str(run.get("evidence") or "")
    subject = f"the {record['kind']} record {identity} on {commit[:12]}"
    if oid not in found:
        yield Finding(
            "missing-evidence", f"The evidence {oid[:12]} of {subject} is missing.", commit, identity
        )
        return
    data = found[oid][1]
    if hashlib.sha256(data).hexdigest() != run.get("evidence_sha256"):
        what = f"The evidence {oid[:12]} of {subject} is not what was recorded: its SHA-256 differs."
        yield Finding("altered-evidence", what, commit, identity)
        return
    try:
        report = decode(data)
    except StoreDamaged as error:
        yield Finding(
            "altered-evidence", f"The evidence {oid[:12]} of {subject}: {error.what}", commit, identity
        )
        return
    expected = summary(report, tree="", key="").model_dump(mode="json")
    for key in ("run_verdict", "exit_code", "counts", "failing_tests"):
        if expected[key] != run.get(key):
            yield Finding(
                "evidence-mismatch",
                (
                    f"The evidence of {subject} says {key} {brief(expected[key])}; the record says "
                    f"{brief(run.get(key))}."
                ),
                commit,
                identity,
            )


def brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
