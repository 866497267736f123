"""Detect the test framework of a repository or of a command; without tests, choose its language's usual
one.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.runners.command_parts import parts_of
from tdd_orchestrator.runners.framework import UNKNOWN, Framework, matches
from tdd_orchestrator.runners.select import parallel
from tdd_orchestrator.runners.table import FRAMEWORKS, by_name
from tdd_orchestrator.runners.wrappers import names_runner, text_of, unwrap

_COMMAND_WEIGHT, _MANIFEST_WEIGHT, _FILE_WEIGHT, _DEPTH_WEIGHT = 1000, 100, 40, 5
_PATHS_LIMIT = 20_000
_DEPTH = 8
_WRAPPED_DEPTH = 4
_SKIPPED = frozenset({
    ".git", ".hg", "node_modules", ".venv", "venv", "env", "__pycache__", "target", "build", "dist", "vendor",
    ".tox",
    ".nox", "site-packages", "_build", "deps", ".gradle", ".mypy_cache", ".pytest_cache", ".ruff_cache",
    "coverage", "third_party", "third-party", "thirdparty",
})  # fmt: skip
_UNPACKED = re.compile(r".+-\d+(?:\.\d+)+")  # somebody else's release, such as googletest-1.16.0


@dataclass(frozen=True, slots=True)
class Found:
    """One candidate: ``why`` is the reason for it, ``weight`` its strength."""

    framework: Framework
    weight: int
    why: str


@dataclass(frozen=True, slots=True)
class Detected:
    """``framework``: the best guess (or ``unknown``); ``command``: what to run."""

    framework: Framework
    command: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class FoundSuite:
    """Tests below ``folder`` ("" is the root), where ``command`` runs them."""

    folder: str
    framework: Framework
    command: tuple[str, ...]


def detect(root: Path, command: str = "") -> Detected:
    """Return the framework of the command (seen through its wrappers), else of the repository's files.

    ``command`` is the user's, as text; empty: the framework's default, or the repository's own test
    script.
    """
    words = tuple(_split(command))
    from_command = _by_command(root, command, _WRAPPED_DEPTH) if command else None
    if from_command:
        return Detected(from_command.framework, words, from_command.why)
    paths = tuple(_paths(root))
    found = [one for one in _by_files(root, paths) if one.framework.name != "unittest" or _discovered(paths)]
    if not found:
        return _without_tests(root, words, paths)
    best = found[0]
    return Detected(best.framework, words or _command(root, best.framework, paths), best.why)


def suites_beside(root: Path, language: str) -> tuple[FoundSuite, ...]:
    """Return the tests of other languages than this one, each below the uppermost manifest of its own."""
    paths = tuple(_paths(root))
    suites: list[FoundSuite] = []
    for other, manifests in _MANIFESTS.items():
        homes = sorted({path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] in manifests})
        uppermost: list[str] = []
        for home in homes if other != language else ():
            if _OTHERS & set(home.split("/")) or any(
                not one or home.startswith(f"{one}/") for one in uppermost
            ):
                continue
            below = [
                path.removeprefix(f"{home}/") for path in paths if not home or path.startswith(f"{home}/")
            ]
            rows = [one.framework for one in _by_files(root / home, below) if one.framework.language == other]
            row = next((one for one in rows if any(matches(path, one.test_files) for path in below)), None)
            if row is not None:
                uppermost.append(home)
                suites.append(FoundSuite(home, row, _command(root / home, row, below)))
    return tuple(suites)


def _command(root: Path, framework: Framework, paths: Sequence[str]) -> tuple[str, ...]:
    return _own_command(root, framework) or _default(root, framework, paths)


def _without_tests(root: Path, words: tuple[str, ...], paths: Sequence[str]) -> Detected:
    """Return the repository's own test target or script, else its language's usual framework."""
    if words:  # the user's command decides before the language
        return Detected(UNKNOWN, words, "Nothing here shows which test framework is used.")
    target, makefile = make_target(root)
    if target:
        named = _by_command(root, "make test", _WRAPPED_DEPTH)
        return Detected(named.framework if named else UNKNOWN, target, f"{makefile} has a target named test.")
    if npm_script(root):
        return Detected(UNKNOWN, (_manager(root), "test"), "package.json has a test script.")
    known = usual_framework(paths)
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
    """Return the row that the command, or what it wraps, names; of two in a line the first wins."""
    direct = _best_row(text, root)
    if direct:
        return Found(direct, _COMMAND_WEIGHT, f"The command `{text.strip().splitlines()[0][:80]}` names it.")
    seen = unwrap(text, root) if depth else None
    if seen is None:
        return None
    wrapper, inside = seen
    for one in inside:
        row = _best_row(one.text, root)
        if row:
            return Found(row, _COMMAND_WEIGHT, f"{one.by} runs it ({wrapper.name}).")
        deeper = _by_command(root, one.text, depth - 1)
        if deeper:
            return deeper
    return None


def _best_row(text: str, root: Path) -> Framework | None:
    """Return the row that the text names: on the earliest line, and of equals the more special one.

    Where rows share the words of a command, the files of ``root`` decide.
    """
    named = [row for row in FRAMEWORKS if names_runner(text, row.signs.words)]
    if not named:
        return None
    best = min(named, key=lambda row: (_first(text, row.signs.words), -row.weight))
    shared = [row for row in named if _named_by(text, row) & _named_by(text, best)]
    if len(shared) == 1:
        return best
    by_files = (one.framework for one in _by_files(root, tuple(_paths(root))))
    return next((row for row in by_files if row in shared), shared[0])


def _named_by(text: str, row: Framework) -> set[str]:
    """Return the patterns of the row that the text fits."""
    return {pattern for pattern in row.signs.words if names_runner(text, (pattern,))}


def _first(text: str, patterns: Sequence[str]) -> int:
    spots = (re.search(pattern, text, re.MULTILINE) for pattern in patterns)
    return min(text.count("\n", 0, spot.start()) for spot in spots if spot)


def _paths(root: Path) -> Iterator[str]:
    """Yield the tree's files, relative, nearest first, without folders of installed and built files."""
    count = 0
    level = [""]
    for _ in range(_DEPTH):
        below: list[str] = []
        for folder in level:
            try:
                entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
            except OSError as error:  # an unreadable folder has no tests for us
                raise_if_of_machine(error)
                continue
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in _SKIPPED and not _UNPACKED.fullmatch(entry.name):
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
                weight, why = weight + _FILE_WEIGHT, why or f"{hit} is there."
        for glob, pattern in row.signs.manifests:
            hit = _manifest(root, paths, glob, pattern, texts)
            if hit:
                weight, why = weight + _MANIFEST_WEIGHT - _DEPTH_WEIGHT * hit.count("/"), f"{hit} says so."
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
    """Return ``npm test`` if package.json's test script leads to the framework, or, as one that starts the scripts of
    workspaces does, to none that can be seen; ``make test`` if it starts the framework in another folder, or beside
    linters and other runners."""
    if framework.language != "javascript" or not (root / "package.json").is_file():
        target, _ = make_target(root)
        behind = unwrap("make test", root) if target else None
        lines = [line for one in (behind[1] if behind else ()) for line in one.text.splitlines()]
        own = [line for line in lines if names_runner(line, framework.signs.words)]
        more = len(parts_of("make test", root)) > len(own)
        return target if own and (more or any(map(_MOVES.match, own))) else ()
    manager = _manager(root)
    reached = _by_command(root, f"{manager} test", _WRAPPED_DEPTH)
    leads = reached.framework is framework if reached else npm_script(root)
    return (manager, "test") if leads else ()


_MOVES = re.compile(r"\(?\s*(?:cd|pushd)\s")


def _manager(root: Path) -> str:
    return next((name for lock, name in _LOCKS if (root / lock).is_file()), "npm")


_LOCKS = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"))


def _default(root: Path, framework: Framework, paths: Sequence[str]) -> tuple[str, ...]:
    """Return the row's default command, without a wrapper script or bundle that the repository lacks."""
    command = framework.command
    if framework.language == "c" and command[0] != "sh":
        return make_target(root)[0] or command
    if command[-2:] == ("rake", "test"):
        command = (*command[:-1], _rake_task(root))
    if framework.name == "unittest" and (start := _discovered(paths)) and start != ".":
        return (*command, "-s", start)
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


def _discovered(paths: Sequence[str]) -> str:
    """Return the folder from which unittest discovers every test file of Python: "." is the root; "" where there is
    none, as it goes only into packages."""
    packages = {path.removesuffix("/__init__.py") for path in paths if path.endswith("/__init__.py")}
    homes = {Path(path).parent for path in paths if matches(path, ("**/test*.py",))}
    for start in (".", "tests", "test"):
        below = [(home, *home.parents) for home in homes]
        if all(
            Path(start) in chain
            and all(str(folder) in packages for folder in chain[: chain.index(Path(start))])
            for chain in below
        ):
            return start
    return ""


def _rake_task(root: Path) -> str:
    """Return ``test``, or ``spec`` where the Rakefile has that task alone."""
    text = text_of(root / "Rakefile")
    tasks = {name or "test" for name in _RAKE_TASK.findall(text)}
    return "spec" if "spec" in tasks and "test" not in tasks else "test"


_RAKE_TASK = re.compile(
    r"""(?m)^\s*(?:(?:multi)?task\s*\(?\s*[:'"]?|Rake::TestTask\.new\s*\(?\s*[:'"])(\w+)"""
    r"""|^\s*Rake::TestTask\.new\s*(?:\(\s*\)\s*)?(?:do\b|\{|$)"""
)


def _one_project(root: Path, framework: Framework, paths: Sequence[str]) -> tuple[str, ...]:
    """Return the only test project, if the runner would find none at the root."""
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


_MANIFESTS = {
    "python": ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini"),
    "javascript": ("package.json",),
    "go": ("go.mod",), "rust": ("Cargo.toml",), "java": ("pom.xml", "build.gradle", "build.gradle.kts"),
    "ruby": ("Gemfile",), "php": ("composer.json",), "c": ("CMakeLists.txt", "meson.build"),
    "elixir": ("mix.exs",),
}  # fmt: skip


_OTHERS = frozenset({
    "example", "examples", "sample", "samples", "demo", "docs", "doc", "fixtures", "testdata", "templates",
    "test", "tests", "bench", "benchmarks", "website", "site",
})  # fmt: skip
"""Folders whose projects are not part of this one."""


_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_NO_SCRIPT = "no test specified"  # what `npm init` writes as the test script


@dataclass(frozen=True, slots=True)
class Usual:
    """``files``: manifests or sources that show the language; ``framework``: the runner to start with."""

    files: tuple[str, ...]
    framework: str


USUAL = (
    Usual(("pyproject.toml", "setup.py", "setup.cfg", "requirements*.txt", "Pipfile"), "pytest"),
    Usual(("package.json",), "node-test"),
    Usual(("go.mod",), "go-test"),
    Usual(("Cargo.toml",), "cargo-test"),
    Usual(("pom.xml",), "maven-surefire"),
    Usual(("build.gradle", "build.gradle.kts"), "gradle"),
    Usual(("mix.exs",), "exunit"),
    Usual(("composer.json",), "phpunit"),
    Usual(("Package.swift",), "swift-test"),
    Usual(("Gemfile", "*.gemspec"), "rspec"),
    Usual(("**/*.csproj", "**/*.fsproj"), "dotnet"),
    Usual(("*.py", "src/**/*.py", "*/__init__.py"), "pytest"),
    Usual(("*.js", "*.mjs", "src/**/*.js"), "node-test"),
)


def usual_framework(paths: Sequence[str]) -> tuple[Framework, str] | None:
    """Return (framework, the file that shows its language); None for other languages."""
    for row in USUAL:
        hit = next((path for path in paths if matches(path, row.files)), "")
        if hit:
            return by_name(row.framework), hit
    return None


def make_target(root: Path) -> tuple[tuple[str, ...], str]:
    """Return (``make test``, the makefile's name) if a makefile has that target; else nothing."""
    for name in _MAKEFILES:
        if re.search(r"(?m)^test\s*:(?!=)", text_of(root / name)):
            return ("make", "test"), name
    return (), ""


def npm_script(root: Path) -> str:
    """Return package.json's test script; empty without one, or for the default of ``npm init``."""
    try:
        script = json.loads(text_of(root / "package.json") or "{}").get("scripts", {}).get("test", "")
    except (ValueError, AttributeError):
        return ""
    return script if isinstance(script, str) and _NO_SCRIPT not in script else ""
