"""``tdd log``, ``tdd show``, ``tdd rollback``, ``tdd sync``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tdd_orchestrator.cli import command_context, complete
from tdd_orchestrator.cli.render import (
    JSON,
    answers_of,
    clean,
    columns,
    echo_grouped,
    emit_json,
    json_line,
    local,
    log_lines,
    wrapped,
)
from tdd_orchestrator.model.errors import Paused, Refused, TddError
from tdd_orchestrator.model.summary import RecordSummary, summarize
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository

_AFTER_COMMIT = 32  # columns before a record's own words


@click.command()
@click.option("-n", "limit", type=click.IntRange(1), default=30, help="How many records.")
@click.option(
    "--cycle", "cycle_id", default="", metavar="ID", shell_complete=complete.cycles,
    help="Only this cycle (id or number).",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.pass_context
def log(ctx: click.Context, limit: int, cycle_id: str, as_json: bool) -> None:
    """The audit log, newest first, grouped by cycle; times are local."""
    printed = 0
    rows = []
    with command_context.opened(ctx) as repository:
        for entry in repository.store.trail(newest_first=True):
            record = summarize(entry.record)
            if cycle_id and not _is_of(record, cycle_id):
                continue
            printed += 1
            if as_json:
                click.echo(json_line({"schema": "tdd/record", "commit": entry.commit, **entry.record}))
            else:
                rows.append((record, entry.commit, one_line(entry.subject or record.kind, 200)))
            if printed >= limit:
                break
    echo_grouped(log_lines(rows, None, columns()), _AFTER_COMMIT)
    if not printed and cycle_id:
        raise Refused(f"There is no cycle '{cycle_id}'.", "`tdd log` shows every cycle with its number.")
    if not printed and not as_json:
        click.echo("The audit log is empty.")


def _is_of(record: RecordSummary, cycle: str) -> bool:
    """Whether a record is of the cycle with this id, a prefix of it, or this number."""
    return bool(record.cycle_id) and (record.cycle_id.startswith(cycle) or str(record.cycle_number) == cycle)


@click.command()
@click.argument("commit")
@JSON
@click.pass_context
def show(ctx: click.Context, commit: str, as_json: bool) -> None:
    """The records of one commit, and what people wrote into its note."""
    with command_context.opened(ctx) as repository:
        oid = resolve(repository, commit)
        note = repository.store.of(oid)
    if as_json:
        damaged = [{"why": one.why, "newer": one.newer} for one in note.damaged]
        facts = {"records": list(note.records), "damaged": damaged, "remarks": list(note.remarks)}
        emit_json("note", {"commit": oid, **facts})
        return
    for record in note.records:
        click.echo(_record_text(record))
    for text in note.remarks:
        click.echo(f"not of tdd  {clean(text)}")
    for one in note.damaged:
        error = one.error()
        click.echo(f"{error.what} {error.todo}", err=True)
    if not note.records and not note.damaged and not note.remarks:
        click.echo(f"{oid[:12]} has no record.")


@click.command()
@click.argument("commit", required=False)
@click.option("--reason", default="", help="Why, for the record.")
@click.pass_context
def rollback(ctx: click.Context, commit: str | None, reason: str) -> None:
    """Back to the last known-good commit (or to COMMIT); what is undone stays reachable, your edits stay as
    they are."""
    from tdd_orchestrator.cycle.landing import rollback

    with command_context.cycle_context(ctx) as context:
        done = rollback.rollback(context, _resolve(context.repo.git, commit) if commit else "", reason)
    click.echo(done)


@click.command()
@click.argument("remote", default="origin")
@click.option("--github", is_flag=True, help="Also post what could not be posted to the issues.")
@click.option(
    "--adopt",
    metavar="RANGE",
    default="",
    help="Find the records that squashed commits stand for, and prove these commits.",
)
@click.option("--no-prove", is_flag=True, help="With --adopt: run nothing of the project.")
@click.pass_context
def sync(ctx: click.Context, remote: str, github: bool, adopt: str, no_prove: bool) -> int:
    """Fetch, merge and push the audit log; no record of either side is lost."""
    if no_prove and not adopt:
        raise click.UsageError("--no-prove goes with --adopt RANGE: nothing else proves.")
    found: list[str] = []
    with command_context.opened(ctx) as repository:
        repository.lock()
        problem: TddError | None = None
        try:
            _synchronise(repository, remote)
        except TddError as error:
            if not github and not adopt:
                raise
            problem = error
        if adopt:
            found = _adopt(repository, adopt)
        if github:
            _post(repository)
        if problem is not None and repository.git.remotes():
            raise problem
        if problem is not None:
            what = "nothing but the issues was sent" if github else "nothing was fetched or sent"
            click.echo(f"There is no remote: {what}.", err=True)
    if found and not no_prove:
        from tdd_orchestrator.cli.prove import prove_commits

        return prove_commits(ctx, found)
    for commit in found:
        click.echo(f"Prove it: tdd prove {commit[:9]}", err=True)
    return 0


_BARE = 10  # commits without records that are named, the newest


def _adopt(repository: OpenRepository, wanted: str) -> list[str]:
    """Re-attach and say what was found; return the commits that stand for records now."""
    from tdd_orchestrator.audit.reattach import adopt

    done = adopt(repository.git, repository.objects, repository.store, wanted)
    for one in done.adopted:
        click.echo(f"{one.commit[:9]} stands for the records of {one.sources[0][:9]}, by its {one.how}.")
    for one in done.unclear:
        fitting = ", ".join(source[:9] for source in one.sources[:3])
        click.echo(f"{one.commit[:9]} fits several records ({fitting}): nothing was guessed.", err=True)
    click.echo(f"{done.reachable} of {done.proven} records reachable.")
    for commit in done.bare[-_BARE:]:
        click.echo(f"{commit[:9]} has no record, and none fits its tree or its patch.", err=True)
        click.echo(f"Prove it: tdd prove {commit[:9]}", err=True)
    return [one.commit for one in done.adopted]


def _synchronise(repository: OpenRepository, remote: str) -> None:
    from tdd_orchestrator.notes.sync import sync as synchronise

    done = synchronise(repository.git, repository.objects, remote)
    click.echo(f"{len(done.received)} refs received, {len(done.sent)} sent.")
    for ref in done.clashing:
        click.echo(f"not sent: {ref} means something else at {remote}.", err=True)


def _post(repository: OpenRepository) -> None:
    """After the records of others have come, so that what they posted is known. Paused where something is
    left."""
    import os

    from tdd_orchestrator.failures.github import post_pending

    settings = repository.config.github
    token = os.environ.get(settings.token_env, "")
    posted, left = post_pending(
        repository.store, repository.plan_repository.plan(), settings, token, click.echo
    )
    if left:
        raise Paused(
            f"{left} error report{'s are' if left != 1 else ' is'} not posted to GitHub.",
            "Run the same command again later; nothing is posted twice.",
        )
    if not posted:
        click.echo("Nothing is left to post.")


def resolve(repository: Any, name: str) -> str:
    return _resolve(repository.git, name)


def _resolve(git: Any, name: str) -> str:
    """A commit's full id from whatever git understands; Refused where it is none."""
    done = git.finished("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    oid = done.stdout.decode("ascii", "replace").strip().splitlines()
    if done.exit_code != 0 or not oid:
        raise Refused(f"'{clean(name)}' is not a commit.", "Name one as git does: HEAD, a branch, or an id.")
    return str(oid[-1])


def _record_text(stored: dict[str, Any]) -> str:
    from tdd_orchestrator.cycle.usage_text import render_agent
    from tdd_orchestrator.model.reading import read
    from tdd_orchestrator.model.records import (
        CycleEnded,
        ErrorReportRecord,
        Handoff,
        Incident,
        Landing,
        Trouble,
        runs_of,
    )  # fmt: skip

    record, seen = read(stored), summarize(stored)
    head = f"{local(record.at)}  {record.kind}"
    rows: list[tuple[str, Any]] = [
        ("cycle", f"{record.cycle_number} ({record.cycle_id})" if record.cycle_id else "")
    ]
    names = ("item", "phase", "attempt", "retry_count", "verdict", "outcome", "error")
    rows += [(name.replace("_", " "), stored.get(name) or "") for name in names]
    if isinstance(record, Landing):
        rows.append(("from, to", f"{record.old[:9]}..{record.new[:9]}"))
    if isinstance(record, ErrorReportRecord):
        rows.append(("report", f"{record.error_id}, {record.status}: {record.summary}"))
    details = record.error_details if isinstance(record, Trouble | CycleEnded | Incident) else None
    rows.append(("details", f"{details.type}: {details.message}" if details else ""))
    begun = record.kind == "intent"  # an attempt that used nothing yet
    rows.append(("agent", seen.agent.name if begun else render_agent(seen.agent)))
    rows.append(("last words", seen.agent.last_words))
    for run in runs_of(record):
        counts = run.counts.model_dump() if run.counts else {}
        rows.append(("tests", ", ".join(f"{value} {key}" for key, value in counts.items() if value)))
    rows += [("reason", reason) for reason in seen.reasons]
    rows += [
        ("asked", line) for line in answers_of(record.questions if isinstance(record, Handoff) else None)
    ]
    rows += [("warning", warning) for warning in seen.warnings]
    rows.append(("known good", "yes" if record.known_good else ""))
    lines = [
        line
        for name, value in rows
        if value != ""
        for line in wrapped(clean(one_line(str(value), 300)), columns(), first=f"  {name:12} ", rest=" " * 15)
    ]
    return "\n".join([head, *lines])
