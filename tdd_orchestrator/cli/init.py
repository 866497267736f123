"""``tdd init``: find out how a repository is tested, write a commented tdd.toml, and offer to fix what would stop
a cycle."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tdd_orchestrator.cli import command_context, complete
from tdd_orchestrator.cli.render import clean, echo_wrapped
from tdd_orchestrator.model.policy import RetryPolicy
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.app.health.findings import Finding, Remedy
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.app.suites import FoundTests


def tdd_toml(found: FoundTests, agent: str, *, prefix: str = "") -> str:
    """``prefix`` is ``tool.tdd.`` for a table in pyproject.toml."""
    how = "run in a shell\nshell = true" if found.shell else "split into words as a shell would"
    shared = json.dumps(list(found.links))
    chosen = json.dumps(agent)
    retry = RetryPolicy()
    return f"""\
[{prefix}test]
command = {json.dumps(found.command)}     # what you run yourself; {how}
framework = "{found.framework}"                 # how its output and reports are read
# timeout = 600                     # seconds
# known_failing = []                # tests that fail already and are not this tool's business
# protect = []                      # more paths that GREEN and REFACTOR may not touch
# flaky_reruns = 2                  # unexpected failures are run again so often

[{prefix}agents]
default = {chosen}                  # who works: a name that `tdd agents` lists, or a table of your own below
# green = "cheap"                   # another one for one role
# [{prefix}agents.cheap]
# command = ["./my-agent", "--fast"]  # the prompt comes on standard input, the work tree is the current folder
# timeout = 300                     # seconds
# fallback = "claude"

[{prefix}workspace]
link = {shared}                     # untracked things that the work trees share with yours
# setup = "npm ci"                  # run once in each work tree, and again when a lock file changed
# sandbox = "auto"                  # bubblewrap where it works

# [{prefix}retry]
# max_retries = {retry.max_retries}
# delays = {list(retry.delays)}                # seconds

# [{prefix}budget]
# cost = 5.0                        # dollars per cycle; 0 = no limit
"""


PLAN_ADD = 'tdd plan add "what is to happen"'
_ROUNDS = 4  # what was fixed may show something else


@click.command()
@click.option("--command", default="", help="The test command, where it should not be found out.")
@click.option(
    "--agent", default="", shell_complete=complete.agents, help="Who works by default (see `tdd agents`)."
)
@click.option("--pyproject", is_flag=True, help="Write [tool.tdd] into pyproject.toml instead of tdd.toml.")
@click.option("--agents-md", is_flag=True, help="Also write how agents are to work here into AGENTS.md.")
@click.option(
    "--show-notes",
    is_flag=True,
    help="Let git log show the records below each commit (notes.displayRef).",
)
@click.option("--dry-run", is_flag=True, help="Say what would be done; change nothing.")
@click.option("--undo", is_flag=True, help="Take the git settings out again; your notes and tdd.toml stay.")
@click.pass_context
def init(
    ctx: click.Context,
    command: str,
    agent: str,
    pyproject: bool,
    agents_md: bool,
    show_notes: bool,
    dry_run: bool,
    undo: bool,
) -> int:
    """Find out how this repository is tested, write tdd.toml, and check that a cycle can begin. Safe to run
    again.
    """
    from tdd_orchestrator.agents.table import check_name

    with command_context.opened(ctx) as repository:
        if undo:
            _undo(repository)
            return 0
        if agent:
            check_name(agent, repository.config.agents.named)
        _configure(ctx, repository, command, agent, pyproject, dry_run)
        _git_settings(repository, show_notes, dry_run)
        if agents_md:
            _agents_md(repository.found.work_tree / "AGENTS.md", dry_run)
        return 0 if dry_run else _ready(ctx, repository)


def _agents_md(path: Path, dry_run: bool) -> None:
    from tdd_orchestrator.agents.editors import with_agents_block
    from tdd_orchestrator.model.errors import Refused

    try:
        before = path.read_bytes().decode("utf-8") if path.exists() else ""
        after = with_agents_block(before)
    except ValueError as error:
        raise Refused(f"{path.name} is left as it is: {error}.", "Put that right, or remove them.") from error
    if after == before:
        click.echo(f"{path.name} has this block already.")
    elif dry_run:
        click.echo(f"would write into {path.name}:\n\n{after}")
    else:
        path.write_bytes(after.encode("utf-8"))
        click.echo(f"written: {path.name} (what stands outside of our markers is as it was)")


def _undo(repository: OpenRepository) -> None:
    from tdd_orchestrator.notes import setup as notes_setup

    removed = notes_setup.undo(repository.git, repository.config.notes.ref)
    for setting in removed:
        click.echo(f"taken out: {setting.key} = {one_line(setting.value, 50)}")
    if not removed:
        click.echo("Nothing of ours is set.")


def _git_settings(repository: OpenRepository, show_notes: bool, dry_run: bool) -> None:
    from tdd_orchestrator.notes import setup as notes_setup

    put = notes_setup.plan if dry_run else notes_setup.apply
    planned = put(repository.git, repository.config.notes.ref, show_in_log=show_notes)
    word = "would set" if dry_run else "set"
    for setting in planned.add:
        echo_wrapped(f"{word} {setting.key} = {one_line(setting.value, 50)} ({setting.why})", rest="    ")
    for key, why in planned.skipped:
        echo_wrapped(f"left alone: {key}: {why}", rest="    ")


def _configure(
    ctx: click.Context, repository: OpenRepository, command: str, agent: str, pyproject: bool, dry_run: bool
) -> None:
    """Write the configuration file; an existing one changes only where the command line says so."""
    from tdd_orchestrator.app.health.trees import not_ignored
    from tdd_orchestrator.cli.config import change

    if repository.loaded.file is None:
        for found in not_ignored(repository) if not dry_run else ():
            if found.remedy is not None and _wanted(ctx, found):
                _ignore(repository, found.remedy.ignore)
        _write(repository, command, agent, pyproject, dry_run)
        return
    name = repository.loaded.file.name
    given = {"test.command": command, "agents.default": agent}
    values = {key: value for key, value in given.items() if value}
    if not values:
        click.echo(f"{name} is here already; it is left as it is.")
    for key, value in values.items():
        click.echo(f"{name}: {key} = {value}" if not dry_run else f"would set {key} = {value} in {name}")
    if values and not dry_run:
        change(repository, values)


def _write(repository: OpenRepository, command: str, agent: str, pyproject: bool, dry_run: bool) -> None:
    from tdd_orchestrator.app.suites import find_tests
    from tdd_orchestrator.config.load import FILES
    from tdd_orchestrator.model.errors import Refused
    from tdd_orchestrator.runners.command_parts import beside_tests

    root, found = repository.found.work_tree, find_tests(repository.found.work_tree, repository.git, command)
    detected = found.detected
    if not found.command:
        raise Refused(
            f"No test command was found: {detected.why}",
            "Name it, for example: tdd init --command 'python -m pytest -q' (or 'npm test', 'make test').",
        )
    text = tdd_toml(found, agent or _first_installed(), prefix="tool.tdd." if pyproject else "")
    target = root / ("pyproject.toml" if pyproject else FILES[0])
    framework = "" if detected.framework.name == "unknown" else f"{detected.framework.name}: "
    echo_wrapped(f"test command: {found.command}  ({framework}{detected.why})", rest="    ")
    more = beside_tests("make test", detected.framework, root)
    if more and not command and found.command != "make test":
        echo_wrapped(
            f"note: `make test` also runs {', '.join(f'`{line}`' for line in more[:3])}. To let all of it decide: "
            "tdd init --command 'make test'",
            rest="      ",
        )
    if dry_run:
        click.echo(f"would write {target.name}:\n\n{text}")
        return
    before = target.read_text("utf-8") if target.exists() else ""
    target.write_text(f"{before.rstrip()}\n\n{text}" if before.strip() else text, encoding="utf-8")
    click.echo(f"written: {target.name}")
    repository.reload_config()


def _first_installed() -> str:
    from tdd_orchestrator.agents.table import installed

    found = [row.name for row in installed(versions=False) if row.path]
    if found:
        return found[0]
    echo_wrapped(
        'note: No coding agent is installed, so you are the agent (agents.default = "human"). '
        "`tdd agents` says how to install one; then: tdd init --agent NAME",
        rest="      ",
    )
    return "human"


def _ready(ctx: click.Context, repository: OpenRepository) -> int:
    """Print what would stop the next command, and fix what the person agrees to. Return the exit code: 1
    where the plan cannot be read, which nothing that a person sets up here changes."""
    from tdd_orchestrator.app.health.checks import BEFORE_A_CYCLE, CHECKS
    from tdd_orchestrator.cli.doctor import gather, suite
    from tdd_orchestrator.config.load import FILES

    checks = [row for row in CHECKS if row[0] in BEFORE_A_CYCLE]
    refused: set[str] = set()
    found: list[Finding] = []
    counted = ""
    for _ in range(_ROUNDS):
        found = gather(repository, checks)
        tests, counted = suite(repository, found, here_too=True)
        found += tests
        if not _apply_remedies(ctx, repository, found, refused):
            break
    for one in found:
        echo_wrapped(f"note: {one.sentence}", rest="      ")
        for line in one.remedy.commands() if one.remedy else ():
            click.echo(f"        {clean(line)}")
    if counted and not any(one.check == "tests" for one in found):
        echo_wrapped(f"The tests say the same here and in a clean tree: {counted}.")
    stopping = sum(one.stops for one in found)
    if stopping:
        echo_wrapped(f"Next: fix {'this' if stopping == 1 else 'these'}, then `tdd doctor` looks again.")
    else:
        new = repository.git.run("status", "--porcelain", "--", *FILES, ".gitignore").strip()
        planned = repository.plan_repository.plan().next() is not None
        steps = ("commit tdd.toml" if new else "", "" if planned else PLAN_ADD, "tdd cycle next")
        echo_wrapped(f"Next: {', '.join(filter(None, steps))}.")
    return int(any(one.check == "plan" for one in found))


def _apply_remedies(
    ctx: click.Context, repository: OpenRepository, found: list[Finding], refused: set[str]
) -> bool:
    """Whether anything was fixed; each finding is asked about once."""
    done = False
    for one in found:
        if one.remedy is None or one.sentence in refused:
            continue
        if _wanted(ctx, one):
            _apply(repository, one.remedy)
            done = True
        else:
            refused.add(one.sentence)
    return done


def _wanted(ctx: click.Context, found: Finding) -> bool:
    assert found.remedy is not None
    if command_context.options(ctx).get("yes"):
        return True
    if not command_context.can_ask(ctx):
        return False
    echo_wrapped(found.sentence, err=True)
    return click.confirm(clean(found.remedy.question), default=True, err=True)


def _apply(repository: OpenRepository, remedy: Remedy) -> None:
    from tdd_orchestrator.cli.config import change

    _ignore(repository, remedy.ignore)
    if remedy.settings:
        name = change(repository, dict(remedy.settings))
        click.echo(f"fixed: {', '.join(remedy.settings)} in {name}")


def _ignore(repository: OpenRepository, lines: tuple[str, ...]) -> None:
    if not lines:
        return
    path = repository.found.work_tree / ".gitignore"
    before = path.read_text("utf-8") if path.exists() else ""
    gap = "" if not before or before.endswith("\n") else "\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(gap + "".join(f"{line}{os.linesep}" for line in lines))
    click.echo(f"fixed: {', '.join(lines)} in .gitignore (commit it)")
