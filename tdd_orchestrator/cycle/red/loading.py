"""The tests of RED that a run did not reach: their file does not load, or dies as it runs. And what they would do
if the missing names were there and did nothing (E7).

The names are planted as stubs that raise, in files of a throw-away copy of the run's tree. A test that passes
then is vacuous; one that lacks a fixture or a package shows it. Where nothing can be planted, nothing is
said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from tdd_orchestrator.cycle.attempt.candidate import Candidate
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.red.test_changes import TestEdits, cases_of_tests, map_cases
from tdd_orchestrator.languages.cases import Candidates, assign_cases
from tdd_orchestrator.languages.source import SourceTest, find_tests, imports
from tdd_orchestrator.languages.twins import planted_symbol
from tdd_orchestrator.model.report import (
    BAD,
    BuildError,
    Case,
    Outcome,
    Reason,
    RedReason,
    Report,
    RunVerdict,
)
from tdd_orchestrator.runners.reason_frames import Layout, frames_in
from tdd_orchestrator.runners.reasons import Project, red_reason


@dataclass(frozen=True, slots=True)
class Loading:
    """``files``: changed test files that do not load, or die as they run; ``tests``: theirs that RED wrote or
    changed, by themselves or by an import that they use; ``reasons``: one for each error; ``waiting``: tests of
    other files that were not run either."""

    files: frozenset[str]
    tests: tuple[SourceTest, ...]
    reasons: tuple[RedReason, ...]
    waiting: tuple[SourceTest, ...]


def look_at_loading(
    context: CycleContext,
    now: Report,
    edits: TestEdits,
    candidate: Candidate,
    project: Project,
    tests: Mapping[str, str],
    reason_of: Callable[[Case], RedReason],
) -> Loading:
    """Return what kept tests from being run. ``tests``: the test of each case, of this run or the baseline's."""
    edited = (*edits.added, *edits.changed)
    broken = _unloaded_files(now.build_errors, edits, candidate, project.layout) if now.build_error else ()
    using = [test for test in edits.after if test.id in edits.around.tests and test not in edited]
    ran = {case.id for case in now.cases}
    reached = {test for case, test in tests.items() if case in ran}
    unrun = [test for test in edited if test.id not in reached]
    stopped = _stopped_files(now, {test.path for test in unrun}.difference(broken), project.layout)
    return Loading(
        files=frozenset((*broken, *stopped)),
        tests=(
            *(test for test in (*edited, *using) if test.path in broken),
            *(test for test in unrun if test.path in stopped),
        ),
        reasons=(
            *_build_reasons(context, now, candidate, project),
            *(reason_of(case) for case in stopped.values()),
        ),
        waiting=tuple(test for test in unrun if test.path not in {*broken, *stopped}),
    )


def language_of_suites(context: CycleContext) -> str:
    """The language of the suites; empty where they have several, so that a file's suffix decides."""
    languages = {suite.framework.language for suite in context.prover.suites}
    return context.project.language if len(languages) == 1 else ""


def _unloaded_files(
    errors: Iterable[BuildError], edits: TestEdits, candidate: Candidate, layout: Layout
) -> frozenset[str]:
    """Return the changed test files that do not load; every changed file where an error names another."""
    named = {layout.find(error.file) for error in errors}
    if named and named <= edits.files:
        return frozenset(named)
    return frozenset(change.path for change in candidate.changes)


def _stopped_files(now: Report, files: Collection[str], layout: Layout) -> dict[str, Case]:
    """Those of ``files`` that were loaded and died as they ran; the runner names such a file like a test."""
    whole = {layout.find(case.name): case for case in now.failing if case.phase != "collect"}
    return {path: case for path, case in whole.items() if path in files}


def _placed(reason: RedReason, path: str, line: int) -> RedReason:
    """Return the reason; that of a syntax error with its place, where it does not name it."""
    if reason.reason is not Reason.SYNTAX or not path or path in reason.evidence:
        return reason
    return replace(reason, evidence=f"{path}:{line}: {reason.evidence}")


def _build_reasons(
    context: CycleContext, now: Report, candidate: Candidate, project: Project
) -> tuple[RedReason, ...]:
    """One reason for each build error. An error in a file that RED did not touch is none of its tests'."""
    touched = {change.path for change in candidate.changes}
    found = []
    for error in now.build_errors:
        reason = red_reason(None, language=language_of_suites(context), project=project, error=error)
        printed = [one.rpartition(":")[0] for one in frames_in(error.detail)]
        frames = [
            error.file if error.file.endswith(f"/{one}") else project.layout.find(one) for one in printed
        ]
        place = next((path for path in reversed(frames) if path), project.layout.find(error.file))
        if reason.acceptable and place and place not in touched:
            reason = RedReason(Reason.EXCEPTION, f"{place} was not changed: {reason.evidence}", reason.symbol)
        found.append(_placed(reason, project.layout.find(error.file), error.line))
    return tuple(found)


RunTwin = Callable[[Mapping[str, str], list[Case]], tuple[Report, str]]
_ROUNDS = 3  # modules that are missing one after the other
_MODULE = re.compile(r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$")
_BASES = ("", "src/", "lib/")
_LOOKED_FOR = re.compile(r"cannot import name '(\w+)' from '([\w.]+)' \(((?:/|[A-Za-z]:).*)\)")
"""Python's words for a name that a module outside the tree does not have; paths of the tree are relative."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A run with planted stubs.

    ``vacuous``: tests that pass with them; ``wrong``: what the tests lack besides the missing names;
    ``left_out``: tests that the command does not run, though their file loads.
    """

    vacuous: tuple[str, ...] = ()
    wrong: tuple[RedReason, ...] = ()
    left_out: tuple[str, ...] = ()


def plant(
    tests: Iterable[SourceTest],
    texts: Mapping[str, str],
    reasons: Iterable[RedReason],
    paths: frozenset[str],
    read: Callable[[str], str],
    run: RunTwin,
    judge: Callable[[Report], tuple[tuple[RedReason, ...], Callable[[Case], RedReason]]],
) -> Planted:
    """``texts``: the test files that do not load; ``reasons``: why; ``read`` gives a file of the tree;
    ``judge`` gives the reasons of a report's build errors, and of its failing cases."""
    wanted = list(tests)
    stubs = _names_in_modules(texts, paths, read)
    for _ in range(_ROUNDS):
        stubs |= _missing_modules(texts, reasons, paths, stubs)
        if not stubs:
            return Planted()
        report = _run_each(wanted, stubs, run)
        build, reason_of = judge(report)
        if not build:
            found = _read(report, wanted, reason_of)
            left_out = _left_out(report, wanted, texts) and _left_out(run(stubs, [])[0], wanted, texts)
            return replace(found, left_out=left_out)  # the whole command leaves them out, no choice of files
        wrong = tuple(reason for reason in build if reason.of_the_test) or _in_a_copy(report, stubs)
        if wrong or not all(reason.acceptable for reason in build):
            return Planted(wrong=wrong)
        reasons = build
    return Planted()


def _run_each(tests: Sequence[SourceTest], texts: Mapping[str, str], run: RunTwin) -> Report:
    """Run tests, and again those that one which fails kept from running (a panic in Go), without it."""
    whole = run(texts, cases_of_tests(tests))[0]
    last = whole
    for _ in range(_ROUNDS):
        ran = assign_cases(tests, last.cases)
        left = [test for test in tests if not ran[test.id]]
        if not left or len(left) == len(tests) or not last.failing or last.build_error:
            break
        tests, last = left, run(texts, cases_of_tests(left))[0]
        whole = replace(whole, cases=(*whole.cases, *(one for one in last.cases if one not in whole.cases)))
    return whole


def _in_a_copy(report: Report, stubs: Mapping[str, str]) -> tuple[RedReason, ...]:
    """Return the names that were planted in a module of the tree, and that its tests looked for in another copy
    of it: no code of the tree can make them pass."""
    found = []
    for error in report.build_errors:
        for name, module, path in _LOOKED_FOR.findall(error.message):
            if re.search(rf"\b(?:def|class) {name}\b", stubs.get(_file_of(module, stubs), "")):
                why = (
                    f"the tests import an installed copy of '{module}', not from the tree: `tdd doctor` says what "
                    f"to set, or a conftest.py puts the tree first on sys.path ({path})"
                )
                found.append(RedReason(Reason.EXCEPTION, why, module))
    return tuple(found)


def _read(report: Report, tests: list[SourceTest], reason_of: Callable[[Case], RedReason]) -> Planted:
    ids = {test.id for test in tests}
    rows: dict[str, list[Case]] = {}
    test_of = map_cases(report.cases, tests)
    for case in report.cases:
        if (test := test_of[case.id]) in ids:
            rows.setdefault(test, []).append(case)
    passed = [test for test, cases in rows.items() if all(case.outcome is Outcome.PASSED for case in cases)]
    failing = [case for cases in rows.values() for case in cases if case.outcome in BAD]
    wrong = [reason for reason in map(reason_of, failing) if reason.of_the_test]
    return Planted(tuple(passed), tuple(wrong))


def _left_out(report: Report, tests: list[SourceTest], texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the tests that no case of a run may be, where the run names every test.

    None where a case of their files is no test that is known there: then the runner names tests by other
    words than the source does, such as a display name. Output alone does not show whether a runner stopped
    at a test that fails (``-f``), and a report does.
    """
    stopped = report.source != "report" and bool(report.failing)
    if stopped or not (report.complete or report.verdict is RunVerdict.NO_TESTS):
        return ()
    known = Candidates(one for path, text in texts.items() for one in find_tests(text, path))
    stems = {PurePosixPath(path).name.partition(".")[0] for path in texts}
    found = [(case, known.of(case)) for case in report.cases]
    if any(not fits and stem in f"{case.id} {case.file}" for case, fits in found for stem in stems):
        return ()
    fitting = {test.id for _, fits in found for test in fits}
    return tuple(test.id for test in tests if test.id not in fitting)


def _names_in_modules(
    texts: Mapping[str, str], paths: frozenset[str], read: Callable[[str], str]
) -> dict[str, str]:
    """Modules that are there, with the names at their end that the tests import and that they do not
    mention."""
    wanted: dict[str, list[str]] = {}
    for path, text in texts.items():
        for one in imports(text, path):
            file = _file_of(one.module, paths) if path.endswith(".py") else ""
            if file:
                wanted.setdefault(file, []).extend(
                    name for name in one.names if name.isidentifier() and name not in wanted.get(file, ())
                )
    found = {}
    for file, names in wanted.items():
        held = read(file)
        folder = file.removesuffix("/__init__.py").removesuffix(".py")
        missing = [
            n
            for n in names
            if not re.search(rf"\b{re.escape(n)}\b", held) and f"{folder}/{n}.py" not in paths
        ]
        stub = planted_symbol(missing, file) if missing else None
        if stub is not None:
            found[file] = f"{held.rstrip()}\n\n\n{stub}"
    return found


def _missing_modules(
    texts: Mapping[str, str], reasons: Iterable[RedReason], paths: frozenset[str], stubs: Mapping[str, str]
) -> dict[str, str]:
    """New modules for those that are missing altogether, with the names that the tests take from them."""
    found = {}
    for module in {
        one.symbol for one in reasons if one.reason is Reason.MISSING_SYMBOL and _MODULE.match(one.symbol)
    }:
        if _file_of(module, paths | stubs.keys()):
            continue
        names = [
            n
            for path, text in texts.items()
            for one in imports(text, path)
            if one.module == module
            for n in one.names
            if n.isidentifier()
        ]
        file = f"{_base_of(module, paths)}{module.replace('.', '/')}.py"
        stub = planted_symbol(dict.fromkeys(names), file)
        if stub is not None and all(path.endswith(".py") for path in texts):
            found[file] = stub
    return found


def _file_of(module: str, paths: Iterable[str]) -> str:
    known = frozenset(paths)
    inside = module.replace(".", "/")
    names = (f"{base}{inside}{end}" for base in _BASES for end in (".py", "/__init__.py"))
    return next((name for name in names if name in known), "")


def _base_of(module: str, paths: frozenset[str]) -> str:
    """The folder that holds the module's package; else the first that holds modules."""
    package = module.partition(".")[0]
    inside = [base for base in _BASES if any(path.startswith(f"{base}{package}/") for path in paths)]
    modules = [
        base
        for base in _BASES
        if any(
            path.startswith(base) and path.endswith(".py") for path in paths if "/" not in path[len(base) :]
        )
    ]
    return (inside or modules or [""])[0]
