"""Merge counts and cases of a run's report file and its text."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.model.report import BAD, BuildError, Case, Counts, count
from tdd_orchestrator.testlog.reading import Reading


def merged_counts(text: Reading | None, structured: Reading | None) -> Counts | None:
    """Return the printed counts, unless the report has more bad tests or the text has none."""
    reported = (structured.counts or count(structured.cases)) if structured else None
    printed = text.counts if text else None
    if printed is None or reported is None:
        return printed or reported
    return reported if reported.bad > printed.bad or reported.total > printed.total else printed


def merged_build_errors(text: Reading | None, structured: Reading | None) -> tuple[BuildError, ...]:
    """Return the printed build errors, else the report's; the report knows in which folder a file lies."""
    printed, reported = text.build_errors if text else [], structured.build_errors if structured else []
    spare = list(reported)
    merged = []
    for error in printed:
        twin = next((one for one in spare if error.file and one.file.endswith(f"/{error.file}")), None)
        if twin is not None:
            spare.remove(twin)
        merged.append(replace(error, file=twin.file) if twin else error)
    return tuple(merged or reported)


def merged_cases(text: Reading | None, structured: Reading | None) -> tuple[Case, ...]:
    """Return the report's cases under the names that the text prints.

    The text's own cases win where it has bad ones that the report lacks.
    """
    printed = text.cases if text else []
    if structured is None or not structured.cases:
        return tuple(printed)
    if structured.complete:
        printed = _without_subtests(printed, structured.cases)
    ours, theirs = _bad(printed), _bad(structured.cases)
    if len(ours) > len(theirs) and not all(any(_same(one, other) for other in theirs) for one in ours):
        return tuple(printed)
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


def _without_subtests(printed: list[Case], reported: list[Case]) -> list[Case]:
    """Return the printed cases without subtests of a bad test, which a complete report has as one."""
    tests = tuple(f"{case.id} " for case in _bad(reported))
    return [case for case in printed if not case.id.startswith(tests)] if tests else printed


def _bad(cases: list[Case]) -> list[Case]:
    return [case for case in cases if case.outcome in BAD]


def _same(printed: Case, reported: Case) -> bool:
    """Whether both are one test: equal ids, or one name ends with the other, punctuation aside."""
    if printed.id == reported.id:
        return True
    theirs = _letters(reported.name)
    for ours in {_letters(printed.name), _letters(_without_subtest(printed.name))}:
        if ours and theirs and (ours.endswith(theirs) or theirs.endswith(ours) or theirs in ours):
            return True
    return False


def _without_subtest(name: str) -> str:
    """Return ``A::test_a`` for ``A::test_a (n=2)``, as pytest prints a subtest."""
    return name.partition(" ")[0] if "::" in name else name


def _letters(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum())


def _joined(reported: Case, printed: Case) -> Case:
    """Return the report's case with the printed name; each fills the other's gaps."""
    first, second = (reported, printed) if reported.frames else (printed, reported)
    return replace(
        reported,
        name=printed.name,
        file=first.file or second.file,
        line=first.line or second.line,
        message=printed.message or reported.message,
        exception=printed.exception or reported.exception,
        detail=reported.detail or printed.detail,
    )
