"""Group a run's failures by cause: one Diagnosis each, with the tests that it breaks (D6, E3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tdd_orchestrator.diagnosis.classify import classify
from tdd_orchestrator.diagnosis.pieces import fingerprint
from tdd_orchestrator.diagnosis.rules import Rule
from tdd_orchestrator.model.diagnosis import SPECIALIST_OF, Diagnosis, ErrorType, RoutingType
from tdd_orchestrator.model.report import BAD, BuildError, Case, Outcome, Report, RunVerdict

_CASES = 500  # failing cases that are classified one by one; the rest only repeats known causes
_SEEN = 20_000  # characters of a case that are searched for changed files
_ORDER = {"regression": 0, "new": 1, "": 2, "before": 3}


Look = Callable[[Case], tuple[Sequence[str], Sequence[str]]]
"""A failed test -> (console entries, failed requests) of the browser that ran it."""


def diagnose(
    report: Report,
    baseline: Report | None = None,
    changed_files: Iterable[str] = (),
    *,
    root: str = "",
    extra_rules: Sequence[Rule] = (),
    look: Look | None = None,
) -> tuple[Diagnosis, ...]:
    """Return the causes of a run's failures: regressions, then new failures, then older ones.

    ``look`` returns a browser's console entries and failed requests during a test.
    """
    changed = tuple(sorted(set(changed_files)))
    before = {case.id: case.outcome for case in baseline.cases} if baseline else {}
    known = frozenset(_key(error) for error in baseline.build_errors) if baseline else frozenset()
    found: dict[tuple[str, str], Diagnosis] = {}
    for error in report.build_errors:
        one = _of_build(error, root, extra_rules)
        history = "" if baseline is None else ("before" if _key(error) in known else "new")
        _add(
            found,
            replace(one, history=history, triggers=_triggers(one, error.detail + error.message, changed)),
        )
    for case in report.failing[:_CASES]:
        one = diagnose_case(case, root, extra_rules, look)
        history = "" if baseline is None else _history(before.get(case.id))
        triggers = _triggers(one, case.detail + case.message, changed)
        _add(found, replace(one, tests=(case.id,), history=history, triggers=triggers))
    if not found and report.verdict is not RunVerdict.PASSED:
        _add(found, _of_run(report, root, extra_rules))
    return tuple(sorted(found.values(), key=lambda one: _ORDER[one.history]))


def _key(error: BuildError) -> tuple[str, str]:
    return error.file, error.message


def _history(outcome: Outcome | None) -> str:
    if outcome is None:
        return "new"
    return "before" if outcome in BAD else "regression"


def _add(found: dict[tuple[str, str], Diagnosis], one: Diagnosis) -> None:
    """Add a cause to those with its fingerprint; older failures and new ones stay separate."""
    key = (one.fingerprint, one.history)
    first = found.get(key)
    if first is None:
        found[key] = one
        return
    triggers = tuple(sorted({*first.triggers, *one.triggers}))
    found[key] = replace(first, tests=(*first.tests, *one.tests), triggers=triggers)


def _text(message: str, detail: str) -> str:
    return detail if message and message in detail else f"{message}\n{detail}".strip()


def diagnose_case(case: Case, root: str, extra: Sequence[Rule], look: Look | None = None) -> Diagnosis:
    """Return the cause of one failed test by itself, with the place where it shows."""
    text = _text(case.message, case.detail)
    captured = case.stdout[-20_000:].splitlines()
    one = classify(text, exception=case.exception, console=captured, extra_rules=extra, root=root)
    if one.routing_type is RoutingType.UI and look is not None:
        console, network = look(case)
        one = classify(
            text,
            exception=case.exception,
            console=(*captured, *console),
            network=network,
            extra_rules=extra,
            root=root,
        )
    if one.routing_type is RoutingType.UNKNOWN and case.exception and not one.rule:
        one = classify(f"{case.exception}: {case.message}", extra_rules=extra, root=root)
    return one if one.file or not case.file else replace(one, file=case.file, line=case.line)


def _of_build(error: BuildError, root: str, extra: Sequence[Rule]) -> Diagnosis:
    one = classify(
        _text(error.message, error.detail), exception=error.exception, extra_rules=extra, root=root
    )
    if one.error_type is None and one.routing_type is RoutingType.UNKNOWN:
        one = replace(
            one,
            routing_type=RoutingType.BUILD,
            error_type=ErrorType.BUILD,
            confidence=0.4,
            evidence=error.message[:300],
            specialist=SPECIALIST_OF[RoutingType.BUILD],
            fingerprint=fingerprint(RoutingType.BUILD.value, error.exception, error.message, error.file),
            warning="",
        )
    thrown_deeper = error.exception and one.file and one.line  # the error's own place is the import
    return one if thrown_deeper or not error.file else replace(one, file=error.file, line=error.line)


def _of_run(report: Report, root: str, extra: Sequence[Rule]) -> Diagnosis:
    one = classify(f"{report.why} {report.ending}".strip(), extra_rules=extra, root=root)
    if report.verdict is RunVerdict.TIMED_OUT:
        return replace(one, error_type=ErrorType.TIMEOUT)
    return one


def _triggers(one: Diagnosis, text: str, changed: Sequence[str]) -> tuple[str, ...]:
    """Return the changed files that the failure names: in its main frame, or anywhere in its text."""
    searched = text[:_SEEN].replace("\\", "/")
    return tuple(
        path
        for path in changed
        if path == one.file or (one.file and path.endswith("/" + one.file)) or path in searched
    )
