"""Merge the two XML reports of ``swift test`` with its text.

XCTest's report is written only with --parallel; Swift Testing's leaves out places and messages.
"""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.model.report import BAD, Case, Counts, count
from tdd_orchestrator.testlog.reading import Reading


def joined(text: Reading, report: Reading) -> tuple[Reading, Reading]:
    """Return text and report again: the report with all tests, the text without names, which are
    ambiguous."""
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


def _at_least(printed: Counts, named: Counts) -> Counts:
    """Return the printed counts with at least as many failures as are named."""
    more = max(0, named.bad - printed.bad)
    return replace(printed, passed=max(0, printed.passed - more), failed=printed.failed + more)


def _named(case: Case) -> Case:
    """Return the case as ``Suite.test(of:)``, with an id without parameters, as the source has it."""
    owner = case.id.rpartition("::")[0].partition(".")[2]
    return replace(case, id=case.id.partition("(")[0], name=f"{owner}.{case.name}" if owner else case.name)


def _explained(cases: list[Case], printed: list[Case]) -> list[Case]:
    """Return the reported cases with places and messages of the text, and failures that only the text has."""
    spare = [case for case in printed if case.outcome in BAD]
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
    """Return the printed failure of the same test: by name, or by display name and equal message."""
    own = case.name.rpartition(".")[2]
    alike = [one for one in spare if _agree(one, case)]
    named = [one for one in alike if one.name == own]
    labelled = [one for one in alike if not one.name.endswith(")")]
    return next(iter([*named, *labelled]), None)


def _agree(printed: Case, reported: Case) -> bool:
    first = printed.message.partition("\n")[0]
    return bool(first) and reported.message.startswith(first)
