"""What noise leaves of a log: where it is little, it is kept from the first look, and the log is not read
again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tdd_orchestrator.testlog.parsers.lines import CALM, chunks, coloured

_FEW = 4 << 20  # bytes that are kept
_LARGE = 64 << 20  # bytes of a log that is hardly one document


class Spool:
    """``source`` as it is told to readers: its first blocks as they are, and of the rest what a first look
    kept."""

    def __init__(self, source: Path | bytes) -> None:
        self._source = source
        self._kept: list[bytes] = []
        self._size = self._shown = 0
        self._read = self._looked_at = 0  # of the log as it is, in colour

    @property
    def is_long(self) -> bool:
        """Whether more was read than is looked at line by line."""
        return self._read > CALM

    def all(self) -> Iterator[bytes]:
        """The first look, in colour. Raises OSError where the source cannot be read."""
        for block in coloured(self._source):
            self._read += len(block)
            yield block

    def keep(self, size: int, block: bytes, thinned: bytes) -> None:
        """Each block that the first look came to, in order; those it skips are to be read again. ``size``: in
        colour."""
        self._looked_at += size
        self._shown += len(block)
        part = block if self._shown <= CALM else thinned
        self._size += len(part)
        if self._size <= _FEW:
            self._kept.append(part)
        else:
            self._kept.clear()

    def all_again(self) -> Iterator[bytes]:
        """All of a log that was looked at and is not very large, with nothing left out; of another what is
        left."""
        yield from chunks(self._source) if self._read <= _LARGE else self.blocks()

    def blocks(self) -> Iterable[bytes]:
        """What is left, after the first look; all of it anew where that is more than little."""
        whole = self._looked_at == self._read and self._size <= _FEW
        return self._kept if whole else chunks(self._source)
