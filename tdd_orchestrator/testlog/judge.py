"""Combine exit code, report and text into one verdict, and merge their counts and cases; pure.

The worse source wins (E1, E2).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tdd_orchestrator.model.report import BAD, BuildError, Case, Counts, Report, RunVerdict, count
from tdd_orchestrator.testlog.reading import ParsedRun, Reading

V = RunVerdict

_WORSE = {
    V.PASSED: 0, V.NO_TESTS: 1, V.FAILED: 2, V.ERROR: 3, V.UNREADABLE: 4, V.CRASHED: 5, V.TIMED_OUT: 6,
}  # fmt: skip
_TIMEOUT_EXIT = 124  # what timeout(1) leaves with
_NOT_STARTED = {126: "the command could not be executed", 127: "the command was not found"}


@dataclass(frozen=True, slots=True)
class Source:
    """One reading together with the exit code: the input of the rules."""

    reading: Reading
    exit_code: int | None

    @property
    def counts(self) -> Counts:
        return self.reading.counts or count(self.reading.cases)

    @property
    def bad(self) -> bool:
        if self.counts.bad or not any(case.outcome in BAD for case in self.reading.cases):
            return self.counts.bad > 0
        parts = [run.reading for run in self.reading.runs] or [self.reading]
        return not all(Source(part, self.exit_code).excused for part in parts)

    @property
    def excused(self) -> bool:
        """Whether apparent failures were expected or printed by a test.

        True if the runner's own summary counts no failure and the exit code agrees.
        """
        reading = self.reading
        summary = reading.finished and reading.counts is not None and not reading.counts.bad
        named = any(case.outcome in BAD for case in reading.cases)
        return not named or (self.exit_code == 0 and summary and reading.claims_ok is not False)

    @property
    def by_signal(self) -> bool:
        """Whether the exit code (129-192) is a signal, not a runner's number of failures."""
        code = self.exit_code
        return (
            code is not None and 128 < code < 193 and not (self.reading.finished and self.counts.bad == code)
        )


Rule = tuple[Callable[[Source], bool], RunVerdict, str]

# First match wins. The sentence may use {code}, {line} (the crash or time-out line), {counts}, {runner}
# (whose end is missing).
RULES: tuple[Rule, ...] = (
    (lambda w: bool(w.reading.timed_out), V.TIMED_OUT, "The runner stopped the run for time: {line}"),
    (lambda w: bool(w.reading.crashed), V.CRASHED, "The run died: {line}"),
    (lambda w: w.by_signal, V.CRASHED, "The command ended with exit code {code}, a signal."),
    (
        lambda w: not w.reading.finished and w.exit_code == _TIMEOUT_EXIT,
        V.TIMED_OUT,
        "Exit code 124, and the runner's closing lines are missing.",
    ),
    (
        lambda w: not w.reading.finished and bool(w.reading.build_errors),
        V.ERROR,
        "The tests could not be built or loaded.",
    ),
    (
        lambda w: not w.reading.finished,
        V.CRASHED,
        "{runner}'s closing lines are missing: the run was cut short.",
    ),
    (lambda w: w.bad, V.FAILED, "{counts}."),
    (lambda w: bool(w.reading.build_errors), V.ERROR, "The tests could not be built or loaded."),
    (
        lambda w: w.reading.claims_ok is False and not w.reading.no_tests,
        V.FAILED,
        "The runner says that the run failed.",
    ),
    (
        lambda w: w.reading.unnamed > 0 and w.exit_code in (0, None),
        V.PASSED,
        "The runner says that every suite passed; it counts no tests.",
    ),
    (
        lambda w: (
            (w.reading.no_tests or w.counts.total == 0) and not w.counts.passed and not w.reading.unnamed
        ),
        V.NO_TESTS,
        "The runner ended without having run a test.",
    ),
    (
        lambda w: w.exit_code not in (0, None),
        V.FAILED,
        "The exit code is {code}, though the runner names no failure.",
    ),
    (lambda w: w.counts.passed + w.counts.xfailed + w.counts.xpassed > 0, V.PASSED, "{counts}."),
    (lambda w: True, V.NO_TESTS, "Every test was skipped."),
)


def judge_reading(reading: Reading, exit_code: int | None) -> tuple[RunVerdict, str]:
    """Return the verdict of one reading with the exit code, and the sentence that explains it."""
    source = Source(reading, exit_code)
    for holds, verdict, sentence in RULES:
        if holds(source):
            if verdict is V.FAILED and _only_build_errors(reading):
                return V.ERROR, "The tests could not be built or loaded."
            line = reading.timed_out or reading.crashed
            return verdict, sentence.format(
                code=exit_code, line=line[:200], counts=_describe_counts(source), runner=_unended(reading)
            )
    raise AssertionError("the last rule always holds")


def _only_build_errors(reading: Reading) -> bool:
    """Whether files or suites could not be loaded, and no test failed beside them."""
    failing = [case for case in reading.cases if case.outcome in BAD and case.phase != "collect"]
    counted = reading.counts.failed if reading.counts else 0
    return bool(reading.build_errors) and not failing and not counted


def by_exit_code(exit_code: int | None, text: bool, last: str = "") -> tuple[RunVerdict, str]:
    """Return the verdict when no runner was recognised.

    ``text``: there was readable output; ``last``: its last line.
    """
    if exit_code == _TIMEOUT_EXIT:
        return V.TIMED_OUT, "Exit code 124, and no runner was recognised."
    if exit_code in _NOT_STARTED:
        return V.ERROR, f"Exit code {exit_code}: {_NOT_STARTED[exit_code]}."
    if exit_code is not None and 128 < exit_code < 193:
        return V.CRASHED, f"The command ended with exit code {exit_code}, a signal."
    if exit_code == 0 and text:
        return V.NO_TESTS, "Exit code 0, but nothing in the output says that a test ran."
    ends = f"; it ends with: {last}" if last and text else "."
    return V.UNREADABLE, f"No test runner was recognised in the output (exit code {exit_code}){ends}"


def judge(
    *,
    framework: str,
    text: Reading | None,
    structured: Reading | None,
    exit_code: int | None,
    timed_out: bool = False,
    readable: bool = True,
    last: str = "",
    remarks: tuple[str, ...] = (),
) -> Report:
    """Return one Report from all sources; ``remarks`` are disagreements found earlier, ``last`` is the
    output's last line."""
    judged = [
        (name, reading, *judge_reading(reading, exit_code))
        for name, reading in (("report", structured), ("text", text))
        if reading is not None
    ]
    notes = list(remarks)
    if not judged:
        verdict, why = by_exit_code(exit_code, readable, last)
        source = "exit_code"
    else:
        source, _, verdict, why = max(judged, key=lambda one: _WORSE[one[2]])
        if len({one[2] for one in judged}) > 1:
            notes.append("; ".join(f"{name}: {own}" for name, _, own, _ in judged))
    notes += _against_exit_code(judged, exit_code)
    if timed_out:
        verdict, why = V.TIMED_OUT, "The run was stopped because its time was up."
    best = structured or text or Reading()
    cases = merged_cases(text, structured)
    if verdict is V.PASSED:
        cases = tuple(case for case in cases if case.outcome not in BAD)
    return Report(
        verdict,
        framework,
        counts=merged_counts(text, structured),
        cases=cases,
        build_errors=merged_build_errors(text, structured),
        why=why,
        disagreements=tuple(notes),
        exit_code=exit_code,
        source=source,
        complete=best.complete and best.finished,
    )


def _against_exit_code(judged: list[tuple[str, Reading, RunVerdict, str]], code: int | None) -> list[str]:
    notes = []
    for name, reading, verdict, _ in judged:
        if code == 0 and verdict not in (V.PASSED, V.NO_TESTS):
            notes.append(f"{name}: {verdict}; exit code: 0")
        elif (
            code
            and reading.finished
            and reading.claims_ok
            and verdict is V.FAILED
            and not Source(reading, 0).bad
        ):
            notes.append(f"{name}: passed; exit code: {code}")
    return notes


def _unended(reading: Reading) -> str:
    unended = [run.name for run in reading.runs if run.name and not run.reading.finished]
    return " and ".join(unended) or "The runner"


def _describe_counts(source: Source) -> str:
    """Return ``3 passed``, or with several runners ``3 passed: 2 by pytest, 1 by jest``."""
    total = _numbers(source.counts)
    text = ", ".join(f"{number} {word}" for word, number in total.items()) or "Nothing counted"
    return f"{text}{_shares(source.reading.runs, alike=len(total) == 1)}"


def _shares(runs: Sequence[ParsedRun], alike: bool) -> str:
    """Return each runner's part of the counts; ``alike``: all tests have one outcome, named before."""
    shares = []
    for name, reading, _ in runs:
        numbers = _numbers(Source(reading, None).counts)
        parts = (
            f"{number}" if alike else f"{number} {name_of_count}" for name_of_count, number in numbers.items()
        )
        shares.append(f"{', '.join(parts) or 'nothing counted'} by {name or 'another'}")
    return f": {(', ' if alike else '; ').join(shares)}" if shares else ""


def _numbers(counts: Counts) -> dict[str, int]:
    numbers = {
        "failed": counts.failed,
        "errors": counts.errors,
        "passed": counts.passed,
        "skipped": counts.skipped,
        "expected failures": counts.xfailed,
        "unexpected passes": counts.xpassed,
    }
    return {name: number for name, number in numbers.items() if number}


def merged_counts(text: Reading | None, structured: Reading | None) -> Counts | None:
    """Return the printed counts, unless the report has more bad tests or the text has none."""
    reported = (structured.counts or count(structured.cases)) if structured else None
    printed = text.counts if text else None
    if printed is None or reported is None:
        return printed or reported
    return reported if reported.bad > printed.bad or reported.total > printed.total else printed


_GIVEN_UP = re.compile(r"(?:fatal error: )?too many errors\b")
"""What a compiler prints below the errors that it shows: Go after ten, clang after twenty."""


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
    found = merged or reported
    return tuple(one for one in found if not _GIVEN_UP.match(one.message)) or tuple(found)


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
