"""Bytes of a log as UTF-8: UTF-16 is decoded where all of it is UTF-16, else a byte-order mark is two stray
bytes.

A log that only begins like UTF-16 could hide a runner's own lines from us, or show others in their place.
Read byte by byte, both kinds of lines are seen: the zero bytes of the one kind are dropped with the other
control characters.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator

_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# What text of one byte a letter has, and UTF-16 of any language hardly: a line's end among plain letters, a
# long word.
# Lines and corners of tables are two plain bytes each, and their line's end is followed by a zero
_EIGHT_BITS = re.compile(rb"[\t\r -~]{3}\n(?=[^\x00])|\n[\t\r -~]{6}|[\t\n\r -~]{24}")
_OVERLAP = 24


def utf8(blocks: Callable[[], Iterator[bytes]]) -> Iterator[bytes]:
    """The blocks as they are, or from UTF-16; ``blocks`` begins anew with each call."""
    first = next(blocks(), b"")
    coding = _MARKS.get(first[:2])
    if coding is None:
        yield from blocks()
    elif not _is_utf16(blocks(), coding):
        yield from _without_mark(blocks())
    else:
        decoder = codecs.getincrementaldecoder(coding)()
        for block in _without_mark(blocks()):
            yield decoder.decode(block).encode("utf-8")


def _without_mark(blocks: Iterator[bytes]) -> Iterator[bytes]:
    yield next(blocks)[2:]
    yield from blocks


def _is_utf16(blocks: Iterator[bytes], coding: str) -> bool:
    """Whether every block is proper UTF-16, and none of them has a stretch of eight-bit text."""
    decoder = codecs.getincrementaldecoder(coding)()
    held = b""
    try:
        for block in blocks:
            if _EIGHT_BITS.search(held + block):
                return False
            decoder.decode(block)
            held = block[-_OVERLAP:]
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
