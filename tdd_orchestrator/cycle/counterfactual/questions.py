"""The counterfactual questions of a cycle (E7): their tests, their code, and the meaning of the answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.attempt.candidate import Candidate, file_at, paths_between, paths_of
from tdd_orchestrator.cycle.context import Codebase, CycleContext, Repository, Settings
from tdd_orchestrator.cycle.counterfactual.answers import Answer, Asked, Question, Word
from tdd_orchestrator.cycle.counterfactual.ask import (
    RunTwin,
    Subject,
    ask,
    ask_once,
    runner_of,
    subject_of,
    whole_project,
)
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.gates.after import fix_questioned, questioned, refactored
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.cases import assign_cases
from tdd_orchestrator.languages.source import SourceTest, compare_tests, find_tests
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import Case, Outcome, Report
from tdd_orchestrator.workspace.guard import is_support, is_test

_FILES = 300  # files of a project whose functions are replaced at once
_FIXED = 50  # cases that pass since a fix, and are asked about


@dataclass(frozen=True, slots=True)
class Proven:
    """A candidate that its gate found proven: its run, its judgement, and the cases of the suite before it."""

    candidate: Candidate
    proof: Proof
    judged: Judgement
    baseline_ids: frozenset[str]


def question(context: CycleContext, state: CycleState, proven: Proven) -> Judgement:
    """Ask the questions about a proven GREEN and return the judgement with the answers."""
    candidate, judged = proven.candidate, proven.judged
    if not context.settings.questions:
        return judged
    if context.settings.inplace:
        return questioned(judged, _not_asked(context.settings, state), context.settings.require)
    context.watch.doing("asking whether the new tests can fail")
    texts = _written(context.repo, state, candidate.tree)
    subject = _subject(context.project, state, proven, texts)
    asked = ask(subject, context.settings.questions, runner_of(context.prover, candidate.commit))
    judged = questioned(judged, asked, context.settings.require)
    if judged.verdict is not Verdict.PROVEN or "poison" not in context.settings.questions:
        return judged
    if asked.hidden and _failed_before(context, state, proven, asked.hidden[0]):
        reason = (
            f"{asked.hidden[0]} fails with a failing statement at its end, and the test command ends with exit "
            "code 0 all the same, which it did not before: what RED wrote beside it hides a failing test"
        )
        return replace(judged, verdict=Verdict.VACUOUS_TEST, reasons=(reason,))
    disarmed = _disarmed(context, state, proven, texts, frozenset(subject.tests))
    if not disarmed:
        return judged
    reasons = tuple(
        f"{test} was there before and can no longer fail: what RED wrote beside it disarms it"
        for test in disarmed[:3]
    )
    return replace(judged, verdict=Verdict.VACUOUS_TEST, reasons=reasons)


def _not_asked(settings: Settings, state: CycleState) -> Asked:
    """Return that no question was asked: in place, a twin would have to be written into the user's own
    files."""
    why = "mode inplace has no other tree to ask in"
    return Asked(
        tuple(
            Answer(Question(name), target, Word.NOT_ASKED, why)
            for name in settings.questions
            for target in state.targets
        )
    )


def question_refactoring(context: CycleContext, state: CycleState, proven: Proven) -> Judgement:
    """Ask whether the target tests, which could fail at GREEN, can still fail after a proven REFACTOR."""
    candidate, judged = proven.candidate, proven.judged
    wanted = tuple(name for name in context.settings.questions if name != Question.STUB)
    if not wanted or context.settings.inplace:
        return judged
    context.watch.doing("asking whether the tests can still fail")
    texts = _written(context.repo, state, candidate.tree)
    subject = _subject(context.project, state, proven, texts)
    asked = ask(subject, wanted, runner_of(context.prover, candidate.commit))
    if not asked.still_passing:
        return replace(judged, asked=asked)
    at_green = replace(subject, texts=_written(context.repo, state, state.green))
    return refactored(judged, asked, ask(at_green, wanted, runner_of(context.prover, state.green)))


def _subject(project: Codebase, state: CycleState, proven: Proven, texts: dict[str, str]) -> Subject:
    cases = proven.proof.report.cases
    return subject_of(
        state.targets, proven.proof, texts, proven.candidate,
        is_test=lambda path: is_test(path, project.rules),
        cases_of=lambda target: gates.answers(target, cases, proven.baseline_ids),
    )  # fmt: skip


def _written(repo: Repository, state: CycleState, tree: str) -> dict[str, str]:
    """Return the files that RED wrote or changed and that a language reads, as they are in a tree."""
    written = paths_between(repo, state.base, state.red) if state.red else ()
    return {path: _text(repo, tree, path) for path in written if language_of(path) is not None}


def _text(repo: Repository, treeish: str, path: str) -> str:
    return (file_at(repo, treeish, path) or b"").decode("utf-8", "replace")


def _failed_before(context: CycleContext, state: CycleState, proven: Proven, target: str) -> bool:
    """Return whether a failing test gave the command another exit code than 0 before RED: asked of the old
    tests of one file in the target's language; False where there are none."""
    old = [case for case in proven.proof.report.cases if case.id in proven.baseline_ids]
    language = language_of(target.partition("::")[0])
    texts = _files_of(context, state.base, [case for case in old if case.outcome is Outcome.PASSED])
    known = replace(proven.proof.report, cases=tuple(old))
    for path, text in texts.items():
        tests = [test.id for test in find_tests(text, path)] if language_of(path) is language else []
        subject = _passed(tests, {path: text}, known)
        if subject.tests:
            answers = ask_once(subject, Question.POISON, runner_of(context.prover, state.base))
            return any(one.word is Word.FAILS and not one.hidden for one in answers)
    return False


def _disarmed(
    context: CycleContext, state: CycleState, proven: Proven, texts: dict[str, str], targets: frozenset[str]
) -> list[str]:
    """Return old tests, in files that RED changed, that pass with a failing statement at their end, or
    without the project's code, and failed then before.

    Most fail at once, in one run a question; only the others are asked on the base.
    """
    candidate, report = proven.candidate, proven.proof.report
    before = {
        path: _text(context.repo, state.base, path)
        for path in texts
        if file_at(context.repo, state.base, path) is not None
    }
    known = {test.id for path, text in before.items() for test in find_tests(text, path)} - targets
    if not known:
        return []
    run = runner_of(context.prover, candidate.commit)
    now = _passed(known, {path: texts[path] for path in before}, report)
    code = _code(context, candidate.tree)
    passing = _answers(now, code, run, Word.STILL_PASSES)
    if not passing:
        return []
    known_cases = tuple(case for case in report.cases if case.id in proven.baseline_ids)
    old = _passed({test for _, test in passing}, before, replace(report, cases=known_cases))
    base_run = runner_of(context.prover, state.base)
    left = passing & _answers(old, _code(context, state.base), base_run, Word.FAILS)
    again = _passed({test for _, test in left}, now.texts, report)
    return sorted({test for _, test in left & _answers(again, code, run, Word.STILL_PASSES)})


def _passed(wanted: Collection[str], texts: Mapping[str, str], report: Report) -> Subject:
    """Return the wanted tests of some files that passed, without code."""
    tests = [test for path, text in texts.items() for test in find_tests(text, path)]
    # All tests of the files get their cases: a class that is new has tests of the same names.
    cases = assign_cases(tests, [case for case in report.cases if case.outcome is Outcome.PASSED])
    found = {test.id: test for test in tests if test.id in wanted and cases[test.id]}
    return Subject(found, {key: cases[key] for key in found}, texts, {})


def _answers(
    subject: Subject, code: Mapping[str, str], run: RunTwin, word: Word
) -> frozenset[tuple[str, str]]:
    """Ask once for a failing end and once for no code; return each question and test with this answer."""
    if not subject.tests:
        return frozenset()
    subject = replace(subject, code={path: ("", text) for path, text in code.items()})
    answers = [one for name in (Question.POISON, Question.STUB) for one in ask_once(subject, name, run)]
    return frozenset((answer.question, answer.test) for answer in answers if answer.word is word)


def _code(context: CycleContext, treeish: str) -> dict[str, str]:
    """Return the project's code that a language reads, as much as is replaced at once."""
    rules = context.project.rules
    paths = (
        path
        for path in paths_of(context.repo, treeish)
        if language_of(path) is not None and not is_test(path, rules) and not is_support(path, rules)
    )
    return {path: _text(context.repo, treeish, path) for path in islice(paths, _FILES)}


def uses_project(context: CycleContext, candidate: Candidate, proof: Proof, judged: Judgement) -> Judgement:
    """Refuse a test that passes without the project's code: it does not show that the item is covered
    (E5)."""
    if "stub" not in context.settings.questions or context.settings.inplace:
        return judged
    context.watch.doing("asking whether the new test uses the project")
    tests = [
        test
        for change in candidate.changes
        if change.after is not None and is_test(change.path, context.project.rules)
        for test in compare_tests(change.before or "", change.after, change.path).added
    ]
    asked = _without_the_project(context, candidate, proof, tests)
    if not asked.still_passing:
        return judged
    test = asked.still_passing[0].test
    reason = f"{test} passes without the project's code, so it does not show that the item is covered"
    return replace(judged, verdict=Verdict.UNEXPECTED_PASS, reasons=(reason,))


def need_the_project(
    context: CycleContext, candidate: Candidate, proof: Proof, tests: Sequence[SourceTest]
) -> frozenset[str]:
    """Return the ids of the tests that pass in ``proof``, and fail without the project's code."""
    if not tests or context.settings.inplace:
        return frozenset()
    context.watch.doing("asking whether the rewritten tests use the project")
    answers = _without_the_project(context, candidate, proof, tests).answers
    return frozenset(answer.test for answer in answers if answer.word is Word.FAILS)


def _without_the_project(
    context: CycleContext, candidate: Candidate, proof: Proof, tests: Sequence[SourceTest]
) -> Asked:
    subject = whole_project(tests, proof.report, _code(context, candidate.tree))
    return ask(subject, ("stub",), runner_of(context.prover, candidate.commit))


def question_fix(
    context: CycleContext, candidate: Candidate, proof: Proof, judged: Judgement, fixed: frozenset[str]
) -> Judgement:
    """Ask whether the tests that pass since a fix can still fail: their code could keep them from it."""
    cases = [case for case in proof.report.cases if case.id in fixed and case.outcome is Outcome.PASSED]
    if "poison" not in context.settings.questions or context.settings.inplace or not cases:
        return judged
    context.watch.doing("asking whether the fixed tests can still fail")
    texts = _files_of(context, candidate.tree, cases[:_FIXED])
    tests = {test.id: test for path, text in texts.items() for test in find_tests(text, path)}
    assigned = assign_cases(tests.values(), cases[:_FIXED])
    found = {key: test for key, test in tests.items() if assigned[key]}
    subject = Subject(found, {key: assigned[key] for key in found}, texts, {})
    return fix_questioned(judged, ask(subject, ("poison",), runner_of(context.prover, candidate.commit)))


def _files_of(context: CycleContext, treeish: str, cases: Sequence[Case]) -> dict[str, str]:
    """Return the test files that cases name, or all of them where one names none."""
    rules = context.project.rules
    paths = [
        path
        for path in paths_of(context.repo, treeish)
        if language_of(path) is not None and is_test(path, rules)
    ]
    named = {case.file or case.id.partition("::")[0] for case in cases}
    chosen = [path for path in paths if any(f"/{name}".endswith(f"/{path}") for name in named)]
    return {path: _text(context.repo, treeish, path) for path in (chosen or paths)[:_FILES]}
