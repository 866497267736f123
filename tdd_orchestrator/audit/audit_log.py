"""Read the audit log raw from git: the lines of the notes, and what the notes log announced."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from itertools import islice
from typing import Any, NamedTuple

from tdd_orchestrator.model.errors import GitFailed, NewerSchema, StoreDamaged
from tdd_orchestrator.notes import message, tree
from tdd_orchestrator.notes.codec import Record, digest, is_remark, parsed_line
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.notes.message import FOLDED, stood_for
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

_INCOMPATIBLE = "incompatible signature"  # git's message (LC_ALL=C) for an unknown kind
_SIGNATURES = tuple(
    f"-----BEGIN {kind}-----".encode()
    for kind in ("PGP SIGNATURE", "PGP MESSAGE", "SIGNED MESSAGE", "SSH SIGNATURE")
)
_BATCH = 500
_KNOWN = 64  # commits whose records are held
_OID = re.compile("[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the note of ``commit``.

    ``record`` is None for an invalid line, with the reason in ``why``; a record whose fields do not fit
    its kind has a ``why`` too, and is not used.
    """

    commit: str
    hash: str
    record: Record | None
    why: str = ""
    newer: bool = False
    text: str = ""  # the unreadable line, bounded


@dataclass(frozen=True, slots=True)
class Announced:
    """One notes commit. ``record`` is None if it is not ours; ``forged`` if it only looks like ours."""

    oid: str
    parents: tuple[str, ...]
    commit: str = ""
    hash: str = ""
    record: Record | None = None
    forged: bool = False
    signature: str = (
        "N"  # git's %G?: N none, G good, U good and of unknown trust, B bad, E cannot be checked ...
    )


class Noted(NamedTuple):
    """The note of ``commit``, line by line; ``broken``: why it cannot be read, '' if it can."""

    commit: str
    lines: tuple[Line, ...] = ()
    broken: str = ""

    @property
    def records(self) -> list[Record]:
        """Return the records with the form of their kind, each once, oldest first."""
        found = {line.hash: line.record for line in self.lines if line.record is not None and not line.why}
        return sorted(found.values(), key=lambda record: (record["at"], record["id"]))


@dataclass(frozen=True, slots=True)
class Part:
    """The part of the audit log that a range needs, back to the oldest record on its commits.

    ``judged``: the commits whose lines must all have been announced; ``edge``: (hash, at) of the
    records just before ``log``; ``open``: what precedes it is not ours, and is not checked.
    """

    log: tuple[Announced, ...]
    judged: frozenset[str]
    edge: tuple[tuple[str, str], ...]
    open: bool


class Trail:
    """The current notes and the notes log, read from git each time, one note at a time."""

    def __init__(self, git: Git, objects: Objects, history: History, options: Sequence[str] = ()) -> None:
        """``options`` of git say how signatures are checked. StoreDamaged: the notes ref cannot be read."""
        tip = history.tip()
        self._git, self._objects, self._options = git, objects, tuple(options)
        self._tip, self._root = (tip[0], tip[1].tree) if tip else ("", "")
        self._known: dict[str, list[Record]] = {}
        self.part: Part | None = None

    @property
    def empty(self) -> bool:
        return not self._root or next(tree.walk(self._objects, self._root), None) is None

    def log(self) -> Iterator[Announced]:
        """Return every notes commit, parents before children."""
        if self.part is not None:
            return iter(self.part.log)
        return self._log("--topo-order", "--reverse") if self._tip else iter(())

    def notes(self) -> Iterator[Noted]:
        """Yield every note; of a part, those of its commits."""
        if self.part is not None:
            commits = {*self.part.judged, *(one.commit for one in self.part.log if one.commit)}
            for commit in sorted(commits):
                yield from self._noted(commit)
        elif self._root:
            for commit, blob in tree.walk(self._objects, self._root):
                yield self._note(commit, blob)

    def judges(self, commit: str) -> bool:
        """Whether every line of this commit's note must be announced in the part of the log that is read."""
        return self.part is None or commit in self.part.judged

    def of(self, commit: str) -> list[Record]:
        """Return the records of one commit, as :attr:`Noted.records`."""
        if commit not in self._known:
            if len(self._known) >= _KNOWN:
                self._known.clear()
            self._known[commit] = [record for note in self._noted(commit) for record in note.records]
        return self._known[commit]

    def narrow(self, commits: Iterable[str]) -> None:
        """Restrict the log to the part that the records on these commits, and on those they name, need."""
        judged = set(commits)
        for commit in tuple(judged):
            named = (
                str(record.get(key)) for record in self.of(commit) for key in ("base", "tip", "candidate")
            )
            judged.update(one for one in named if _OID.fullmatch(one))
        awaited = {line.hash for one in judged for note in self._noted(one) for line in note.lines}
        log: dict[str, list[Announced]] = {}
        with closing(self._log()) as newest_first:
            for one in newest_first if awaited else ():
                if not awaited and one.oid not in log:  # a notes commit is read whole
                    break
                log.setdefault(one.oid, []).append(one)
                awaited.discard(one.hash)
        graph = {
            oid: [parent for parent in log[oid][0].parents if parent in log] for oid in reversed(log.keys())
        }
        ordered = tuple(one for oid in TopologicalSorter(graph).static_order() for one in log[oid])
        beyond = {parent for one in ordered for parent in one.parents} - log.keys()
        entries = [message.parse(self._objects.read_commit(oid).message, oid) for oid in beyond]
        edge = tuple((entry.hash, str(entry.record["at"])) for entry in entries if entry)
        self.part = Part(ordered, frozenset(judged), edge, len(edge) < len(entries))

    def _noted(self, commit: str) -> Iterator[Noted]:
        for blob in tree.blobs(self._objects, self._root, commit) if self._root else ():
            yield self._note(commit, blob)

    def _note(self, commit: str, blob: str) -> Noted:
        try:
            return Noted(commit, tuple(_lines(self._objects, commit, self._objects.read_kind(blob, "blob"))))
        except StoreDamaged as error:
            return Noted(commit, broken=error.what)

    def _log(self, *order: str) -> Generator[Announced, None, None]:
        """The notes commits in an order of git's; where it ends at a signature of a kind that it does not
        know, the rest follows with that one called bad."""
        count = 0
        try:
            for one in _announced(self._git, self._tip, (*self._options, "log"), "%G?", order):
                count += 1
                yield one
        except GitFailed as error:
            if _INCOMPATIBLE not in error.stderr:
                raise
            rest = islice(_announced(self._git, self._tip, ("log",), "N", order), count, None)
            while batch := list(islice(rest, _BATCH)):
                yield from _signed(self._git, self._objects, batch, self._options)


def _lines(objects: Objects, commit: str, data: bytes, *, unfold: bool = True) -> Iterator[Line]:
    """Yield a note's lines. ``unfold``: expand a folded line; folded lines do not nest."""
    folded: set[str] = set()
    for raw in data.split(b"\n"):
        if not raw.strip() or is_remark(raw):
            continue
        try:
            record = parsed_line(raw)
        except NewerSchema as error:
            yield Line(commit, digest(raw), None, error.what, newer=True, text=_excerpt(raw))
            continue
        except ValueError as error:
            yield Line(commit, digest(raw), None, str(error), text=_excerpt(raw))
            continue
        if record["kind"] != FOLDED:
            yield Line(commit, digest(raw), record, misshapen(record))
        elif not unfold:
            yield Line(commit, digest(raw), None, "it folds what is folded already", text=_excerpt(raw))
        elif str(record.get("blob")) not in folded:
            folded.add(str(record.get("blob")))
            yield from _lines(objects, commit, stood_for(objects, record), unfold=False)


def misshapen(record: Record) -> str:
    """Return why a record does not fit its kind; '' if it does."""
    from pydantic import ValidationError

    from tdd_orchestrator.model.records import parse

    try:
        parse(record)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"{where}: {first['msg']}" if where else str(first["msg"])
    return ""


def _excerpt(raw: bytes) -> str:
    return raw[:120].decode("utf-8", "replace")


def _signed(
    git: Git, objects: Objects, log: Sequence[Announced], options: Sequence[str]
) -> Iterator[Announced]:
    """Yield a few notes commits with their signatures, if git fails on one of an unknown kind, which
    counts as bad."""
    headers = [data.partition(b"\n\n")[0] for data in objects.read_many(one.oid for one in log)]
    odd = {one.oid for one, head in zip(log, headers, strict=True) if _is_odd(head)}
    known = [one.oid for one in log if one.oid not in odd]
    signatures: dict[str, str] = {}
    if known:
        words = (*options, "log", "--no-walk", "--no-show-signature", "--format=%H %G?", "--end-of-options")
        for line in git.run(*words, *known, "--").decode().splitlines():
            signatures[line[:40]] = line[41:]
    for one in log:
        yield replace(one, signature="B" if one.oid in odd else signatures[one.oid])


def _is_odd(header: bytes) -> bool:
    _, there, found = header.partition(b"\ngpgsig ")
    return bool(there) and not found.startswith(_SIGNATURES)


def _announced(
    git: Git, tip: str, command: Sequence[str], signature: str, order: Sequence[str]
) -> Iterator[Announced]:
    words = (*command, "-z", *order, "--no-show-signature", "--encoding=UTF-8")
    for piece in git.stream(*words, f"--format=%H {signature} %P%n%B", "--end-of-options", tip, "--"):
        head, _, body = piece.decode("utf-8", "surrogateescape").partition("\n")
        oid, signed, *parents = head.split()
        entries = message.entries(body, oid)
        if not entries:
            forged = "\nAnnotates: " in body and "\nHash: " in body
            yield Announced(oid, tuple(parents), forged=forged, signature=signed)
        for entry in entries:
            yield Announced(oid, tuple(parents), entry.commit, entry.hash, entry.record, signature=signed)


def runs_of(record: Record) -> Iterator[dict[str, Any]]:
    """Yield the test runs in a record."""
    for name in ("tests", "baseline_tests"):
        tests = record.get(name)
        if isinstance(tests, dict) and tests.get("key"):
            yield tests
