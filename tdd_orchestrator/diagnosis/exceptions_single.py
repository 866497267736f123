"""Read exceptions printed in one line: Ruby, PHP, Elixir, Go, Rust, C, C++, Lua, and bare asserts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tdd_orchestrator.diagnosis.pieces import Kind, Parts, Thrown
from tdd_orchestrator.diagnosis.places import Place, is_project, place_in

_LOG = re.compile(
    r"^(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d\S* ?\S*|\[\d\d:\d\d:\d\d\S*)\s*[-"
    r"|:\[]?\s*\[?(?:INFO|DEBUG|WARN(?:ING)?|TRACE|NOTICE)\b"
    r"|^\[?(?:INFO|DEBUG|WARN(?:ING)?|TRACE)\]?[: ]|^time=\S+ level=(?:info|warn|debug)"
    r"|^\{\"level\":\"?(?:info|warn|debug)"
    r"|^(?:ok \d+|\s*✓|\s*✔|\s*√|PASS(?:ED)? )",
    re.IGNORECASE,
)
_TICKS = ("✓", "✔", "√")
_PASSED = re.compile(r"^.{1,200} (?:PASSED( +\[ *\d+%\])?|\.\.\. ok)$", re.IGNORECASE)
_LOGGED_ERROR = re.compile(
    r"^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d.{0,40}?\b(?:ERROR|CRITICAL|FATAL|SEVERE|Error)\b"
    r"|^(?:ERROR|CRITICAL):[\w.]+:\S?"
    r"|^\{\"(?:level|time|ts|msg|message)\":|^time=\S+ level=|^E\d{4} \d\d:\d\d"
)


_NOISE = 400  # characters of a line that these are tried on
_DIGITS = "0123456789"
_BEGINS = frozenset(
    first + second
    for firsts, seconds in (
        (_DIGITS, _DIGITS), ("[", f"{_DIGITS}IiDdWwTt"), ("Ii", "Nn"), ("Dd", "Ee"), ("Ww", "Aa"),
        ("Tt", "RrIi"),
        ("{", '"'), ("Oo", "Kk"), ("Pp", "Aa"), ("E", f"R{_DIGITS}"), ("C", "R"),
    )
    for first in firsts
    for second in seconds
)  # fmt: skip
_ENDS = frozenset(("ed", "eD", "Ed", "ED", "ok", "oK", "Ok", "OK", "%]"))
_FIRSTS, _LASTS = frozenset(both[0] for both in _BEGINS), frozenset(both[1] for both in _ENDS)
"""First and last characters of lines that the patterns above match, except ticks and other alphabets."""


@dataclass(frozen=True, slots=True)
class Single:
    """One language's line, recognised by ``sign``.

    ``pattern`` has optional groups ``name``, ``message``, ``path`` and ``line``; ``below``: how many
    lines under it may belong to the stack; ``next``: the message is on the next line.
    """

    sign: str
    pattern: re.Pattern[str]
    assertion: bool = False
    below: int = 40
    next: bool = False
    name: str = ""


# fmt: off
SINGLES = (
    Single(":in ", re.compile(
            r"^(?P<path>\S+?\.(?:rb|rake)):(?P<line>\d+):in [`'].{1,200}?': (?P<message>.*) \("
                r"(?P<name>[A-Z][\w:]*)\)$")),
    Single(":in ", re.compile(
            r"^(?P<path>\S+?\.(?:rb|rake)):(?P<line>\d+):in [`'].{1,200}?': (?P<message>.*)$")),
    Single("atal error:", re.compile(
            r"^(?:PHP )?(?:Fatal|Recoverable fatal) error:  ?(?:Uncaught )(?P<name>[A-Z][\w\\]*): "
                r"(?P<message>.*?)(?: in (?P<path>\S+):(?P<line>\d+))?$")),
    Single("** (", re.compile(r"^\*\* \((?P<name>[A-Z][\w.]*)\) (?P<message>.*)$")),
    Single("** (", re.compile(r"^\s+\*\* \((?P<name>[A-Z][\w.]*)\) (?P<message>.*)$")),
    Single("panic: ", re.compile(r"^panic: (?P<message>.*)$"), name="panic"),
    Single("fatal error: ", re.compile(
            "^fatal error: (?P<message>(?:all goroutines|concurrent map|stack overflow"
                "|runtime: out of).*)$"), name="fatal error"),
    Single("panicked at ", re.compile(
            r"^thread '.{1,200}' (?:\(\d+\) )?panicked at (?P<path>[^\s':]+\.rs):(?P<line>\d+):\d+:$"),
            next=True, name="panic"),
    Single("panicked at '", re.compile(
            r"^thread '.{1,200}' panicked at '(?P<message>.*)', (?P<path>\S+?\.rs):(?P<line>\d+):\d+$"),
            name="panic"),
    Single("Assertion ", re.compile(
            r"^(?:\S+: )?(?P<path>[^\s:]+\.(?:c|cc|cpp|cxx|h"
                r"|hpp)):(?P<line>\d+): .{0,300}: "
                    r"(?P<message>Assertion [`'].*failed\.)"), assertion=True, name="Assertion"),
    Single("terminate called", re.compile(
            r"^terminate called after throwing an instance of '(?P<name>[^']+)'$"), next=True, below=4),
    Single("_test.go:", re.compile(
            r"^\s+(?P<path>\S+_test\.go):(?P<line>\d+): (?P<message>\s*|.*(?:\b(?i:got|want|wanted"
                "|expected|actual|should|mismatch|diff"
                    r"|not equal|assert\w*)\b|[!=]=).*)$"), assertion=True, below=0),
    Single("_test.go:", re.compile(r"^\s+(?P<path>\S+_test\.go):(?P<line>\d+): (?P<message>.*)$"), below=0),
    Single("lua", re.compile(r"^lua\S*: (?P<path>\S+\.lua):(?P<line>\d+): (?P<message>.*)$"), name="lua"),
    Single("Unhandled exception", re.compile(r"^Unhandled exception\. (?P<name>[\w.]+): (?P<message>.*)$")),
)
# fmt: on
_BELOW = re.compile(r"^[\w./*()-]+\(.*\)$|^created by |^note: run with")
_RUST_ASSERT = re.compile(r"^assertion (?:`|failed)")


def read_singles(parts: Parts) -> None:
    """Read one exception from each line that matches a row of SINGLES."""
    likely = [single for single in SINGLES if single.sign in parts.text]
    for index in sorted({at for sign in {single.sign for single in likely} for at in parts.holding(sign)}):
        line = parts.lines[index]
        if parts.kinds[index] is Kind.CODE or len(line) > 3_000:
            continue
        for single in likely:
            hit = single.pattern.match(line) if single.sign in line else None
            if hit:
                _take(parts, index, single, hit.groupdict())
                break


def _take(parts: Parts, index: int, single: Single, groups: dict[str, str | None]) -> None:
    message = groups.get("message") or ""
    stack = index + 1
    if single.next and stack < len(parts.lines):
        message = parts.lines[stack].strip().removeprefix("what():").strip()
        stack += 1
    thrown = Thrown(
        "single", groups.get("name") or single.name, message, index, raw=parts.lines[index].strip()
    )
    thrown.assertion = (
        single.assertion or bool(_RUST_ASSERT.match(message)) or "Assertion" in thrown.exception
    )
    end = stack
    path, line = groups.get("path"), groups.get("line")
    own = [Place(path, int(line))] if path and line and is_project(path) else []
    frames: list[Place] = []
    while end < len(parts.lines) and end < stack + single.below:
        text = parts.lines[end]
        indented = text.startswith(
            (" ", "\t", "#", "goroutine", "main.", "stack traceback", "Stack trace", "[signal")
        )
        if not indented and text and not _BELOW.match(text):
            break
        place = None if text.lstrip().startswith(("(", "#0 {")) else place_in(text)
        if place:
            frames.append(place)
        elif text.strip() and not thrown.assertion and len(thrown.body) < 12 and text.startswith("  "):
            thrown.body.append(text.strip())
        end += 1
    thrown.frames = [*reversed(frames), *own]
    parts.mark(index, end)
    parts.thrown.append(thrown)


_BARE = re.compile(
    r"^(?:Uncaught |Unhandled )?(?P<name>(?:[\w$]+[.:\\/]{1,2})*[A-Z][\w$]*(?:Error|Exception"
    r"|Failure|Warning|Throwable)(?:\$\w+)?)(?: ?: (?P<message>.*))?$"
)
_EXPECT = re.compile(r"^(?P<name>(?:Assertion)?Error)?(?:: )?(?P<message>expect\(.*)$")
_SHORT = 60  # lines; a longer text is not a bare message


def read_bare(parts: Parts) -> None:
    """Read a text that begins with an exception's name and has no stack: a message as reports keep it."""
    if parts.thrown or len(parts.lines) > _SHORT:
        return
    message_lines = (
        index for index, line in enumerate(parts.lines) if line.strip() and not line.startswith(("> ", "$ "))
    )
    first = next(message_lines, 0)  # after the command that a package manager echoes
    hit = _BARE.match(parts.lines[first].strip()) if parts.free(first) else None
    hit = hit or (_EXPECT.match(parts.lines[first].strip()) if parts.free(first) else None)
    if hit:
        thrown = Thrown(
            "single", hit["name"] or "", hit["message"] or "", first, raw=parts.lines[first].strip()
        )
        thrown.body = [line.strip() for line in parts.lines[first + 1 : first + 13] if line.strip()]
        thrown.assertion = "Assertion" in thrown.exception or hit.re is _EXPECT
        parts.mark(first, first + 1)
        parts.thrown.append(thrown)


def read_noise(parts: Parts) -> None:
    """Mark lines of logs and of passed tests as weak: the program continued after them."""
    lines, kinds = parts.lines, parts.kinds
    ticked = any(tick in parts.text for tick in _TICKS)
    free = [at for at, kind in enumerate(kinds) if kind is Kind.FREE and lines[at]]
    for at in [
        at
        for at in free
        if (lines[at][0] in _FIRSTS and lines[at][:2] in _BEGINS)
        or (ticked and lines[at].lstrip()[:1] in _TICKS)
    ]:
        line = lines[at][:_NOISE]
        if _LOG.match(line) or _LOGGED_ERROR.match(line):
            kinds[at] = Kind.WEAK
    for at in [at for at in free if lines[at][-1] in _LASTS and lines[at][-2:] in _ENDS]:
        if _PASSED.match(lines[at][:_NOISE]):
            kinds[at] = Kind.WEAK
