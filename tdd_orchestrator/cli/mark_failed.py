"""``tdd plan mark-failed``: a failure that was seen elsewhere, filed as a report with a fix item."""

from __future__ import annotations

from pathlib import Path

import click

from tdd_orchestrator.cli import command_context
from tdd_orchestrator.cli.render import JSON, clean, emit_json, item_shape


@click.command("mark-failed")
@click.argument("item")
@click.option(
    "--report",
    "file",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    help="JSON with error_message, and error_type, failed_phase, stack_trace, root_cause, affected_files, "
    "fix_strategy, estimated_fix_hours, retry_count; - for standard input.",
)
@JSON
@click.pass_context
def mark_failed(ctx: click.Context, item: str, file: Path, as_json: bool) -> None:
    """Mark an item failed with an error report; its fix item is made as its child."""
    from datetime import UTC, datetime

    from pydantic import ValidationError

    from tdd_orchestrator.app.mark_failed import marker
    from tdd_orchestrator.failures.mark_failed import FailureReport
    from tdd_orchestrator.model.errors import Refused

    try:
        given = FailureReport.model_validate_json(command_context.read_text(file))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the report"
        raise Refused(
            f"The report cannot be used: {place}: {first['msg']}.", "See tdd plan mark-failed --help."
        ) from error
    with command_context.opened(ctx) as repository:
        found = repository.plan_repository.find(repository.plan_repository.plan(), item)
        done = marker(repository).mark(found, given, datetime.now(UTC))
        items = repository.plan_repository.plan().items
    if as_json:
        fix = item_shape(done.fix) if done.fix else None
        emit_json(
            "mark-failed", {"item": item_shape(done.item), "fix": fix, "report": done.report.data(items)}
        )
        return
    click.echo(f"{done.report.error_id}  {clean(done.item.title)}")
    if done.fix:
        click.echo(f"fix item {done.fix.id}: {clean(done.fix.title)}")
        click.echo(f"Fix it: tdd errors fix {done.report.error_id}")
