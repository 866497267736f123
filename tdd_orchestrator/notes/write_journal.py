"""Which records were written in this clone, and in which order: their hashes, a line each, in git's own
folder.

Notes travel: what a sync brings may be a colleague's, or anybody's who can push. A reader may believe it or
not; what is *done* here (a cycle gone on with, a landing, an answer) follows only from what was written here.
The journal is never sent, and no record can claim to stand in it. Writers of this clone take turns (``queue``).
"""

from __future__ import annotations

import errno
import fcntl
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tdd_orchestrator.repo.git import Git

TRIES = 10
_PATIENCE = 10.0  # seconds to wait for one's turn before the race is left to compare-and-swap


def pause(attempt: int) -> float:
    """Seconds to wait after a lost race, by chance, longer each time up to 160 ms."""
    return random.uniform(0.001, 0.01 * 2 ** min(attempt, 4))


@contextmanager
def queue(git: Git) -> Iterator[bool]:
    """One writer of ours at a time in this repository: flock on ``<common git dir>/tdd/notes``, freed by a
    kill. False where patience was over before the turn came."""
    path = git.common_dir / "tdd" / "notes"
    path.parent.mkdir(exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        begun, turn = time.monotonic(), False
        while (waited := time.monotonic() - begun) < _PATIENCE:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                turn = True
                break
            except BlockingIOError:
                time.sleep(random.uniform(0.5, 1.0) * min(0.001 + waited / 8, 0.01))
        yield turn
    finally:
        os.close(descriptor)


_DEFAULT = "refs/notes/tdd"
_TAIL = 1 << 16  # bytes at the end in which the line before the next one is looked for


def journal_of(common_dir: Path, ref: str) -> WriteJournal:
    """The ledger of the notes under ``ref``; refs of other names have files of their own."""
    if ref == _DEFAULT:
        return WriteJournal(common_dir / "tdd" / "written")
    from hashlib import sha256  # takes longer to import than everything else that tells where a cycle stands

    return WriteJournal(common_dir / "tdd" / f"written-{sha256(ref.encode()).hexdigest()[:10]}")


class WriteJournal(NamedTuple):
    """``path`` need not exist; its folder is made with the first line."""

    path: Path

    def enter(
        self, digest: str, after: str = "", written: Callable[[Set[str]], bool] = lambda _: False
    ) -> None:
        """Add a line, before its record is written. Lines behind that of the record ``after``, the newest in
        the notes, are of records that a kill kept from being written: they go, unless ``written`` says of one
        of them that its record is in the notes, so that somebody has put an old one on top. OSError where the
        disk does not take it."""
        descriptor = self._opened()
        try:
            size = os.fstat(descriptor).st_size
            start = max(0, size - _TAIL)
            tail = os.pread(descriptor, _TAIL, start)
            end = size
            place = tail.rfind(f"{after}\n".encode()) if after else -1
            behind = tail[place + len(after) + 1 :].decode("ascii", "replace") if place >= 0 else ""
            if behind and not written(frozenset(behind.split())):
                end -= len(behind)
            line = f"{digest}\n".encode()
            if end == size and tail and not tail.endswith(b"\n"):
                line = b"\n" + line  # half a line stays what it is: no record's
            if end < size:
                os.ftruncate(descriptor, end)
            if os.pwrite(descriptor, line, end) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        finally:
            os.close(descriptor)

    def rewrite(self, lines: Iterable[str]) -> None:
        """These lines and no others, in one step, whatever stands in the place of the folder."""
        folder = self.path.parent
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            folder.unlink()
        folder.mkdir(exist_ok=True)
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        fresh.write_text("".join(f"{line}\n" for line in lines), encoding="ascii", errors="replace")
        os.replace(fresh, self.path)

    def _opened(self) -> int:
        how = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            return os.open(self.path, how, 0o644)
        except FileNotFoundError:
            self.path.parent.mkdir(exist_ok=True)
            return os.open(self.path, how, 0o644)
        except OSError as error:
            raise self._no_file(error) from error

    def _no_file(self, error: OSError) -> Exception:
        """A folder or a link in its place is nothing of ours, and what a link leads to may be anybody's."""
        if error.errno not in (errno.EISDIR, errno.ELOOP):
            return error
        from tdd_orchestrator.model.errors import Refused

        return Refused(
            f"{self.path} is no plain file, so it cannot say which records were written here.",
            "Move it away; a cycle in flight is then begun anew.",
        )

    def order(self) -> dict[str, int]:
        """Hash -> its place, the byte where its line begins; empty where nothing was written here. Refused
        where it is no plain file."""
        return places_in(self.read(0)[1], 0)

    def places(self) -> Places:
        """The places of hashes, the newest of them read at once, the others when one of them is asked for."""
        return Places(self)

    def newest(self) -> str:
        """The hash that was written last; "" where there is none."""
        return next(reversed(places_in(self.read(_TAIL)[1], 0)), "")

    def read(self, last: int) -> tuple[int, bytes]:
        """(where it begins, content) of the ``last`` bytes, or of all where it is 0."""
        try:
            with open(os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW), "rb") as file:
                start = max(0, os.fstat(file.fileno()).st_size - last) if last else 0
                file.seek(start)
                return start, file.read()
        except (FileNotFoundError, NotADirectoryError):
            return 0, b""
        except OSError as error:
            raise self._no_file(error) from error


class Places:
    """Where the hashes of a ledger stand. What is asked for is mostly new, so its end is read first (a
    thousand records), and all of it only for a hash that is not there."""

    def __init__(self, journal: WriteJournal) -> None:
        self._ledger = journal
        start, data = journal.read(_TAIL)
        if start:  # the first line is cut
            cut = data.find(b"\n") + 1
            start, data = start + cut, data[cut:]
        self._found = places_in(data, start)
        self._complete = start == 0

    def of(self, digest: str) -> int:
        """The place of a hash; -1 where it was not written here."""
        if digest not in self._found and not self._complete:
            self._found = {**places_in(self._ledger.read(0)[1], 0), **self._found}
            self._complete = True
        return self._found.get(digest, -1)

    def below(self, place: int) -> list[int]:
        """The places before one, ascending: those that are known, and all where none is."""
        found = sorted(one for one in self._found.values() if one < place)
        if not found and not self._complete:
            self.of("")
            found = sorted(one for one in self._found.values() if one < place)
        return found


def places_in(data: bytes, start: int = 0) -> dict[str, int]:
    """Hash -> the byte where its line begins; ``start``: where the data begins in the file."""
    found: dict[str, int] = {}
    for line in data.split(b"\n"):
        if line:
            found[line.decode("ascii", "replace")] = start
        start += len(line) + 1
    return found
