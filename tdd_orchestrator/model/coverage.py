"""Which lines of which files the tests execute, and what follows for a change. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Lines = Mapping[str, frozenset[int]]
"""Path, relative to the tree -> line numbers from 1."""
_CODE = re.compile(r"^(?!\s*(?://|/\*|\*|#(?!\[))).*\w")
"""A line with a word on it that does not begin as a comment: tools that count blocks name the others as well."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """One measured run. ``missing``: lines that could run and did not; ``tests``: test -> lines that it executes.

    ``loaded``: suffixes of files that are in the report if they were loaded at all. ``why``: why nothing was
    measured.
    """

    executed: Lines = field(default_factory=dict)
    missing: Lines = field(default_factory=dict)
    tests: Mapping[str, Lines] = field(default_factory=dict)
    loaded: tuple[str, ...] = ()
    why: str = ""

    def uncovered(self, path: str, text: str, changed: Iterable[int]) -> tuple[int, ...]:
        """Return the changed lines of a file that no test executes; none where the file was not measured."""
        texts = text.splitlines()
        lines = [line for line in sorted(changed) if line <= len(texts) and _CODE.search(texts[line - 1])]
        if path in self.missing or path in self.executed:
            return tuple(line for line in lines if line in self.missing.get(path, ()))
        return tuple(lines) if self.loaded and path.endswith(self.loaded) else ()

    def affected(self, lines: Lines, but: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the tests that execute some of the lines, those with the most of them first."""
        left_out = frozenset(but)
        shared: Counter[str] = Counter()
        for test, files in self.tests.items():
            if test not in left_out:
                shared[test] = sum(len(lines[path] & files[path]) for path in files if path in lines)
        return tuple(
            test for test, count in sorted(shared.items(), key=lambda one: (-one[1], one[0])) if count
        )

    def lines_of(self, tests: Iterable[str]) -> dict[str, frozenset[int]]:
        """Return the lines that some tests execute."""
        found: dict[str, frozenset[int]] = {}
        for test in tests:
            for path, lines in self.tests.get(test, {}).items():
                found[path] = found.get(path, frozenset()) | lines
        return found


def merged(parts: Iterable[Coverage]) -> Coverage:
    """Return the coverage of several suites as one; what one of them executes is executed."""
    parts = list(parts)
    executed: dict[str, frozenset[int]] = {}
    missing: dict[str, frozenset[int]] = {}
    for part in parts:
        for path, lines in part.executed.items():
            executed[path] = executed.get(path, frozenset()) | lines
        for path, lines in part.missing.items():
            missing[path] = missing.get(path, frozenset()) | lines
    return Coverage(
        executed,
        {path: lines - executed.get(path, frozenset()) for path, lines in missing.items()},
        {test: files for part in parts for test, files in part.tests.items()},
        tuple(suffix for part in parts for suffix in part.loaded),
        "; ".join(dict.fromkeys(part.why for part in parts if part.why)),
    )


def ranges(lines: Iterable[int]) -> str:
    """Return line numbers as people write them: 3, 5-7."""
    found: list[list[int]] = []
    for line in sorted(lines):
        if found and found[-1][1] == line - 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in found)
