"""Render values as text, tables and JSON; every output goes through here."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tdd_orchestrator.model.parts import QuestionsInfo
    from tdd_orchestrator.model.plan import Item
    from tdd_orchestrator.model.records import Record
    from tdd_orchestrator.model.summary import RecordSummary


JSON_VERSION = 1
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
"""The option of every command that can print its result as JSON."""
FILE = click.Path(path_type=Path, dir_okay=False)
"""The type of an option that names a report to write."""
_PLAIN = 10_000  # columns without a terminal


def emit_json(schema: str, data: dict[str, Any]) -> None:
    """One JSON object on standard output: ``schema`` and ``v`` first, then the data."""
    click.echo(json_line({"schema": f"tdd/{schema}", "v": JSON_VERSION, **data}))


def json_line(data: Mapping[str, Any]) -> str:
    """Return JSON that UTF-8 can hold: lone surrogates and terminal controls are written as escapes."""
    line = json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    if line.isprintable():
        return line
    from tdd_orchestrator.text import escaped

    return escaped(line)


def clean(text: str) -> str:
    """Remove what a terminal would act on (escape sequences, controls, bidirectional marks: T38);
    invalid UTF-8 becomes question marks."""
    from tdd_orchestrator.text import plain

    return plain(text.encode("utf-8", "replace").decode())


def item_shape(item: Item) -> dict[str, Any]:
    """Return a plan item in its documented, stable shape."""
    data = asdict(item)
    data["tags"], data["after"] = list(item.tags), list(item.after)
    data["failure"] = asdict(item.failure) if item.failure else None
    return data


def refuse_unwritable(files: Mapping[str, Path | None]) -> None:
    """Refuse a report that has no folder before the tests run, not after."""
    from tdd_orchestrator.model.errors import Refused

    for path in filter(None, files.values()):
        if not path.parent.is_dir():
            raise Refused(f"The report {path} cannot be written: there is no folder {path.parent}.")


def write_reports(files: Mapping[str, Path | None], make: Mapping[str, Callable[[], str]]) -> None:
    """Write the reports that were asked for; ``make`` has the text of each. Refused where a file cannot be written."""
    from tdd_orchestrator.model.errors import Refused

    for name, path in files.items():
        if path is not None:
            text = make[name]()
            try:
                path.write_text(text, encoding="utf-8", errors="backslashreplace")
            except OSError as error:
                raise Refused(f"The report {path} cannot be written ({error.strerror}).") from error


_COLORS = {
    "green": "completed|covered|already_covered|landed|accepted|approved|proven|installed|always there",
    "red": "failed|refused|rejected|aborted",
    "yellow": "in_progress|parked|wanted|your turn|begun|rolled back|seems covered",
    "bright_black": "cancelled|missing",
}
_STATUS = re.compile(
    r"\s*(?:(?:RED|GREEN|REFACTOR):?\s+(?:(?:attempt \d+|approval) (?:was )?)?)?(?:"
    + "|".join(rf"(?P<{color}>(?:{words})\b)" for color, words in _COLORS.items())
    + ")"
)


def tinted(line: str, start: int = 0) -> str:
    """The line with the status word at column ``start``, which a phase may precede, in a color; click leaves
    colors out where there is no terminal."""
    found = _STATUS.match(line, start)
    if found is None or found.lastgroup is None:
        return line
    begin, end = found.span(found.lastgroup)
    return line[:begin] + click.style(line[begin:end], fg=found.lastgroup) + line[end:]


def columns(*, err: bool = False) -> int:
    """The width of the terminal of standard output or error; without one nothing is wrapped."""
    terminal = (sys.stderr if err else sys.stdout).isatty()
    return shutil.get_terminal_size().columns if terminal else _PLAIN


def echo_wrapped(text: str, *, rest: str = "", err: bool = False) -> None:
    """Print sentences cleaned and wrapped at words; ``rest`` stands before each line but the first."""
    click.echo("\n".join(paragraphs(text, columns(err=err), rest=rest)), err=err)


def paragraphs(text: str, width: int, *, rest: str = "") -> list[str]:
    """Lines of cleaned text, each wrapped at words behind its own indentation and ``rest``."""
    lines = []
    for paragraph in clean(text).split("\n"):
        lead = paragraph[: len(paragraph) - len(paragraph.lstrip())]
        lines += wrapped(paragraph.lstrip(), width, first=lead, rest=lead + rest)
    return lines


def echo_grouped(lines: Iterable[str], start: int = 0) -> None:
    """Print lines whose headings begin at the margin: those in bold, the others tinted from ``start`` on and
    wrapped at words."""
    for line in map(clean, lines):
        text = line.lstrip()
        indent = len(line) - len(text)
        for number, part in enumerate(wrapped(text, columns(), first=" " * indent, rest=" " * (indent + 2))):
            heading = click.style(part, bold=True) if not indent else ""
            click.echo(heading or (part if number else tinted(part, start)))


NARROW = 60  # columns; narrower terminals get lines of this width
_LANDED_SHOWN = 10
_OUTCOMES = {
    "landed": "landed", "already_covered": "covered", "aborted": "failed", "parked": "failed",
    "cancelled": "cancelled",
    "rolled_back": "rolled back", "outer_red": "test kept",
}  # fmt: skip


def wrapped(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most ``width`` columns, broken at words; ``first`` and ``rest`` stand before the lines."""
    lines = textwrap.wrap(
        text, max(width, NARROW), initial_indent=first, subsequent_indent=rest, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
    return lines or [first.rstrip()]


def duration(seconds: float) -> str:
    """Seconds as people say them: 0.4 s, 12 s, 3 min 20 s, 1 h 5 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    return f"{whole // 3600} h" + (f" {whole % 3600 // 60} min" if whole % 3600 // 60 else "")


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a cycle at its end."""

    attempts: int
    seconds: float
    tests: str  # "12 passing"
    changed: str  # "2 files changed, 14 insertions(+)"
    used: str  # tokens and cost, or that they are not known
    warnings: tuple[str, ...] = ()


def summary_of(records: Sequence[Record], changed: str, used: str) -> Summary:
    """The summary of a cycle from its records, oldest first."""
    from tdd_orchestrator.model.records import Handoff, Trouble

    attempts = sum(isinstance(one, Handoff | Trouble) for one in records)
    accepted = [one for one in records if isinstance(one, Handoff)]
    green = [one for one in reversed(accepted) if one.phase != "RED"]  # RED's run is meant to fail
    counts = next((one.tests.counts for one in green if one.tests.counts), None)
    passing = f"{counts.passed} passing" if counts else ""
    seconds = sum(record.wall for record in records)
    return Summary(attempts, seconds, passing, changed, used, warnings_of(accepted))


def warnings_of(records: Iterable[Record]) -> tuple[str, ...]:
    """Return the warnings of accepted phases, each once."""
    from tdd_orchestrator.model.records import Handoff

    accepted = (record for record in records if isinstance(record, Handoff))
    return tuple(dict.fromkeys(text for record in accepted for text in record.warnings))


def summary_lines(summary: Summary, width: int) -> list[str]:
    attempts = f"{summary.attempts} attempt{'s'[: summary.attempts != 1]}"
    facts = [summary.tests, summary.changed, attempts, duration(summary.seconds), summary.used]
    lines = wrapped(" · ".join(filter(None, facts)), width, first="  ", rest="  ")
    return [*lines, *warning_lines(summary.warnings, width)]


def warning_lines(warnings: Iterable[str], width: int) -> list[str]:
    first, rest = "  warning: ", "           "
    return [line for one in warnings for line in wrapped(one, width, first=first, rest=rest)]


def items_table(rows: Iterable[tuple[str, str, str]], width: int) -> list[str]:
    """Lay out the items of a run: (item, outcome, details), the outcome in a column of its own. Many that
    landed are one line, so that what needs a person is seen."""
    rows = [*rows]
    landed = [row for row in rows if row[1] == "landed" and not row[2]]
    if len(landed) > _LANDED_SHOWN:
        others = [row for row in rows if row not in landed]
        rows = [(f"{len(landed)} items", "landed", "tdd log"), *others]
    lines = []
    for title, outcome, more in rows:
        heading = f"{title}  ({more})" if more else title
        lines += wrapped(heading, width, first=f"  {_OUTCOMES.get(outcome, outcome):11} ", rest=" " * 14)
    return lines


def run_counts(outcomes: Sequence[str]) -> str:
    """Return how the cycles of a run ended: "50 cycles run: 44 landed, 6 failed"."""
    count = Counter(_OUTCOMES.get(outcome, outcome) for outcome in outcomes)
    counts = ", ".join(f"{number} {outcome}" for outcome, number in count.most_common())
    head = f"{len(outcomes)} cycle{'s'[: len(outcomes) != 1]} run"
    return f"{head}: {counts}" if len(outcomes) > 1 else head


def log_lines(
    entries: Iterable[tuple[RecordSummary, str, str]], zone: tzinfo | None, width: int
) -> list[str]:
    """The audit log for a person, grouped by cycle, in the time of ``zone`` (None: this machine's).

    ``entries`` are (record, commit, subject), the newest first.
    """
    lines: list[str] = []
    group = None
    for record, commit, subject in entries:
        cycle = record.cycle_id
        if cycle != group:
            if lines:
                lines.append("")
            title = f"cycle {record.cycle_number}: {record.item}" if cycle else "outside of cycles"
            lines += wrapped(title, width, rest="  ")
            group = cycle
        text = subject.replace(f": {record.item}", "", 1) if cycle else subject
        head = f"  {local(record.at, zone)}  {commit[:9]}  "
        lines += wrapped(text or record.kind, width, first=head, rest=" " * len(head))
    return lines


def local(stamp: str, zone: tzinfo | None = None) -> str:
    """A record's time as the clock on the wall says it; as it is where it is no time."""
    try:
        return datetime.fromisoformat(stamp).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return stamp[:19]


def answers_of(questions: QuestionsInfo | None) -> list[str]:
    """Return one line for each counterfactual question of a record, as the screen shows it (E7)."""
    if questions is None:
        return []
    rows = (
        (questions.poison, "with a failing statement at their end"),
        (questions.shift, "with other expected values"),
        (questions.stub, "without the new code"),
    )
    lines = []
    for row, meaning in rows:
        if row is None:
            continue
        if row.asked:
            lines.append(f"{meaning}: {row.failed} of {row.asked} target tests fail, as they must")
        silent = list(row.not_asked.items())[:3]
        lines += [f"{meaning}: no claim about {test} ({why})" for test, why in silent]
    return lines
