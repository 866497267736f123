"""The tests of RED that a run did not reach: their file does not load, or dies as it runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from tdd_orchestrator.cycle.attempt.candidate import Candidate
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.red.test_changes import TestEdits
from tdd_orchestrator.languages.source import SourceTest
from tdd_orchestrator.model.report import BuildError, Case, Reason, RedReason, Report
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
