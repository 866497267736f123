"""Keep what is left of a log after the noise filter, so that a small rest is not read again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tdd_orchestrator.testlog.parsers.lines import UNFILTERED, chunks, coloured

_FEW = 4 << 20  # bytes to keep
_LARGE = 64 << 20  # bytes; a larger log is not one document


class Spool:
    """The log for the readers: its first blocks unchanged, the rest filtered."""

    def __init__(self, source: Path | bytes) -> None:
        self._source = source
        self._parts: list[bytes] = []
        self._size = self._seen = 0
        self._read = self._looked_at = 0  # bytes of the log in colour

    @property
    def is_long(self) -> bool:
        """Whether the log was filtered."""
        return self._read > UNFILTERED

    def all(self) -> Iterator[bytes]:
        """Yield the whole log, in colour, for the first pass. Raises OSError if it cannot be read."""
        for block in coloured(self._source):
            self._read += len(block)
            yield block

    def keep(self, size: int, block: bytes, filtered: bytes) -> None:
        """Add a block of the first pass, in order; blocks that it skips are read again.

        ``size``: in colour.
        """
        self._looked_at += size
        self._seen += len(block)
        part = block if self._seen <= UNFILTERED else filtered
        self._size += len(part)
        if self._size <= _FEW:
            self._parts.append(part)
        else:
            self._parts.clear()

    def all_again(self) -> Iterator[bytes]:
        """Yield the whole log, or what the filter left of a very large one."""
        yield from chunks(self._source) if self._read <= _LARGE else self.blocks()

    def blocks(self) -> Iterable[bytes]:
        """Return the kept blocks after the first pass; if they were too many, read the log again."""
        whole = self._looked_at == self._read and self._size <= _FEW
        return self._parts if whole else chunks(self._source)
