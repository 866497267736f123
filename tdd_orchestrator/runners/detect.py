"""Which framework lives in a repository, or behind a command."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.runners.framework import UNKNOWN, Framework, matches
from tdd_orchestrator.runners.greenfield import make_target, npm_script, usual
from tdd_orchestrator.runners.select import parallel
from tdd_orchestrator.runners.table import FRAMEWORKS
from tdd_orchestrator.runners.wrappers import behind, names_runner, text_of

_WORD, _MANIFEST, _FILE, _DEEPER = 1000, 100, 40, 5
_PATHS_LIMIT = 20_000
_DEPTH = 8
_WRAPPED_DEPTH = 4
_SKIPPED = frozenset({
    ".git", ".hg", "node_modules", ".venv", "venv", "env", "__pycache__", "target", "build", "dist", "vendor",
    ".tox",
    ".nox", "site-packages", "_build", "deps", ".gradle", ".mypy_cache", ".pytest_cache", ".ruff_cache",
    "coverage",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """One candidate: ``why`` is what speaks for it, ``weight`` how much."""

    framework: Framework
    weight: int
    why: str


@dataclass(frozen=True, slots=True)
class Detected:
    """``framework`` is the best guess (``unknown`` where nothing speaks for any); ``command`` what to run;
    ``candidates`` all that something speaks for, best first; ``suites`` one (folder, framework) for every
    language that has tests of its own."""

    framework: Framework
    command: tuple[str, ...]
    why: str
    candidates: tuple[Found, ...] = ()
    suites: tuple[tuple[str, Framework], ...] = ()


def detect(root: Path, command: str = "") -> Detected:
    """Find the framework from the command (seen through its wrappers), else from what lies in the repository.

    ``command`` is the user's, as text; empty: the framework's default, or the repository's own test script.
    """
    words = tuple(_split(command))
    from_command = _by_command(root, command, _WRAPPED_DEPTH) if command else None
    if from_command:
        return Detected(from_command.framework, words, from_command.why, (from_command,))
    paths = tuple(_paths(root))
    found = _by_files(root, paths)
    if not found:
        return _without_tests(root, words, paths)
    best = found[0]
    own = _own_command(root, best.framework)
    return Detected(
        best.framework,
        words or own or _default(root, best.framework, paths),
        best.why,
        found,
        _suites(found, paths),
    )


def _without_tests(root: Path, words: tuple[str, ...], paths: Sequence[str]) -> Detected:
    """No test is there yet: the repository's own test target or script, else what its language usually
    has."""
    if words:  # a command of the user's own says more than the language that is usual here
        return Detected(UNKNOWN, words, "Nothing here shows which test framework is used.")
    target, makefile = make_target(root)
    if target:
        named = _by_command(root, "make test", _WRAPPED_DEPTH)
        return Detected(named.framework if named else UNKNOWN, target, f"{makefile} has a target named test.")
    if npm_script(root):
        return Detected(UNKNOWN, (_manager(root), "test"), "package.json has a test script.")
    known = usual(paths)
    if known is None:
        return Detected(UNKNOWN, words, "Nothing here shows which test framework is used.")
    framework, file = known
    why = f"{file} is there, and no test yet: the usual one for {framework.language}."
    return Detected(framework, _default(root, framework, paths), why)


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _by_command(root: Path, text: str, depth: int) -> Found | None:
    """The row whose words the command, or what stands behind it, contains; the later of two in a line wins
    not."""
    direct = _best_words(text)
    if direct:
        return Found(direct, _WORD, f"The command `{text.strip().splitlines()[0][:80]}` names it.")
    seen = behind(text, root) if depth else None
    if seen is None:
        return None
    wrapper, inside = seen
    for one in inside:
        row = _best_words(one.text)
        if row:
            return Found(row, _WORD, f"{one.by} runs it ({wrapper.name}).")
        deeper = _by_command(root, one.text, depth - 1)
        if deeper:
            return deeper
    return None


def _best_words(text: str) -> Framework | None:
    """Rows that the text names; a row that is named on an earlier line, or that is the more special, wins."""
    named = [row for row in FRAMEWORKS if names_runner(text, row.signs.words)]
    return min(named, key=lambda row: (_first(text, row.signs.words), -row.weight)) if named else None


def _first(text: str, patterns: Sequence[str]) -> int:
    spots = (re.search(pattern, text, re.MULTILINE) for pattern in patterns)
    return min(text.count("\n", 0, spot.start()) for spot in spots if spot)


def _paths(root: Path) -> Iterator[str]:
    """Files of the tree, relative, nearest first; folders of installed and built things are left out."""
    count = 0
    level = [""]
    for _ in range(_DEPTH):
        below: list[str] = []
        for folder in level:
            try:
                entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
            except OSError as error:  # a folder that may not be read has no tests for us
                raise_if_of_machine(error)
                continue
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in _SKIPPED:
                        below.append(path)
                elif entry.is_file(follow_symlinks=False):
                    yield path
                    count += 1
            if count > _PATHS_LIMIT:
                return
        level = below


def _by_files(root: Path, paths: Sequence[str]) -> tuple[Found, ...]:
    texts: dict[str, str] = {}
    found = []
    for row in FRAMEWORKS:
        weight, why = 0, ""
        for glob in row.signs.files:
            hit = next((path for path in paths if matches(path, (glob,))), "")
            if hit:
                weight, why = weight + _FILE, why or f"{hit} is there."
        for glob, pattern in row.signs.manifests:
            hit = _manifest(root, paths, glob, pattern, texts)
            if hit:
                weight, why = weight + _MANIFEST - _DEEPER * hit.count("/"), f"{hit} says so."
        if weight:
            found.append(Found(row, weight + row.weight, why))
    return tuple(sorted(found, key=lambda one: -one.weight))


def _manifest(root: Path, paths: Sequence[str], glob: str, pattern: str, texts: dict[str, str]) -> str:
    for path in [path for path in paths if matches(path, (glob,))][:50]:
        if path not in texts:
            texts[path] = text_of(root / path)
        if re.search(pattern, texts[path]):
            return path
    return ""


def _own_command(root: Path, framework: Framework) -> tuple[str, ...]:
    """``npm test``, where package.json has a test script that leads to the framework."""
    if framework.language != "javascript" or not (root / "package.json").is_file():
        return ()
    manager = _manager(root)
    reached = _by_command(root, f"{manager} test", _WRAPPED_DEPTH)
    return (manager, "test") if reached and reached.framework is framework else ()


def _manager(root: Path) -> str:
    return next((name for lock, name in _LOCKS if (root / lock).is_file()), "npm")


_LOCKS = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"))


def _default(root: Path, framework: Framework, paths: Sequence[str]) -> tuple[str, ...]:
    """The row's default, without a wrapper script or a bundle that the repository does not have."""
    command = framework.command
    if framework.name == "dotnet":
        return (*command, *_one_project(root, framework, paths))
    if (
        command
        and command[0].startswith("./")
        and not (root / command[0]).exists()
        and framework.name == "gradle"
    ):
        return ("gradle", *command[1:])
    if command[:2] == ("bundle", "exec") and not (root / "Gemfile").is_file():
        return command[2:]
    if command and command[0].startswith("vendor/bin/") and not (root / command[0]).exists():
        return (command[0].rsplit("/", 1)[-1], *command[1:])
    return (*command, *parallel(framework, root))


def _one_project(root: Path, framework: Framework, paths: Sequence[str]) -> tuple[str, ...]:
    """The one project of tests, where there is nothing at the root that the runner would find by itself."""
    if any("/" not in path and path.endswith((".sln", ".slnx", "proj")) for path in paths):
        return ()
    marked = (
        path
        for glob, pattern in framework.signs.manifests
        for path in paths
        if matches(path, (glob,)) and re.search(pattern, text_of(root / path))
    )
    projects = tuple(dict.fromkeys(marked))
    return projects if len(projects) == 1 else ()


def _suites(found: Sequence[Found], paths: Sequence[str]) -> tuple[tuple[str, Framework], ...]:
    """The best row of each language that has test files, with the folder that its manifest or tests share."""
    suites: dict[str, tuple[str, Framework]] = {}
    for one in found:
        row = one.framework
        mine = [path for path in paths if matches(path, row.test_files)]
        if mine and row.language not in suites:
            suites[row.language] = (_home(row, mine, paths), row)
    return tuple(suites.values())


_MANIFESTS = {
    "python": ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini"),
    "javascript": ("package.json",),
    "go": ("go.mod",), "rust": ("Cargo.toml",), "java": ("pom.xml", "build.gradle", "build.gradle.kts"),
    "ruby": ("Gemfile",), "php": ("composer.json",), "c": ("CMakeLists.txt", "meson.build"),
    "elixir": ("mix.exs",),
}  # fmt: skip


def _home(row: Framework, tests: Sequence[str], paths: Sequence[str]) -> str:
    """The folder of the manifest that lies above the first test; the root where there is none."""
    names = _MANIFESTS.get(row.language, ())
    homes = [path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] in names]
    above = [home for home in homes if tests[0].startswith(f"{home}/") or not home]
    return min(above, key=len) if above else ""
