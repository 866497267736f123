"""Split a file into production code and the tests that stand beside it."""

from __future__ import annotations

import functools
import re

from tdd_orchestrator.languages.base import Language
from tdd_orchestrator.languages.find import found_tests, reader_of, whole
from tdd_orchestrator.languages.parse import parse
from tdd_orchestrator.languages.tokens import Span

_BLANK = re.compile(rb"[ \t\r]*\n\s*\n([ \t]*)|[ \t\r]*\n")
_LINE_START = re.compile(rb"\A[ \t]*\r?\n")


@functools.lru_cache(maxsize=64)
def split_parts(text: str, language: Language) -> tuple[str, str]:
    """Return the production part and the test part. Blank lines outside strings are left out of both."""
    source = parse(text, language)
    nodes = source.captures(language.parts).get("part", [])
    spans = [whole(language, node) for node in nodes] + [test.span for test in found_tests(text, language)]
    kept = [(start, end) for start, end in _merged(spans)]
    strings = reader_of(source).strings
    tests = b"\n".join(source.data[start:end] for start, end in kept)
    pieces = [_without_blank_lines(source.data, piece, strings) for piece in _others(kept, len(source.data))]
    trimmed = [_LINE_START.sub(b"", piece.rstrip()) for piece in pieces]
    return _decode(b"".join(piece + b"\n" for piece in trimmed if piece)), _decode(tests)


def test_lines(text: str, language: Language) -> tuple[range, ...]:
    """Return the lines (from 1) of the tests of a file that holds code as well."""
    source = parse(text, language)
    nodes = source.captures(language.parts).get("part", [])
    spans = [whole(language, node) for node in nodes] + [test.span for test in found_tests(text, language)]
    return tuple(
        range(source.data.count(b"\n", 0, start) + 1, source.data.count(b"\n", 0, end) + 2)
        for start, end in _merged(spans)
    )


test_lines.__test__ = False  # type: ignore[attr-defined]


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _others(spans: list[Span], size: int) -> list[Span]:
    at, found = 0, []
    for start, end in spans:
        found.append((at, start))
        at = end
    return [*found, (at, size)]


def _without_blank_lines(data: bytes, piece: Span, strings: list[Span]) -> bytes:
    at, end = piece
    parts: list[bytes] = []
    for start, stop in strings:
        if stop <= at or start >= end:
            continue
        parts += [_BLANK.sub(rb"\n\1", data[at:start]), data[max(at, start) : min(stop, end)]]
        at = stop
    parts.append(_BLANK.sub(rb"\n\1", data[at:end]))
    return b"".join(parts)
