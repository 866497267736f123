"""Read the answer of one target test from a twin's run. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tdd_orchestrator.model.report import BAD, Case, Outcome, Report, RunVerdict


class Question(StrEnum):
    """``poison``: a failing statement at the test's end; ``shift``: other expected values; ``stub``: the
    functions that GREEN wrote raise, or return nothing. The target must fail each time."""

    POISON = "poison"
    SHIFT = "shift"
    STUB = "stub"


class Word(StrEnum):
    FAILS = "fails"  # as it must
    STILL_PASSES = "still_passes"
    NOT_ASKED = "not_asked"  # no claim


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of one question for one target (its id in the source); ``why`` explains any answer but
    ``fails``; ``hidden``: it fails, and the run ended with exit code 0 all the same."""

    question: Question
    test: str
    word: Word
    why: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """All answers. ``functions``: those that were stubbed; ``blame``: "test" or "code" where an answer
    refuses; ``hidden``: targets that failed in a run that ended with exit code 0."""

    answers: tuple[Answer, ...] = ()
    functions: tuple[str, ...] = ()
    blame: str = ""
    seconds: float = 0.0
    hidden: tuple[str, ...] = ()

    def of(self, question: Question) -> tuple[Answer, ...]:
        return tuple(answer for answer in self.answers if answer.question is question)

    @property
    def still_passing(self) -> tuple[Answer, ...]:
        return tuple(answer for answer in self.answers if answer.word is Word.STILL_PASSES)


def counts(asked: Asked) -> Iterator[tuple[Question, int, int, dict[str, str]]]:
    """Yield each question with how many targets were asked, how many failed, and why the others were not
    asked."""
    for question in Question:
        answers = asked.of(question)
        if answers:
            put = [answer for answer in answers if answer.word is not Word.NOT_ASKED]
            failed = sum(answer.word is Word.FAILS for answer in put)
            yield question, len(put), failed, {a.test: a.why for a in answers if a.word is Word.NOT_ASKED}


def listed(asked: Asked | None) -> tuple[dict[str, Any], ...]:
    """Return the counts of each question as they are written in JSON; () where none was put."""
    return tuple(
        {"question": str(question), "asked": put, "failed": failed, "not_asked": why}
        for question, put, failed, why in counts(asked or Asked())
    )


@dataclass(frozen=True, slots=True)
class TwinRun:
    """The run of a twin: its report, the end of its output, and the token that a poisoned test throws."""

    report: Report
    output: str
    token: str


def read_answer(question: Question, test: str, plain: Sequence[Case], run: TwinRun) -> Answer:
    """Compare the target's cases of the plain run with those of the twin's.

    ``plain``: the cases of the test that passed in the plain run; empty where the runner names none, and then
    the exit code answers.
    """
    ids = {case.id for case in plain}
    mine = _worst([case for case in run.report.cases if case.id in ids])
    stopped = run.report.verdict is RunVerdict.TIMED_OUT
    if stopped and len(mine) < len(_worst(plain) or [test]) and not any(case.outcome in BAD for case in mine):
        return Answer(question, test, Word.NOT_ASKED, TOO_LONG)  # a test that was not come to did not fail
    if not plain:
        return _by_exit_code(question, test, run)
    if not mine and run.report.failing and not run.report.build_error:
        return Answer(question, test, Word.NOT_ASKED, NOT_RUN)  # a runner that stops at the first failure
    if question is Question.STUB:
        whole = len(mine) == len(_worst(plain)) and all(case.outcome is Outcome.PASSED for case in mine)
        return Answer(question, test, Word.STILL_PASSES if whole else Word.FAILS)
    if not mine:
        unbuilt = f"the rewritten file does not load: {run.report.trouble[:200]}"
        why = unbuilt if run.report.build_error else NOT_RUN
        return Answer(question, test, Word.NOT_ASKED, why)
    passing = [case for case in mine if case.outcome is Outcome.PASSED]
    failing = [case for case in mine if case.outcome in BAD]
    if passing and (question is Question.POISON or not failing):
        return Answer(question, test, Word.STILL_PASSES)
    if not failing:
        return Answer(question, test, Word.NOT_ASKED, f"the test was {mine[0].outcome} in the rewritten file")
    if any(CANNOT_SHIFT in case.message or CANNOT_SHIFT in case.detail for case in failing) or (
        CANNOT_SHIFT in run.output and question is Question.SHIFT
    ):
        return Answer(question, test, Word.NOT_ASKED, "an expected value cannot be changed")
    if question is Question.POISON and not all(_threw(case, run.token) for case in failing):
        return Answer(question, test, Word.NOT_ASKED, WITHOUT_TOKEN)
    return Answer(question, test, Word.FAILS, hidden=run.report.exit_code == 0)


def _worst(cases: Sequence[Case]) -> list[Case]:
    """Return one case a title, a failing one where there is one.

    Where a runner prints no files, tests of several files may have one title, ``adds`` and ``adds (2)`` in a
    normalized report; only one of them is rewritten.
    """
    known = {case.id for case in cases}
    found: dict[str, Case] = {}
    for case in cases:
        title = _NUMBERED.sub("", case.id)
        key = title if title in known else case.id
        if key not in found or case.outcome in BAD:
            found[key] = case
    return list(found.values())


_NUMBERED = re.compile(r" \(\d+\)$")
SLOWEST = 60.0  # seconds that one question's run may take
TOO_LONG = f"its run took longer than its limit of {SLOWEST:.0f} s"
NOT_RUN = "the run of the rewritten file does not name the test"
CANNOT_SHIFT = "this value cannot be shifted"
"""What a shifted test panics with where its value has no other one (Go)."""
WITHOUT_TOKEN = "the test fails in the rewritten file, but not by the statement at its end"


def _by_exit_code(question: Question, test: str, run: TwinRun) -> Answer:
    if run.report.exit_code == 0:
        return Answer(question, test, Word.STILL_PASSES)
    if question is Question.POISON and run.token not in run.output:
        return Answer(question, test, Word.NOT_ASKED, WITHOUT_TOKEN)
    return Answer(question, test, Word.FAILS)


def _threw(case: Case, token: str) -> bool:
    return any(token in text for text in (case.message, case.detail, case.stdout))
