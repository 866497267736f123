"""Asking: what a twin that fails by something else than its statement says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tdd_orchestrator.cycle.counterfactual.answers import Asked, Question, Word
from tdd_orchestrator.cycle.counterfactual.ask import Subject, ask
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict

PATH, TEXT = "tests/test_double.py", "def test_doubles():\n    assert double(2) == 4\n"
TEST = f"{PATH}::test_doubles"
PASSES = Case(TEST, "test_doubles", Outcome.PASSED)
BY_ITSELF = Case(TEST, "test_doubles", Outcome.FAILED, message="assert 5 == 4")


class Runner:
    """Says what it is told to, run by run; the last word for ever."""

    def __init__(self, *cases: Case) -> None:
        self.cases, self.texts = list(cases), []

    def __call__(self, texts: Mapping[str, str], cases: Sequence[Case]) -> tuple[Report, str]:
        self.texts.append(texts[PATH])
        case = self.cases.pop(0) if len(self.cases) > 1 else self.cases[0]
        passed = case.outcome is Outcome.PASSED
        verdict = RunVerdict.PASSED if passed else RunVerdict.FAILED
        return Report(verdict, cases=(case,), exit_code=0 if passed else 1), ""


def poisoned(runner: Runner) -> Asked:
    tests = {test.id: test for test in find_tests(TEXT, PATH)}
    return ask(Subject(tests, {TEST: (PASSES,)}, {PATH: TEXT}, {}), ("poison",), runner)


def word(runner: Runner) -> tuple[Word, str]:
    (answer,) = poisoned(runner).of(Question.POISON)
    return answer.word, answer.why


def test_a_twin_that_passes_now_and_then_still_passes() -> None:
    runner = Runner(BY_ITSELF, PASSES, *[BY_ITSELF] * 4, PASSES)
    assert word(runner)[0] is Word.STILL_PASSES


def test_a_twin_that_always_fails_by_itself_beside_a_file_that_passes_is_no_answer() -> None:
    runner = Runner(*[BY_ITSELF] * 4, PASSES)
    assert word(runner)[0] is Word.NOT_ASKED
    assert "neutral" in runner.texts[-1]


def test_a_test_that_fails_in_any_other_text_of_its_file_is_told() -> None:
    assert word(Runner(BY_ITSELF))[1] == "it passes with the very text of its file alone"
