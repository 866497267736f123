"""What the questions' answers mean for a REFACTOR: a test that could fail at GREEN has to be able to fail."""

from __future__ import annotations

import pytest

from tdd_orchestrator.cycle.counterfactual.answers import Answer, Asked, Question, Word
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.gates.after import refactored
from tdd_orchestrator.model.phase import Verdict


def asked(word: Word, question: Question = Question.POISON) -> Asked:
    return Asked((Answer(question, "tests/test_a.py::test_a", word),))


@pytest.mark.parametrize(
    ("now", "at_green", "verdict"),
    [
        (asked(Word.FAILS), Asked(), Verdict.PROVEN),
        (asked(Word.NOT_ASKED), Asked(), Verdict.PROVEN),
        (asked(Word.STILL_PASSES), asked(Word.FAILS), Verdict.TAMPERED),
        (asked(Word.STILL_PASSES), asked(Word.NOT_ASKED), Verdict.TAMPERED),
        (asked(Word.STILL_PASSES), asked(Word.STILL_PASSES), Verdict.PROVEN),
        (asked(Word.STILL_PASSES), asked(Word.STILL_PASSES, Question.SHIFT), Verdict.TAMPERED),
    ],
)
def test_a_test_that_can_no_longer_fail_refuses_a_refactoring(
    now: Asked, at_green: Asked, verdict: Verdict
) -> None:
    judged = refactored(Judgement(Verdict.PROVEN, ("2 tests pass",)), now, at_green)
    assert judged.verdict is verdict
    assert judged.asked is now
    assert verdict is Verdict.PROVEN or "did not at GREEN" in judged.reasons[0]
