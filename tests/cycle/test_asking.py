"""Asking: what a twin that fails by something else than its statement says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from tdd_orchestrator.cycle.counterfactual.answers import Asked, Question, TwinRun, Word, read_answer
from tdd_orchestrator.cycle.counterfactual.ask import Subject, ask
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.model.report import BuildError, Case, Outcome, Report, RunVerdict

PATH, TEXT = "tests/test_double.py", "def test_doubles():\n    assert double(2) == 4\n"
TEST = f"{PATH}::test_doubles"
PASSES = Case(TEST, "test_doubles", Outcome.PASSED)
BY_ITSELF = Case(TEST, "test_doubles", Outcome.FAILED, message="assert 5 == 4")


class Runner:
    """Says what it is told to, run by run; the last word for ever."""

    def __init__(self, *cases: Case) -> None:
        self.cases, self.texts, self.chosen = list(cases), [], []

    def __call__(self, texts: Mapping[str, str], cases: Sequence[Case]) -> tuple[Report, str]:
        self.texts.append(texts[PATH])
        self.chosen.append(list(cases))
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


def test_a_test_that_fails_where_its_file_runs_alone_is_asked_in_a_whole_run() -> None:
    """One that starts the runner itself, say, which finds our choice of files."""

    class Alone(Runner):
        def __call__(self, texts: Mapping[str, str], cases: Sequence[Case]) -> tuple[Report, str]:
            report, output = super().__call__(texts, cases)
            halves = re.search(r'"(\w{8})" \+ "(\w{8})"', texts[PATH])
            if cases or halves is None:
                return report, output
            return replace(report, cases=(replace(BY_ITSELF, message=halves[1] + halves[2]),)), output

    runner = Alone(BY_ITSELF)
    assert word(runner)[0] is Word.FAILS
    assert runner.chosen[-1] == []
    assert "neutral" in runner.texts[-2]


def test_a_test_that_fails_in_any_other_text_of_its_file_is_told() -> None:
    assert word(Runner(BY_ITSELF))[1] == "it passes with the very text of its file alone"


@pytest.mark.parametrize(
    ("errors", "why"),
    [
        ((BuildError("type instantiation requires go1.18 or later"),), "does not load: type instantiation requires go1.18"),
        ((), "does not name the test"),
    ],
)  # fmt: skip
def test_a_question_that_is_not_asked_says_why(errors: tuple[BuildError, ...], why: str) -> None:
    run = TwinRun(Report(RunVerdict.ERROR, build_errors=errors, exit_code=1), "", "")
    answer = read_answer(Question.SHIFT, TEST, [PASSES], run)
    assert answer.word is Word.NOT_ASKED
    assert why in answer.why


@pytest.mark.parametrize("plain", [[PASSES], []])
@pytest.mark.parametrize("question", list(Question))
def test_a_run_that_its_limit_ended_answers_nothing(question: Question, plain: list[Case]) -> None:
    run = TwinRun(Report(RunVerdict.TIMED_OUT, exit_code=None), "", "")
    answer = read_answer(question, TEST, plain, run)
    assert (answer.word, answer.why) == (Word.NOT_ASKED, "its run took longer than its limit of 60 s")


def test_rows_that_a_stopped_run_had_not_come_to_did_not_fail() -> None:
    rows = [replace(PASSES, id=f"{TEST}[{row}]") for row in "ab"]
    run = TwinRun(Report(RunVerdict.TIMED_OUT, cases=(rows[0],), exit_code=None), "", "")
    assert read_answer(Question.STUB, TEST, rows, run).word is Word.NOT_ASKED
    failed = replace(rows[1], outcome=Outcome.FAILED)
    run = TwinRun(Report(RunVerdict.TIMED_OUT, cases=(rows[0], failed), exit_code=None), "", "")
    assert read_answer(Question.STUB, TEST, rows, run).word is Word.FAILS


LOADS = "def _hook():\n    return patch\n\n\n_hook()\n\n\ndef double(n):\n    return 5\n"


class World:
    """Lets the target pass where ``passes`` says so; code that does not load is a build error."""

    def __init__(self, passes: Callable[[str], bool]) -> None:
        self.passes = passes

    def __call__(self, texts: Mapping[str, str], cases: Sequence[Case]) -> tuple[Report, str]:
        code = texts.get("double.py", LOADS)
        if "\n_hook()\n" in code and code != LOADS:
            return Report(
                RunVerdict.ERROR, build_errors=(BuildError("raised while it loads"),), exit_code=2
            ), ""
        case = PASSES if self.passes(code) else BY_ITSELF
        return Report(RunVerdict.PASSED, cases=(case,), exit_code=0), ""


@pytest.mark.parametrize(
    ("passes", "blame"), [(lambda code: code == LOADS, "code"), (lambda code: True, "test")]
)
def test_code_that_runs_its_own_functions_while_it_loads_is_blamed(
    passes: Callable[[str], bool], blame: str
) -> None:
    tests = {test.id: test for test in find_tests(TEXT, PATH)}
    subject = Subject(tests, {TEST: (PASSES,)}, {PATH: TEXT}, {"double.py": ("", LOADS)})
    assert ask(subject, ("poison",), World(passes)).blame == blame


@pytest.mark.parametrize("poisoned", [0, 1])
def test_another_files_test_of_the_same_title_is_no_answer(poisoned: int) -> None:
    """Tape prints titles without files: a normalized report numbers those that several files have."""
    plain = [PASSES, replace(PASSES, id=f"{TEST} (2)")]
    cases = [
        replace(one, outcome=Outcome.FAILED, message="token") if at == poisoned else one
        for at, one in enumerate(plain)
    ]
    run = TwinRun(Report(RunVerdict.FAILED, cases=tuple(cases), exit_code=1), "", "token")
    assert read_answer(Question.SHIFT, TEST, plain, run).word is Word.FAILS
    assert read_answer(Question.POISON, TEST, plain, run).word is Word.FAILS
    passing = TwinRun(Report(RunVerdict.PASSED, cases=tuple(plain), exit_code=0), "", "")
    assert read_answer(Question.STUB, TEST, plain, passing).word is Word.STILL_PASSES
    row = replace(PASSES, id=f"{TEST}[2]")
    assert (
        read_answer(
            Question.POISON,
            TEST,
            [cases[poisoned], row],
            TwinRun(Report(RunVerdict.FAILED, cases=(cases[poisoned], row)), "", "token"),
        ).word
        is Word.STILL_PASSES
    )


@pytest.mark.parametrize(("exit_code", "hidden"), [(0, True), (1, False)])
def test_a_target_that_fails_in_a_run_that_ends_well_is_hidden(exit_code: int, hidden: bool) -> None:
    case = Case(TEST, "test_doubles", Outcome.FAILED, message="RuntimeError: c0ffee")
    run = TwinRun(Report(RunVerdict.FAILED, cases=(case,), exit_code=exit_code), "", "c0ffee")
    answer = read_answer(Question.POISON, TEST, [PASSES], run)
    assert (answer.word, answer.hidden) == (Word.FAILS, hidden)


BESIDE = "def test_doubles():\n    assert double(2) == 4\n\n\ndef test_mock():\n    assert mock() == 1\n"
MOCK = f"{PATH}::test_mock"


class StopsAtTheFirst:
    """Runs the chosen tests in their order and ends at the first that fails, as `-f` or a panic does. Without the
    code only the mock's passes; a twin of either fails."""

    def __init__(self) -> None:
        self.runs: list[list[str]] = []

    def __call__(self, texts: Mapping[str, str], cases: Sequence[Case]) -> tuple[Report, str]:
        self.runs.append([case.id for case in cases])
        mine = []
        for case in cases:
            name = case.id.partition("::")[2]
            body = texts.get(PATH, BESIDE).partition(f"def {name}")[2].partition("\n\n\ndef ")[0]
            fails = body not in BESIDE or ("double.py" in texts and case.id == TEST)
            outcome = Outcome.FAILED if fails else Outcome.PASSED
            mine.append(replace(case, outcome=outcome, message=body.replace('" + "', "")))
            if fails:
                break
        verdict = RunVerdict.FAILED if mine[-1].outcome is Outcome.FAILED else RunVerdict.PASSED
        return Report(verdict, cases=tuple(mine), exit_code=int(verdict is RunVerdict.FAILED)), ""


@pytest.mark.parametrize(("question", "refused"), [("stub", [MOCK]), ("poison", [])])
def test_a_target_that_another_one_kept_from_running_is_asked_without_it(
    question: str, refused: list[str]
) -> None:
    tests = {test.id: test for test in find_tests(BESIDE, PATH)}
    plain = {key: (replace(PASSES, id=key, name=key.partition("::")[2]),) for key in tests}
    code = {"double.py": ("", "def double(n):\n    return n * 2\n")}
    runner = StopsAtTheFirst()
    asked = ask(Subject(tests, plain, {PATH: BESIDE}, code), (question,), runner)
    assert [answer.test for answer in asked.still_passing] == refused
    assert {answer.test for answer in asked.answers} == {TEST, MOCK}
    assert all(answer.word is not Word.NOT_ASKED for answer in asked.answers)
    assert [MOCK] in runner.runs
