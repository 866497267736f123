"""``tdd verify``: check that the audit log is true. ``tdd hooks``: check it before every push."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tdd_orchestrator.cli import command_context
from tdd_orchestrator.cli.render import (
    FILE,
    JSON,
    clean,
    emit_json,
    refuse_unwritable,
    wrapped,
    write_reports,
)
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.audit.findings import CommitResult
    from tdd_orchestrator.audit.verify import Audit

_PLAIN = 10_000  # columns where no terminal is
_WIDE = 96  # columns from which a phase stands on one line


@click.command()
@click.argument("wanted", metavar="[RANGE]", default="HEAD")
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="How many trees are run at once.")
@click.option(
    "--on",
    "place",
    type=click.Choice(["here", "cluster"]),
    default="here",
    help="Where the tests run; cluster: on the workers of fleet.scheduler.",
)
@click.option("--require-all", is_flag=True, help="Every commit of the range must have an accepted record.")
@click.option("--no-replay", is_flag=True, help="Check the records only; run no test.")
@JSON
@click.option("--sarif", type=FILE, help="Write a SARIF report to this file.")
@click.option("--junit", type=FILE, help="Write a JUnit report to this file.")
@click.option("--badge", type=FILE, help="Write a badge (SVG) to this file.")
@click.pass_context
def verify(
    ctx: click.Context,
    /,
    wanted: str,
    jobs: int,
    place: str,
    require_all: bool,
    no_replay: bool,
    as_json: bool,
    **files: Path | None,
) -> int:
    """Prove the recorded cycles again, in clean trees: RED really fails, GREEN really passes, nothing was
    changed since.

    RANGE is a range of commits as git names them; without it, everything that HEAD can reach. Exit code 0:
    all is proven. 1: something is not. 2: nothing could be verified.
    """
    from tdd_orchestrator.app.replay_bench import bench
    from tdd_orchestrator.audit.verify import audit
    from tdd_orchestrator.cli.watch import TerminalWatcher

    refuse_unwritable(files)
    watcher = TerminalWatcher(quiet=bool(command_context.options(ctx).get("quiet")) or as_json)
    with command_context.opened(ctx) as repository:
        _fit(repository)
        with bench(repository, jobs, watcher, on_cluster=place == "cluster") as means:
            try:
                done = audit(
                    repository.git,
                    repository.objects,
                    repository.store,
                    wanted,
                    require_all=require_all,
                    must_sign=repository.config.notes.sign,
                    replay=None if no_replay else means,
                )
            finally:
                watcher.close()
        _keep(repository, done, wanted, tests=not no_replay)
    _write(done, files)
    if as_json:
        _emit(done, wanted)
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _PLAIN
        show(done, width, replayed=not no_replay)
    return 0 if done.proven else 1


def _fit(repository: OpenRepository) -> None:
    from tdd_orchestrator.model.errors import Refused

    if repository.state.shallow:
        raise Refused(
            "This clone is shallow: the commits that the records are about are not here.",
            "Fetch them first: git fetch --unshallow (in CI: fetch-depth: 0).",
        )
    if repository.state.unborn:
        raise Refused("The repository has no commit yet.", "There is nothing to verify.")


def _keep(repository: OpenRepository, done: Audit, wanted: str, *, tests: bool) -> None:
    """Keep what was found for the dashboard's Audit page."""
    from tdd_orchestrator.audit import verdicts
    from tdd_orchestrator.notes.codec import stamp

    run = verdicts.LastRun(
        stamp(), wanted, done.proven, tests, done.commits, done.tracked, verdicts.listed(done.findings)
    )
    verdicts.Verdicts(repository.places.root / verdicts.FILE).keep(run, done.rows, done.findings)


def _write(done: Audit, files: dict[str, Path | None]) -> None:
    from tdd_orchestrator.audit import reports

    make = {
        "sarif": lambda: json.dumps(reports.sarif(done.findings), indent=1) + "\n",
        "junit": lambda: reports.junit(done.rows, done.findings).decode(),
        "badge": lambda: reports.badge(done.rows, proven=done.proven),
    }
    write_reports(files, make)


def _emit(done: Audit, wanted: str) -> None:
    from tdd_orchestrator.audit import reports

    counted = {
        name: getattr(done, name) for name in ("records", "signed", "commits", "tracked", "trees", "seconds")
    }
    emit_json(
        "verify",
        {"proven": done.proven, "range": wanted, **counted, **reports.values(done.rows, done.findings)},
    )


def row_lines(row: CommitResult, width: int) -> list[str]:
    """Return the lines of one phase: result, cycle, commit, item, and what was seen and recorded where
    they differ."""
    recorded, seen = (clean(one_line(text, 120)) for text in (row.recorded, row.seen))
    text = seen if seen == recorded else f"recorded {recorded}; seen {seen}"
    text += "".join(f"{'; ' if not at else ', '}{_answer(one)}" for at, one in enumerate(row.questions))
    how = "" if row.how == "commit" else f" (by {row.how})"
    word = "ok " if row.ok else "NOT"
    first = f"{word}  {row.cycle_number or '':>3}  {row.commit[:9]}  {row.phase:<10}  "
    item = one_line(clean(row.item), 36)
    if width < _WIDE:
        return [
            *wrapped(item, width, first=first, rest=" " * 7),
            *wrapped(text + how, width, first=" " * 7, rest=" " * 7),
        ]
    return wrapped(f"{item:<36}  {text}{how}", width, first=first, rest=" " * 7)


def _answer(one: dict[str, Any]) -> str:
    """Return a question with how many of the tests that were asked fail, as they must: ``shift 2/2``."""
    return f"{one['question']} " + (f"{one['failed']}/{one['asked']}" if one["asked"] else "not asked")


def show(done: Audit, width: int, *, replayed: bool) -> None:
    """Print one row a phase, then the findings, then one summary line; wrapped at words."""
    for row in done.rows:
        first, *rest = row_lines(row, width)
        word = click.style(first[:3], fg="green" if row.ok else "red")
        click.echo("\n".join([word + first[3:], *rest]))
    for finding in done.findings:
        colour = "red" if finding.level == "error" else "yellow"
        found = wrapped(f"{finding.rule}: {clean(one_line(finding.what, 400))}", width, rest="  ")
        click.echo("\n".join(found).replace(finding.rule, click.style(finding.rule, fg=colour), 1))
    if any(finding.rule == "missing-record" for finding in done.findings):
        click.echo(
            "\n".join(
                wrapped("Records of a note that was overwritten: `tdd doctor` brings them back.", width)
            )
        )
    click.echo("\n".join(wrapped(_summary(done, replayed=replayed), width)))


def _summary(done: Audit, *, replayed: bool) -> str:
    some = done.tracked or not replayed
    verdict = "Proven" if done.proven else "NOT proven"
    commits = f"{done.tracked} commit{'s'[: done.tracked != 1]} with records"
    without = f", {done.commits - done.tracked} without" if done.commits > done.tracked else ""
    runs = f"{done.trees} test run{'s'[: done.trees != 1]}" if replayed else "no tests run"
    records = f"{done.records} record{'s'[: done.records != 1]}"
    nothing = "" if some else " No commit of the range is the work of a cycle."
    return f"{verdict}: {commits}{without} ({records}, {runs}).{nothing}"


@click.group()
def hooks() -> None:
    """Ask `tdd verify` before every push; prove what a coding agent's session changed before it stops."""


@hooks.command("install")
@click.option("--uninstall", is_flag=True, help="Take the hook away again.")
@click.pass_context
def install(ctx: click.Context, uninstall: bool) -> None:
    """A pre-push hook that verifies what is about to be pushed; a hook of your own is kept and asked
    first."""
    from tdd_orchestrator.audit import hook

    with command_context.opened(ctx) as repository:
        change = hook.uninstall if uninstall else hook.install
        click.echo(change(repository.git, repository.found.common_dir, repository.found.work_tree))


@hooks.command("session")
@click.pass_context
def session(ctx: click.Context) -> int:
    """Answer a hook of a coding agent, whose event stands on standard input as JSON.

    At the session's start HEAD is kept. When the agent wants to stop, what it changed since is proven; unless
    it is, the agent is told why and goes on, three times at most. The plugin in `plugin/` calls this.
    """
    from tdd_orchestrator.cli.session_hook import answer

    text, code = answer(ctx, sys.stdin.buffer.read())
    if text:
        click.echo(text, err=code != 0)
    return code
