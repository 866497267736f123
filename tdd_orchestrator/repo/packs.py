"""Objects out of git's packs without a git process: a short way that answers rightly or not at all.

Formats: git's ``gitformat-pack`` (index of version 2, entries whole or as deltas). What comes out is believed
only if its SHA-1 is the id that was asked for; whatever is unusual, damaged or gone is left to git, which has
the last word. At the end of a cycle loose objects become packs: git's own automatic gc is off in our calls.
"""

from __future__ import annotations

import hashlib
import os
import time
import zlib
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from tdd_orchestrator.repo.git import Git

MOST_LOOSE = 1000  # some twenty cycles; 4 KB of disk each
_GC_HOURS = 12  # git itself takes an older mark of a gc for that of a dead one
_SAMPLED = 16  # of the 256 folders, each as full as the others


def loose_objects(git: Git) -> int:
    """Estimate how many loose objects there are, without a git process."""
    folders = [git.common_dir / "objects" / f"{number:02x}" for number in range(0, 256, 256 // _SAMPLED)]
    return sum(len(_names(folder)) for folder in folders) * (256 // _SAMPLED)


def pack(git: Git, *, most_loose: int = MOST_LOOSE) -> bool:
    """Pack the loose objects where there are more than ``most_loose``; return whether it was done.

    Small packs are joined with them, so that their number grows with the logarithm of the objects. Objects
    that nothing names are packed as well, never removed. Nothing is done while a gc of the user's works, in a
    repository that borrows objects, and in a partial clone, whose packs say which objects may be missing.
    GitFailed where git could not.
    """
    if loose_objects(git) <= most_loose or _is_left_alone(git.common_dir):
        return False
    git.run("repack", "-d", "-q", "--geometric=2", "--no-write-bitmap-index")
    return True


def _is_left_alone(common_dir: Path) -> bool:
    with suppress(FileNotFoundError):
        if time.time() - (common_dir / "gc.pid").stat().st_mtime < _GC_HOURS * 3600:
            return True
    if (common_dir / "objects" / "info" / "alternates").exists():
        return True
    return any(name.endswith(".promisor") for name in _names(common_dir / "objects" / "pack"))


def _names(folder: Path) -> list[str]:
    with suppress(FileNotFoundError):
        return os.listdir(folder)
    return []


def thin_pack(git: Git, wanted: str, known: Sequence[str]) -> bytes:
    """Return a pack of what ``wanted`` (a commit or a tree) needs on top of the ``known`` commits, of which
    those that are not here are passed over."""
    asked = "".join(f"{oid}\n" for oid in known).encode()
    seen = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked) if asked else b""
    here = [line.split()[0] for line in seen.splitlines() if line.endswith(b" commit")]
    words = b"".join([wanted.encode() + b"\n", *(b"^%s\n" % oid for oid in here)])
    return git.run("pack-objects", "--revs", "--thin", "--stdout", "-q", stdin=words)


MOST_PACKS = 16  # opened at most, two files each; a repository with more waits for its gc
_LARGEST = 1 << 20  # bytes of an object, or of a delta, that is worth it
_LONGEST = 250  # deltas in a chain; git makes them of at most 50 unless it is told otherwise
_PIECE = 4096
_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_BY_OFFSET, _BY_ID = 6, 7
_IDS = 8 + 256 * 4  # behind the head and the fan-out


class _Unusual(Exception):
    """Nothing that is read here; git is asked."""


_NOT_OURS = (_Unusual, OSError, IndexError, zlib.error)


class Packs:
    """The packs of one object folder, opened with the first question, until ``close``."""

    def __init__(self, objects: Path) -> None:
        self._folder = objects / "pack"
        self._packs: list[_Pack] | None = None

    def close(self) -> None:
        packs, self._packs = self._packs or [], None
        for pack in packs:
            pack.close()

    def find(self, oid: str) -> tuple[str, bytes] | None:
        """(kind, content), proven by its hash; None where no pack has it that can be read here."""
        if self._packs is None:
            self._packs = self._opened()
        wanted = bytes.fromhex(oid)
        for pack in self._packs:
            with suppress(*_NOT_OURS):
                at = pack.offset(wanted)
                if at is None:
                    continue
                kind, data = pack.read(at)
                head = b"%s %d\0" % (kind.encode(), len(data))
                if hashlib.sha1(head + data, usedforsecurity=False).digest() == wanted:
                    return kind, data
        return None

    def _opened(self) -> list[_Pack]:
        packs: list[_Pack] = []
        with suppress(OSError), os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.endswith(".idx") and len(packs) < MOST_PACKS:
                    with suppress(*_NOT_OURS):
                        packs.append(_Pack(entry.path.removesuffix(".idx")))
        return packs


class _Pack:
    """One pack and its index, as two descriptors: a read past the end of a cut file is short, not fatal as in
    a map."""

    def __init__(self, stem: str) -> None:
        self._index = os.open(f"{stem}.idx", os.O_RDONLY | os.O_CLOEXEC)
        with ExitStack() as undo:
            undo.callback(os.close, self._index)
            head = os.pread(self._index, _IDS, 0)
            if head[:8] != b"\377tOc\0\0\0\2" or len(head) != _IDS:
                raise _Unusual
            self._counts = memoryview(head)[8:]
            self._size = self._below(255)
            self._data = os.open(f"{stem}.pack", os.O_RDONLY | os.O_CLOEXEC)
            undo.pop_all()

    def close(self) -> None:
        os.close(self._index)
        os.close(self._data)

    def _below(self, first: int) -> int:
        """How many ids begin with this byte or a smaller one."""
        return int.from_bytes(self._counts[first * 4 : first * 4 + 4])

    def offset(self, oid: bytes) -> int | None:
        """Where the entry of an object begins in the pack."""
        low = self._below(oid[0] - 1) if oid[0] else 0
        count = self._below(oid[0]) - low
        if not 0 <= count <= _LARGEST:
            raise _Unusual
        ids = os.pread(self._index, count * 20, _IDS + low * 20)
        at = ids.find(oid)
        while at > 0 and at % 20:
            at = ids.find(oid, at + 1)
        if at < 0:
            return None
        short = _IDS + self._size * 24  # behind the ids and a checksum each
        place = self._number(short + (low + at // 20) * 4, 4)
        if place < 1 << 31:
            return place
        return self._number(short + self._size * 4 + (place - (1 << 31)) * 8, 8)

    def _number(self, at: int, width: int) -> int:
        raw = os.pread(self._index, width, at)
        if len(raw) != width:
            raise _Unusual
        return int.from_bytes(raw)

    def read(self, at: int) -> tuple[str, bytes]:
        """(kind, content) of the entry there: the deltas up to a whole object, then put together from it."""
        deltas: list[bytes] = []
        while len(deltas) <= _LONGEST:
            head = os.pread(self._data, _PIECE, at)
            code, size, begin = head[0] >> 4 & 7, head[0] & 15, 1
            if head[0] & 0x80:
                more, begin = _little(head, 1)
                size |= more << 4
            base = at
            if code == _BY_OFFSET:
                back, begin = _distance(head, begin)
                base = at - back
            elif code == _BY_ID:
                base = self.offset(head[begin : begin + 20]) or at
                begin += 20
            body = self._inflated(head[begin:], at + len(head), size)
            if code in _KINDS:
                for delta in reversed(deltas):
                    body = _patched(body, delta)
                return _KINDS[code], body
            if base == at:
                break
            deltas.append(body)
            at = base
        raise _Unusual

    def _inflated(self, raw: bytes, after: int, size: int) -> bytes:
        if size > _LARGEST:
            raise _Unusual
        machine = zlib.decompressobj()
        body = machine.decompress(raw, size + 1)
        while len(body) < size and not machine.eof:
            raw = machine.unconsumed_tail
            if not raw:
                raw = os.pread(self._data, max(_PIECE, size // 2), after)
                after += len(raw)
            if not raw:
                raise _Unusual
            body += machine.decompress(raw, size + 1 - len(body))
        if len(body) != size:
            raise _Unusual
        return body


def _little(data: bytes, at: int) -> tuple[int, int]:
    """(number, where it ends): seven bits a byte, the lowest first."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def _distance(data: bytes, at: int) -> tuple[int, int]:
    """(how far back the base lies, where the number ends): the highest first, one added for each byte that
    follows."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1) << 7 | data[at] & 0x7F
    return value, at + 1


def _patched(base: bytes, delta: bytes) -> bytes:
    """The content that a delta makes from its base: pieces copied from there, and pieces of its own."""
    _, at = _little(delta, 0)
    size, at = _little(delta, at)
    pieces = []
    while at < len(delta):
        order = delta[at]
        at += 1
        if order & 0x80:
            begin = length = 0
            for bit in range(7):
                if order >> bit & 1:
                    if bit < 4:
                        begin |= delta[at] << bit * 8
                    else:
                        length |= delta[at] << (bit - 4) * 8
                    at += 1
            pieces.append(base[begin : begin + (length or 0x10000)])
        else:
            pieces.append(delta[at : at + order])
            at += order
    content = b"".join(pieces)
    if len(content) != size:
        raise _Unusual
    return content
