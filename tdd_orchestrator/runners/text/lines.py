"""Bytes of a run to plain lines: bounded memory, linear time, and floods of the same noise thinned out."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

CHUNK = 1 << 20
LONG = 4_096  # characters kept of each end of a very long line
CALM = 1 << 20  # bytes read in full before a flood is thinned
_ENOUGH = 400  # lines of one shape after which more of them are noise
_SHAPES = 50_000  # shapes remembered at once
_SHAPE = 24  # bytes of a line that make its shape
_DIGITS = bytes.maketrans(b"123456789", b"000000000")

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-Z\\^-~])|\x9b[0-?]*[ -/]*[@-~]"
)
_HOME = re.compile(r"\x1b\[(?:0?1?G|[0-9;]*[Hf])")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
_ODD = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f-\xff]")


def chunks(source: Path | bytes) -> Iterator[bytes]:
    """The bytes in blocks that end at a line end; the middle of a line without end is cut out. UTF-16 becomes UTF-8."""
    held = b""
    for block in _utf8(_blocks(source)):
        cut = block.rfind(b"\n")
        if cut < 0:
            held += block
            if len(held) > 4 * CHUNK:
                held = held[:CHUNK] + held[-CHUNK:]
            continue
        yield held + block[: cut + 1]
        held = block[cut + 1 :]
    if held:
        yield held


def _blocks(source: Path | bytes) -> Iterator[bytes]:
    if isinstance(source, bytes):
        for start in range(0, len(source), CHUNK):
            yield source[start : start + CHUNK]
        return
    with source.open("rb") as file:
        while block := file.read(CHUNK):
            yield block


def _utf8(blocks: Iterator[bytes]) -> Iterator[bytes]:
    first = next(blocks, b"")
    if not first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        yield first
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    yield decoder.decode(first).encode("utf-8", "replace")
    for block in blocks:
        yield decoder.decode(block).encode("utf-8", "replace")


def plain_lines(block: bytes) -> list[str]:
    """The lines of a block as a terminal would leave them: of a line written over, its first and its last text."""
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
        lines = [line if len(line) <= 2 * LONG else line[:LONG] + " … " + line[-LONG:] for line in lines]
    return lines


def _overwritten(line: str) -> list[str]:
    parts = [part for part in line.split("\r") if part and not part.isspace()]
    return parts if len(parts) < 2 else [parts[0], parts[-1]]


class Thinner:
    """Drops lines of a shape seen too often: their first bytes, digits made equal. ``counts`` says which must stay."""

    def __init__(self, counts: Callable[[str], bool], calm: int = CALM) -> None:
        self._counts = counts
        self._calm = calm
        self._seen: dict[bytes, int] = {}
        self._noise: set[bytes] = set()
        self._read = 0

    def thin(self, block: bytes) -> bytes:
        """The block without noise; everything while less than CALM bytes have gone by."""
        self._read += len(block)
        if self._read <= self._calm:
            return block
        lines = block.splitlines(keepends=True) if b"\r" not in block else _split(block)
        shapes = [line[:_SHAPE] for line in _split(block.translate(_DIGITS))]
        self._learn(lines, shapes)
        noise = self._noise
        kept = [line for line, shape in zip(lines, shapes, strict=True) if shape not in noise]
        return b"".join(kept)

    def _learn(self, lines: list[bytes], shapes: list[bytes]) -> None:
        seen = self._seen
        if len(seen) > _SHAPES:
            seen.clear()
        fresh = [index for index, shape in enumerate(shapes) if shape not in self._noise]
        for index in fresh:
            shape = shapes[index]
            times = seen.get(shape, 0) + 1
            seen[shape] = times
            if times == _ENOUGH:
                line = plain_lines(lines[index])
                if line and line[-1].strip() and not self._counts(line[-1]):
                    self._noise.add(shape)


def _split(block: bytes) -> list[bytes]:
    parts = block.split(b"\n")
    last = parts.pop()
    whole = [part + b"\n" for part in parts]
    return [*whole, last] if last else whole


def all_lines(source: Path | bytes) -> Iterable[str]:
    """Every line, nothing thinned: for small sources and tests."""
    for block in chunks(source):
        yield from plain_lines(block)
