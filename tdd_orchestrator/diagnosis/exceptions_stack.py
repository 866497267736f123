"""Read stacks of ``at ...`` lines: JavaScript, Java and other JVM languages, C#."""

from __future__ import annotations

import re

from tdd_orchestrator.diagnosis.exceptions_python import library_of
from tdd_orchestrator.diagnosis.pieces import Kind, Parts, Thrown
from tdd_orchestrator.diagnosis.places import Place, java_library, java_place, place_in

_AT = re.compile(r"^\s*(?:at|@) (?:async |new )?\S")
_HEAD = re.compile(
    r"^[\s│|]*(?:\d+\) |<ref \*\d+> )?(?P<cause>\[cause\]:? |\[errors\]: |Caused by: )?"
    r"(?:Exception in thread \"[^\"]{0,80}\" |Uncaught exception in .{0,40}: "
    "|Unhandled exception[.:] |Uncaught |"
    r"\(node:\d+\) |⨯ |✗ |\[!\] (?:\(plugin [\w-]{1,40}\) )?|\[ERROR\]\s+)?"
    r"(?P<name>(?:[\w$]+[.$/])*[A-Z][\w$]*(?:Error|Exception|Throwable|Failure|Rejection|Fault"
    r"|Timeout|Cancelled)[\w$]*"
    r"|(?:[a-z]\w+\.)+[A-Z]\w*|[A-Z][\w$]*(?= \[\w*Error\])|error|Error|TSError|ComparisonFailure"
    "|AggregateError)"
    r"(?: \[[\w-]+\])?(?: \([\w-]+\))?(?: ?: ?(?P<message>.*))?(?: \{)?$"
)
_PLAIN = re.compile(r"^(?!(?:file|id|loc|code|url|path): )\s*[A-Za-z][\w$ ]{0,80}(?:: .*)?$")
_LANGUAGE = re.compile(r"^(?:java|jdk|javax|sun|kotlin|scala)\b")
_OBJECT = 2_000  # lines read of a printed object
_STACKS = 100  # runs of frames at a text's beginning, and as many at its end, that are read
_UNINFORMATIVE = re.compile(  # a property without information, or a code in a list of retryable ones
    r": (?:undefined|null|true|false|\[Function.*|\[\w+\]|\{\}|\[\]),?$|^\s*'[A-Z][A-Z_]*',?$"
)
_EXPECT = re.compile(r"^\s*(?:expect\(|assert(?:ion)? )")
_ASSERT = re.compile(r"Assert|ComparisonFailure|expect\(")
_CARET = re.compile(r"^\s*[\^~]+\s*$")
_SOURCE = re.compile(r"^((?:file://)?\S+?\.[cm]?[jt]sx?):(\d+)$")
_FRAMED = re.compile(r"^\s*(?:>\s*)?\d+ ?[|│]|^\s*[|│]\s*[\^~]*")


def is_frame(line: str) -> bool:
    begins = line.lstrip().startswith(("at ", "@ "))
    return begins and ("(" in line or ":" in line or "<anonymous>" in line) and bool(_AT.match(line))


def read_stacks(parts: Parts) -> None:
    """Read every run of frames with the statement above it and the properties below it."""
    headers = _source_headers(parts)
    runs = _runs(parts)
    for number, (start, end) in enumerate(runs):
        if _STACKS <= number < len(runs) - _STACKS:
            parts.mark(start - 1, end)  # between the first and the last, which decide
        elif parts.kinds[start] is not Kind.CODE:
            _one_stack(parts, start, end, headers)


def _runs(parts: Parts) -> list[tuple[int, int]]:
    """Return first and one past the last line of every run of frames."""
    lines, found, end = parts.lines, [], 0
    for start in [at for at, line in enumerate(lines) if "at " in line or "@ " in line]:
        if start < end or parts.kinds[start] is Kind.CODE or not is_frame(lines[start]):
            continue
        end = start + 1
        while end < len(lines) and (is_frame(lines[end]) or lines[end].lstrip().startswith("... ")):
            end += 1
        found.append((start, end))
    return found


def _source_headers(parts: Parts) -> list[tuple[int, Place]]:
    """Return the places of Node's ``/repo/src/app.js:2`` with a source line and a caret below."""
    found = []
    for index in [at for at, line in enumerate(parts.lines) if "s:" in line or "sx:" in line]:
        line = parts.lines[index]
        hit = _SOURCE.match(line.strip()) if line.rstrip()[-1].isdigit() else None
        if hit is None:
            continue
        for below in range(index + 1, min(index + 4, len(parts.lines))):
            if _CARET.match(parts.lines[below]):
                parts.mark(index, below + 1)
                place = place_in(line)
                if place:
                    found.append((index, place))
                break
    return found


def _one_stack(parts: Parts, start: int, end: int, headers: list[tuple[int, Place]]) -> None:
    weak = parts.kinds[start] is Kind.WEAK
    frames, libraries = frames_of(parts.lines[start:end])
    parts.mark(start, end)
    if start and "event on" in parts.lines[start - 1] and parts.thrown:
        return _emitted(parts, start, end, frames, libraries)
    top = _statement_above(parts, start)
    if top is None:
        return
    hit = _HEAD.match(parts.lines[top])
    name, message = (hit["name"], hit["message"] or "") if hit else ("", parts.lines[top].strip())
    if message.endswith(" {"):
        message = message[:-2]
    body = [line.strip() for line in parts.lines[top + 1 : start] if not _FRAMED.match(line) and line.strip()]
    assertion = bool(_ASSERT.search(name or message)) or bool(_EXPECT.match(message))
    for at, place in headers:
        if start - 60 < at < start:
            frames.append(place)
    thrown = Thrown("stack", name, message, top, [] if assertion else body[:30], frames, libraries, assertion)
    thrown.raised_in = raised_in(parts.lines[start:end])
    thrown.logged = weak or parts.kinds[top] is Kind.WEAK
    if hit and hit["cause"]:
        thrown.link = "because"
    parts.mark(top, start)
    parts.mark(end, _properties(parts, end, thrown))
    parts.thrown.append(thrown)


def _emitted(parts: Parts, start: int, end: int, frames: list[Place], libraries: set[str]) -> None:
    """Add ``Emitted 'error' event on Socket instance at:`` to the error above it."""
    above = parts.thrown[-1]
    above.frames = [*frames, *above.frames]
    above.libraries |= libraries
    parts.mark(start - 1, _properties(parts, end, above))


def frames_of(lines: list[str]) -> tuple[list[Place], set[str]]:
    """Return the project places of a stack, outermost first, and the libraries in it."""
    frames: list[Place] = []
    libraries: set[str] = set()
    for line in reversed(lines):
        place = place_in(line)
        if place:
            frames.append(place)
        elif library := library_of(line):
            libraries.add(library)
    return frames, libraries


def raised_in(lines: list[str]) -> str:
    """Return the library of the innermost frame, without frames of the language itself."""
    for line in lines:
        library = library_of(line) or ("" if java_place(line) else java_library(line))
        if library and not _LANGUAGE.match(library):
            return library
        if java_place(line) or place_in(line):
            return ""
    return ""


def _statement_above(parts: Parts, start: int) -> int | None:
    """Return the index of the nearest line above that names an error, not past another stack."""
    for index in range(start - 1, max(-1, start - 40), -1):
        line = parts.lines[index]
        if is_frame(line) or (parts.kinds[index] is Kind.CODE and line.strip()):
            break
        hit = _HEAD.match(line)
        if hit:
            return index
        if _EXPECT.match(line):
            return index
    return start - 1 if start and _PLAIN.match(parts.lines[start - 1]) and parts.free(start - 1) else None


def _properties(parts: Parts, start: int, thrown: Thrown) -> int:
    """Read the object that Node prints after a stack: ``{ errno: -111, code: 'ECONNREFUSED' }``."""
    if start == 0 or start >= len(parts.lines) or not parts.lines[start - 1].rstrip().endswith("{"):
        return start
    depth, index = 1, start
    while index < len(parts.lines) and depth > 0 and index < start + _OBJECT:
        line = parts.lines[index]
        if "[cause]" in line and _HEAD.match(line):
            thrown.body.append(line.strip())
        elif is_frame(line):
            place = place_in(line)
            if place:
                thrown.frames.insert(0, place)
            elif library := library_of(line):
                thrown.libraries.add(library)
        elif len(thrown.body) < 80 and not _UNINFORMATIVE.search(line):
            thrown.body.append(line.strip()[:300])
        depth += line.count("{") + line.count("[") - line.count("}") - line.count("]")
        index += 1
    return index
