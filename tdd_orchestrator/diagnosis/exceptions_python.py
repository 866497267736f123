"""Read Python tracebacks, alone and as pytest prints them."""

from __future__ import annotations

import re
from functools import lru_cache

from tdd_orchestrator.diagnosis.pieces import Kind, Parts, Thrown
from tdd_orchestrator.diagnosis.places import Place, is_project

_FRAME = re.compile(r'^([\s|]*)File "([^"]{1,400})", line (\d+)(?:, in .*)?$')
_NAMED = re.compile(r"^([A-Za-z_][\w.]{0,200})(?:: ?(.*))?$")
_LOG = re.compile(
    r"^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|(?:ERROR|WARNING|CRITICAL)\b|\[(?:error|warn|ERROR|WARNING))"
)
_CAUSE = "The above exception was the direct cause of the following exception:"
_DURING = "During handling of the above exception, another exception occurred:"
_HEADER = re.compile(r"^={3,} (.+?) ={3,}$")
_BLOCK = re.compile(r"^_{2,} (.+?) _{2,}$")
_CAPTURED = re.compile(r"^-{3,} (?:Captured|live log|generated) ?.*-{3,}$")
_PLACE = re.compile(r"^((?:[\w.@+~/\\\[\]-]|(?<=\w) (?=\w))+\.\w+):(\d+)(?:: ?(.*))?$")
_FILE_LINE = re.compile(r"^file ([^\s,]+), line (\d+)$")
_SUMMARY = re.compile(r"^(?:FAILED|ERROR) (\S+?)(?:::\S.*?)? - (.+)$")
_BLOCKS = 100  # failures of a run of pytest that are read: the first decides
_LIBRARY = re.compile(r"(?:site-packages|dist-packages|node_modules)[/\\]((?:@[\w.-]+[/\\])?[\w.-]+)")
_ASSERTS = ("AssertionError", "assert ", "Failed", "ComparisonFailure")


@lru_cache(maxsize=2048)
def library_of(path: str) -> str:
    """Return the package that a path inside an installation folder belongs to."""
    hits = _LIBRARY.findall(path)
    return hits[-1].removesuffix(".py") if hits else ""


def _column(line: str) -> int:
    return len(line) - len(line.lstrip(" |+-\t"))


def _link_before(parts: Parts, index: int) -> str:
    for back in range(index - 1, max(-1, index - 6), -1):
        line = parts.lines[back].strip(" |+")
        if line.startswith(_CAUSE):
            return "cause"
        if line.startswith(_DURING):
            return "during"
    return ""


def read_tracebacks(parts: Parts) -> None:
    """Read every run of ``File "...", line N`` frames with the statement that ends it."""
    index = 0 if 'File "' in parts.text else len(parts.lines)
    while index < len(parts.lines):
        line = parts.lines[index]
        hit = _FRAME.match(line) if 'File "' in line and parts.kinds[index] is not Kind.CODE else None
        index = _one_traceback(parts, index) if hit else index + 1


def _one_traceback(parts: Parts, start: int) -> int:
    lines = parts.lines
    base = max(0, _column(lines[start]) - 2)
    weak = parts.kinds[start] is Kind.WEAK
    frames: list[Place] = []
    libraries: set[str] = set()
    raised = ""
    index = start
    while index < len(lines):
        line = lines[index]
        hit = _FRAME.match(line)
        if hit:
            library = library_of(hit[2])
            if raised and not hit[2].startswith(("/", "<")) and ":" not in hit[2]:
                library = raised  # compiled code has no folder: it belongs to the calling library
            elif is_project(hit[2]):
                frames.append(Place(hit[2], int(hit[3])))
            raised = library or (raised if not is_project(hit[2]) else "")
            libraries |= {library} if library else set()
        elif line.strip(" |") and _column(line) <= base:
            break
        index += 1
    parts.mark(start, index)
    head = start - 1 if start and "Traceback" in lines[start - 1] else start
    parts.mark(head, start)
    if index >= len(lines):
        return index
    hit = _NAMED.match(lines[index].strip(" |"))
    if hit is None:
        return index + 1
    logged = weak or (head > 0 and bool(_LOG.match(lines[head - 1])))
    assertion = hit[1].rsplit(".", 1)[-1] in ("AssertionError", "Failed")
    thrown = Thrown("traceback", hit[1], hit[2] or "", index, [], frames, libraries, assertion, logged)
    thrown.raised_in = raised
    thrown.link = _link_before(parts, head)
    end = _body(parts, index + 1, base, thrown)
    if not weak and not any(line.strip() for line in lines[end:]):
        thrown.logged = False  # last in the text: it ended the program
    parts.mark(index, end)
    parts.thrown.append(thrown)
    return end


def _body(parts: Parts, start: int, base: int, thrown: Thrown) -> int:
    """Read the message's further lines; those of an assertion are data, and only marked."""
    index = start
    while index < len(parts.lines) and index < start + 40:
        line = parts.lines[index].strip(" |")
        if (
            not line
            or _FRAME.match(parts.lines[index])
            or "Traceback (most recent" in line
            or line[:5] == "-----"
        ):
            break
        if line.startswith(("make:", "make[", "npm ", "##[", "error Command")) or _HEADER.match(line):
            break
        if not thrown.assertion:
            thrown.body.append(line)
        index += 1
    return index


def read_pytest(parts: Parts) -> None:
    """Read the FAILURES and ERRORS sections; captured output and warnings become weak."""
    starts = _sections(parts) or _bare_block(parts.text)
    for start, end in starts[:_BLOCKS]:
        _one_block(parts, start, end)
    for start, end in starts[_BLOCKS:]:
        parts.mark(start, end)
    _summaries(parts, bool(starts))


def _sections(parts: Parts) -> list[tuple[int, int]]:
    """Return first and one past the last line of every failure under its heading."""
    starts: list[tuple[int, int]] = []
    section, block, warned = "", -1, -1
    for index in parts.beginning("===", "__"):
        line = parts.lines[index]
        header = _HEADER.match(line)
        named = _BLOCK.match(line) if section in ("FAILURES", "ERRORS") else None
        if not header and not named:
            continue
        if block >= 0:
            starts.append((block, index))
        if header:
            if warned >= 0:
                parts.mark(warned, index, Kind.WEAK)
            section = header[1]
            warned = index if section.startswith("warnings summary") else -1
        block = index if section in ("FAILURES", "ERRORS") else -1
    if warned >= 0:
        parts.mark(warned, len(parts.lines), Kind.WEAK)
    return [*starts, (block, len(parts.lines))] if block >= 0 else starts


def _bare_block(text: str) -> list[tuple[int, int]]:
    """Return the lines of one failure without a heading, as a report has it: up to the next heading."""
    above = f"\n{text}".partition("\n=====")[0]
    return [(-1, above.count("\n"))] if "\nE   " in above else []


def _one_block(parts: Parts, start: int, end: int) -> None:
    frames: list[Place] = []
    libraries: set[str] = set()
    last: Thrown | None = None
    link = ""
    index = start + 1
    parts.mark(start, start + 1)
    while index < end:
        line = parts.lines[index]
        if _CAPTURED.match(line):
            parts.mark(index, end, Kind.WEAK)
            return
        place = _PLACE.match(line) or _FILE_LINE.match(line)
        if line.startswith("E  ") or line == "E":
            last, index = _e_lines(parts, index, end, frames, libraries)
            last.link, link = link, ""
            continue
        if place:
            library = library_of(place[1])
            if is_project(place[1]):
                frames.append(Place(place[1], int(place[2])))
            elif library:
                libraries.add(library)
            if last is not None:
                last.raised_in = library
            parts.mark(index, index + 1)
        elif _CAUSE in line or _DURING in line:
            link = "cause" if _CAUSE in line else "during"
            frames, libraries = [], set()
        elif _FRAME.match(line):
            index = _one_traceback(parts, index)
            last = parts.thrown[-1] if parts.thrown else None
            continue
        elif not line or line[0] in " >\t" or line.startswith(("self = ", "_ _ _")):
            parts.mark(index, index + 1)
        index += 1
    if last is None and frames:
        message = next(
            (at for at in range(start + 1, end) if parts.free(at) and parts.lines[at].strip()), None
        )
        if message is not None:
            parts.thrown.append(statement(parts.lines[message].strip(), "pytest", message))
            parts.thrown[-1].frames = frames[:1]


def _e_lines(
    parts: Parts, start: int, end: int, frames: list[Place], libraries: set[str]
) -> tuple[Thrown, int]:
    texts: list[str] = []
    index = start
    while index < end and (parts.lines[index].startswith("E  ") or parts.lines[index] == "E"):
        texts.append(parts.lines[index][1:])
        index += 1
    parts.mark(start, index)
    margin = min((len(text) - len(text.lstrip()) for text in texts if text.strip()), default=0)
    texts = [text[margin:] for text in texts]
    first = 0
    while first < len(texts) - 1 and (not texts[first].strip() or texts[first][0] == " "):
        hit = _FRAME.match(texts[first])
        if hit and is_project(hit[2]):
            frames.append(Place(hit[2], int(hit[3])))
        first += 1
    thrown = statement(texts[first].strip(), "pytest", start + first)
    thrown.frames, thrown.libraries = frames, libraries
    if not thrown.assertion or thrown.message.startswith(
        ("Locator ", "Page ", "Aria ", "Timeout", "Failed: Timeout")
    ):
        thrown.body = [text.strip() for text in texts[first + 1 : first + 41]]
    parts.thrown.append(thrown)
    return thrown, index


def statement(text: str, source: str, at: int) -> Thrown:
    """Return the exception in ``module.SomeError: message`` or ``assert ...``."""
    hit = _NAMED.match(text)
    named = hit is not None and ("Error" in hit[1] or hit[1][:1].isupper() or "." in hit[1] or not hit[2])
    if hit is None or not named or " " in hit[1]:
        return Thrown(source, "", text, at, assertion=text.startswith(_ASSERTS))
    name = hit[1]
    assertion = name.rsplit(".", 1)[-1] in (
        "AssertionError",
        "Failed",
        "AssertionFailedError",
        "AssertionException",
    )
    return Thrown(source, name, hit[2] or "", at, assertion=assertion)


def _summaries(parts: Parts, blocks: bool) -> None:
    """Mark ``FAILED file::test - reason``; the reason counts if it is not printed above."""
    above = bool(parts.thrown)
    for index in parts.beginning("FAILED ", "ERROR "):
        hit = _SUMMARY.match(parts.lines[index]) if ".py" in parts.lines[index] else None
        if hit is None:
            continue
        if not above:
            thrown = statement(hit[2], "pytest", index)
            thrown.frames = [Place(hit[1])]
            parts.thrown.append(thrown)
        if above or not blocks:
            parts.mark(index, index + 1)
