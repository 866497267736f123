"""A suite and a tree to a Report: exit code, private report and text, and a control that must fail."""

from __future__ import annotations

import os
import secrets
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from tdd_orchestrator import process
from tdd_orchestrator.model.report import BAD, Case, Report, RunVerdict
from tdd_orchestrator.runners import pytest_run, unittest_run
from tdd_orchestrator.runners.control import Planted, planted
from tdd_orchestrator.runners.disturbed import changed, marks
from tdd_orchestrator.runners.framework import Framework
from tdd_orchestrator.runners.gather import gathered
from tdd_orchestrator.runners.loading import complaint_in, explained, with_syntax
from tdd_orchestrator.runners.neutral import neutral_env
from tdd_orchestrator.runners.private import Redact, keep_only, unchanged, without_secrets
from tdd_orchestrator.runners.select import asked, covers, narrowed, told, with_arguments
from tdd_orchestrator.runners.settle import at_home, with_report, without_control
from tdd_orchestrator.runners.wrappers import Reach, reach
from tdd_orchestrator.testlog.parsers.table import rows_in
from tdd_orchestrator.testlog.read import read
from tdd_orchestrator.text import plain

__all__ = ["Ran", "Suite", "neutral_env", "run_suite"]

_OUTPUT_LIMIT = 64 << 10  # characters of the output that a Ran carries
_PARSING = process.Limits(head=1 << 14, tail=1 << 14, timeout=20)
_LIMITS = process.Limits(head=1 << 18, tail=1 << 18)


@dataclass(frozen=True, slots=True)
class Suite:
    """One test command of a repository. ``cwd`` is relative to the tree; ``timeout`` in seconds, 0 = none."""

    name: str
    command: tuple[str, ...]
    framework: Framework
    cwd: str = ""
    timeout: float = 600.0
    test_globs: tuple[str, ...] = ()  # more patterns of test files, the user's own


@dataclass(frozen=True, slots=True)
class Ran:
    """``control``: True, the must-fail test failed as it must; False, it did not, and nothing of the run can be
    believed; None, there was none, or the run died before it could have its say."""

    report: Report
    control: bool | None
    seconds: float
    output: str  # the end of it, plain
    stragglers: int = 0


def _as_it_is(argv: list[str]) -> list[str]:
    return argv


def run_suite(
    suite: Suite,
    tree: Path,
    *,
    work: Path,
    env: Mapping[str, str],
    only: Sequence[Case] = (),
    control_near: str = "",
    watched: Sequence[str] = (),
    wrap: Callable[[list[str]], list[str]] = _as_it_is,
    cookie: str = "",
    on_output: Callable[[bytes], None] | None = None,
    redact: Redact = unchanged,
) -> Ran:
    """Run the suite in ``tree`` and read what it said.

    ``work``: a folder outside the tree for logs and reports (a sandbox must let the run write there). ``only``: run
    these tests alone, where the framework can; else all are run. ``control_near``: a test file of the tree, relative
    to it, beside which a must-fail test is planted for the length of the run. ``watched``: files of tests of the tree;
    one that is written while they run is a disagreement. ``wrap`` may put a sandbox around the command. A program that does not start is an ERROR with the reason in ``why``. What is returned, and the log that
    stays in ``work``, went through ``redact``.
    """
    nonce = secrets.token_hex(8)
    folder = work / f"run-{nonce}"
    folder.mkdir(parents=True, mode=0o700)
    cwd = tree / suite.cwd
    how = reach(suite.command, cwd, suite.framework.signs.words)
    near = (
        "" if any(word.split("=")[0] in suite.framework.filters for word in suite.command) else control_near
    )
    with planted(suite.framework, tree, near) as control:
        run = _Run(suite, tree, cwd, folder, nonce, how, control, tuple(only), env.get("PATH", os.defpath))
        argv, more = run.prepared(env)
        before = marks(tree, watched)
        begun = time.time()
        ended = process.run(
            wrap(argv),
            cwd=cwd,
            env={**env, **more},
            limits=replace(_LIMITS, timeout=suite.timeout),
            log=folder / "output.log",
            merge=True,
            cookie=cookie,
            on_output=on_output,
        )
        told_of = changed(tree, before)
    report, held = run.judged(ended, begun)
    report = replace(report, disagreements=(*report.disagreements, *told_of))
    report = at_home(report, tree, suite.cwd)
    if suite.framework.lists_files:
        report = explained(report, tree, suite.cwd)
        report = with_syntax(report, tree, suite.cwd, _parser(tree, env, wrap))
    report = replace(report, seconds=ended.seconds, command=tuple(argv), exit_code=ended.exit_code)
    text = plain(ended.stdout[-2 * _OUTPUT_LIMIT :].decode("utf-8", "replace"))[-_OUTPUT_LIMIT:]
    keep_only(folder / "output.log", redact)
    return Ran(without_secrets(report, redact), held, ended.seconds, redact(text), ended.stragglers)


def _parser(
    tree: Path, env: Mapping[str, str], wrap: Callable[[list[str]], list[str]]
) -> Callable[[str], str]:
    """What node has against a file of the tree, of which nothing is run; nothing where it is not there to be asked."""

    def complaint(file: str) -> str:
        ended = process.run(wrap(["node", "--check", str(tree / file)]), cwd=tree, env=env, limits=_PARSING)
        return complaint_in(ended.stderr.decode("utf-8", "replace")) if ended.exit_code else ""

    return complaint


@dataclass(frozen=True, slots=True)
class _Run:
    """One run's facts, between its preparation and its judgement."""

    suite: Suite
    tree: Path
    cwd: Path
    folder: Path
    nonce: str
    how: Reach
    control: Planted | None
    only: tuple[Case, ...]
    path: str  # where programs are looked for

    @property
    def witnessed(self) -> bool:
        return self.suite.framework.ask.format == "witness" and self.how is not Reach.OPAQUE

    @property
    def confirmed(self) -> bool:
        """Whether a witness goes along whose word the text needs, where it is heard."""
        return self.suite.framework.confirmed and self.how is not Reach.OPAQUE

    def prepared(self, env: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
        """The command, and what the environment gets beside the neutral one."""
        row = self.suite.framework
        target = self.folder / row.ask.file.rstrip("/")
        if row.ask.file.endswith("/"):
            target.mkdir()
        values = {"report": str(target), "folder": str(self.folder), "nonce": self.nonce}
        also = [self._from_cwd(self.control.path)] if self.control else []
        chosen = [replace(case, file=self._from_cwd(case.file)) for case in self.only]
        command = told(row, self.suite.command)
        if chosen:
            named = also if not (row.select and row.select.flag) else []
            case = (
                [Case(self.control.leaf, self.control.leaf, next(iter(BAD)))]
                if self.control and not named
                else []
            )
            command = narrowed(row, command, self.how, [*chosen, *_at(case, also)], also, self.cwd) or command
        elif also and self.how is Reach.DIRECT and not covers(row, command, self.cwd, also[0]):
            command = with_arguments(command, also, self.how)
        if self.witnessed:
            ids = [case.id for case in self.only]
            return command, pytest_run.environment(env, target, self.nonce, ids, self._marks(), self.how)
        if self.how is Reach.OPAQUE:
            return command, {}
        more = {name: value.format_map(values) for name, value in row.ask.env}
        if self.confirmed:
            self._lines.mkdir()
            more |= unittest_run.environment(env, self._lines, self.nonce, self._certain)
        return asked(row, command, self.how, values), more

    @property
    def _certain(self) -> bool:
        """Whether the witness is surely heard: then the text is nothing without it."""
        direct = self.how is Reach.DIRECT
        return direct and unittest_run.heard_of(self.suite.command, self.cwd, self.path)

    @property
    def _lines(self) -> Path:
        return self.folder / "lines"

    def _marks(self) -> list[str]:
        return [self.control.path] if self.control else []

    def _from_cwd(self, path: str) -> str:
        """A path of the tree as the command sees it."""
        if not path or not self.suite.cwd:
            return path
        return PurePosixPath(os.path.relpath(path, self.suite.cwd)).as_posix()

    def judged(self, ended: process.Finished, begun: float) -> tuple[Report, bool | None]:
        if ended.error:
            return Report(
                RunVerdict.ERROR, self.suite.framework.name, why=f"{ended.error}.", source="exit_code"
            ), None
        row = self.suite.framework
        target = self.folder / row.ask.file.rstrip("/")
        left = None if self.witnessed else gathered(row.ask, target, self.cwd, begun)
        report = read(
            self.folder / "output.log",
            exit_code=ended.exit_code,
            timed_out=bool(ended.timed_out),
            report=left,
            framework=row.read,
            command=shlex.join(self.suite.command),
            not_before=begun,
            among=rows_in("py_pytest", "generic") if self.witnessed else (),
        )
        report = replace(report, framework=row.name if row.name != "unknown" else report.framework)
        if self.witnessed:
            said = pytest_run.heard(target, self.nonce, self.tree)
            return pytest_run.judged(said, report, self.control, self.how, bool(ended.timed_out))
        if self.confirmed:
            said, certain = unittest_run.heard(self._lines, self.nonce, self.tree, self._certain)
            leaf = self.control.leaf if self.control else ""
            report = unittest_run.confirmed(report, said, leaf, certain=certain)
        asked_for = str(target) in " ".join(ended.argv) and not row.ask.collect and not row.ask.partial
        return without_control(with_report(report, asked_for, left is not None), self.control, self.how)


def _at(cases: list[Case], files: list[str]) -> list[Case]:
    return [replace(case, file=file) for case, file in zip(cases, files, strict=False)]
