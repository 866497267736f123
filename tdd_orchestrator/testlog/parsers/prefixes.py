"""Remove the prefix that a CI, docker compose or a monorepo tool puts before every line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_COLOUR = rb"(?:\x1b\[[0-9;]{0,12}m)*"
_LOOKED_AT = 300  # lines that are searched for a prefix
_FEWEST = 4  # lines that make a prefix
_NAMES = 8  # services or tasks that run side by side
_MAX_DEPTH = 2  # nested prefixes: a CI's time before a service's name


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of prefix. ``share``: the least share of non-blank lines with it. ``named``: has few
    values.

    ``after``: the pattern with the previous line's end, which is found far faster than with ``^``.
    """

    pattern: re.Pattern[bytes]
    after: re.Pattern[bytes]
    share: float
    named: bool = False


def _kind(pattern: bytes, share: float, named: bool = False) -> _Kind:
    whole = _COLOUR + pattern + _COLOUR
    return _Kind(re.compile(whole), re.compile(b"\n" + whole), share, named)


_KINDS = (
    # GitHub Actions, Jenkins, docker logs -t: 2024-05-01T10:00:00.1234567Z; a pod's log: the same, and stdout
    # F; GitLab:
    # the same, and 01O
    _kind(
        rb"(?:\xef\xbb\xbf)?\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?"
        rb"(?: std(?:out|err) [FP]| [0-9a-f]{2}[OE]\+?)? ?",
        0.9,
    ),
    _kind(rb"\[\d\d:\d\d:\d\d(?:\.\d{1,6})?\] ?", 0.9),
    _kind(rb"\[(?P<name>\d)\] ", 0.9, True),  # concurrently
    # ts, syslog, the journal: May 01 10:00:00 host npm[42]:
    _kind(
        (
            rb"(?:[A-Z][a-z]{2} [ \d]\d )?\d\d:\d\d:\d\d(?:\.\d{1,6})?(?: [\w.-]{1,64} [\w./-]{1,64}"
            rb"(?:\[\d{1,9}\])?:)? ?"
        ),
        0.9,
    ),
    _kind(rb"#\d{1,4} \d{1,6}\.\d{1,6} ", 0.3),  # docker build
    _kind(rb"(?P<name>[\w./@-]{1,60}?) {0,40}\| ?", 0.6, True),  # docker compose
    _kind(
        rb"(?P<name>[\w./@-]{1,60}:(?:[\w.-]{0,20}test[\w.-]{0,20}|build|lint|check|ci|e2e|unit)): ",
        0.6,
        True,
    ),  # turbo
    # pnpm -r
    _kind(
        (
            rb"(?P<name>[\w./@-]{1,60} (?:[\w.:-]{0,20}test[\w.:-]{0,20}|build|lint|check|ci|e2e"
            rb"|unit))(?:: ?|\$ )"
        ),
        0.6,
        True,
    ),
    _kind(rb"(?P<name>@[\w.-]{1,40}/[\w.-]{1,60}): ?", 0.6, True),  # lerna
    _kind(rb"\[(?P<name>pod/[\w./-]{1,120})\] ?", 0.9, True),  # kubectl logs --prefix
    _kind(rb"(?P<name>[\w.-]{1,60}-[0-9a-z]{5,10} [\w.-]{1,60})(?: |$)", 0.9, True),  # stern
    _kind(rb"> ?", 0.9),  # quoted
)


def unprefixed(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks (which end at line ends) without the prefix that nearly all first lines have."""
    rest = iter(blocks)
    first, second = next(rest, b""), next(rest, b"")
    found: list[_Kind] = []
    for _ in range(_MAX_DEPTH):
        kind = _custom(first)
        if kind is None:
            break
        found.append(kind)
        first = _in_turn(kind, first) if kind.named and not second else _without(kind, first)
    yield first
    for block in chain((second,) if second else (), rest):
        for kind in found:
            block = _without(kind, block)
        yield block


def _without(kind: _Kind, block: bytes) -> bytes:
    alike = _all_alike(kind, block)
    if alike:
        return b"\n".join([line[alike:] for line in block.split(b"\n")])
    return kind.after.sub(b"\n", b"\n" + block)[1:]


def _in_turn(kind: _Kind, block: bytes) -> bytes:
    """Remove the prefix and group lines by service; a line without one belongs to the line before it."""
    parts: dict[bytes, list[bytes]] = {}
    name = b""
    for line in block.removesuffix(b"\n").split(b"\n"):
        found = kind.pattern.match(line)
        name = found["name"] if found else name
        parts.setdefault(name, []).append(line[found.end() :] if found else line)
    return b"".join(line + b"\n" for lines in parts.values() for line in lines)


def _all_alike(kind: _Kind, block: bytes) -> int:
    """Return the length of a prefix of all lines that differs only in digits and ends with a blank;
    else 0."""
    found = kind.pattern.match(block)
    if not found or kind.named or found[0][-1:] != b" " or b"\x1b" in block or not block.endswith(b"\n"):
        return 0
    shapes = block.translate(_DIGITS)
    shape = shapes[: found.end()]
    return found.end() if shapes.count(b"\n" + shape) + 1 == block.count(b"\n") else 0


def _custom(block: bytes) -> _Kind | None:
    lines = [line for line in block[: _LOOKED_AT * 400].split(b"\n")[:_LOOKED_AT] if line.strip()]
    for kind in _KINDS:
        having = [found for line in lines if (found := kind.pattern.match(line))]
        if len(having) < max(_FEWEST, kind.share * len(lines)):
            continue
        if not kind.named or len({found["name"] for found in having}) <= min(_NAMES, len(having) // 2):
            return kind
    return None
