"""Counts and cases of a run from two witnesses: its report file and its text."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.model.report import BAD, Case, Counts, count
from tdd_orchestrator.testlog.reading import Reading


def merged_counts(text: Reading | None, structured: Reading | None) -> Counts | None:
    """The runner's own words, unless the report knows of more bad tests, or the text counts nothing."""
    reported = (structured.counts or count(structured.cases)) if structured else None
    told = text.counts if text else None
    if told is None or reported is None:
        return told or reported
    return reported if reported.bad > told.bad or reported.total > told.total else told


def merged_cases(text: Reading | None, structured: Reading | None) -> tuple[Case, ...]:
    """The report's cases by the names that the text prints; the text's own where it has bad ones that are not
    there."""
    told = text.cases if text else []
    if structured is None or not structured.cases:
        return tuple(told)
    if structured.complete:
        told = _without_subtests(told, structured.cases)
    ours, theirs = _bad(told), _bad(structured.cases)
    if len(ours) > len(theirs) and not all(any(_same(one, other) for other in theirs) for one in ours):
        return tuple(told)
    spare = list(ours)
    merged = []
    for case in structured.cases:
        twin = next((one for one in spare if _same(one, case)), None) if case.outcome in BAD else None
        if twin is None:
            merged.append(case)
            continue
        spare.remove(twin)
        merged.append(_joined(case, twin))
    return tuple(merged)


def _without_subtests(told: list[Case], reported: list[Case]) -> list[Case]:
    """The text's cases but for subtests of a test that a complete report calls bad: it has them as one."""
    tests = tuple(f"{case.id} " for case in _bad(reported))
    return [case for case in told if not case.id.startswith(tests)] if tests else told


def _bad(cases: list[Case]) -> list[Case]:
    return [case for case in cases if case.outcome in BAD]


def _same(told: Case, reported: Case) -> bool:
    """Whether both mean one test: the ids agree, or one name is the end of the other, marks and blanks
    aside."""
    if told.id == reported.id:
        return True
    theirs = _letters(reported.name)
    for ours in {_letters(told.name), _letters(_without_subtest(told.name))}:
        if ours and theirs and (ours.endswith(theirs) or theirs.endswith(ours) or theirs in ours):
            return True
    return False


def _without_subtest(name: str) -> str:
    """``A::test_a (n=2)`` to ``A::test_a``: pytest's text names a subtest behind its test."""
    return name.partition(" ")[0] if "::" in name else name


def _letters(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum())


def _joined(reported: Case, told: Case) -> Case:
    """The report's id with the text's name, and from each what the other lacks. A report with frames knows
    its place."""
    first, second = (reported, told) if reported.frames else (told, reported)
    return replace(
        reported,
        name=told.name,
        file=first.file or second.file,
        line=first.line or second.line,
        message=told.message or reported.message,
        exception=told.exception or reported.exception,
        detail=reported.detail or told.detail,
    )
