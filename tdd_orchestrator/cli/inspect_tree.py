"""``tdd status``, ``tdd diff``, ``tdd test``: the state of the cycle, an attempt's changes, a test run
in its tree."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from tdd_orchestrator.cli.render import JSON, clean, echo_grouped, emit_json

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.model.records import Handoff, Trouble
    from tdd_orchestrator.model.summary import RecordSummary

_COMMIT = 4  # characters at least of a commit's id, as git has it; fewer are a number


@click.command()
@JSON
def status(as_json: bool) -> None:
    """Show where the cycle stands, the one command to run next, and what all cycles used."""
    from tdd_orchestrator.cli.standing import newest, used_so_far
    from tdd_orchestrator.cli.status import shape, status_text
    from tdd_orchestrator.cycle.usage_text import render_used

    standing = newest(Path.cwd())
    used = used_so_far(Path.cwd())
    if as_json:
        emit_json("cycle-status", {**shape(standing), "used": asdict(used)})
        return
    lines, total = status_text(standing).splitlines(), render_used(used)
    if total:  # the last line is what to do next
        at = next((n for n, line in enumerate(lines) if line.startswith("  next: ")), len(lines))
        lines.insert(at, f"  all cycles: {total}")
    echo_grouped(lines)


@click.command()
@click.argument("attempt", required=False, default="")
@click.option("--stat", is_flag=True, help="Only the files, with how many lines changed.")
@JSON
@click.pass_context
def diff(ctx: click.Context, attempt: str, stat: bool, as_json: bool) -> None:
    """Show what ATTEMPT changed: a phase (red, green, refactor), a number of `tdd cycle show`, or a commit.

    Without ATTEMPT: the newest one. While a person works (agent `human`): what changed so far.
    """
    from tdd_orchestrator.cli import command_context
    from tdd_orchestrator.cycle.controls import records_of
    from tdd_orchestrator.model.reading import read_all
    from tdd_orchestrator.model.records import Handoff, Trouble

    words = ["diff", "--no-ext-diff", *(["--stat"] if stat else []), "--end-of-options"]
    with command_context.opened(ctx) as repository:
        turn = None if attempt else _turn_of_a_person(repository)
        if turn is not None:
            place = {"cycle_id": turn.cycle_id, "phase": turn.phase, "attempt": turn.attempt, "verdict": ""}
            commit, title = "", f"{turn.phase}, so far"
            text = _changes_since(repository, turn.tip, words)
        else:
            records = records_of(repository.store)
            attempts = [
                one for one in read_all(records) if isinstance(one, Handoff | Trouble) and one.candidate
            ]
            record = _chosen(attempts, attempt)
            place = record.model_dump(include={"cycle_id", "phase", "attempt", "verdict"})
            commit = record.candidate
            title = f"{record.phase} attempt {record.attempt} ({record.verdict}), {commit[:12]}"
            text = repository.git.run(*words, f"{commit}^", commit).decode("utf-8", "replace")
    if as_json:
        emit_json("diff", {**place, "commit": commit, "diff": text})
        return
    click.echo(title, err=True)
    for line in text.splitlines():
        click.echo(_colored(clean(line)))


def _turn_of_a_person(repository: OpenRepository) -> RecordSummary | None:
    """Return the newest record where a person is at work on it."""
    from tdd_orchestrator.cli.standing import newest

    record = newest(repository.found.work_tree).summary
    theirs = record is not None and record.kind in ("intent", "error") and record.agent.name == "human"
    return record if theirs else None


def _changes_since(repository: OpenRepository, commit: str, words: Sequence[str]) -> str:
    """Return the diff of the tree in which a person works, new files too, by an index of our own."""
    from tdd_orchestrator.repo.git import Git

    places = repository.places
    git = repository.git
    if repository.config.workspace.mode != "inplace":
        git = Git(places.agent.with_name("agent.git"), places.agent)
    links = [f":(exclude){name}" for name in repository.config.workspace.link]
    with TemporaryDirectory() as folder:
        env = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        git.run("read-tree", commit, env=env)
        git.run("add", "--intent-to-add", "--", ".", *links, env=env)
        return git.run(*words, commit, "--", ".", *links, env=env).decode("utf-8", "replace")


def _chosen(records: Sequence[Handoff | Trouble], word: str) -> Handoff | Trouble:
    """Return the newest record that the word matches. Raises Refused where there is none."""
    from tdd_orchestrator.model.errors import Refused

    for number, record in reversed([*enumerate(records, 1)]):
        names = (record.phase.casefold(), str(number))
        named = len(word) >= _COMMIT and record.candidate.startswith(word)
        if not word or word.casefold() in names or named:
            return record
    if not records:
        raise Refused("No attempt has changed anything yet.", "`tdd status` shows where the cycle stands.")
    raise Refused(
        f"The newest cycle has no attempt '{word}'.", f"Name a phase, or a number from 1 to {len(records)}."
    )


def _colored(line: str) -> str:
    if os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        return line
    color = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
    return click.style(line, fg=color) if color and not line.startswith(("+++", "---")) else line


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def test(ctx: click.Context, arguments: tuple[str, ...]) -> int:
    """Run the tests as the referee runs them, in the tree where the agent (or you, as `human`) works.

    Without a cycle under way: in a clean tree of HEAD. ARGUMENTS go to the test command; put them after `--`.
    """
    from tdd_orchestrator.cli import command_context

    worst = 0
    with command_context.opened(ctx) as repository:
        tree = _tree(repository)
        for suite in repository.suites:
            code = _run(repository, tree, suite.cwd, (*suite.command, *arguments), suite.timeout)
            worst = worst or code
    return worst


def _tree(repository: OpenRepository) -> Path:
    """The agent's tree where a cycle is under way; else the clean tree, moved to HEAD."""
    from tdd_orchestrator.app.health.trees import proof_tree
    from tdd_orchestrator.cli.standing import newest

    record = newest(repository.found.work_tree).summary
    running = record is not None and record.kind != "cycle_ended"
    if repository.config.workspace.mode == "inplace":
        return repository.found.work_tree
    if running and repository.places.agent.is_dir():
        return repository.places.agent
    return proof_tree(repository).path


def _run(repository: OpenRepository, tree: Path, cwd: str, command: tuple[str, ...], timeout: float) -> int:
    """Run one suite with its output as it comes; its exit code comes back."""
    from tdd_orchestrator import process
    from tdd_orchestrator.app.sandboxes import proof_wrap
    from tdd_orchestrator.runners.run import neutral_env

    config, root = repository.test_config, repository.found.work_tree
    env = neutral_env(tree, dict(os.environ), repository.shared.python_path())
    env.update({name: os.environ[name] for name in config.test.pass_env if name in os.environ})
    wrap = proof_wrap(config, repository, repository.tree(tree)) if tree != root else None
    click.echo(f"{shlex.join(command)}  (in {tree / cwd})", err=True)
    done = process.run(
        wrap([*command]) if wrap else command,
        cwd=tree / cwd,
        env=env,
        limits=process.Limits(timeout=timeout),
        merge=True,
        on_output=_show,
    )
    if done.error:
        click.echo(f"tdd: {done.error}", err=True)
    if done.timed_out:
        click.echo(f"tdd: the tests were ended after {timeout:g} s (test.timeout).", err=True)
    return done.exit_code if done.exit_code is not None else 1


def _show(data: bytes) -> None:
    click.echo(data.decode("utf-8", "replace"), nl=False)
