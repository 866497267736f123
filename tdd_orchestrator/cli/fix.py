"""``tdd fix``: heal a red suite outside a cycle."""

from __future__ import annotations

import click

from tdd_orchestrator.cli import command_context
from tdd_orchestrator.cli.render import clean, emit_json


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def fix(ctx: click.Context, as_json: bool, command: tuple[str, ...]) -> int:
    """Diagnose every failing test, call the right specialist, prove each fix. COMMAND (after --) instead of the
    configured test command."""
    from tdd_orchestrator.cycle.fix import session
    from tdd_orchestrator.failures.fix_reports import settle_fix

    with command_context.workshop(ctx, command=command) as context:
        healed = session.fix(context)
        reports = settle_fix(context, healed, command_context.config_of(ctx).notify, context.watch.note)
    if as_json:
        data = {
            "results": [result.model_dump(mode="json") for result in healed.results],
            "head": healed.head,
            "healed": healed.whole,
            "why": healed.why,
            "error_ids": [report["error_id"] for report in reports],
        }
        emit_json("fix", data)
    elif not healed.results:
        click.echo(f"Nothing to heal: {clean(healed.why)}.")
    else:
        for result in healed.results:
            how = (
                "cured with another"
                if result.reused
                else f"{result.retry_count} {'try' if result.retry_count == 1 else 'tries'}"
            )
            click.echo(f"{result.status}  {clean(result.test)}  ({how})")
            if result.agents:
                click.echo(f"        agents: {', '.join(result.agents)}")
            if result.status != "PASSED":
                where = f"{result.file}:{result.line}: " if result.file else ""
                click.echo(f"        {where}{clean(result.message)}")
                for error in result.errors:
                    click.echo(f"        then: {clean(error)}")
        if not healed.whole:
            click.echo(
                "next: tdd errors list; tdd errors prompt ID is a complete prompt for whoever mends it"
            )
    return 0 if healed.whole else 1
