"""Does the audit log fit together? Hashes, announcements, evidence, commits: values in, findings out.

Every record's ``prev`` is the hash of a record before it (after a sync the audit log is a graph, not a line);
every line of a note was announced by a notes commit of ours, byte for byte; every announced line is still
there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tdd_orchestrator.audit.audit_log import Announced, Line, Trail
from tdd_orchestrator.audit.findings import Finding
from tdd_orchestrator.audit.stored_objects import Lookup, brief, kept
from tdd_orchestrator.notes.codec import Record


def check(
    trail: Trail, look: Lookup, pins: Mapping[str, str], *, must_sign: bool = False, closed: bool = False
) -> list[Finding]:
    """Everything that does not fit. ``pins``: refs under refs/tdd/attempts and what they name; ``must_sign``:
    an unsigned record after a signed one is a fault; ``closed``: so is a signature by a key that is not
    known."""
    return [
        *_lines(trail),
        *_announced(trail),
        *_links(trail),
        *kept(trail, look),
        *_pinned(trail, pins),
        *_signed(trail.log, must_sign=must_sign, closed=closed),
    ]


def _lines(trail: Trail) -> Iterator[Finding]:
    """Lines as they stand, against what was announced."""
    by_hash = {one.hash: one for one in trail.log if one.record is not None}
    by_id = {one.record["id"]: one for one in trail.log if one.record is not None}
    moved: dict[tuple[str, str], int] = {}
    for commit, why in trail.broken:
        yield Finding("missing-note", f"The note of {commit[:12]} cannot be read: {why}", commit)
    for line in trail.lines:
        if line.record is None:
            rule = "newer-schema" if line.newer else "unreadable-line"
            yield Finding(rule, f"The note of {line.commit[:12]}: {line.why}: {line.text!r}.", line.commit)
            continue
        if line.why:
            yield Finding(
                "malformed-record",
                (
                    f"The {line.record['kind']} record {line.record['id']} on {line.commit[:12]} has "
                    f"not its shape ({line.why})."
                ),
                line.commit,
                str(line.record["id"]),
            )
        announced, identity = by_hash.get(line.hash), str(line.record["id"])
        if announced is None and identity in by_id:
            yield _altered(line, by_id[identity])
        elif announced is None:
            yield Finding(
                "unannounced-record",
                f"The {line.record['kind']} record {identity} on {line.commit[:12]} was never "
                "announced by tdd: "
                "somebody added it by hand.",
                line.commit,
                identity,
            )
        elif announced.commit != line.commit:
            moved[announced.commit, line.commit] = moved.get((announced.commit, line.commit), 0) + 1
    for (origin, commit), count in moved.items():
        some = f"{count} record{'s'[: count != 1]}"
        what = (
            f"{some} written for {origin[:12]} on {commit[:12]} as well: a rewrite carried them, or "
            "somebody copied them."
        )
        yield Finding("moved-record", what, commit)


def _altered(line: Line, announced: Announced) -> Finding:
    assert line.record is not None
    assert announced.record is not None
    then, now = announced.record, line.record
    keys = sorted(key for key in then.keys() | now.keys() if then.get(key) != now.get(key))
    how = ", ".join(f"{key} was {brief(then.get(key))}, is {brief(now.get(key))}" for key in keys[:3])
    return Finding(
        "altered-record",
        f"The {then['kind']} record {then['id']} on {line.commit[:12]} is not as it was written: "
        f"{how or 'its bytes differ'}.",
        line.commit,
        str(then["id"]),
        announced.oid,
    )


def _announced(trail: Trail) -> Iterator[Finding]:
    """What the log announced and the notes do not hold."""
    held = {(line.commit, line.hash) for line in trail.lines}
    altered = {(line.commit, line.record["id"]) for line in trail.lines if line.record is not None}
    for one in trail.log:
        if one.forged:
            yield Finding(
                "altered-announcement",
                f"The notes commit {one.oid[:12]} announces a record that its own hash does not fit.",
                notes_commit=one.oid,
            )
        elif one.record is not None and (one.commit, one.hash) not in held:
            identity = str(one.record["id"])
            if (one.commit, identity) not in altered:
                yield Finding(
                    "missing-record",
                    f"The {one.record['kind']} record {identity} is gone from the note of {one.commit[:12]}; "
                    f"the notes commit {one.oid[:12]} still announces it.",
                    one.commit, identity, one.oid,
                )  # fmt: skip


def _links(trail: Trail) -> Iterator[Finding]:
    """``prev`` of every record, in the order of the log; records by hand are looked at after it."""
    seen: dict[str, Record] = {}
    after: dict[str, bool] = {}  # notes commit -> a record of ours lies below it or in it
    foreign = {line.hash: line.record for line in trail.lines if line.record is not None}
    for one in trail.log:
        below = any(after.get(parent, False) for parent in one.parents)
        after[one.oid] = below or one.record is not None
        if one.record is None:
            continue
        yield from _link(one.record, one.commit, one.oid, seen, foreign, first=not below)
        seen[one.hash] = one.record


def _link(
    record: Record,
    commit: str,
    oid: str,
    seen: Mapping[str, Record],
    foreign: Mapping[str, Record],
    *,
    first: bool,
) -> Iterator[Finding]:
    prev, identity = str(record.get("prev", "")), str(record["id"])
    told = f"The {record['kind']} record {identity} on {commit[:12]}"
    if not prev:
        if not first:
            yield Finding(
                "broken-chain", f"{told} says that it is the first, and is not.", commit, identity, oid
            )
        return
    before = seen.get(prev) or foreign.get(prev)
    if before is None:
        what = f"{told} follows a record with the hash {prev[:12]}, and there is none."
        yield Finding("broken-chain", what, commit, identity, oid)
    elif str(before["at"]) > str(record["at"]):
        what = f"{told} is older than {before['id']}, which it follows."
        yield Finding("out-of-order", what, commit, identity, oid)


def _pinned(trail: Trail, pins: Mapping[str, str]) -> Iterator[Finding]:
    lines = [line.record for line in trail.lines if line.record is not None]
    named = {
        str(record.get("candidate")) for record in lines
    }  # a test that was not kept is told of beside its base
    noted = {*trail.notes, *named}
    for ref, oid in pins.items():
        if oid not in noted:
            yield Finding(
                "unrecorded-attempt",
                (
                    f"{ref} keeps {oid[:12]}, which has no record: tdd was killed at that moment, or "
                    "records were cut off."
                ),
                oid,
            )


_FAULTS = {"B": "does not fit it", "R": "was made with a revoked key", "X": "has expired", "Y": "has expired"}
_UNKNOWN = "is by a key that is not among the allowed signers, or was not valid at that time"


def _signed(log: Iterable[Announced], *, must_sign: bool, closed: bool) -> Iterator[Finding]:
    begun = False
    unchecked = 0
    for one in log:
        if one.record is None and one.signature == "N":
            continue
        why = _FAULTS.get(one.signature) or (_UNKNOWN if closed and one.signature in ("U", "E") else "")
        if why:
            what = f"The signature of the notes commit {one.oid[:12]} {why}."
            yield Finding("bad-signature", what, one.commit, notes_commit=one.oid)
        elif one.signature in ("E", "U"):
            unchecked += 1
        elif one.signature == "N" and begun and must_sign:
            yield Finding(
                "unsigned-record",
                f"The notes commit {one.oid[:12]} is unsigned, although those before it are signed.",
                one.commit, notes_commit=one.oid,
            )  # fmt: skip
        begun = begun or one.signature != "N"
    if unchecked:
        yield Finding(
            "unchecked-signature",
            f"{unchecked} signature{'s'[: unchecked != 1]} cannot be trusted or checked here: git "
            "does not know the "
            "signers (gpg.ssh.allowedSignersFile, or the GPG keyring).",
        )
