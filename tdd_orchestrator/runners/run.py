"""Run a suite's own command in a tree and read it: exit code first, then report and output (E1, E2).

A run's reports become one file. Test files that were changed on the disk while the tests ran are noticed.
"""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

from tdd_orchestrator import process
from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.model.report import CHANGED, Case, Report, RunVerdict
from tdd_orchestrator.runners.framework import Ask, Framework, matches
from tdd_orchestrator.runners.loading import add_load_errors, add_syntax_errors, find_syntax_error
from tdd_orchestrator.runners.neutral import neutral_env
from tdd_orchestrator.runners.redacted_run import (
    Redact,
    keep_log_only,
    no_redaction,
    normalize_report,
    redact_report,
    require_report,
)
from tdd_orchestrator.runners.select import add_report_arguments, select_by_variables, select_cases
from tdd_orchestrator.runners.wrappers import Reach, reach, unwrap
from tdd_orchestrator.testlog import read
from tdd_orchestrator.testlog.parsers.choose import rows
from tdd_orchestrator.text import one_line, plain

_LIMIT = 64 << 20  # bytes of all joined reports
_SKIPPED = frozenset({".git", "node_modules", ".venv"})


def collect_reports(ask: Ask, target: Path, cwd: Path, started: float) -> Path | None:
    """Return the run's report, or None. Reports in the tree count only if written since ``started``
    (Unix time)."""
    if ask.format == "text":
        return None
    if ask.collect:
        return join_reports(_fresh(cwd, ask.collect, started), target.with_name("joined.xml"))
    if target.is_dir():
        found = (Path(folder, name) for folder, _, names in _walk(target) for name in names)
        return join_reports(
            sorted(path for path in found if path.suffix in (".xml", ".trx")), target.with_name("joined.xml")
        )
    return target if target.exists() else None


def _walk(top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk the folders like ``os.walk``, but raise the machine's OSErrors instead of skipping tests."""
    return os.walk(top, onerror=raise_if_of_machine)


def _fresh(cwd: Path, globs: tuple[str, ...], started: float) -> Iterable[Path]:
    """Yield report files of the tree that this run wrote, with a second's tolerance."""
    for folder, names, files in _walk(cwd):
        names[:] = sorted(name for name in names if name not in _SKIPPED)
        for name in sorted(files):
            path = Path(folder, name)
            fits = matches(path.relative_to(cwd).as_posix(), globs)
            if fits and not path.is_symlink() and path.stat().st_mtime >= started - 1.0:
                yield path


def join_reports(paths: Iterable[Path], into: Path) -> Path | None:
    """Join several JUnit or TRX files into one.

    A file that cannot be parsed, or has a DTD (entities may expand without end), is returned alone: the
    reader reports why.
    """
    root, size, seen = ElementTree.Element("testsuites"), 0, 0
    for path in paths:
        size += path.stat().st_size
        text = path.read_bytes() if size <= _LIMIT else b""
        if not text or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
            return path
        try:
            top = ElementTree.fromstring(text)
        except ElementTree.ParseError:
            return path
        if top.tag.endswith("}TestRun"):
            root.tag = top.tag
        root.extend(list(top) if top.tag in ("testsuites", root.tag) else [top])
        seen += 1
    if not seen:
        return None
    ElementTree.ElementTree(root).write(into, encoding="utf-8", xml_declaration=True)
    return into


Marks = dict[str, tuple[int, ...]]
"""path -> (inode, change time in ns, size); empty for a missing file."""

_ABOVE = ("conftest.py", "__init__.py", "setup.py")  # files that runners load from the folders above a test


def snapshot_files(tree: Path, tests: Iterable[str]) -> Marks:
    """Return the marks of test files, of files beside them in the same language, and of files loaded
    with them."""
    paths: set[str] = set()
    folders: dict[str, set[str]] = {}
    for test in tests:
        path = PurePosixPath(test)
        folders.setdefault(path.parent.as_posix(), set()).add(path.suffix)
        paths.add(test)
    for folder, suffixes in folders.items():
        paths.update(_beside(tree, folder, suffixes))
    above = {parent.as_posix() for folder in folders for parent in PurePosixPath(folder, "x").parents}
    paths.update(f"{folder}/{name}" for folder in above for name in _ABOVE)
    return {os.path.normpath(path): _facts(tree / path) for path in paths}


def find_changes(tree: Path, before: Marks) -> tuple[str, ...]:
    """Return a remark for each file that was changed, restored or not."""
    return tuple(
        f"{CHANGED}{path}, on the disk" for path in sorted(before) if _facts(tree / path) != before[path]
    )


def _beside(tree: Path, folder: str, suffixes: set[str]) -> list[str]:
    try:
        with os.scandir(tree / folder) as entries:
            return [
                f"{folder}/{entry.name}" for entry in entries if os.path.splitext(entry.name)[1] in suffixes
            ]
    except OSError as error:
        raise_if_of_machine(error)
        return []


def _facts(path: Path) -> tuple[int, ...]:
    try:
        facts = os.lstat(path)
    except OSError as error:
        raise_if_of_machine(error)
        return ()
    return facts.st_ino, facts.st_ctime_ns, facts.st_size


__all__ = ["Ran", "RunEnvironment", "Suite", "neutral_env", "run_suite"]

_ENDING = 120  # characters of a report's ending
_OUTPUT_LIMIT = 64 << 10  # characters of the output in a Ran
_PARSING = process.Limits(head=1 << 14, tail=1 << 14, timeout=20)
_LIMITS = process.Limits(head=1 << 18, tail=1 << 18)
_REPORTER = Path(__file__).with_name("reporters") / "tdd_reporter.py"
_QUICK = " --tb=native"  # pytest's own tracebacks parse the whole test file for each failure
_NOT_LOADED = f'Error importing plugin "{_REPORTER.stem}"'


@dataclass(frozen=True, slots=True)
class Suite:
    """One test command of a repository. ``cwd`` is relative to the tree; ``timeout`` in seconds, 0 = none."""

    name: str
    command: tuple[str, ...]
    framework: Framework
    cwd: str = ""
    timeout: float = 600.0
    test_globs: tuple[str, ...] = ()  # the user's patterns of test files


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of a suite: its report, its seconds, and the end of its output as plain text."""

    report: Report
    seconds: float
    output: str
    orphans: int = 0


def _unwrapped(argv: list[str]) -> list[str]:
    return argv


@dataclass(frozen=True, slots=True)
class RunEnvironment:
    """Where and how suites run, whatever the suite.

    ``work``: a folder outside the tree for logs and reports (a sandbox must let the run write there). ``wrap`` may
    put a sandbox around the command. The report, and the log that stays in ``work``, go through ``redact``.
    ``outside`` is entered while the command runs. ``without_plugin``: folders with commands whose pytest was seen not to load
    our plug-in, so that what they do before it, a linter say, is not done twice in each run.
    """

    tree: Path
    work: Path
    env: Mapping[str, str]
    wrap: Callable[[list[str]], list[str]] = _unwrapped
    run_marker: str = ""
    on_output: Callable[[bytes], None] | None = None
    redact: Redact = no_redaction
    outside: process.Outside = nullcontext
    without_plugin: set[tuple[str, ...]] = field(default_factory=set)


def run_suite(
    suite: Suite, place: RunEnvironment, *, only: Sequence[Case] = (), watched: Sequence[str] = ()
) -> Ran:
    """Run the suite and return what it reported.

    The command is the user's own; nothing is added but a request for a report. ``only``: run the files of these
    tests, where the framework can select files; else everything is run. ``watched``: test files of the tree;
    one that is written while they run is a disagreement. A program that does not start is an ERROR with the
    reason in ``why``.
    """
    tree = place.tree
    before = snapshot_files(tree, watched)
    run, ended, report = _ran(_Run(suite, place, tuple(only)))
    if run.chooses_by_variable and not (report.cases or report.build_errors or ended.timed_out):
        # a part of the command without chosen tests may have ended it, as in `pytest a && pytest b`
        run, ended, report = _ran(_Run(suite, place, tuple(only), by_variable=False))
    report = replace(report, disagreements=(*report.disagreements, *find_changes(tree, before)))
    report = normalize_report(report, tree, suite.cwd)
    if suite.framework.lists_files:
        report = add_load_errors(report, tree, suite.cwd)
        report = add_syntax_errors(report, tree, suite.cwd, _parser(place))
    report = replace(report, seconds=ended.seconds, command=suite.command, exit_code=ended.exit_code)
    text = plain(ended.stdout[-2 * _OUTPUT_LIMIT :].decode("utf-8", "replace"))[-_OUTPUT_LIMIT:]
    keep_log_only(run.folder / "output.log", place.redact)
    report, text = redact_report(report, place.redact), place.redact(text)
    if ended.exit_code and not report.failing:
        report = replace(report, ending=_ending(text))
    return Ran(report, ended.seconds, text, ended.orphans)


def _ran(run: _Run) -> tuple[_Run, process.Finished, Report]:
    """Run the command, without our plug-in where its pytest does not load it."""
    known = run.place.without_plugin
    where = (run.suite.cwd, *run.suite.command)
    ended, report = run.once(with_reporter=where not in known)
    if run.has_reporter and _NOT_LOADED.encode() in ended.stdout + ended.stderr:
        known.add(where)
        ended, report = run.once(with_reporter=False)  # PYTHONPATH is the command's own, or ignored
    return run, ended, report


def _ending(output: str) -> str:
    """Return the last lines that say something, on one line: what a linter behind the tests said."""
    lines = [one_line(line, _ENDING) for line in output[-4_000:].splitlines() if line.strip()][-3:]
    while len(lines) > 1 and len(" | ".join(lines)) > _ENDING:
        lines.pop(0)
    return " | ".join(lines)


def _parser(place: RunEnvironment) -> Callable[[str], str]:
    """Return a function that parses a JavaScript file with node, running nothing: its complaint, or ""."""

    def complaint(file: str) -> str:
        command = place.wrap(["node", "--check", str(place.tree / file)])
        ended = process.run(command, cwd=place.tree, env=place.env, limits=_PARSING)
        return find_syntax_error(ended.stderr.decode("utf-8", "replace")) if ended.exit_code else ""

    return complaint


class _Run:
    """One run between its preparation and its reading."""

    def __init__(
        self, suite: Suite, place: RunEnvironment, only: tuple[Case, ...], *, by_variable: bool = True
    ) -> None:
        self.suite, self.place, self.only = suite, place, only
        self.cwd = place.tree / suite.cwd
        self.folder = place.work / f"run-{secrets.token_hex(8)}"
        self.folder.mkdir(parents=True, mode=0o700)
        self.how = reach(suite.command, self.cwd, suite.framework.signs.words)
        self.selected, self.variables = self._chosen(by_variable)

    @property
    def chooses_by_variable(self) -> bool:
        return bool(self.variables)

    @property
    def has_reporter(self) -> bool:
        return self.suite.framework.ask.format == "events" and self.how is not Reach.OPAQUE

    @property
    def _names_runner(self) -> bool:
        """Whether the command, or what it wraps, names the framework; else the output decides."""
        return self.how is not Reach.WRAPPER or unwrap(shlex.join(self.suite.command), self.cwd) is not None

    def once(self, *, with_reporter: bool) -> tuple[process.Finished, Report]:
        row = self.suite.framework
        target = self.folder / row.ask.file.rstrip("/")
        if row.ask.file.endswith("/"):
            target.mkdir(exist_ok=True)
        argv, more = self._prepared(target, with_reporter)
        started = time.time()
        with self.place.outside():
            ended = process.run(
                self.place.wrap(argv),
                cwd=self.cwd,
                env={**self.place.env, **more},
                limits=replace(_LIMITS, timeout=self.suite.timeout),
                log=self.folder / "output.log",
                merge=True,
                run_marker=self.place.run_marker,
                on_output=self.place.on_output,
                meanwhile=rows,  # loads the readers of every runner, which takes as long as a short suite
            )
        return ended, self._read(ended, started, target, with_reporter)

    def _prepared(self, target: Path, with_reporter: bool) -> tuple[list[str], dict[str, str]]:
        """Return the command with its request for a report, and the variables on top of the neutral
        environment."""
        row = self.suite.framework
        values = {"report": str(target), "folder": str(self.folder)}
        command, more = list(self.selected), self.variables
        if self.has_reporter:
            return command, self._reporter(target) if with_reporter else self._names()
        if self.how is Reach.OPAQUE:
            return command, {}
        asked = add_report_arguments(row, command, self.how, values)
        if row.ask.env_alone and asked != command:
            return asked, more
        env = {**self.place.env, **more}
        return asked, more | {
            name: value.format_map({**values, "before": env.get(name, "")}).strip()
            for name, value in row.ask.env
        }

    def _chosen(self, by_variable: bool) -> tuple[list[str], dict[str, str]]:
        """Return the command, and variables, for the chosen tests alone as far as they can be said."""
        row, command = self.suite.framework, list(self.suite.command)
        if not self.only:
            return command, {}
        chosen = [replace(case, file=self._from_cwd(case.file)) for case in self.only]
        selected = select_cases(row, command, self.how, chosen, self.cwd)
        more: dict[str, str] = {}
        if selected is None and by_variable:
            more = select_by_variables(row, self.how, chosen, self.cwd, self.place.env)
        return [word for word in selected or command if word not in row.stops], more

    def _reporter(self, target: Path) -> dict[str, str]:
        """Put the pytest plug-in into the run's folder and return the variables that make pytest load it; the tests
        find those of the user."""
        home = self.folder / "plugin"
        home.mkdir()
        shutil.copyfile(_REPORTER, home / _REPORTER.name)
        before = {name: self.place.env.get(name, "") for name in ("PYTEST_ADDOPTS", "PYTHONPATH")}
        options = {**before, **self.variables}["PYTEST_ADDOPTS"]
        return {
            "TDD_EVENTS": str(target),
            **({"TDD_TO_THE_END": "1"} if self.only else {}),
            "PYTEST_ADDOPTS": f"{options} -p {_REPORTER.stem}{_QUICK if self.only else ''}".strip(),
            "PYTHONPATH": os.pathsep.join([*filter(None, [before["PYTHONPATH"]]), str(home)]),
            **{f"TDD_BEFORE_{name}": value for name, value in before.items() if value},
        }

    def _names(self) -> dict[str, str]:
        """Let pytest itself print the name of each test, where it cannot load the plug-in; each of chosen ones is
        asked."""
        before = {**self.place.env, **self.variables}.get("PYTEST_ADDOPTS", "")
        to_the_end = f" --maxfail=0{_QUICK}" if self.only else ""
        return {"PYTEST_ADDOPTS": f"{before} -rpfEsxX{to_the_end}".strip()}

    def _from_cwd(self, path: str) -> str:
        """Return a path of the tree as the command sees it."""
        if not path or not self.suite.cwd:
            return path
        return PurePosixPath(os.path.relpath(path, self.suite.cwd)).as_posix()

    def _read(self, ended: process.Finished, started: float, target: Path, with_reporter: bool) -> Report:
        row = self.suite.framework
        if ended.error:
            return Report(RunVerdict.ERROR, row.name, why=f"{ended.error}.", source="exit_code")
        left = collect_reports(row.ask, target, self.cwd, started)
        report = read(
            self.folder / "output.log",
            exit_code=ended.exit_code,
            timed_out=bool(ended.timed_out),
            report=left,
            framework=row.reader if self._names_runner else "",
            command=shlex.join(self.suite.command),
            not_before=started,
        )
        report = replace(report, framework=row.name if row.name != "unknown" else report.framework)
        by_argument = str(target) in " ".join(ended.argv) and not row.ask.collect and not row.ask.partial
        expected = with_reporter and self.has_reporter and self.how is Reach.DIRECT
        return require_report(report, by_argument or expected, left is not None)
