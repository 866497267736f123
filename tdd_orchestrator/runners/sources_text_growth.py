"""Whether a test file of another language only grew, by its lines."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from tdd_orchestrator.runners.source_rows import SourceRow
from tdd_orchestrator.runners.sources_text import indent_of
from tdd_orchestrator.runners.sources_text_cases import only_grew
from tdd_orchestrator.runners.sources_text_reach import reaches
from tdd_orchestrator.runners.sources_tokens import blanked

_STRING = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w+")
_QUIET = re.compile(r"^[\s)\]};,]*$")
_LINES_LIMIT = 20_000


def text_added_only(before: str, after: str, path: str, row: SourceRow | None) -> list[str]:
    """By lines: nothing that was there is gone, and nothing new stands inside a block that was there and is no group."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > _LINES_LIMIT:
        return [] if before == after else [f"{path} is too long to be compared by lines."]
    kept, added = _compared(old, new, before)
    gone = (number for number in range(len(old)) if number not in kept)
    faults = [fault for number in gone if (fault := _gone(old, number, after, path, row))]
    if row is None or not before.strip():
        return faults
    owners = _owners("\n".join(new), row)
    faults += _inside(new, owners, added, path, row)
    return faults + reaches(before, new, owners, added, path, row)


def _compared(old: Sequence[str], new: Sequence[str], before: str) -> tuple[set[int], list[int]]:
    """(lines of the old that the new has, lines of the new that came): a comma that the next element made necessary is
    no change, and a list of cases may have more of them."""
    was, now = ([line.strip().removesuffix(",") for line in lines] for lines in (old, new))
    same: dict[int, int] = {}
    for kind, begin, end, low, high in difflib.SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if kind == "equal":
            same |= zip(range(begin, end), range(low, high), strict=True)
        for number in range(begin, end if kind == "replace" else begin):
            found = next((one for one in range(low, high) if only_grew(old[number], new[one], before)), high)
            if found < high:
                same[number], low = found, found + 1
    there = set(same.values())
    kept = {
        number
        for number, other in same.items()
        if old[number].strip() == new[other].strip()
        or was[number] != now[other]
        or (new[other].rstrip().endswith(",") and other + 1 not in there)
    }
    return kept, [number for number in range(len(new)) if number not in there]


def _gone(old: Sequence[str], number: int, after: str, path: str, row: SourceRow | None) -> str:
    line = old[number]
    comment = row.comment if row else "#"
    if _QUIET.match(line) or line.lstrip().startswith((comment, "*", "/*")):
        return ""
    words = [*_WORD.findall(line), *_STRING.findall(line)]
    if row and row.imports.search(line) and all(word in after for word in words):
        return ""
    return f"{path}:{number + 1}: `{line.strip()[:80]}` is gone or changed."


def _inside(
    new: Sequence[str], owners: Sequence[int | None], added: Sequence[int], path: str, row: SourceRow
) -> list[str]:
    """New lines in blocks that were there: groups and import lists may grow, tests and helpers may not."""
    fresh = set(added)
    faults: dict[int, str] = {}
    for number in added:
        line, owner = new[number], owners[number]
        if _QUIET.match(line) or line.lstrip().startswith(row.comment) or owner is None or owner in fresh:
            continue
        head = new[owner]
        if row.group.search(head) or row.imports.search(head) or row.imports.search(line) or _is_group(head):
            continue
        faults[owner] = f"{path}:{owner + 1}: `{head.strip()[:80]}` was added to at line {number + 1}."
    return list(faults.values())


def _is_group(head: str) -> bool:
    return bool(re.match(r"\s*(?:export |public |final |abstract |static )*(?:class|module|mod|namespace|describe|context|suite|object"
                         r"|impl|extension|struct|interface|defmodule)\b", head))  # fmt: skip


def _owners(source: str, row: SourceRow) -> list[int | None]:
    """For each line the line that opens the innermost block around it; None at the top of the file."""
    blank = blanked(source, row.comment)
    if row.blocks == "indent":
        return _owners_by_indent(blank.split("\n"))
    owners: list[int | None] = []
    stack: list[int] = []
    last = 0
    for number, line in enumerate(blank.split("\n")):
        lead = len(line) - len(line.lstrip("})] \t"))
        closing = sum(char in "}" for char in line[:lead])
        owners.append(stack[-closing - 1] if len(stack) > closing else None)
        opener = (
            last if line.strip() == "{" else number
        )  # a brace on a line of its own belongs to the one above
        last = number if line.strip() else last
        for char in line:
            if char == "{":
                stack.append(opener)
            elif char == "}" and stack:
                stack.pop()
    return owners


def _owners_by_indent(lines: Sequence[str]) -> list[int | None]:
    owners: list[int | None] = []
    stack: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        if not line.strip():
            owners.append(stack[-1][1] if stack else None)
            continue
        indent = indent_of(line)
        while stack and stack[-1][0] >= indent:
            stack.pop()
        owners.append(stack[-1][1] if stack else None)
        stack.append((indent, number))
    return owners
