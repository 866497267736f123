"""The reports of ``swift test``: one of XCTest's tests, written with --parallel alone, and one of Swift
Testing's. What a report leaves out, the text tells."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.model.report import BAD, Case, Counts, count
from tdd_orchestrator.testlog.reading import Reading


def joined(text: Reading, report: Reading) -> tuple[Reading, Reading]:
    """Both witnesses anew: the report with all tests of the run, the text without their names, which are not
    unique."""
    if not report.finished:
        return text, report
    classic = [case for case in text.cases if not case.id.startswith("::")]
    modern = [case for case in text.cases if case.id.startswith("::")]
    of_modern = [_named(case) for case in report.cases if case.name.endswith(")")]
    of_classic = [_named(case) for case in report.cases if not case.name.endswith(")")]
    known = {case.name for case in classic}
    cases = [
        *classic,
        *(case for case in of_classic if case.name not in known),
        *(_explained(of_modern, modern) if of_modern else modern),
    ]
    counts = count(cases)
    if text.counts and text.counts.total > counts.total:  # --quiet names not all of them
        counts = _at_least(text.counts, counts)
    whole = replace(
        report,
        cases=cases,
        counts=counts,
        no_tests=not counts.total,
        complete=count(cases).total == counts.total,
    )
    return replace(text, cases=[]), whole


def _at_least(told: Counts, named: Counts) -> Counts:
    """What is told, and no fewer failures than are named."""
    more = max(0, named.bad - told.bad)
    return replace(told, passed=max(0, told.passed - more), failed=told.failed + more)


def _named(case: Case) -> Case:
    """``Module.Suite::test(of:)`` is shown as ``Suite.test(of:)``; its source knows it without what it
    takes."""
    owner = case.id.rpartition("::")[0].partition(".")[2]
    return replace(case, id=case.id.partition("(")[0], name=f"{owner}.{case.name}" if owner else case.name)


def _explained(cases: list[Case], told: list[Case]) -> list[Case]:
    """The reported ones, failures with the place and the message that only the text has; and failures that a
    report does not know, which it should."""
    spare = [case for case in told if case.outcome in BAD]
    unknown = len(spare) - sum(case.outcome in BAD for case in cases)
    found = []
    for case in cases:
        twin = _twin(case, spare) if case.outcome in BAD else None
        if twin:
            spare.remove(twin)
            case = replace(case, file=twin.file, line=twin.line, message=twin.message)
        found.append(case)
    return found + spare[: max(0, unknown)]


def _twin(case: Case, spare: list[Case]) -> Case | None:
    """By its name, or by a name for people, whose test says the same."""
    own = case.name.rpartition(".")[2]
    alike = [one for one in spare if _agree(one, case)]
    named = [one for one in alike if one.name == own]
    shown = [one for one in alike if not one.name.endswith(")")]
    return next(iter([*named, *shown]), None)


def _agree(told: Case, reported: Case) -> bool:
    first = told.message.partition("\n")[0]
    return bool(first) and reported.message.startswith(first)
