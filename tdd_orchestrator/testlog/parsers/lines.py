"""Split bytes into plain lines with bounded memory in linear time, without floods of noise."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import compress
from operator import itemgetter, not_
from pathlib import Path

from tdd_orchestrator.testlog.parsers.prefixes import unprefixed

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


CHUNK = 1 << 20
LONG = 4_096  # characters kept of each end of a very long line
WHOLE = (
    '{"numFailedTestSuites":', '{"numTotalTestSuites":', '{"stats":', '{"config":', '{"results":',
    "<TestLog>", "<TestResult>",
)  # fmt: skip
"""How a report printed as one line begins; its middle must not be cut."""
UNFILTERED = 1 << 20  # bytes read in full before noise is filtered
_ENOUGH = 400  # lines of one shape after which more of them are noise
_SHAPES = 50_000  # shapes remembered at once
_SHAPE = 24  # bytes of a line that make its shape
_LEARNT = 2_000  # consecutive lines of each block, from which its kinds of lines are estimated
_COLOURS = 6  # different ones that are searched one by one, which is faster than an expression
_LIKED_BYTES = frozenset(bytes([byte]) for byte in (*range(0x20), *b" -=[#_!*+.({>|", *range(0x7F, 0x100)))
_LIKED = frozenset({b"ok", b"no", b"te", b"Te", b"PA", b"FA", b"ER", b"Ra", b"TO", b"OK", b"E "})
_BEGINNING: Callable[[bytes], bytes] = itemgetter(slice(_SHAPE))
_DIGITS = bytes.maketrans(b"123456789", b"000000000")

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-Z\\^-~])"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_HOME = re.compile(r"\x1b\[(?:0?1?G|[0-9;]*[Hf])")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
_COLOUR = re.compile(
    rb"\x1b\[[0-9;]*m(?![\x80-\xbf])"
)  # not one that stands within a letter of several bytes
_WITHIN = re.compile(rb"\x00[\x80-\xbf]")  # the same, of one that was written over
_ODD = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f-\xff]")


def chunks(source: Path | bytes) -> Iterator[bytes]:
    """Yield the bytes in blocks that end at a line's end, as UTF-8, without colours and prefixes.

    The middle of an endless line is cut out. Prefixes are those that a CI or a container's host adds.
    """
    return map(uncoloured, coloured(source))


def coloured(source: Path | bytes) -> Iterator[bytes]:
    """Yield the same blocks with their colours."""
    return unprefixed(_whole_lines(source))


def uncoloured(block: bytes) -> bytes:
    """Return a block without colours, if these are its only escapes; others are removed line by line."""
    if b"\x1b" not in block:
        return block
    if b"\x00" not in block:
        marked = block
        for _ in range(_COLOURS):
            found = _COLOUR.match(marked, marked.find(b"\x1b"))
            if found is None:
                return block
            marked = marked.replace(found[0], bytes(len(found[0])))
            if b"\x1b" not in marked:
                whole = marked.isascii() or not _WITHIN.search(marked)
                return marked.translate(None, b"\x00") if whole else block
    plain, colours = _COLOUR.subn(b"", block)
    return plain if colours == block.count(b"\x1b") else block


def _whole_lines(source: Path | bytes) -> Iterator[bytes]:
    carry = b""
    for block in utf8(lambda: _blocks(source)):
        cut = block.rfind(b"\n")
        if cut < 0:
            carry += block
            if len(carry) > 4 * CHUNK:
                carry = carry[:CHUNK] + carry[-CHUNK:]
            continue
        yield carry + block[: cut + 1]
        carry = block[cut + 1 :]
    if carry:
        yield carry


def _blocks(source: Path | bytes) -> Iterator[bytes]:
    if isinstance(source, bytes):
        for start in range(0, len(source), CHUNK):
            yield source[start : start + CHUNK]
        return
    with source.open("rb") as file:
        while block := file.read(CHUNK):
            yield block


def plain_lines(block: bytes) -> list[str]:
    """Return the lines of a block as a terminal shows them: of an overwritten line, first and last text."""
    text = block.decode("utf-8", "replace")
    if _ODD.search(block):
        text = _CONTROLS.sub("", _ESCAPES.sub("", _HOME.sub("\r", text)))
        if "\r" in text:
            text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if "\r" in text:
        lines = [part for line in lines for part in (_overwritten(line) if "\r" in line else (line,))]
    if len(text) > LONG and max(map(len, lines), default=0) > 2 * LONG:
        lines = [line if len(line) <= 2 * LONG else _shortened(line) for line in lines]
    return lines


def _shortened(line: str) -> str:
    return line if line.startswith(WHOLE) else line[:LONG] + " … " + line[-LONG:]


def _overwritten(line: str) -> list[str]:
    parts = [part for part in line.split("\r") if part and not part.isspace()]
    return parts if len(parts) < 2 else [parts[0], parts[-1]]


class NoiseFilter:
    """Drops lines of a kind seen too often. ``counts`` says whether a line may be a result.

    Two filters: by the first two bytes, which is fast and catches most floods, and by a longer
    beginning with its digits made equal. A beginning that results have is left to the second.
    """

    def __init__(self, counts: Callable[[str], bool], unfiltered: int = UNFILTERED) -> None:
        self._counts = counts
        self._unfiltered = unfiltered
        self._starts: dict[bytes, int] = {}
        self._noise_starts: set[bytes] = set()
        self._others = _others(())
        self._shapes: dict[bytes, int] = {}
        self._noise_shapes: set[bytes] = set()
        self._read = 0

    def rewind(self, unfiltered: int) -> None:
        """Start the same text again, keeping the noise found so far."""
        self._read, self._unfiltered = 0, unfiltered

    def filter_block(self, block: bytes) -> bytes:
        """Return the block without noise; unchanged within the first ``unfiltered`` bytes."""
        self._read += len(block)
        if self._read <= self._unfiltered:
            return block
        lines = self._sift(block)
        if self._learn_starts(lines):
            lines = self._sift(b"\n".join(lines))
        lines = self._unknown(lines)
        if self._learn_shapes(lines):
            lines = self._unknown(lines)
        return b"\n".join(lines)

    def _sift(self, block: bytes) -> list[bytes]:
        """Return the lines that do not begin as noise does, found by one search."""
        return self._others.findall(b"\n" + block) if self._noise_starts else block.split(b"\n")

    def _unknown(self, lines: list[bytes]) -> list[bytes]:
        """Return the lines without a shape of noise."""
        if not self._noise_shapes:
            return lines
        return list(compress(lines, map(not_, map(self._noise_shapes.__contains__, _shapes(lines)))))

    def _learn_starts(self, lines: list[bytes]) -> bool:
        """Count beginnings; True if a new one turned out to be noise."""
        known = len(self._noise_starts)
        some: dict[bytes, list[bytes]] = {}
        for line in lines[:_LEARNT]:
            some.setdefault(line[:2], []).append(line)
        for start, number in _numbers({start: len(alike) for start, alike in some.items()}, len(lines)):
            if start[:1] in _LIKED_BYTES or start in _LIKED or not start:
                continue
            times = self._starts.get(start, 0) + number
            self._starts[start] = times
            if times > _ENOUGH and not any(map(self._result, some[start][:3])):
                self._noise_starts.add(start)
        if len(self._noise_starts) == known:
            return False
        self._others = _others(self._noise_starts)
        return True

    def _learn_shapes(self, lines: list[bytes]) -> bool:
        """Count shapes; True if a new one turned out to be noise."""
        known = len(self._noise_shapes)
        if len(self._shapes) > _SHAPES:
            self._shapes.clear()
        shapes = _shapes(lines[:_LEARNT])
        for shape, number in _numbers(Counter(shapes), len(lines)):
            before = self._shapes.get(shape, 0)
            self._shapes[shape] = before + number
            if before < _ENOUGH <= before + number and not self._result(lines[shapes.index(shape)]):
                self._noise_shapes.add(shape)
        return len(self._noise_shapes) > known

    def _result(self, line: bytes) -> bool:
        plain = plain_lines(line[:LONG])
        return not plain or not plain[-1].strip() or self._counts(plain[-1])


def _numbers(first: Mapping[bytes, int], lines: int) -> Iterator[tuple[bytes, int]]:
    """Yield each kind with its number of lines, estimated from how many of the first ones are of it."""
    share = max(1, lines // _LEARNT)
    return ((kind, number * share) for kind, number in first.items())


def _shapes(lines: list[bytes]) -> list[bytes]:
    """Return the shape of each line: its beginning with digits made equal. One call for all, for speed."""
    return b"\n".join(map(_BEGINNING, lines)).translate(_DIGITS).split(b"\n") if lines else []


def _others(starts: Iterable[bytes]) -> re.Pattern[bytes]:
    """Return a pattern for lines that begin with none of ``starts`` (a line of one byte is one itself)."""
    seconds: dict[bytes, list[bytes]] = {}
    for start in sorted(starts):
        seconds.setdefault(start[:1], []).append(start[1:])
    forms = [
        re.escape(first) + b"(?:" + b"|".join(re.escape(other) or rb"(?![^\n])" for other in others) + b")"
        for first, others in seconds.items()
    ]
    noise = b"(?!" + b"|".join(forms) + b")" if forms else b""
    return re.compile(b"\n(" + noise + rb".*)")


def all_lines(source: Path | bytes) -> Iterable[str]:
    """Yield every line unfiltered: for small sources and tests."""
    for block in chunks(source):
        yield from plain_lines(block)
