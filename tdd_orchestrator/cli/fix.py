"""``tdd fix``: fix a red suite outside a cycle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tdd_orchestrator.cli import command_context
from tdd_orchestrator.cli.render import JSON, echo_wrapped, emit_json

if TYPE_CHECKING:
    from tdd_orchestrator.cycle.context import CycleContext
    from tdd_orchestrator.cycle.proof import Proof

_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
_NAMED = 5


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--from-log", "log", type=_FILE, help="The output of a failed run elsewhere, such as CI's log.")
@click.option("--from-junit", "junit", type=_FILE, help="The JUnit report of a failed run elsewhere.")
@click.option("--commit", default="", help="The commit of that run; its failure is looked for there first.")
@JSON
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def fix(
    ctx: click.Context,
    log: Path | None,
    junit: Path | None,
    commit: str,
    as_json: bool,
    command: tuple[str, ...],
) -> int:
    """Diagnose every failing test, call the right specialist, prove each fix. COMMAND (after --) instead of
    the configured test command."""
    from tdd_orchestrator.cycle.fix import session
    from tdd_orchestrator.failures.fix_reports import settle_fix

    given = log is not None or junit is not None
    if commit and not given:
        raise click.UsageError(
            "--commit goes with --from-log or --from-junit: it names the commit of that run."
        )
    with command_context.cycle_context(ctx, command=command) as context:
        reproduced = _reproduce(context, log, junit, commit or "HEAD") if given else None
        outcome = session.fix(context, reproduced)
        notify = command_context.config_of(ctx).notify
        reports = settle_fix(context, outcome, notify, context.watch.note, whole_suite=not (command or given))
    if as_json:
        data = {
            "results": [result.model_dump(mode="json") for result in outcome.results],
            "head": outcome.head,
            "healed": outcome.whole,
            "why": outcome.why,
            "error_ids": [report.error_id for report in reports],
        }
        emit_json("fix", data)
    elif not outcome.results:
        echo_wrapped(f"Nothing to fix: {outcome.why}.")
    else:
        for result in outcome.results:
            how = (
                "fixed with another"
                if result.reused
                else f"{result.retry_count} {'try' if result.retry_count == 1 else 'tries'}"
            )
            echo_wrapped(f"{result.status}  {result.test}  ({how})", rest="        ")
            if result.agents:
                echo_wrapped(f"        agents: {', '.join(result.agents)}")
            if result.status != "PASSED":
                where = f"{result.file}:{result.line}: " if result.file else ""
                echo_wrapped(f"        {where}{result.message}")
                for error in result.errors:
                    echo_wrapped(f"        then: {error}")
        if reports:
            echo_wrapped(f"next: {reports[0].recommended_workflow}")
    return 0 if outcome.whole else 1


def _reproduce(context: CycleContext, log: Path | None, junit: Path | None, commit: str) -> Proof:
    """Look for a failure of elsewhere in a clean tree of its commit, and return the run. NotProven where it
    does not happen here."""
    from tdd_orchestrator.cycle.fix.fix_attempt import reproduce, run_suite
    from tdd_orchestrator.model.errors import NotProven, Refused
    from tdd_orchestrator.testlog import read

    seen = read(log or b"", exit_code=1, report=junit)
    if not seen.failing and not seen.build_error:
        raise Refused(
            f"{log or junit} names no failing test: {(seen.why or str(seen.verdict)).rstrip('.')}.",
            "Give the whole output of the test command, or its JUnit report.",
        )
    oid = context.repo.git.line(
        "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}", ok=(0, 1, 128)
    )
    if not oid:
        raise Refused(f"'{commit}' is not a commit here.", "Fetch it first, or name the one that you have.")
    proof = run_suite(context, oid, elsewhere=seen)
    found = reproduce(seen, proof.report)
    if not found.reproduced:
        names = ", ".join((*found.passing, *found.absent)[:_NAMED])
        how = "Passing" if found.passing else "Not run"
        raise NotProven(
            f"What failed there does not fail here. {how} in a clean tree of {oid[:9]}: {names}.",
            "The cause is in the other environment, or the test is flaky.",
        )
    more = f"; {len(found.passing)} pass here" if found.passing else ""
    context.watch.note(f"reproduced in {oid[:9]}: {', '.join(found.failing[:_NAMED]) or found.build}{more}")
    return proof
