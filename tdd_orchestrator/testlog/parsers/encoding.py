"""Convert a log to UTF-8. UTF-16 is decoded only if the whole log is UTF-16.

A log that only begins like UTF-16 could hide a runner's lines. Read byte by byte, both kinds of lines
are found: the zero bytes of UTF-16 are dropped with the other control characters.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator

_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# Found in eight-bit text, hardly ever in UTF-16: a line's end among plain letters, or a long word.
# (In UTF-16, box-drawing characters are two plain bytes, but a zero follows the line's end.)
_EIGHT_BITS = re.compile(rb"[\t\r -~]{3}\n(?=[^\x00])|\n[\t\r -~]{6}|[\t\n\r -~]{24}")
_OVERLAP = 24


def utf8(blocks: Callable[[], Iterator[bytes]]) -> Iterator[bytes]:
    """Yield the blocks, decoded if they are UTF-16; ``blocks`` starts again with each call."""
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
    """Whether every block is valid UTF-16 without eight-bit text in it."""
    decoder = codecs.getincrementaldecoder(coding)()
    carry = b""
    try:
        for block in blocks:
            if _EIGHT_BITS.search(carry + block):
                return False
            decoder.decode(block)
            carry = block[-_OVERLAP:]
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
