"""Run a suite once more to learn which lines its tests execute, with the runner's own tool.

What is read: our pytest plug-in, V8, Go's profile, lcov. The run judges nothing: its exit code and its
output are thrown away, and the user's own run stays as it was.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tdd_orchestrator.model.coverage import Coverage
from tdd_orchestrator.runners.framework import Ask, Measure
from tdd_orchestrator.runners.run import RunEnvironment, Suite, run_suite

_MODULE = re.compile(r"(?m)^module\s+\"?([^\s\"]+)")
_BLOCK = re.compile(r"(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)")
_SCRIPTS = (".js", ".mjs", ".cjs")
"""What V8 runs as it is written; other files are translated first, and their lines are others."""
Reader = Callable[[Path, Path, Path], Coverage]
"""Folder of the reports, root of the tree and folder of the command -> which lines were executed."""


class _Lines:
    """Collects lines of files below a root. A line that one report executed counts as executed."""

    def __init__(self, tree: Path) -> None:
        self._root = os.path.realpath(tree)
        self._executed: dict[str, set[int]] = defaultdict(set)
        self._missing: dict[str, set[int]] = defaultdict(set)
        self._tests: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))

    def path(self, name: str) -> str:
        """Return a file's path in the tree; "" where it lies elsewhere, or is somebody else's package."""
        path = os.path.relpath(os.path.realpath(name), self._root).replace(os.sep, "/")
        return "" if path.startswith("../") or "node_modules/" in path else path

    def add(self, path: str, executed: Iterable[int], missing: Iterable[int]) -> None:
        self._executed[path].update(executed)
        self._missing[path].update(missing)

    def by_test(self, test: str, path: str, line: int) -> None:
        self._tests[test][path].add(line)

    def coverage(self, loaded: tuple[str, ...] = ()) -> Coverage:
        executed = {path: frozenset(lines) for path, lines in self._executed.items() if lines}
        return Coverage(
            executed,
            {path: frozenset(lines - self._executed[path]) for path, lines in self._missing.items()},
            {test: {path: frozenset(lines) for path, lines in files.items()}
                for test, files in self._tests.items()},
            loaded,
        )  # fmt: skip


def _reports(folder: Path) -> Iterator[Any]:
    """Yield each JSON report of a folder; one that a killed process left half written is skipped."""
    for file in sorted(folder.glob("coverage-*.json")):
        try:
            yield json.loads(file.read_bytes())
        except ValueError:
            continue


def read_pytest(folder: Path, tree: Path, _cwd: Path) -> Coverage:
    """Read what ``reporters/tdd_coverage.py`` wrote."""
    lines = _Lines(tree)
    for report in _reports(folder):
        for name, file in report["files"].items():
            path = lines.path(name)
            if not path:
                continue
            lines.add(path, map(int, file["executed"]), file["missing"])
            for line, tests in file["executed"].items():
                for test in tests:
                    lines.by_test(test.split("[", 1)[0], path, int(line))
    return lines.coverage()


def read_v8(folder: Path, tree: Path, _cwd: Path) -> Coverage:
    """Read the folder that node filled because NODE_V8_COVERAGE named it: one report for each process."""
    lines = _Lines(tree)
    for report in _reports(folder):
        for script in report.get("result", ()):
            url = urlsplit(script["url"])
            if url.scheme != "file" or url.query or not url.path.endswith(_SCRIPTS):
                continue
            name = unquote(url.path)
            path = lines.path(name)
            if path and os.path.isfile(name):
                text = Path(name).read_text(encoding="utf-8", errors="replace")
                lines.add(path, *_of_ranges(text, script["functions"]))
    return lines.coverage(loaded=_SCRIPTS)


def _of_ranges(text: str, functions: Iterable[Any]) -> tuple[set[int], set[int]]:
    """Return the executed and the missing lines of a script, from V8's nested ranges of characters."""
    ranges = [one for function in functions for one in function["ranges"]]
    ranges.sort(key=lambda one: (one["startOffset"], -one["endOffset"]))
    changes: list[tuple[int, int]] = []  # offset, count from there on
    stack: list[tuple[int, int]] = []  # end, count
    for one in ranges:
        while stack and stack[-1][0] <= one["startOffset"]:
            end, _ = stack.pop()
            changes.append((end, stack[-1][1] if stack else 1))
        stack.append((one["endOffset"], one["count"]))
        changes.append((one["startOffset"], one["count"]))
    while stack:
        end, _ = stack.pop()
        changes.append((end, stack[-1][1] if stack else 1))
    executed: set[int] = set()
    missing: set[int] = set()
    offset, at, count = 0, 0, 1
    for number, line in enumerate(text.split("\n"), 1):
        ran = False
        for character in f"{line}\n":
            while at < len(changes) and changes[at][0] <= offset:
                count = changes[at][1]
                at += 1
            ran = ran or (count > 0 and character.isalnum())
            offset += 2 if ord(character) > 0xFFFF else 1
        (executed if ran else missing).add(number)
    return executed, missing


def read_go(folder: Path, tree: Path, cwd: Path) -> Coverage:
    """Read a Go profile; its names begin with a module's, which a go.mod says."""
    lines = _Lines(tree)
    profile = folder / "cover.out"
    if not profile.is_file():
        return Coverage()
    modules = _modules(tree, cwd)
    for text in profile.read_text(encoding="utf-8", errors="replace").splitlines():
        block = _BLOCK.fullmatch(text)
        if block is None:
            continue
        name, first, last, count = block[1], int(block[2]), int(block[3]), int(block[4])
        module = max((one for one in modules if name.startswith(f"{one}/")), key=len, default="")
        if module:
            path = lines.path(str(modules[module] / name.removeprefix(f"{module}/")))
            numbers = range(first, last + 1)
            lines.add(path, numbers if count else (), () if count else numbers)
    return lines.coverage()


def _modules(tree: Path, cwd: Path) -> dict[str, Path]:
    """Return the folder of each Go module from the command's folder up to the tree's root, and right below."""
    found = {}
    folders = [
        cwd,
        *(one for one in cwd.parents if one == tree or tree in one.parents),
        *sorted(cwd.glob("*/")),
    ]
    for folder in folders:
        file = folder / "go.mod"
        name = _MODULE.search(file.read_text(encoding="utf-8", errors="replace")) if file.is_file() else None
        if name:
            found[name[1]] = folder
    return found


def read_lcov(folder: Path, tree: Path, cwd: Path) -> Coverage:
    """Read ``lcov.info``: SF names a file, DA a line and how often it ran."""
    lines = _Lines(tree)
    path = ""
    report = folder / "lcov.info"
    text = report.read_text(encoding="utf-8", errors="replace") if report.is_file() else ""
    for entry in text.splitlines():
        kind, _, value = entry.partition(":")
        if kind == "SF":
            path = lines.path(str(cwd / value))
        elif kind == "DA" and path:
            number, count = value.split(",")[:2]
            ran = count != "0"
            lines.add(path, [int(number)] if ran else (), () if ran else [int(number)])
    return lines.coverage()


READERS: dict[str, Reader] = {"pytest": read_pytest, "v8": read_v8, "go": read_go, "lcov": read_lcov}


_PLUGIN = Path(__file__).with_name("reporters") / "tdd_coverage.py"


def measure(suite: Suite, place: RunEnvironment) -> tuple[Coverage, float]:
    """Return which lines the suite executes in its tree, with the seconds that the run took."""
    row = suite.framework
    if row.measure is None:
        return Coverage(why=f"the runner '{row.name}' has no row for coverage"), 0.0
    folder = place.work / f"coverage-{secrets.token_hex(8)}"
    folder.mkdir(parents=True, mode=0o700)
    try:
        return _measured(suite, row.measure, place, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measured(suite: Suite, how: Measure, place: RunEnvironment, folder: Path) -> tuple[Coverage, float]:
    row, env = suite.framework, place.env
    request = Ask("text", argv=tuple(_fill(word, folder) for word in how.argv), after=how.after)
    more = {name: " ".join(filter(None, (env.get(name, ""), _fill(text, folder)))) for name, text in how.env}
    if how.format == "pytest":
        shutil.copyfile(_PLUGIN, folder / _PLUGIN.name)
        more["PYTHONPATH"] = os.pathsep.join([*filter(None, [env.get("PYTHONPATH", "")]), str(folder)])
    asked = replace(suite, framework=replace(row, ask=request, lists_files=False))
    ran = run_suite(asked, replace(place, env={**env, **more}))
    found = READERS[how.format](folder, place.tree, place.tree / suite.cwd)
    if not found.executed:
        said = folder / "why"
        needs = f"; it needs {how.needs}" if how.needs else ""
        none = f"'{row.name}' left no coverage report{needs}"
        why = said.read_text(encoding="utf-8") if said.is_file() else none
        return Coverage(why=why), ran.seconds
    return found, ran.seconds


def _fill(text: str, folder: Path) -> str:
    return text.replace("{folder}", str(folder))
