"""Test files of other languages, by patterns and the shape of their blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from tdd_orchestrator.runners.source_model import SourceTest
from tdd_orchestrator.runners.source_rows import SourceRow
from tdd_orchestrator.runners.sources_tokens import blanked

_WORD = re.compile(r"[A-Za-z_]\w+")
_HEAD = re.compile(r"[^\n]*(?:\n[ \t]*\{)?")
_TESTS_LIMIT = 3_000
_BODY_LIMIT = 20_000
_HEAD_LIMIT = 4_000
_DEEPEST = 50  # groups within groups


Span = tuple[re.Match[str], int, tuple[str, ...]]
"""(a test's head, where the test ends, its title)"""


def text_tests(source: str, path: str, row: SourceRow) -> tuple[SourceTest, ...]:
    """The tests of one file, at most ``_TESTS_LIMIT``; of each the first ``_BODY_LIMIT`` characters are looked at."""
    return tuple(_made(source, row, path, title, found, end) for found, end, title in spans(source, row))


def spans(source: str, row: SourceRow) -> Iterator[Span]:
    """Where tests stand, in order, within the limits of :func:`text_tests`."""
    blank = blanked(source, row.comment)
    closing = _closing(blank)
    heads = islice((found for found in row.group.finditer(source) if _is_code(blank, found)), _TESTS_LIMIT)
    groups = [(found.start(), _end(blank, found.end(), row, closing), _name(found)) for found in heads]
    room = max(len(source), _BODY_LIMIT)  # tests that lie beside each other have room for all they say
    for found in islice((one for one in row.test.finditer(source) if _is_code(blank, one)), _TESTS_LIMIT):
        end = min(_end(blank, found.end(), row, closing), found.end() + min(_BODY_LIMIT, room))
        room -= end - found.end()
        name = _name(found)
        title = (*(title for begin, stop, title in groups if begin < found.start() < stop), name)
        yield found, end, title[-_DEEPEST:]


def block_ends(blank: str, begins: Iterable[int], row: SourceRow) -> list[int]:
    """Where what begins at the line of each place ends: its block, or that line."""
    if row.blocks == "indent":
        return [_end_by_indent(blank, begin) for begin in begins]
    closing = _closing(blank)
    stops = ((begin, _head_end(blank, begin)) for begin in begins)
    return [closing.get(blank.find("{", begin, stop), stop) for begin, stop in stops]


def _closing(blank: str) -> dict[int, int]:
    """For each brace that opens the place after the one that closes it."""
    found: dict[int, int] = {}
    stack: list[int] = []
    for brace in re.finditer(r"[{}]", blank):
        if brace[0] == "{":
            stack.append(brace.start())
        elif stack:
            found[stack.pop()] = brace.end()
    return found


def _is_code(blank: str, found: re.Match[str]) -> bool:
    """A head that stands in a comment or a string is not one."""
    begin = found.start() + len(found[0]) - len(found[0].lstrip())
    return bool(blank[begin : begin + 1].strip())


def _name(found: re.Match[str]) -> str:
    groups = found.groupdict()
    return next((groups[key] for key in ("name", "name2", "name3") if groups.get(key)), "").strip()


def _made(
    source: str, row: SourceRow, path: str, title: tuple[str, ...], found: re.Match[str], end: int
) -> SourceTest:
    body = source[found.end() : end]
    head = _annotations(source, found.start()) + found[0]
    marked = row.marks.findall(_uncommented(f"{head}\n{body}", row))
    # Perl's assertions are plain words, which the names of tests are full of
    said = blanked(body, row.comment) if row.blocks == "statement" else body
    asserted = len(row.asserting.findall(said)) + len(row.asserting.findall(head))
    hollow = ""
    if not asserted:
        hollow = "It asserts nothing."
    elif len([*row.hollow.finditer(said)]) == asserted:
        hollow = "What it asserts is always true."
    begin = found.start() + len(found[0]) - len(found[0].lstrip())
    return SourceTest(
        id="::".join((path, *title)),
        name=title[-1],
        title=title,
        path=path,
        line=source.count("\n", 0, begin) + 1,
        body=" ".join(_uncommented(body, row).split()),
        words=frozenset(_WORD.findall(blanked(body, row.comment))),
        assertions=asserted,
        marks=tuple(
            dict.fromkeys("".join(one).strip() if isinstance(one, tuple) else one.strip() for one in marked)
        ),
        hollow=hollow,
    )


def _annotations(source: str, begin: int) -> str:
    """The lines right above a test that are attributes of it."""
    lines: list[str] = []
    for line in reversed(source[max(0, begin - _HEAD_LIMIT) : begin].splitlines()):
        if not line.lstrip().startswith(("@", "#[", "[", "//", "*", "/*", "# bats")):
            break
        lines.append(line)
    return "".join(f"{line}\n" for line in reversed(lines))


def _uncommented(text: str, row: SourceRow) -> str:
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL) if row.comment == "//" else text
    return re.sub(rf"(?m)(?:^|(?<=\s)){re.escape(row.comment)}.*$", "", text)


def _end(blank: str, begin: int, row: SourceRow, closing: Mapping[int, int]) -> int:
    """Where the block ends whose head ends at ``begin``: at its closing brace, or by indentation."""
    if row.blocks == "indent":
        return _end_by_indent(blank, begin)
    line = _head_end(blank, begin) if row.blocks == "statement" else len(blank)
    opening = begin - 1 if blank[begin - 1 : begin] == "{" else blank.find("{", begin, line)
    if row.blocks == "statement" and (opening < 0 or "sub" not in blank[begin:opening]):
        return (blank.find(";", begin) + 1) or len(blank)
    if opening < 0:
        return _line_end(blank, begin)
    return closing.get(opening, len(blank))


def _end_by_indent(blank: str, begin: int) -> int:
    start = blank.rfind("\n", 0, begin) + 1
    indent = indent_of(blank[start : _line_end(blank, begin)])
    at = _line_end(blank, begin)
    while at < len(blank):
        stop = _line_end(blank, at + 1)
        line = blank[at + 1 : stop]
        if line.strip() and indent_of(line) <= indent:
            return stop
        at = stop
    return len(blank)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _head_end(text: str, at: int) -> int:
    """Where a line ends, or the brace that the next one begins with."""
    found = _HEAD.match(text, at)
    return found.end() if found else at


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())
