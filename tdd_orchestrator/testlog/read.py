"""Read the output of any test command together with its report file and exit code (E1, E2).

A report's format is detected; a stale or incomplete one is rejected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.model.report import Report, RunVerdict, count
from tdd_orchestrator.testlog.formats.json_reports import from_json
from tdd_orchestrator.testlog.formats.pytest_events import is_events, read_events
from tdd_orchestrator.testlog.formats.xml import Refused
from tdd_orchestrator.testlog.formats.xml_tables import read_xml, root_of
from tdd_orchestrator.testlog.judge import judge, judge_reading
from tdd_orchestrator.testlog.parsers.choose import Sample, command_words, rows
from tdd_orchestrator.testlog.parsers.lines import all_lines
from tdd_orchestrator.testlog.parsers.tap import TapReader
from tdd_orchestrator.testlog.reading import ParsedRun, Reading, TextRow, summed
from tdd_orchestrator.testlog.sessions import ParsedLog, parse_log

_JSON_LIMIT = 128 << 20  # bytes: JSON has to be held whole
_SLACK = 2.0  # seconds that a file system's clock may be coarse
_TAP = re.compile(rb"^(?:TAP version 1\d|1\.\.\d+|(?:not )?ok \d+)")

Read = tuple[Reading | None, tuple[str, ...]]


def read_report(path: Path, not_before: float) -> Read:
    """Return the reading (None if stale or unknown), and a sentence for each problem with the file."""
    try:
        facts = path.stat()
        if not facts.st_size:
            return None, (f"{path.name}: the report is empty",)
        if not_before and facts.st_mtime < not_before - _SLACK:
            return None, (f"{path.name}: the report is older than the run, and was ignored",)
        return _by_format(path, facts.st_size)
    except Refused as error:
        return None, (f"{path.name}: the report was not read: {error}",)
    except OSError as error:
        raise_if_of_machine(error)
        return None, (f"{path.name}: no report: {error.strerror or error}",)


def _by_format(path: Path, size: int) -> Read:
    with path.open("rb") as file:
        head = file.read(8_192)
    text = head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").replace(b"\0", b"")
    if text.startswith(b"<"):
        return _xml(path, text)
    if is_events(text):
        return _events(path)
    if text.startswith((b"{", b"[")):
        return _json(path, size)
    if _TAP.match(text):
        reader = TapReader()
        for line in all_lines(path):
            reader.feed(line)
        return reader.finish(), ()
    return None, (f"{path.name}: the report is in no format that is known",)


def _events(path: Path) -> Read:
    try:
        return read_events(path), ()
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        return None, (
            f"{path.name}: the events are not as the reporter writes them ({type(error).__name__})",
        )


def _xml(path: Path, head: bytes) -> Read:
    found = read_xml(path, head)
    if found is None:
        return None, (f"{path.name}: the report is XML, but no test report (<{root_of(head)}>)",)
    reading, problem = found
    return reading, (f"{path.name}: {problem}",) if problem else ()


def _json(path: Path, size: int) -> Read:
    if size > _JSON_LIMIT:
        return None, (f"{path.name}: the report is too large to be read as JSON ({size} bytes)",)
    try:
        found = from_json(json.loads(path.read_bytes()))
    except (ValueError, RecursionError):
        return None, (f"{path.name}: the report is not whole JSON",)
    if found is None:
        return None, (f"{path.name}: the report is JSON, but in no format that is known",)
    return found[1], ()


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
    """Judge one test run. ``not_before`` (Unix time): an older report file is stale, and ignored.

    ``framework`` (a row's name) is believed where its reader finds anything in the text. Raises OSError where
    ``output`` cannot be read; a bad report file is a disagreement, not an error.
    """
    chosen = rows()
    parsed = parse_log(output, chosen, framework, command)
    text = parsed.reading
    if (
        text is not None
        and (foreign := _missing_runner(parsed, command, chosen))
        and judge_reading(text, 0)[0] is RunVerdict.PASSED
    ):
        text.crashed = f"the command runs {foreign}, and nothing in the output is its own"
    if text is not None and misses_coverage_threshold(line for _, line in parsed.sample.numbered()):
        text.claims_ok = False
    if text is not None and judge_reading(text, 0)[0] is RunVerdict.PASSED:
        text.crashed = find_signal_exit((line for _, line in parsed.sample.numbered()), chosen)
    structured, remarks = read_report(report, not_before) if report else (None, ())
    row = next((row for row in chosen if row.name == parsed.name), None)
    if text is not None and structured is not None and row is not None and row.joined:
        text, structured = row.joined(text, structured)
    if structured is not None:
        runs = parsed.runs
        if text is not None and (structured.counts or count(structured.cases)).bad:
            runs = tuple(run for run in runs if not _says_only_that_a_command_failed(run))
            if runs != parsed.runs:
                text = summed([run.reading for run in runs]) if runs else None
        structured = summed([structured, *_beside_report(runs, structured, framework, chosen)])
    verdict = judge(
        framework=parsed.name or framework,
        text=text,
        structured=structured,
        exit_code=exit_code,
        timed_out=timed_out,
        readable=_readable(parsed.sample),
        last=_last_line(parsed.sample),
        remarks=remarks,
    )
    runners = tuple(dict.fromkeys([*_named(parsed.runs), *([framework] if structured and framework else [])]))
    return replace(verdict, command=(command,) if command else (), runners=runners)


_LONGEST_LINE = 200
_WRAPPER = re.compile(
    r"g?make(?:\[\d{1,9}\])?: |npm (?:ERR!|error)|error Command failed with|info Visit https://yarnpkg"
    r"|ELIFECYCLE|error: Recipe `"
)
"""How make, npm, yarn, pnpm and just tell that a command failed."""
_NO_RUNNER = "compiler"  # the row for builds without tests


def _named(runs: tuple[ParsedRun, ...]) -> Iterator[str]:
    return (run.name for run in runs if run.name and run.name != _NO_RUNNER)


def _beside_report(
    runs: tuple[ParsedRun, ...], report: Reading, framework: str, chosen: tuple[TextRow, ...]
) -> list[Reading]:
    """Return the readings of runners other than the one that wrote ``report``.

    The report's own runner is found by name, counts or language.
    """
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
    """Whether a build tool only reports that a command failed, beside a report with failing tests.

    Lines of parallel sessions come in any order, so the text alone cannot attribute it to those tests.
    """
    placed = any(error.file or error.exception for error in run.reading.build_errors)
    return not run.name and bool(run.reading.build_errors) and not run.reading.cases and not placed


_PLAIN = ("python", "javascript")  # languages whose runners' names mean nothing else in a command


def _missing_runner(parsed: ParsedLog, command: str, chosen: tuple[TextRow, ...]) -> str:
    """Return the runner that the command names, if only runners of other languages printed results.

    Then the output is not that of a whole run.
    """
    languages = {row.language for run in parsed.runs for row in chosen if row.name == run.name}
    words = command_words(command)
    named = [row for row in chosen if row.language in _PLAIN and words.intersection(row.commands)]
    return (
        ""
        if languages.intersection({"any", *(row.language for row in named)}) or not named
        else named[0].name
    )


def _last_line(sample: Sample) -> str:
    """The last line that says something, as short as a sentence can carry; with the one before, where that ends
    in a colon. What make and npm say of a command that failed is not in it, where anything else is."""
    said = [line.strip() for _, line in sample.numbered() if line.strip()]
    lines = ([line for line in said if not _WRAPPER.match(line)] or said)[-2:]
    end = lines if len(lines) == 2 and lines[0].endswith(":") else lines[-1:]
    return " ".join(end)[:_LONGEST_LINE]


def _readable(sample: Sample) -> bool:
    """Whether the output is text: few of its bytes could not be decoded."""
    text = "".join(sample.head[:200])
    return text.count("�") * 5 <= len(text)


_SIGNALS = (
    "(?:Killed|Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception"
    "|Trace/breakpoint trap)"
)
# bash names itself or its script; the message may follow the killed program's output on the same line
_SHELL = re.compile(
    rf"\S: line \d{{1,9}}: {{1,9}}\d{{1,9}} {_SIGNALS}(?: {{1,20}}\(core dumped\))? {{2,40}}"
    r"(?P<command>\S.*)$"
)
_STARTERS = frozenset({
    "npm", "npx", "yarn", "pnpm", "make", "tox", "nox", "bundle", "composer", "gradle", "gradlew", "mvn",
    "mvnw",
    "cargo", "go", "dotnet", "swift", "sbt", "mix", "lein", "rake", "just",
})  # fmt: skip
_TEST = re.compile(r"(?:^|[:_.-])(?:tests?|check|spec|unit)(?:$|[:_.-])")


def find_signal_exit(lines: Iterable[str], rows: Sequence[TextRow]) -> str:
    """Return the line, '' if none.

    The command has to be one that runs tests: a server that a test stops is killed too.
    """
    for line in lines:
        if ": line " in line and (found := _SHELL.search(line)) and _runs_tests(found["command"], rows):
            return line.strip()
    return ""


def _runs_tests(command: str, rows: Sequence[TextRow]) -> bool:
    words = command_words(command)
    if any(word in words or (" " in word and word in command) for row in rows for word in row.commands):
        return True
    return bool(words & _STARTERS) and any(map(_TEST.search, words))


_UNMET = re.compile(
    r"ERROR: Coverage for \w{1,20} \([\d.]{1,9}%\) does not meet "  # istanbul: nyc, c8, Vitest
    r"|Jest: .{1,300} (?:coverage threshold for \w{1,20} \([\d.]{1,9}%\) not met: "
    r"|does not meet .{1,300} threshold \()"
    r"|Jest: Uncovered count for \w{1,20} \(\d{1,9}\) exceeds .{1,300} threshold \("
    r"|(?:ERROR: )?Coverage failure: total of [\d.]{1,9} is less than fail-under="  # coverage.py
    r"|FAIL Required test coverage of [\d.]{1,9}% not reached"  # pytest-cov
    r"|   FAIL  (?:Code|Type) coverage below expected "  # Pest
    r"|(?:Line|Branch|Method) coverage \([\d.]{1,9}%\) is below the expected minimum coverage \("  # SimpleCov
)


def misses_coverage_threshold(lines: Iterable[str]) -> bool:
    """Whether coverage was below its threshold; ``lines`` without colours."""
    return any(_UNMET.match(line) is not None for line in lines)
