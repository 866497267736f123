"""Read failures that JavaScript runners print as blocks: Jest, Vitest, Playwright."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise

from tdd_orchestrator.diagnosis.exceptions_python import statement
from tdd_orchestrator.diagnosis.exceptions_stack import frames_of, is_frame, raised_in
from tdd_orchestrator.diagnosis.pieces import Kind, Parts
from tdd_orchestrator.diagnosis.places import Place, path_in, place_in

_JEST = re.compile(r"^  ● (.+)$")
_JEST_END = re.compile(r"^(?:Test Suites:|Tests:|(?:PASS|FAIL) \S+\.\w+|Summary of all failing tests)")
_VITEST = re.compile(r"^ ?(?:❯ )?FAIL  \S+")
_VITEST_END = re.compile(r"^⎯{6,}| Test Files  ")
_PLAYWRIGHT = re.compile(r"^  \d+\) (?:\[[\w -]+\] › )?(\S+\.\w+):(\d+):\d+ › .+$")
_PLAYWRIGHT_END = re.compile(r"^  \d+ (?:failed|flaky|passed|skipped|did not run)")
_HEADINGS = (
    ("  ● ", _JEST, _JEST_END), ("FAIL  ", _VITEST, _VITEST_END), (" › ", _PLAYWRIGHT, _PLAYWRIGHT_END),
)  # fmt: skip
_BLOCKS = 100  # failures that are read: the first decides
_CODE = re.compile(r"^\s*(?:>\s*)?\d+ ?[|│]|^\s*[|│]\s*[\^~]*|^\s*❯ ")
_POINTER = re.compile(r"^\s*❯ (?:.* )?(\S+?\.\w+):(\d+)(?::\d+)?$")
_DATA = re.compile(r"^\s*(?:Expected|Received|Diff|Snapshot|\+ |- |@@|[+-] ?$)")
_NOT_OK = re.compile(r"^\s*not ok \d+(?!.*# (?:TODO|SKIP))")
_TAP_NAME = re.compile(r"^\s*name: '?(\w+)'?$")
_CONSOLE = re.compile(r"^  console\.(?:log|warn|error|info|debug)|^(?:stdout|stderr) \| ")


def read_blocks(parts: Parts) -> None:
    """Read all blocks: each kind of heading has a reader, and owns the lines up to the next heading."""
    if any(sign in parts.text for sign in ("  console.", "stdout | ", "stderr | ")):
        _console(parts)
    if "not ok " in parts.text:
        _tap(parts)
    for sign, heading, end in _HEADINGS:
        index, count = 0 if sign in parts.text else len(parts.lines), 0
        while index < len(parts.lines):
            if not heading.match(parts.lines[index]):
                index += 1
                continue
            count += 1
            index = _block(parts, index, heading, end, read=count <= _BLOCKS)


def _tap(parts: Parts) -> None:
    """Read ``not ok`` with a YAML block, as node:test and other TAP producers print it."""
    lines = parts.lines
    ends = [at for at, line in enumerate(lines) if "..." in line and line.strip() == "..."]
    failed = [
        at for at, line in enumerate(lines[:-1]) if "not ok " in line and lines[at + 1].strip() == "---"
    ]
    failed = [at for at in failed if _NOT_OK.match(lines[at])]
    for index, following in pairwise([*failed, len(lines)]):
        after = bisect_left(ends, index + 2)
        if after == len(ends) or ends[after] > min(following, index + 201):
            continue
        end = ends[after]
        block = lines[index + 2 : end]
        error = next((i for i, text in enumerate(block) if text.strip().startswith("error:")), None)
        if error is None or any("failureType: 'subtestsFailed'" in text for text in block):
            continue
        name = next((hit[1] for hit in map(_TAP_NAME.match, block) if hit), "")
        first = block[error].strip().removeprefix("error:").strip(" |->'\"")
        message = first or next((text.strip() for text in block[error + 1 :] if text.strip()), "")
        thrown = statement(f"{name}: {message}" if name else message, "block", index)
        thrown.assertion = thrown.assertion or any("ERR_ASSERTION" in text for text in block)
        stack = next((i for i, text in enumerate(block) if text.strip().startswith("stack:")), len(block))
        thrown.frames = [place for place in map(place_in, reversed(block[stack:])) if place]
        thrown.frames = thrown.frames or [place for place in map(place_in, block) if place][:1]
        parts.mark(index, end + 1)
        parts.thrown.append(thrown)


def _console(parts: Parts) -> None:
    """Mark as weak what the code under test printed, as Jest and Vitest show it."""
    index = 0
    while index < len(parts.lines):
        index += 1
        if not _CONSOLE.match(parts.lines[index - 1]):
            continue
        start = index - 1
        indented = parts.lines[start].startswith("  ")
        while index < len(parts.lines):
            line = parts.lines[index]
            if (indented and line and not line.startswith("    ")) or (not indented and not line.strip()):
                break
            index += 1
        parts.mark(start, index, Kind.WEAK)


def _block(parts: Parts, start: int, heading: re.Pattern[str], stop: re.Pattern[str], *, read: bool) -> int:
    lines = parts.lines
    end = start + 1
    while end < len(lines) and not heading.match(lines[end]) and not stop.match(lines[end]):
        end += 1
    if lines[start].strip() == "● Console" or lines[start].rstrip().endswith("● Console"):
        parts.mark(start, end, Kind.WEAK)
        return end
    if not read:
        parts.mark(start, end)
        return end
    first = next(
        (i for i in range(start + 1, end) if _is_message(lines[i]) and parts.kinds[i] is Kind.FREE), None
    )
    if first is None:
        return end
    thrown = statement(lines[first].strip(), "block", first)
    text = thrown.statement
    thrown.assertion = thrown.assertion or text.startswith(
        ("expect(", "Error: expect(", "AssertionError", "assert")
    )
    frames, thrown.libraries = frames_of([line for line in lines[first:end] if is_frame(line)])
    thrown.raised_in = raised_in([line for line in lines[first:end] if is_frame(line)])
    thrown.frames = frames or _pointers(lines[first:end])
    heading_place = _PLAYWRIGHT.match(lines[start])
    if not thrown.frames and heading_place:
        thrown.frames = [Place(heading_place[1], int(heading_place[2]))]
    thrown.body = _body(lines[first + 1 : end])
    if not thrown.frames:
        found = next((place for place in map(place_in, lines[start:end]) if place), None)
        named = found or next((place for place in map(path_in, (lines[first], lines[start])) if place), None)
        thrown.frames = [named] if named else []
    parts.mark(start, end)
    parts.thrown.append(thrown)
    return end


def _is_message(line: str) -> bool:
    stripped = line.strip()
    return (
        bool(stripped) and stripped != "Test suite failed to run" and not stripped.startswith(("⎯", "FAIL "))
    )


def _body(lines: list[str]) -> list[str]:
    """Return the message after its first line, without source, frames and comparisons."""
    return [
        line.strip()
        for line in lines[:80]
        if line.strip() and not _CODE.match(line) and not is_frame(line) and not _DATA.match(line)
    ][:40]


def _pointers(lines: list[str]) -> list[Place]:
    """Return the places of Vitest's ``❯ fn src/a.js:3:21``, outermost first."""
    found = []
    for line in reversed(lines):
        hit = _POINTER.match(line)
        place = place_in(f"{hit[1]}:{hit[2]}") if hit else None
        if place:
            found.append(place)
    return found
