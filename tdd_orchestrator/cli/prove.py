"""``tdd prove``: judge a change that has no records."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tdd_orchestrator.cli import command_context
from tdd_orchestrator.cli.render import FILE, JSON, clean, emit_json, refuse_unwritable, write_reports
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.prove.attest import Sign
    from tdd_orchestrator.prove.values import ChangeRange, ChangeResult, ProveOptions, ProveReport

_COLORS = {"proven": "green", "passes_on_base": "yellow", "never_ran": "yellow"}
_WIDTH = 200  # characters of a reason on the screen


@click.command()
@click.argument("wanted", metavar="[BASE..HEAD]", default="")
@click.option("--staged", is_flag=True, help="Prove what is staged, against HEAD.")
@click.option(
    "--message",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="With --staged: the file that a commit-msg hook is given, for its Tdd-Class.",
)
@click.option("--worktree", is_flag=True, help="Prove what the work tree holds, against HEAD.")
@click.option("--each", is_flag=True, help="Prove each commit of the range by itself.")
@click.option(
    "--revert", metavar="PATHS", multiple=True,
    help="Put back these paths at HEAD instead of running the tests on BASE, where BASE does not build.",
)  # fmt: skip
@click.option(
    "--allow-removed", is_flag=True, help="Accept tests that were removed; they are named all the same."
)
@click.option("--sarif", type=FILE, help="Write a SARIF report to this file.")
@click.option("--junit", type=FILE, help="Write a JUnit report to this file.")
@click.option("--ctrf", type=FILE, help="Write a CTRF report to this file.")
@click.option("--markdown", type=FILE, help="Write a comment for a pull request to this file.")
@click.option("--badge", type=FILE, help="Write a badge (SVG) to this file.")
@click.option("--attest", type=FILE, help="Write in-toto statements to this file, one on a line.")
@click.option(
    "--sign",
    is_flag=True,
    help="With --attest: sign the statements with the key that git signs commits with.",
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="How many trees are run at once.")
@JSON
@click.pass_context
def prove(
    ctx: click.Context,
    /,
    wanted: str,
    staged: bool,
    message: Path | None,
    worktree: bool,
    each: bool,
    revert: tuple[str, ...],
    allow_removed: bool,
    jobs: int,
    as_json: bool,
    sign: bool,
    **files: Path | None,
) -> int:
    """Prove a change without records: its tests fail on BASE and pass at HEAD, and nothing is lost.

    Without a range: the commits since the trunk, or on the trunk its newest commit. The tests run in clean
    trees; nothing of yours is changed. Exit code 0: proven. 1: not proven. 2: nothing could be run. 3: a test
    was removed, and a person must say that this is meant.
    """
    from tdd_orchestrator.prove.attest import git_signer
    from tdd_orchestrator.prove.values import ProveOptions

    if (staged or worktree) and (wanted or each or (staged and worktree)):
        raise click.UsageError("--staged and --worktree stand alone: give no range and no --each with them.")
    if message is not None and not staged:
        raise click.UsageError("--message goes with --staged: commits have a message of their own.")
    if sign and not files["attest"]:
        raise click.UsageError("--sign goes with --attest FILE: nothing else is signed.")
    refuse_unwritable(files)
    quiet = bool(command_context.options(ctx).get("quiet"))
    with command_context.opened(ctx) as repository:
        signer = git_signer(repository.git) if sign else None
        changes = _changes(repository, wanted, message, staged=staged, worktree=worktree, each=each)
        options = ProveOptions(revert=revert, allow_removed=allow_removed)
        report = _proven(repository, changes, options, jobs, quiet=quiet or as_json)
        _write(report, files, signer)
    if as_json:
        from tdd_orchestrator.prove.reports import values

        emit_json("prove", values(report))
    else:
        _show(report)
    return exit_code(report)


def _proven(
    repository: OpenRepository, changes: list[ChangeRange], options: ProveOptions, jobs: int, *, quiet: bool
) -> ProveReport:
    from tdd_orchestrator.app.replay_bench import bench, config_with_links
    from tdd_orchestrator.cli.watch import TerminalWatcher
    from tdd_orchestrator.prove.run import prove as run
    from tdd_orchestrator.prove.values import ProveReport

    watcher = TerminalWatcher(quiet=quiet)
    with bench(repository, jobs, watcher, config_with_links(repository)) as means:
        try:
            return run(changes, options, means) if changes else ProveReport()
        finally:
            watcher.close()


def prove_commits(ctx: click.Context, commits: list[str]) -> int:
    """Prove commits one by one, print their verdicts, and return the exit code of ``tdd prove``."""
    from tdd_orchestrator.prove.revisions import find_changes
    from tdd_orchestrator.prove.values import ProveOptions

    quiet = bool(command_context.options(ctx).get("quiet"))
    with command_context.opened(ctx) as repository:
        git, objects = repository.git, repository.objects
        changes = [change for commit in commits for change in find_changes(git, objects, commit)]
        report = _proven(repository, changes, ProveOptions(), 1, quiet=quiet)
    _show(report)
    return exit_code(report)


def _write(report: ProveReport, files: dict[str, Path | None], signer: Sign | None) -> None:
    from tdd_orchestrator.prove.attest import lines
    from tdd_orchestrator.prove.comment import markdown
    from tdd_orchestrator.prove.reports import badge, ctrf, junit, sarif

    stop = time.time()
    make = {
        "sarif": lambda: json.dumps(sarif(report), indent=1) + "\n",
        "junit": lambda: junit(report).decode() + "\n",
        "ctrf": lambda: json.dumps(
            ctrf(report, start=round((stop - report.seconds) * 1000), stop=round(stop * 1000)), indent=1
        ),
        "markdown": lambda: markdown(report),
        "badge": lambda: badge(report),
        "attest": lambda: "".join(f"{line}\n" for line in lines(report, datetime.now(UTC), signer)),
    }
    write_reports(files, make)


def exit_code(report: ProveReport) -> int:
    """Return 3 where only removed tests wait for a person."""
    verdicts = {str(result.verdict) for result in report.results} - {"proven"}
    return 0 if not verdicts else 3 if verdicts == {"removed_test"} else 1


def _changes(
    repository: OpenRepository, wanted: str, message: Path | None, *, staged: bool, worktree: bool, each: bool
) -> list[ChangeRange]:
    from tdd_orchestrator.model.errors import Refused
    from tdd_orchestrator.prove import revisions

    git, objects, state = repository.git, repository.objects, repository.state
    if state.shallow:
        raise Refused(
            "This clone is shallow: the base of the change may not be here.",
            "Fetch it first: git fetch --unshallow (in CI: fetch-depth: 0).",
        )
    if state.unborn and message:
        return []
    if state.unborn:
        raise Refused("The repository has no commit yet.", "There is nothing to prove.")
    if staged:
        return revisions.find_staged(git, objects, state.identity_line, message)
    if worktree:
        return revisions.find_worktree(git, objects, repository.found.work_tree, state.identity_line)
    return revisions.find_changes(git, objects, wanted, each=each)


def _show(report: ProveReport) -> None:
    """Print one block for each change, then one line for all."""
    if not report.results:
        click.echo("Nothing to prove: the commit changes no file, or is the first one.")
        return
    for result in report.results:
        _show_result(result)
    proven = sum(result.proven for result in report.results)
    changes = f"{proven} of {len(report.results)} changes proven" if len(report.results) > 1 else ""
    word = "Proven" if report.proven else "Not proven"
    trees = "1 tree" if report.trees == 1 else f"{report.trees} trees"
    click.echo(
        f"{word}: {changes + ', ' if changes else ''}{trees} run, {report.seconds:.1f} s in test commands."
    )


def _show_result(result: ChangeResult) -> None:
    from tdd_orchestrator.prove.comment import answered
    from tdd_orchestrator.prove.values import ADVICE, MEANING

    mark = click.style("✓", fg="green") if result.proven else click.style("✗", fg="red")
    meaning = "" if result.proven else f": {MEANING[result.verdict]} ({result.verdict})"
    click.echo(f"{mark} {result.change.name}  {_line(result.change.subject, 72)}  [{result.kind}]{meaning}")
    for row in result.tests:
        color = _COLORS.get(row.verdict, "red")
        click.echo(f"    {click.style(row.verdict, fg=color):<16}  {_line(row.test, 100)}")
        if row.on_base:
            click.echo(f"        on the base  {_line(row.on_base, _WIDTH)}")
        if row.at_head and row.how != "removed":
            click.echo(f"        at HEAD      {_line(row.at_head, _WIDTH)}")
    if not result.proven:
        for reason in result.reasons:
            click.echo(f"    {_line(reason, _WIDTH)}")
        if advice := ADVICE.get(result.verdict):
            click.echo(f"    to do: {advice}")
    for line in answered(result):
        click.echo(f"    {_line(line, _WIDTH)}")
    for warning in result.warnings:
        click.echo(f"    {click.style('warning', fg='yellow')}: {_line(warning, _WIDTH)}")


def _line(text: str, most: int) -> str:
    return clean(one_line(text, most))
