"""The audit log as it lies in git, read raw for an audit: the lines of the notes, and what the notes log
announced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tdd_orchestrator.model.errors import GitFailed, NewerSchema, StoreDamaged
from tdd_orchestrator.notes import message, tree
from tdd_orchestrator.notes.codec import Record, digest, is_remark, parsed_line
from tdd_orchestrator.notes.folding import FOLDED, stood_for
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

_INCOMPATIBLE = "incompatible signature"  # what git says, in LC_ALL=C, where it does not know the kind
_SIGNATURES = tuple(
    f"-----BEGIN {kind}-----".encode()
    for kind in ("PGP SIGNATURE", "PGP MESSAGE", "SIGNED MESSAGE", "SSH SIGNATURE")
)
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the note of ``commit``, as it stands. ``record`` is None where it is none, ``why`` says so;
    or why a record has not the shape of its kind: then nothing is concluded from it."""

    commit: str
    hash: str
    record: Record | None
    why: str = ""
    newer: bool = False
    text: str = ""  # what cannot be read, bounded


@dataclass(frozen=True, slots=True)
class Announced:
    """One notes commit. ``record`` is None where it is not ours; ``forged`` where it only looks like ours."""

    oid: str
    parents: tuple[str, ...]
    commit: str = ""
    hash: str = ""
    record: Record | None = None
    forged: bool = False
    signature: str = (
        "N"  # git's %G?: N none, G good, U good and of unknown trust, B bad, E cannot be checked ...
    )


@dataclass(frozen=True, slots=True)
class Trail:
    """``lines`` of the notes as of now; ``log`` from the oldest notes commit to the newest."""

    lines: tuple[Line, ...] = ()
    log: tuple[Announced, ...] = ()
    broken: tuple[tuple[str, str], ...] = ()  # (annotated commit, why its note cannot be read)
    notes: tuple[str, ...] = ()  # every annotated object
    by_commit: dict[str, list[Record]] = field(default_factory=dict)

    @property
    def newer(self) -> Line | None:
        return next((line for line in self.lines if line.newer), None)


def read(git: Git, objects: Objects, history: History, options: Sequence[str] = ()) -> Trail:
    """The whole trail. ``options`` of git tell how signatures are checked. StoreDamaged where the notes ref
    cannot be read."""
    tip = history.tip()
    if tip is None:
        return Trail()
    lines: list[Line] = []
    broken: list[tuple[str, str]] = []
    notes: list[str] = []
    pool: dict[str, str] = {}
    for commit, blob in tree.walk(objects, tip[1].tree):
        notes.append(commit)
        try:
            found = _lines(objects, commit, objects.read_kind(blob, "blob"))
            lines += (replace(one, record=_pooled(one.record, pool)) for one in found)
        except StoreDamaged as error:
            broken.append((commit, error.what))
    by_commit: dict[str, list[Record]] = {}
    seen: set[tuple[str, str]] = set()
    for line in lines:
        if line.record is not None and not line.why and (line.commit, line.hash) not in seen:
            seen.add((line.commit, line.hash))
            by_commit.setdefault(line.commit, []).append(line.record)
    for records in by_commit.values():
        records.sort(key=lambda record: (record["at"], record["id"]))
    held = {line.hash: line.record for line in lines if line.record is not None}
    log = _log(git, objects, history.ref, options, held)
    return Trail(tuple(lines), log, tuple(broken), tuple(notes), by_commit)


def _pooled(value: Any, pool: dict[str, str]) -> Any:
    """The same value with each text once in memory: records repeat their keys, and most of what they say."""
    if isinstance(value, dict):
        return {pool.setdefault(key, key): _pooled(one, pool) for key, one in value.items()}
    if isinstance(value, list):
        return [_pooled(one, pool) for one in value]
    return pool.setdefault(value, value) if isinstance(value, str) else value


def _lines(objects: Objects, commit: str, data: bytes, *, unfold: bool = True) -> Iterator[Line]:
    """``unfold``: a folded line stands for others; one among those is none of ours."""
    folded: set[str] = set()
    for raw in data.split(b"\n"):
        if not raw.strip() or is_remark(raw):
            continue
        try:
            record = parsed_line(raw)
        except NewerSchema as error:
            yield Line(commit, digest(raw), None, error.what, newer=True, text=_shown(raw))
            continue
        except ValueError as error:
            yield Line(commit, digest(raw), None, str(error), text=_shown(raw))
            continue
        if record["kind"] != FOLDED:
            yield Line(commit, digest(raw), record, misshapen(record))
        elif not unfold:
            yield Line(commit, digest(raw), None, "it folds what is folded already", text=_shown(raw))
        elif str(record.get("blob")) not in folded:
            folded.add(str(record.get("blob")))
            yield from _lines(objects, commit, stood_for(objects, record), unfold=False)


def misshapen(record: Record) -> str:
    """Why a record has not the shape of its kind; nothing where it has."""
    from pydantic import ValidationError

    from tdd_orchestrator.model.records import parse

    try:
        parse(record)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"{where}: {first['msg']}" if where else str(first["msg"])
    return ""


def _shown(raw: bytes) -> str:
    return raw[:120].decode("utf-8", "replace")


def _log(
    git: Git, objects: Objects, ref: str, options: Sequence[str], held: Mapping[str, Record]
) -> tuple[Announced, ...]:
    """Every notes commit, parents before children; what is ``held`` already is not held a second time."""

    def shared(one: Announced) -> Announced:
        return replace(one, record=held.get(one.hash) or one.record)  # the same hash: the same bytes

    try:
        return tuple(map(shared, _announced(git, ref, (*options, "log"), "%G?")))
    except GitFailed as error:
        if _INCOMPATIBLE not in error.stderr:
            raise
    return tuple(_signed(git, objects, tuple(map(shared, _announced(git, ref, ("log",), "N"))), options))


def _signed(
    git: Git, objects: Objects, log: Sequence[Announced], options: Sequence[str]
) -> Iterator[Announced]:
    """The log with its signatures, where git ends at one of a kind that it does not know: that one is bad."""
    headers = [data.partition(b"\n\n")[0] for data in objects.read_many(one.oid for one in log)]
    odd = {one.oid for one, head in zip(log, headers, strict=True) if _is_odd(head)}
    known = [one.oid for one in log if one.oid not in odd]
    told: dict[str, str] = {}
    for start in range(0, len(known), _BATCH):
        words = (*options, "log", "--no-walk", "--no-show-signature", "--format=%H %G?", "--end-of-options")
        for line in git.run(*words, *known[start : start + _BATCH], "--").decode().splitlines():
            told[line[:40]] = line[41:]
    for one in log:
        yield replace(one, signature="B" if one.oid in odd else told[one.oid])


def _is_odd(header: bytes) -> bool:
    _, there, found = header.partition(b"\ngpgsig ")
    return bool(there) and not found.startswith(_SIGNATURES)


def _announced(git: Git, ref: str, command: Sequence[str], signature: str) -> Iterator[Announced]:
    words = (*command, "-z", "--topo-order", "--reverse", "--no-show-signature", "--encoding=UTF-8")
    for piece in git.stream(*words, f"--format=%H {signature} %P%n%B", "--end-of-options", ref, "--"):
        head, _, body = piece.decode("utf-8", "surrogateescape").partition("\n")
        oid, signed, *parents = head.split()
        entry = message.parse(body, oid)
        if entry is None:
            forged = "\nAnnotates: " in body and "\nHash: " in body
            yield Announced(oid, tuple(parents), forged=forged, signature=signed)
        else:
            yield Announced(oid, tuple(parents), entry.commit, entry.hash, entry.record, signature=signed)


def runs_of(record: Record) -> Iterator[dict[str, Any]]:
    """The test runs that a record covers."""
    for name in ("tests", "baseline_tests"):
        tests = record.get(name)
        if isinstance(tests, dict) and tests.get("key"):
            yield tests
