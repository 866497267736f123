"""``tdd report``: a test run's output, read as the referee reads it; and reports of cycles that travel."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tdd_orchestrator.app.analytics import Analytics
    from tdd_orchestrator.model.report import BuildError, Case, Report

_CASES = 2_000  # cases shown as JSON, the failing first
_LISTED = 20  # failing tests shown as text


@click.group()
def report() -> None:
    """Read a test run's output; write a report of cycles as HTML or Markdown."""


@report.command()
@click.argument("file", metavar="FILE|-")
@click.option("--exit-code", type=int, help="What the test command left with; 128+n for signal n.")
@click.option(
    "--report", "report_file", type=click.Path(path_type=Path), help="The report that the run wrote."
)
@click.option("--framework", default="", metavar="NAME", help="The runner, where its name is known.")
@click.option("--command", default="", metavar="TEXT", help="The command that ran.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, schema tdd/report.")
def read(
    file: str, exit_code: int | None, report_file: Path | None, framework: str, command: str, as_json: bool
) -> None:
    """Judge one test run from its output, its exit code and its report file."""
    from tdd_orchestrator.testlog import read as judge

    try:
        with _source(file) as path:
            found = judge(path, exit_code=exit_code, report=report_file, framework=framework, command=command)
    except OSError as error:
        raise click.UsageError(f"cannot read {file}: {error.strerror or error}.") from error
    if as_json:
        from tdd_orchestrator.cli.render import emit_json

        emit_json("report", as_data(found))
    else:
        click.echo(as_text(found))


OUTPUT = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to this file, not to standard output.",
)
TITLE = click.option("--title", default="Test-driven cycles", help="Heading of the report.")


@report.command()
@click.argument("wanted", metavar="[RANGE|CYCLE]", default="")
@OUTPUT
@TITLE
@click.pass_context
def html(ctx: click.Context, wanted: str, output: Path | None, title: str) -> None:
    """One self-contained page: each item with its test, failing output, changes, cost and agents.

    RANGE is a range of commits as git names them, CYCLE an id or a number; without it, every cycle.
    """
    from tdd_orchestrator.web import reports

    with _analytics(ctx) as found:
        cycles = found.cycles(wanted)
        text = reports.html(cycles, found.reader, title=title, scope=_scope(found, wanted, len(cycles)))
    _write(text, output)


@report.command()
@click.argument("wanted", metavar="[RANGE|CYCLE]", default="")
@OUTPUT
@TITLE
@click.pass_context
def markdown(ctx: click.Context, wanted: str, output: Path | None, title: str) -> None:
    """A summary for a pull request: what landed, with its test, attempts, agents and cost."""
    from tdd_orchestrator.web import reports

    with _analytics(ctx) as found:
        cycles = found.cycles(wanted)
        text = reports.markdown(cycles, title=title, scope=_scope(found, wanted, len(cycles)))
    _write(text, output)


@contextmanager
def _analytics(ctx: click.Context) -> Iterator[Analytics]:
    from tdd_orchestrator.app.analytics import Analytics
    from tdd_orchestrator.cli import command_context
    from tdd_orchestrator.cli.render import clean

    with command_context.opened(ctx) as repository:
        found = Analytics.of(repository)
        try:
            found.update()
            yield found
        finally:
            found.close()
    for problem in found.problems:
        click.echo(f"tdd: {clean(problem)}", err=True)


def _scope(found: Analytics, wanted: str, cycles: int) -> str:
    name = found.repository.found.work_tree.name
    noun = "cycle" if cycles == 1 else "cycles"
    of = re.sub(r"\b([0-9a-f]{12})[0-9a-f]{28}\b", r"\1", wanted)
    return f"{name}: {cycles} {noun}" + (f" of {of}" if of else "")


def _write(text: str, output: Path | None) -> None:
    from tdd_orchestrator.model.errors import Refused

    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Refused(f"{output} cannot be written ({error.strerror}).", "Name a file that can.") from error
    click.echo(f"Written: {output}", err=True)


@contextmanager
def _source(file: str) -> Iterator[Path]:
    """The file; standard input goes to a temporary one first, because a log is read more than once."""
    if file != "-":
        yield Path(file)
        return
    with tempfile.NamedTemporaryFile(prefix="tdd-report-") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy, 1 << 20)
        copy.flush()
        yield Path(copy.name)


def as_data(found: Report) -> dict[str, Any]:
    """Return a report as the public JSON: unknown values are null, or an empty list."""
    cases = sorted(found.cases, key=lambda case: case.outcome.value not in ("failed", "error"))
    return {
        "verdict": found.verdict.value,
        "framework": found.framework or None,
        "counts": asdict(found.counts) if found.counts else None,
        "failing": [case.name for case in found.failing],
        "cases": [
            {
                "id": case.id,
                "name": case.name,
                "outcome": case.outcome.value,
                **_failure(case),
                "phase": case.phase or None,
                "attachments": [{"kind": one.kind, "path": one.path} for one in case.attachments],
            }
            for case in cases[:_CASES]
        ],
        "cases_cut": max(0, len(cases) - _CASES),
        "build_error": found.build_error,
        "build_errors": [
            {"message": error.message, "file": error.file or None, "line": error.line or None}
            for error in found.build_errors
        ],
        "first_failure": _first_failure(found),
        "why": found.why,
        "disagreements": list(found.disagreements),
        "source": found.source,
        "exit_code": found.exit_code,
    }


def _first_failure(found: Report) -> dict[str, Any] | None:
    first: Case | BuildError | None = next(iter(found.failing), None) or next(iter(found.build_errors), None)
    return _failure(first) if first else None


def _failure(failed: Case | BuildError) -> dict[str, Any]:
    return {
        "file": failed.file or None,
        "line": failed.line or None,
        "message": failed.message or None,
        "type": failed.exception or None,
    }


def as_text(found: Report) -> str:
    """Return a few lines for a person: the verdict, its reason, and the failed tests."""
    from tdd_orchestrator.text import one_line

    lines = [f"{found.verdict.value.replace('_', ' ')}: {one_line(found.why)}"]
    if found.framework:
        lines.append(f"Runner: {found.framework}, read from its {found.source.replace('_', ' ')}.")
    for error in found.build_errors[:_LISTED]:
        place = f"{error.file}:{error.line}: " if error.line else f"{error.file}: " if error.file else ""
        lines.append(f"  could not load  {one_line(place + error.message)}")
    failing = found.failing
    for case in failing[:_LISTED]:
        message = f" - {case.message}" if case.message else ""
        lines.append(f"  {case.outcome.value:<6} {one_line(case.name + message)}")
    if len(failing) > _LISTED:
        lines.append(f"  and {len(failing) - _LISTED} more")
    lines += [f"Disagreement: {one_line(note)}" for note in found.disagreements]
    return "\n".join(lines)
