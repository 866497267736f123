"""``tdd errors``: list, show, close and classify failures."""

from __future__ import annotations

import codecs
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tdd_orchestrator.cli import command_context, complete
from tdd_orchestrator.cli.render import JSON, clean, columns, emit_json, local, wrapped
from tdd_orchestrator.cli.standing import newest
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.summary import next_step
from tdd_orchestrator.text import plain

if TYPE_CHECKING:
    from tdd_orchestrator.diagnosis.rules import Rule
    from tdd_orchestrator.failures.reports import StoredReport
    from tdd_orchestrator.model.diagnosis import Diagnosis
    from tdd_orchestrator.model.error_report import ErrorReport, ReportSnapshot
    from tdd_orchestrator.model.plan import Item


_READ_LIMIT = 64 * 1024 * 1024  # bytes of one message


@click.group()
def errors() -> None:
    """Failures: what they are, what was tried, what to do."""


STRATEGY = click.option(
    "--strategy", metavar="NAME", help="quick_patch, targeted_fix, full_rework, revert_and_redesign."
)


@errors.command("list")
@click.option("--all", "everything", is_flag=True, help="Also what is closed.")
@JSON
@click.pass_context
def list_(ctx: click.Context, everything: bool, as_json: bool) -> None:
    """Every failure that is not fixed yet, newest last."""
    from tdd_orchestrator.failures.reports import read
    from tdd_orchestrator.failures.strategy import kind_of

    with command_context.opened(ctx) as repository:
        cycle = newest(repository.found.work_tree).cycle or {}
        reports = [one for one in read(repository.store) if everything or one.status != "closed"]
        items = repository.plan_repository.plan().items if reports else ()
    if as_json:
        emit_json("errors", {"errors": [one.data(items) for one in reports]})
        return
    if not reports:
        click.echo("No failure is open." if not everything else "No failure was ever reported here.")
    for one in reports:
        report = one.report
        words = f"{one.status:7} {kind_of(report):12} {report.failed_phase:8}"
        lines = wrapped(f"{one.error_id}  {words}  {clean(report.item)}", columns(), rest=" " * 8)
        then = next_step(report.recommended_workflow, newest=report.workflow_id == cycle.get("cycle_id"))
        then = then if one.status != "closed" else ""
        words = report.agent.last_words
        said = f"the agent said: {words}" if words and words not in report.summary else ""
        for text in filter(None, (report.summary, said, then and f"next: {then}")):
            lines += wrapped(clean(text), columns(), first="    ", rest="    ")
        click.echo("\n".join(lines))


@errors.command()
@click.argument("error_id", metavar="[ID]", default="last", shell_complete=complete.errors)
@STRATEGY
@JSON
@click.pass_context
def show(ctx: click.Context, error_id: str, strategy: str | None, as_json: bool) -> None:
    """One report in full: what failed, why, where, and what to do.

    ID: an unambiguous part of it is enough; without one, the newest report."""
    one, items = _found(ctx, error_id, strategy)
    if as_json:
        emit_json("error", one.data(items))
        return
    for line in report_lines(one, items):
        click.echo(line)


@errors.command()
@click.argument("error_id", metavar="[ID]", default="last", shell_complete=complete.errors)
@click.option("--copy", "to_clipboard", is_flag=True, help="To the clipboard instead of standard output.")
@STRATEGY
@JSON
@click.pass_context
def prompt(
    ctx: click.Context, error_id: str, to_clipboard: bool, strategy: str | None, as_json: bool
) -> None:
    """A self-contained text for the person or agent that fixes it; without ID, of the newest report."""
    from tdd_orchestrator.failures.fixes import fix_of
    from tdd_orchestrator.failures.fixes import prompt as written

    one, items = _found(ctx, error_id, strategy)
    text = written(one.report, fix=fix_of(one.report, items), comments=one.comments)
    if to_clipboard:
        from tdd_orchestrator.cli.clipboard import copy

        click.echo(f"Copied by {copy(text)}.", err=True)
    elif as_json:
        emit_json("error-prompt", {"error_id": one.error_id, "prompt": text})
    else:
        click.echo(clean(text), nl=False)


@errors.command()
@click.argument("error_id", metavar="ID", shell_complete=complete.errors)
@JSON
@click.pass_context
def fix(ctx: click.Context, error_id: str, as_json: bool) -> int:
    """Run the cycle of the fix item; when it lands, the report is closed and its item can be tried again."""
    from tdd_orchestrator.failures.cleanup import table_with
    from tdd_orchestrator.failures.fix_cycle import run_fix_cycle
    from tdd_orchestrator.failures.reports import find, read
    from tdd_orchestrator.model.plan import DONE

    with command_context.opened(ctx) as repository:
        table = table_with(repository.config.cleanup)
    with command_context.cycle_context(ctx) as context:
        one = find(read(context.repo.store), error_id)
        state = run_fix_cycle(context, table, one, context.watch.note)
        after = find(read(context.repo.store), one.error_id)
        items = context.repo.plan.plan().items
    outcome = state.over if state is not None else "mended_before"
    if as_json:
        emit_json("error-fix", {**after.data(items), "outcome": outcome or "in_progress"})
    elif after.status == "closed":
        done = any(item.id == one.report.item_id and item.status in DONE for item in items)
        title = clean(one.report.item)
        click.echo(
            f"{one.error_id} is closed, and '{title}' is done."
            if done
            else f"{one.error_id} is closed; '{title}' can be tried again: tdd cycle next"
        )
    else:
        click.echo(f"{one.error_id} is not fixed ({outcome or 'the cycle goes on'}). See `tdd errors list`.")
    return 0 if after.status == "closed" else 1


@errors.command()
@click.argument("error_id", metavar="ID", shell_complete=complete.errors)
@click.option("--reason", default="closed by a person", help="Why, for the record.")
@click.pass_context
def close(ctx: click.Context, error_id: str, reason: str) -> None:
    """Set a report aside, and the fix item that was made for it; the failed item stays as it is in the plan."""
    from tdd_orchestrator.failures import fixes, reports

    with command_context.opened(ctx) as repository:
        known = reports.read(repository.store)
        one = reports.find(known, error_id)
        if one.status == "closed":
            raise Refused(
                f"{one.error_id} is closed already ({one.reason}).", "`tdd errors list` shows what is open."
            )
        reports.close(repository.store, one, reason)
        plans = repository.plan_repository
        others = [other.report for other in known if other.status != "closed" and other is not one]
        fixes.set_aside(plans.change, plans.plan(), one.report, others)
    click.echo(f"{one.error_id} is closed.")


def _found(ctx: click.Context, error_id: str, strategy: str | None) -> tuple[StoredReport, tuple[Item, ...]]:
    """The report, with another strategy where one is asked for, and the plan's items."""
    from dataclasses import replace

    from tdd_orchestrator.failures.report import with_strategy
    from tdd_orchestrator.failures.reports import find, read
    from tdd_orchestrator.failures.strategy import named

    row = named(strategy) if strategy else None
    with command_context.opened(ctx) as repository:
        one = find(read(repository.store), error_id)
        items = repository.plan_repository.plan().items
    if row is not None:
        one = replace(one, report=with_strategy(one.report, row))
    return one, items


@errors.command()
@click.argument("file", default="-", metavar="[FILE|-]")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, schema tdd/diagnosis.")
def classify(file: str, as_json: bool) -> None:
    """Say what kind of failure a text describes, where it is, and who should fix it."""
    from tdd_orchestrator.diagnosis.classify import classify as judge

    found = judge(_without_secrets(_text(file)), root=str(Path.cwd()), extra_rules=_own_rules(Path.cwd()))
    if as_json:
        emit_json("diagnosis", as_data(found))
    else:
        click.echo(as_text(found))


def _without_secrets(text: str) -> str:
    """Redact before anything is cut, since output is often kept in a CI log or an issue, and a cut would
    leave half a secret."""
    from tdd_orchestrator.redaction import redactor

    return redactor(os.environ)(plain(text))


def _own_rules(folder: Path) -> tuple[Rule, ...]:
    """The user's rows of [[rules]]; the configuration is read only where a file here speaks of rules at
    all."""
    names = ("tdd.toml", ".tdd.toml", "pyproject.toml")
    if not any((folder / name).is_file() and b"rules]]" in (folder / name).read_bytes() for name in names):
        return ()
    from tdd_orchestrator.config.load import load
    from tdd_orchestrator.diagnosis.user_rules import user_rules

    return user_rules(load(folder).config.rules)


def _text(file: str) -> str:
    """Return the message from a file or standard input, as UTF-8 (UTF-16 by its byte-order mark) with
    invalid bytes replaced."""
    try:
        if file == "-":
            data = sys.stdin.buffer.read(_READ_LIMIT)
        else:
            with open(file, "rb") as stream:
                data = stream.read(_READ_LIMIT)
    except OSError as error:
        raise Refused(
            f"Cannot read {file}: {error.strerror}.", "Give a file, or - for standard input."
        ) from error
    return data.decode(
        "utf-16" if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8", "replace"
    )


def as_data(found: Diagnosis) -> dict[str, object]:
    """A diagnosis as the public JSON: absent values are null, never empty strings."""
    return {
        "routing_type": found.routing_type.value,
        "secondary": found.secondary.value if found.secondary else None,
        "error_type": found.error_type.value if found.error_type else None,
        "category": found.category.value if found.category else None,
        "severity": found.severity.value,
        "confidence": found.confidence,
        "evidence": found.evidence,
        "rule": found.rule,
        "file": found.file or None,
        "line": found.line or None,
        "message": found.message,
        "exception": found.exception,
        "fingerprint": found.fingerprint,
        "specialist": found.specialist,
        "warning": found.warning,
    }


def as_text(found: Diagnosis) -> str:
    """A diagnosis for a person, a line for each thing that is known."""
    place = f"{found.file}:{found.line}" if found.line else found.file
    kinds = " · ".join(
        part.value for part in (found.error_type, found.category, found.severity) if part is not None
    )
    second = f", then {found.secondary.value}" if found.secondary else ""
    rows = (
        ("kind", f"{found.routing_type.value}{second}"),
        ("is", kinds),
        ("where", place),
        ("says", found.message),
        ("because", f"{found.evidence} (rule {found.rule}, {found.confidence:.0%})" if found.rule else ""),
        ("goes to", found.specialist),
        ("key", found.fingerprint),
        ("warning", found.warning),
    )
    return "\n".join(f"{name:>8}  {value}" for name, value in rows if value)


def report_lines(one: StoredReport, items: tuple[Item, ...]) -> list[str]:
    from tdd_orchestrator.failures.fixes import fix_of
    from tdd_orchestrator.failures.strategy import steps_of

    report, made = one.report, fix_of(one.report, items)
    snapshot, agent = report.context_snapshot, report.agent
    steps, cause = steps_of(report), report.root_cause
    way = f"{report.fix_strategy}, about {report.estimated_fix_hours:g} h, {report.confidence} confidence"
    rows = (
        ("report", f"{one.error_id}, {one.status}" + (f" ({one.reason})" if one.reason else "")),
        ("item", f"{report.item} ({report.item_id})" if report.item_id else report.item),
        ("failed in" if report.attempts else "stopped in", _when(report)),
        ("type", _type(report)),
        ("message", report.error_message),
        ("cause", "" if cause.rstrip(".") == report.error_message.rstrip(".") else cause),
        ("last words", f"{agent.name}: {agent.last_words}" if agent.last_words else ""),
        ("files", ", ".join(report.affected_files)),
        ("tests", _tests(snapshot)),
        ("branch", f"{snapshot.branch}, at {snapshot.base[:12]} as before" if snapshot.branch else ""),
        ("kept as", snapshot.commit[:12] if snapshot.commit != snapshot.base else ""),
        ("strategy", way if report.fix_strategy else ""),
        ("", report.fix_description),
        *(("steps" if n == 1 else "", f"{n}. {step}") for n, step in enumerate(steps, 1)),
        ("fix item", made.id if made else ""),
        ("next", report.recommended_workflow if report.recommended_workflow not in steps else ""),
        *((step, f"{work.status} {work.why}".strip()) for step, work in one.work.items()),
    )
    return [
        line
        for name, value in rows
        for number, text in enumerate(clean(value).splitlines())
        for line in wrapped(text, columns(), first=f"{'' if number else name:>10}  ", rest=" " * 12)
    ]


def _type(report: ErrorReport) -> str:
    from tdd_orchestrator.failures.strategy import is_in_code, kind_of

    kind = kind_of(report)
    if report.agent.said and not is_in_code(report):
        return f"{kind}, by the agent's last words ({report.trigger.level})"
    stage = report.trigger.stage.replace("_", " ")
    return f"{kind} ({report.routing_type if report.attempts else stage}, {report.trigger.level})"


def _when(report: ErrorReport) -> str:
    after = f"after {report.attempts} attempt{'s'[: report.attempts != 1]}" if report.attempts else ""
    return ", ".join(filter(None, (report.failed_phase, local(report.failed_at), after)))


def _tests(snapshot: ReportSnapshot) -> str:
    failed, passed = snapshot.tests_failed, snapshot.tests_passed
    return f"{failed} failed, {passed} passed" if failed or passed else ""
