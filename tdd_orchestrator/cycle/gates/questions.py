"""Judge a proven attempt by the answers to the counterfactual questions (E7). Pure."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.cycle.counterfactual.answers import Asked, Question, Word
from tdd_orchestrator.cycle.gates.evidence import Judgement
from tdd_orchestrator.model.phase import Verdict

_STILL_PASSES = {
    Question.POISON: "passes although a failing statement stands at its end",
    Question.SHIFT: "passes with other expected values, too",
    Question.STUB: "passes without the new code",
}


def questioned(judged: Judgement, asked: Asked, require: tuple[str, ...]) -> Judgement:
    """Return the judgement as it was, or a refusal: a target that still passes, or a required answer that is
    missing."""
    judged = replace(judged, asked=asked)
    still = asked.still_passing
    if still:
        verdict = Verdict.TAMPERED if asked.blame == "code" else Verdict.VACUOUS_TEST
        who = (
            "the new code keeps it from failing" if asked.blame == "code" else "the test itself lets it pass"
        )
        reasons = tuple(
            f"{answer.test} {_STILL_PASSES[answer.question]}: {answer.why or who}" for answer in still[:3]
        )
        return replace(judged, verdict=verdict, reasons=reasons)
    missing = [one for one in asked.answers if one.word is Word.NOT_ASKED and one.question in require]
    if missing:
        reasons = tuple(
            (
                f"{one.test}: the question '{one.question}' has no answer ({one.why}), and "
                "proof.require wants one"
            )
            for one in missing[:3]
        )
        return replace(judged, verdict=Verdict.VACUOUS_TEST, reasons=reasons)
    return judged


def refactored(judged: Judgement, asked: Asked, at_green: Asked) -> Judgement:
    """Return the judgement as it was, or a refusal: a target that could fail at GREEN and no longer can."""
    judged = replace(judged, asked=asked)
    before = {(answer.question, answer.test) for answer in at_green.still_passing}
    reasons = tuple(
        (
            f"{answer.test} {_STILL_PASSES[answer.question]}, and did not at GREEN: the refactored "
            "code keeps it from failing"
        )
        for answer in asked.still_passing
        if (answer.question, answer.test) not in before
    )
    return replace(judged, verdict=Verdict.TAMPERED, reasons=reasons[:3]) if reasons else judged


def fix_questioned(judged: Judgement, asked: Asked) -> Judgement:
    """Return the judgement of a fix as it was, or a refusal: a test that passes now and can no longer
    fail."""
    judged = replace(judged, asked=asked)
    reasons = tuple(
        f"{answer.test} {_STILL_PASSES[answer.question]}: the fix keeps it from failing"
        for answer in asked.still_passing[:3]
    )
    return replace(judged, verdict=Verdict.TAMPERED, reasons=reasons) if reasons else judged
