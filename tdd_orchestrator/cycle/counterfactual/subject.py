"""Build the subject of the questions from a proven candidate, and run rewritten files in the clean tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from tdd_orchestrator.cycle.attempt.candidate import Candidate
from tdd_orchestrator.cycle.counterfactual.ask import RunTwin, Subject, unread_reason
from tdd_orchestrator.cycle.proof import Proof, Prover
from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.cases import assign_cases
from tdd_orchestrator.languages.functions import outside_functions
from tdd_orchestrator.languages.source import SourceTest, find_tests
from tdd_orchestrator.model.report import Case, Outcome, Report
from tdd_orchestrator.workspace.guard import Change

SLOWEST = 60.0  # seconds that one question's run may take


def subject_of(
    targets: Iterable[str],
    proof: Proof,
    texts: Mapping[str, str],
    candidate: Candidate,
    is_test: Callable[[str], bool],
    cases_of: Callable[[str], Sequence[Case]],
) -> Subject:
    """Return the targets as their files show them, with the code that GREEN changed.

    ``targets``: ids that RED proved; ``texts``: the test files that RED wrote or changed, as they are in the
    proven tree; ``cases_of`` finds a target's cases in the proof's report.
    """
    tests = {test.id: test for path, text in texts.items() for test in find_tests(text, path)}
    found: dict[str, SourceTest] = {}
    cases: dict[str, tuple[Case, ...]] = {}
    unread: dict[str, str] = {}
    for target in targets:
        mine = [case for case in cases_of(target) if case.outcome is Outcome.PASSED]
        sources = _sources_of(target, tests, mine)
        if not sources:
            unread[target] = unread_reason(mine[0].file if mine else target.partition("::")[0])
        for source in sources:
            found[source.id] = source
            cases[source.id] = (
                *cases.get(source.id, ()),
                *(case for case in mine if case not in cases.get(source.id, ())),
            )
    code = {
        change.path: (change.before or "", change.after)
        for change in candidate.changes
        if change.after is not None and not is_test(change.path) and language_of(change.path) is not None
    }
    return Subject(found, cases, texts, code, unread, _only_functions(candidate.changes, is_test))


def whole_project(tests: Sequence[SourceTest], report: Report, code: Mapping[str, str]) -> Subject:
    """Return new tests that pass, with every function of the project's code as what may be replaced."""
    passing = [case for case in report.cases if case.outcome is Outcome.PASSED]
    cases = {key: some for key, some in assign_cases(tests, passing).items() if some}
    found = {test.id: test for test in tests if test.id in cases}
    return Subject(found, cases, {}, {path: ("", text) for path, text in code.items()})


def _sources_of(target: str, tests: Mapping[str, SourceTest], cases: Sequence[Case]) -> list[SourceTest]:
    if target in tests:  # known from its source, where the runner names no tests
        return [tests[target]]
    # a runner that names failing tests only: RED's run named it, and this one does not
    named = cases or (Case(target, target.rpartition("::")[2], Outcome.PASSED),)
    assigned = assign_cases(tests.values(), named)
    return [tests[key] for key, some in assigned.items() if some]


def _only_functions(changes: Iterable[Change], is_test: Callable[[str], bool]) -> bool:
    """Whether everything that GREEN changed in production is inside functions, which a stub replaces."""
    return all(
        language_of(change.path) is not None
        and outside_functions(change.before or "", change.path)
        == outside_functions(change.after or "", change.path)
        for change in changes
        if not is_test(change.path)
    )


def runner_of(prover: Prover, commit: str) -> RunTwin:
    """Return a function that runs the files of some cases with other texts in the clean tree."""

    def run(texts: Mapping[str, str], cases: Sequence[Case]) -> tuple[Report, str]:
        return prover.run_rewritten(commit, texts, cases, SLOWEST)

    return run
