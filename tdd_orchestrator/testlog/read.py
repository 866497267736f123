"""The output of any test command to a Report: text, report file and exit code read together (E1, E2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.report import Report, RunVerdict, count
from tdd_orchestrator.testlog.formats.report_file import read_report
from tdd_orchestrator.testlog.judge import judge, weigh
from tdd_orchestrator.testlog.parsers.choose import Sample, command_words
from tdd_orchestrator.testlog.parsers.coverage_threshold import misses_coverage_threshold
from tdd_orchestrator.testlog.parsers.signal_exit import find_signal_exit
from tdd_orchestrator.testlog.parsers.table import rows
from tdd_orchestrator.testlog.reading import ParsedRun, Reading, TextRow, summed
from tdd_orchestrator.testlog.sessions import ParsedLog, parse_log


def read(
    output: Path | bytes,
    *,
    exit_code: int | None,
    timed_out: bool = False,
    report: Path | None = None,
    framework: str = "",
    command: str = "",
    not_before: float = 0.0,
) -> Report:
    """Judge one test run. ``not_before``: an older report file (Unix time) is another run's, and is ignored.

    ``framework`` (a row's name) is believed where its reader finds anything in the text. Raises OSError where
    ``output`` cannot be read; a bad report file is a disagreement, not an error.
    """
    chosen = rows()
    heard = parse_log(output, chosen, framework, command)
    text = heard.reading
    if (
        text is not None
        and (foreign := _foreign(heard, command, chosen))
        and weigh(text, 0)[0] is RunVerdict.PASSED
    ):
        text.crashed = f"the command runs {foreign}, and nothing in the output is its own"
    if text is not None and misses_coverage_threshold(line for _, line in heard.sample.numbered()):
        text.claims_ok = False
    if text is not None and weigh(text, 0)[0] is RunVerdict.PASSED:
        text.crashed = find_signal_exit((line for _, line in heard.sample.numbered()), chosen)
    structured, remarks = read_report(report, not_before) if report else (None, ())
    row = next((row for row in chosen if row.name == heard.name), None)
    if text is not None and structured is not None and row is not None and row.joined:
        text, structured = row.joined(text, structured)
    if structured is not None:
        runs = heard.runs
        if text is not None and (structured.counts or count(structured.cases)).bad:
            runs = tuple(run for run in runs if not _says_only_that_a_command_failed(run))
            if runs != heard.runs:
                text = summed([run.reading for run in runs]) if runs else None
        structured = summed([structured, *_beside_report(runs, structured, framework, chosen)])
    verdict = judge(
        framework=heard.name or framework,
        text=text,
        structured=structured,
        exit_code=exit_code,
        timed_out=timed_out,
        readable=_readable(heard.sample),
        remarks=remarks,
    )
    runners = tuple(dict.fromkeys([*_named(heard.runs), *([framework] if structured and framework else [])]))
    return replace(verdict, command=(command,) if command else (), runners=runners)


_NO_RUNNER = "compiler"  # the row of what only builds


def _named(runs: tuple[ParsedRun, ...]) -> Iterator[str]:
    return (run.name for run in runs if run.name and run.name != _NO_RUNNER)


def _beside_report(
    runs: tuple[ParsedRun, ...], report: Reading, framework: str, chosen: tuple[TextRow, ...]
) -> list[Reading]:
    """What the runners printed that ``report`` says nothing of: it is one runner's, by name, language or
    counts."""
    language = {row.name: row.language for row in chosen}
    marks: list[Callable[[ParsedRun], bool]] = [
        lambda run: bool(framework) and run.name == framework,
        lambda run: run.reading.counts is not None and run.reading.counts == report.counts,
        lambda run: bool(framework) and language.get(run.name) == language.get(framework, ""),
        lambda run: not framework or language.get(run.name, "any") == "any",
    ]
    own = next((found for mark in marks if (found := [run for run in runs if mark(run)])), [])
    return [run.reading for run in runs if run not in own[:1]]


def _says_only_that_a_command_failed(run: ParsedRun) -> bool:
    """A build tool's word, which no runner's line is near: beside a report with failing tests it says nothing new. Lines of
    sessions side by side come in any order, so the text alone cannot tell that it is said of them."""
    placed = any(error.file or error.exception for error in run.reading.build_errors)
    return not run.name and bool(run.reading.build_errors) and not run.reading.cases and not placed


_PLAIN = ("python", "javascript")  # languages whose runners' names mean nothing else in a command


def _foreign(heard: ParsedLog, command: str, chosen: tuple[TextRow, ...]) -> str:
    """The runner that the command names, where all that speak are of other languages: then it is not a whole
    run."""
    spoken = {row.language for run in heard.runs for row in chosen if row.name == run.name}
    words = command_words(command)
    named = [row for row in chosen if row.language in _PLAIN and words.intersection(row.commands)]
    return (
        "" if spoken.intersection({"any", *(row.language for row in named)}) or not named else named[0].name
    )


def _readable(sample: Sample) -> bool:
    """Whether the text is text: few of its characters stand for bytes that are none."""
    shown = "".join(sample.head[:200])
    return shown.count("�") * 5 <= len(shown)
