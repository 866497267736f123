"""Fill the Error Analyzer's report without a model (D5): from rules, baseline, changes and history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tdd_orchestrator.model.diagnosis import (
    Action,
    Belief,
    Category,
    Diagnosis,
    ErrorType,
    Investigation,
    RoutingType,
    Severity,
)
from tdd_orchestrator.model.report import Comparison

ENOUGH = 3  # the same cause so often: no progress (R5)


@dataclass(frozen=True, slots=True)
class PastAttempt:
    """An earlier attempt in this phase: its agent, its result, and the causes that remained after it."""

    agent: str
    verdict: str
    fingerprints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Advice:
    """One row of R4: the advice at first, and the advice for a repeated cause."""

    action: Action
    then: Action
    strategy: str
    steps: tuple[str, ...]
    alternatives: tuple[str, ...]


ADVICE: dict[Category | None, Advice] = {
    Category.TRANSIENT: Advice(
        Action.RETRY,
        Action.ESCALATE,
        "Run the same step again after a growing wait.",
        ("Wait, longer each time.", "Run the same step again, with a longer time limit where time ran out."),
        ("Open the circuit breaker for the service, and tell a person.",),
    ),
    Category.SEMANTIC: Advice(
        Action.REPLAN,
        Action.FALLBACK,
        "Plan the step again with the tool's own words.",
        (
            "Put the message, file and line into the prompt.",
            "Ask for the smallest change that the tool accepts.",
        ),
        ("Give the step to another agent, or with another skill.",),
    ),
    Category.STATE: Advice(
        Action.ROLLBACK,
        Action.REPLAN,
        "Find the real state, then go back to the last known-good one.",
        (
            "Compare what the code expects with what is there.",
            "Roll back to the last known-good commit.",
            "Run the step again from there.",
        ),
        ("Plan the step again from the state that was found.",),
    ),
    Category.DEPENDENCY: Advice(
        Action.RETRY,
        Action.ESCALATE,
        "Find out whether what is missing can be had: try again, then use a substitute.",
        (
            "See that the package, service or program is there and is the right version.",
            "Try again.",
            "Use a substitute where the step allows it.",
        ),
        ("Tell a person what has to be installed or started.",),
    ),
    Category.LOGIC: Advice(
        Action.REPLAN,
        Action.ESCALATE,
        "Plan the step again with what the failing test expects and what it got.",
        (
            "Read the failing frame and its test.",
            "Say what was expected, what came, and which change brought it.",
            "Ask for another approach.",
        ),
        ("Ask for more context on what the item means.",),
    ),
    Category.PERMISSION: Advice(
        Action.ESCALATE,
        Action.ESCALATE,
        "See who may do this, and have a person settle it.",
        (
            "Verify keys, rights and policies that the message names.",
            "Leave everything as it is until a person has decided.",
        ),
        ("Run the step as somebody who may.",),
    ),
    None: Advice(
        Action.REPLAN,
        Action.ESCALATE,
        "Nothing is known of this failure: gather more before changing anything.",
        ("Run the failing test alone, with all output.", "Read the output from its first unusual line."),
        ("Hand the whole output to a person.",),
    ),
}
_WITHOUT_RUN = frozenset({"verdict:no_change", "verdict:forbidden_change"})
_NOTHING_RAN = (
    "Read what the agent said, and what it changed.",
    "Say what the item asks for and what is missing of it.",
    "Ask again, and name what was refused.",
)
"""Steps where no test was run: there is no failing frame to read."""
_UNKNOWN_CATEGORY = Category.LOGIC  # the report requires one; its confidence is low


def investigate(
    diagnoses: Sequence[Diagnosis],
    comparison: Comparison | None = None,
    changed_files: Iterable[str] = (),
    history: Sequence[PastAttempt] = (),
) -> Investigation:
    """Return the report on the most important cause; the others are listed as evidence."""
    main = _main(diagnoses)
    repeats = sum(1 for past in history if main.fingerprint and main.fingerprint in past.fingerprints)
    advice = ADVICE[main.category]
    action, why = _action(main, advice, repeats)
    return Investigation(
        category=main.category or _UNKNOWN_CATEGORY,
        severity=Severity.CRITICAL if action is Action.ESCALATE and repeats >= ENOUGH else main.severity,
        recoverable=action is not Action.ESCALATE,
        root_cause=_root_cause(main),
        evidence=_evidence(main, diagnoses, comparison, tuple(changed_files)),
        strategy=advice.strategy,
        action=action,
        diagnosis_confidence=Belief(main.confidence, _why_diagnosis(main)),
        recommendation_confidence=Belief(round(main.confidence * (0.9 if repeats == 0 else 0.7), 2), why),
        steps=_NOTHING_RAN if main.rule in _WITHOUT_RUN else advice.steps,
        alternatives=advice.alternatives,
        patterns=_patterns(main, repeats),
    )


def _main(diagnoses: Sequence[Diagnosis]) -> Diagnosis:
    ranks = list(Severity)
    candidates = [one for one in diagnoses if one.history != "before"] or list(diagnoses)
    if not candidates:
        return Diagnosis(message="The run failed and named no failure.")
    return max(
        candidates, key=lambda one: (one.history == "regression", ranks.index(one.severity), one.confidence)
    )


def _action(main: Diagnosis, advice: Advice, repeats: int) -> tuple[Action, str]:
    if main.severity is Severity.CRITICAL:
        return Action.ESCALATE, "what is CRITICAL is a person's"
    if repeats >= ENOUGH:
        return Action.ESCALATE, f"the same cause came {repeats} times before"
    if main.history == "regression" and main.category in (Category.LOGIC, Category.STATE, Category.SEMANTIC):
        return Action.ROLLBACK, "the test passed before this change"
    if repeats and main.category is not Category.TRANSIENT:
        return advice.then, f"the same cause came {repeats} time{'s' if repeats > 1 else ''} before"
    return (
        advice.action,
        f"the way for {main.category.value} errors" if main.category else "nothing is known yet",
    )


def _root_cause(main: Diagnosis) -> str:
    place = (
        f" at {main.file}:{main.line}"
        if main.file and main.line
        else (f" in {main.file}" if main.file else "")
    )
    kind = main.error_type.value if main.error_type else "unknown"
    cause = f"{kind} error ({main.routing_type.value}){place}: {main.message or 'nothing was said'}"
    if main.triggers:
        stop = "" if cause.endswith((".", "!", "?", "…")) else "."
        cause += f"{stop} The change to {', '.join(main.triggers[:5])} brought it."
    return cause


def _evidence(
    main: Diagnosis, diagnoses: Sequence[Diagnosis], comparison: Comparison | None, changed: Sequence[str]
) -> tuple[str, ...]:
    rows = [main.evidence or main.message or "No rule found a telling line."]
    meanings = {
        "regression": "passed at the baseline and fail now",
        "new": "are new",
        "before": "failed before the cycle too",
    }
    if main.tests and main.history:
        rows.append(
            f"{len(main.tests)} test(s) of this cause {meanings[main.history]}: {', '.join(main.tests[:5])}"
        )
    if comparison is not None:
        rows.append(
            f"Against the baseline: {len(comparison.newly_failing)} newly failing, "
            f"{len(comparison.vanished)} vanished, "
            f"{len(comparison.failing_before)} failing before, {len(comparison.newly_passing)} newly passing."
        )
    if changed:
        rows.append(
            f"Changed: {', '.join(changed[:10])}"
            + (f" and {len(changed) - 10} more" if len(changed) > 10 else "")
        )
    rows += [
        f"Also: {one.message or one.routing_type.value} ({len(one.tests)} test(s))"
        for one in diagnoses
        if one is not main
    ][:5]
    return tuple(rows)


def _why_diagnosis(main: Diagnosis) -> str:
    return f"rule {main.rule} saw it" if main.rule else "no rule fits"


def _patterns(main: Diagnosis, repeats: int) -> tuple[tuple[str, str], ...]:
    """Return the findings by skill: transient, complex, or the cycle itself."""
    rows = []
    if main.category is Category.TRANSIENT or main.error_type is ErrorType.TIMEOUT:
        rows.append(("retry-patterns", f"transient: {repeats} of fewer than {ENOUGH} retries used"))
    if main.routing_type is not RoutingType.UNKNOWN:
        second = f", else {main.secondary.value}" if main.secondary else ""
        rows.append(("diagnostic-patterns", f"{main.routing_type.value}{second}, for the {main.specialist}"))
    if main.history == "regression" or repeats:
        rows.append(
            ("recovery-strategies", f"{main.history or 'no baseline'}, came {repeats} time(s) before")
        )
    return tuple(rows)
