"""Check the audit log: hashes, announcements, evidence, commits. Pure: values in, findings out.

Every record's ``prev`` is the hash of an earlier record (after a sync the log is a graph, not a line);
every line of a note was announced by a notes commit of ours, byte for byte; every announced line still
exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from tdd_orchestrator.audit.audit_log import Announced, Line, Noted, Trail
from tdd_orchestrator.audit.findings import Finding
from tdd_orchestrator.audit.stored_objects import Lookup, brief, check_objects
from tdd_orchestrator.model.errors import NewerSchema
from tdd_orchestrator.notes.codec import Record
from tdd_orchestrator.notes.known_good import ATTEMPTS

_BATCH = 50  # notes whose commits and evidence are looked up at once
_FAULTS = {"B": "does not fit it", "R": "was made with a revoked key", "X": "has expired", "Y": "has expired"}
_UNKNOWN = "is by a key that is not among the allowed signers, or was not valid at that time"


@dataclass(slots=True)
class Checked:
    """What does not fit, and what was met on the way. ``signed``: ids of the records that are signed;
    ``known_failing``: cycle -> the failures that were known before it began."""

    findings: list[Finding] = field(default_factory=list)
    lines: int = 0
    signatures: int = 0
    signed: set[str] = field(default_factory=set)
    known_failing: dict[str, frozenset[str]] = field(default_factory=dict)


def check(
    trail: Trail, look: Lookup, pins: Mapping[str, str], *, must_sign: bool = False, closed: bool = False
) -> Checked:
    """Read the log, then the notes, and return all findings.

    ``pins``: refs under refs/tdd/attempts with their targets; ``must_sign``: an unsigned record after a
    signed one is a fault; ``closed``: so is a signature by an unknown key. Raises NewerSchema if a
    later version of tdd wrote a line.
    """
    log = _Log(trail, must_sign=must_sign, closed=closed)
    for one in trail.log():
        log.take(one)
    notes = _Notes(trail, log, pins)
    objects: list[Finding] = []
    source = trail.notes()
    while batch := list(islice(source, _BATCH)):
        objects += check_objects([pair for note in batch for pair in notes.take(note)], look)
    done = notes.checked
    done.findings += [*notes.odd_lines(), *notes.missing(), *log.links(notes), *objects]
    done.findings += [*notes.pinned(), *log.signatures()]
    done.signatures, done.signed = log.signed_commits, log.signed
    return done


class _Log:
    """What the log announced: of each record its hash, its commit and its time, in as few bytes as may be."""

    def __init__(self, trail: Trail, *, must_sign: bool, closed: bool) -> None:
        self._trail, self._must_sign, self._closed = trail, must_sign, closed
        self.places: dict[bytes, bytes] = {}  # hash -> commit and time
        self.others: dict[bytes, set[str]] = {}  # hash -> more commits that it was announced for
        self.cycles: set[str] = set()  # those that began in the part that is read
        self.forged: list[Finding] = []
        self.signed: set[str] = set()
        self.signed_commits = 0
        self._bare: set[str] = set()  # notes commits at and below which no record of ours is
        self._loose: list[Announced] = []  # records whose prev was not there when they came
        self._faults: list[Finding] = []
        self._unchecked, self._signing = 0, False
        self._newest = ""  # the notes commit that was taken last: it may announce several records
        for record_hash, at in trail.part.edge if trail.part else ():
            self.places[_key(record_hash)] = _place("", at)

    def take(self, one: Announced) -> None:
        self._signature(one)
        below = any(parent not in self._bare for parent in one.parents)
        if one.record is None:
            if not below:
                self._bare.add(one.oid)
            if one.forged:
                what = f"The notes commit {one.oid[:12]} announces a record that its own hash does not fit."
                self.forged.append(Finding("altered-announcement", what, notes_commit=one.oid))
            return
        self._link(one, below)
        if self._trail.part and one.record["kind"] == "cycle_started":
            self.cycles.add(str(one.record.get("cycle_id", "")))
        key = _key(one.hash)
        if key in self.places and self.commit(key) != one.commit:
            self.others.setdefault(key, set()).add(self.commit(key))
        self.places[key] = _place(one.commit, str(one.record["at"]))

    def commit(self, key: bytes) -> str:
        return self.places[key].partition(b" ")[0].decode("utf-8", "surrogateescape")

    def at(self, key: bytes) -> str:
        return self.places[key].partition(b" ")[2].decode("utf-8", "surrogateescape")

    def _link(self, one: Announced, below: bool) -> None:
        assert one.record is not None
        prev = str(one.record.get("prev", ""))
        if prev and _key(prev) in self.places:
            if self.at(_key(prev)) > str(one.record["at"]):
                self._loose.append(one)
        elif prev or (below and not (self._trail.part and self._trail.part.open)):
            self._loose.append(one)

    def links(self, notes: _Notes) -> Iterator[Finding]:
        """Of the records whose ``prev`` did not come before them in the log: what is wrong. A line by hand
        may be what they follow."""
        for one in self._loose:
            assert one.record is not None
            prev, identity = str(one.record.get("prev", "")), str(one.record["id"])
            subject = f"The {one.record['kind']} record {identity} on {one.commit[:12]}"
            at = notes.at(prev)
            if not prev:
                what = f"{subject} says that it is the first, and is not."
            elif at is None and self._trail.part and self._trail.part.open:
                continue
            elif at is None:
                what = f"{subject} follows a record with the hash {prev[:12]}, and there is none."
            elif at > str(one.record["at"]):
                what = f"{subject} is older than the record that it follows ({at})."
                yield Finding("out-of-order", what, one.commit, identity, one.oid)
                continue
            else:
                continue
            yield Finding("broken-chain", what, one.commit, identity, one.oid)

    def _signature(self, one: Announced) -> None:
        another = one.oid != self._newest  # a notes commit of several records is announced once for each
        self.signed_commits += one.signature != "N" and another
        self._newest = one.oid
        if one.record is None and one.signature == "N":
            return
        if self._must_sign and one.record is not None and one.signature != "N":
            self.signed.add(str(one.record["id"]))
        why = _FAULTS.get(one.signature) or (_UNKNOWN if self._closed and one.signature in ("U", "E") else "")
        if why and another:
            what = f"The signature of the notes commit {one.oid[:12]} {why}."
            self._faults.append(Finding("bad-signature", what, one.commit, notes_commit=one.oid))
        elif not why and one.signature in ("E", "U"):
            self._unchecked += another
        elif one.signature == "N" and self._signing and self._must_sign:
            what = f"The notes commit {one.oid[:12]} is unsigned, although those before it are signed."
            self._faults.append(Finding("unsigned-record", what, one.commit, notes_commit=one.oid))
        self._signing = self._signing or one.signature != "N"

    def signatures(self) -> Iterator[Finding]:
        yield from self._faults
        if self._unchecked:
            yield Finding(
                "unchecked-signature",
                f"{self._unchecked} signature{'s'[: self._unchecked != 1]} cannot be trusted or checked here: "
                "git does not know the signers (gpg.ssh.allowedSignersFile, or the GPG keyring).",
            )


class _Notes:
    """The notes against the log, note by note."""

    def __init__(self, trail: Trail, log: _Log, pins: Mapping[str, str]) -> None:
        self._trail, self._log = trail, log
        self.checked = Checked()
        self._unmet = {*log.places} if trail.part is None else {key for key in log.places if log.commit(key)}
        self._unmet_others = {(commit, key) for key, commits in log.others.items() for commit in commits}
        self._pins: dict[str, list[str]] = {}
        for ref, oid in pins.items():
            if not trail.part or _cycle_of(ref) in log.cycles:
                self._pins.setdefault(oid, []).append(ref)
        self._odd: list[Line] = []
        self._seen: set[bytes] = set()
        self._moved: dict[tuple[str, str], int] = {}

    def take(self, note: Noted) -> list[tuple[str, Record]]:
        """Compare a note with the log; returns those of its records that were not met before."""
        if note.broken:
            what = f"The note of {note.commit[:12]} cannot be read: {note.broken}"
            self.checked.findings.append(Finding("missing-note", what, note.commit))
        judged = self._trail.judges(note.commit)
        self._pins.pop(note.commit, None)
        fresh = []
        for line in note.lines:
            key = _key(line.hash)
            if not judged and key not in self._log.places:
                continue
            self.checked.lines += 1
            self._line(line, key)
            if line.record is not None and not line.why and key not in self._seen:
                fresh.append((note.commit, line.record))
                self._known_failing(line.record)
            self._seen.add(key)
        return fresh

    def _line(self, line: Line, key: bytes) -> None:
        found = self.checked.findings
        if line.newer:
            raise NewerSchema(
                f"The note of {line.commit[:12]} was written by a later version of tdd: {line.why}",
                "Install that version.",
            )
        if line.record is None:
            what = f"The note of {line.commit[:12]}: {line.why}: {line.text!r}."
            found.append(Finding("unreadable-line", what, line.commit))
            return
        candidate, identity = str(line.record.get("candidate")), str(line.record["id"])
        self._pins.pop(candidate, None)
        if line.why:
            what = f"The {line.record['kind']} record {identity} on {line.commit[:12]} has not its shape ({line.why})."
            found.append(Finding("malformed-record", what, line.commit, identity))
        if key not in self._log.places:
            self._odd.append(line)
            return
        origin = self._log.commit(key)
        self._unmet_others.discard((line.commit, key))
        if origin == line.commit:
            self._unmet.discard(key)
        elif origin:
            self._moved[origin, line.commit] = self._moved.get((origin, line.commit), 0) + 1

    def _known_failing(self, record: Record) -> None:
        if record["kind"] in ("cycle_started", "rebased") and record.get("known_failing"):
            cycle = str(record.get("cycle_id") or record.get("rebased") or "")
            listed = self.checked.known_failing
            listed[cycle] = listed.get(cycle, frozenset()) | set(record["known_failing"])

    def at(self, record_hash: str) -> str | None:
        """The time of the record with this hash that stands in a note; None where none does."""
        line = next((line for line in self._odd if line.hash == record_hash), None)
        if line is not None:
            return str(line.record["at"]) if line.record is not None else None
        key = _key(record_hash)
        return self._log.at(key) if key in self._seen and key in self._log.places else None

    def odd_lines(self) -> Iterator[Finding]:
        """Lines that the log does not announce as they stand; records on other commits than announced."""
        wanted = {str(line.record["id"]) for line in self._odd if line.record is not None}
        by_id = {}
        for one in self._trail.log() if wanted else ():
            if one.record is not None and one.record["id"] in wanted:
                by_id[str(one.record["id"])] = one
        for line in self._odd:
            assert line.record is not None
            identity = str(line.record["id"])
            if identity in by_id:
                yield _altered(line, by_id[identity])
                continue
            what = (
                f"The {line.record['kind']} record {identity} on {line.commit[:12]} was never announced by tdd: "
                "somebody added it by hand."
            )
            yield Finding("unannounced-record", what, line.commit, identity)
        for (origin, commit), count in self._moved.items():
            some = f"{count} record{'s'[: count != 1]}"
            what = (
                f"{some} written for {origin[:12]} on {commit[:12]} as well: a rewrite carried them, or "
                "somebody copied them."
            )
            yield Finding("moved-record", what, commit)

    def missing(self) -> Iterator[Finding]:
        """What the log announced and the notes do not hold."""
        yield from self._log.forged
        if not self._unmet and not self._unmet_others:
            return
        altered = {(line.commit, str(line.record["id"])) for line in self._odd if line.record is not None}
        for one in self._trail.log():
            key = _key(one.hash)
            unmet = key in self._unmet and self._log.commit(key) == one.commit
            if one.record is None or not (unmet or (one.commit, key) in self._unmet_others):
                continue
            identity = str(one.record["id"])
            if (one.commit, identity) not in altered:
                what = (
                    f"The {one.record['kind']} record {identity} is gone from the note of {one.commit[:12]}; "
                    f"the notes commit {one.oid[:12]} still announces it."
                )
                yield Finding("missing-record", what, one.commit, identity, one.oid)

    def pinned(self) -> Iterator[Finding]:
        """Attempts that are kept and that no record names: neither as its commit nor as its candidate, as one
        that was rejected is."""
        for ref, oid in ((ref, oid) for oid, refs in self._pins.items() for ref in refs):
            what = f"{ref} keeps {oid[:12]}, which has no record: tdd was killed at that moment, or records were cut off."
            yield Finding("unrecorded-attempt", what, oid)


def _key(record_hash: str) -> bytes:
    """A hash in half as many bytes; what is none stays as it is."""
    try:
        return (
            bytes.fromhex(record_hash) if len(record_hash) == 64 else record_hash.encode("utf-8", "replace")
        )
    except ValueError:
        return record_hash.encode("utf-8", "replace")


def _place(commit: str, at: str) -> bytes:
    return f"{commit} {at}".encode("utf-8", "surrogateescape")


def _cycle_of(ref: str) -> str:
    return ref.removeprefix(ATTEMPTS).strip("/").partition("/")[0]


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
