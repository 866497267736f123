"""``tdd doctor``: what is wrong here, one sentence each; and where the tests of two trees disagree."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from tdd_orchestrator.cli import here
from tdd_orchestrator.cli.render import emit_json

if TYPE_CHECKING:
    from tdd_orchestrator.app.opened import Opened

_OLDEST_GIT = (2, 38)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option(
    "--agents",
    "ask_agents",
    is_flag=True,
    help="Also ask each configured agent for one word (costs a token).",
)
@click.pass_context
def doctor(ctx: click.Context, as_json: bool, ask_agents: bool) -> int:
    """What is wrong here, one sentence each. Exit code 1 where something is."""
    found: dict[str, str] = {}
    with here.opened(ctx) as repository:
        for name, check in CHECKS:
            for sentence in _safely(check, repository):
                found.setdefault(sentence, name)  # what is wrong with the configuration, most checks meet
        if ask_agents:
            found |= dict.fromkeys(_answers(repository), "agents")
    if as_json:
        troubles = [{"check": name, "sentence": sentence} for sentence, name in found.items()]
        emit_json("doctor", {"troubles": troubles})
    else:
        for sentence, name in found.items():
            click.echo(f"{name}: {sentence}")
        if not found:
            click.echo("Nothing is wrong.")
    return 1 if found else 0


def _safely(check: Callable[[Opened], Iterator[str]], repository: Opened) -> list[str]:
    """A check that cannot be made is itself a finding."""
    from tdd_orchestrator.cli.boundary import fault
    from tdd_orchestrator.model.errors import TddError

    try:
        return list(check(repository))
    except Exception as error:
        known = error if isinstance(error, TddError) else fault(error)
        if known is None:
            raise
        return [f"{known.what} {known.todo}".strip()]


def _configuration(repository: Opened) -> Iterator[str]:
    if repository.loaded.file is None:
        yield "There is no tdd.toml; `tdd init` writes one."


def _state(repository: Opened) -> Iterator[str]:
    from tdd_orchestrator.app.workshop import fit_to_work

    fit_to_work(repository)
    state = repository.state
    if state.index_lock:
        yield f"{repository.git.git_dir / 'index.lock'} exists; remove it if no git command is running."
    if state.shallow:
        yield "This is a shallow clone: the last known-good commit may lie beyond its edge (git fetch --unshallow)."
    if state.submodules:
        yield "Submodules are not filled in the work trees; set workspace.setup to a command that does it."


def _git(repository: Opened) -> Iterator[str]:
    said = repository.git.line("version").split()
    numbers = re.findall(r"\d+", said[2] if len(said) > 2 else "")
    if tuple(map(int, numbers[:2])) < _OLDEST_GIT:
        oldest = ".".join(map(str, _OLDEST_GIT))
        yield f"git {said[2]} is older than {oldest}: a cycle cannot be put on top of a branch that moved."


def _tests(repository: Opened) -> Iterator[str]:
    from tdd_orchestrator.app.suites import suites_of
    from tdd_orchestrator.runners.neutral import neutral_env
    from tdd_orchestrator.workspace.program import not_there

    root = repository.found.work_tree
    path = neutral_env(root, os.environ)["PATH"]
    for suite in suites_of(repository.config, root):
        missing = not_there(suite.command, root / suite.cwd, path)
        if missing:
            yield missing
        if suite.framework.name == "unknown":
            yield "The test framework is not known: tests are read by exit code and text alone; set test.framework."


def _trees(repository: Opened) -> Iterator[str]:
    if repository.state.head:
        yield from trouble_with_trees(repository)


def trouble_with_trees(repository: Opened) -> list[str]:
    """The trap of editable installs and linked packages."""
    from tdd_orchestrator.cli.comparison import module_origins
    from tdd_orchestrator.workspace.survey import autoloaders_linked, workspaces_linked

    found = list(module_origins(repository))
    for name in autoloaders_linked(repository.found.work_tree, repository.config.workspace.link):
        found.append(
            f"{name} is linked, and Composer's autoloader looks for the project's classes beside it: the work trees would "
            "test your files, not the agent's; use workspace.setup (composer install) instead of workspace.link."
        )
    if "node_modules" in repository.config.workspace.link:
        linked = workspaces_linked(repository.found.work_tree)
        if linked:
            names = ", ".join(linked[:3])
            found.append(
                f"node_modules links {names} back into your checkout: the work trees would test your files, not the "
                "agent's; use workspace.setup (npm ci) instead of workspace.link."
            )
    return found


def _agents(repository: Opened) -> Iterator[str]:
    from tdd_orchestrator.agents.table import BUILT_IN, installed, none_found
    from tdd_orchestrator.config.load import words
    from tdd_orchestrator.workspace.program import not_there

    config = repository.config.agents
    if not config.default and not config.roles:
        rows = installed(versions=False)
        if not any(row.path and row.path != "-" for row in rows):
            error = none_found(rows)
            yield f"{error.what} {error.todo}"
        else:
            yield "No agent is set; name one in agents.default."
        return
    for name in sorted({config.default, *config.roles.values()} - {""}):
        table = config.named.get(name)
        if table and table.command:
            missing = not_there(
                words(table.command), repository.found.work_tree, None, f"of the agent '{name}'"
            )
            if missing:
                yield missing
            continue
        preset = (table.preset if table else "") or name
        if preset in BUILT_IN:
            continue
        row = next((row for row in installed(versions=False) if row.name == preset), None)
        if row is None:
            yield f"There is no agent '{name}'; `tdd agents` lists the known ones."
        elif not row.path:
            yield f"The agent '{name}' is not installed: {row.hint}."


def _prompts(repository: Opened) -> Iterator[str]:
    from tdd_orchestrator.model.errors import BadConfig
    from tdd_orchestrator.prompting.compose import check_own
    from tdd_orchestrator.prompting.templates import ROLES, own_files

    root = repository.found.work_tree
    for path in own_files(root):
        if path.stem not in ROLES:
            yield f"{path} is the prompt of no role; roles: {', '.join(ROLES)}."
    try:
        check_own(root)
    except BadConfig as error:
        yield f"{error.what} {error.todo}".strip()


def _sandbox(repository: Opened) -> Iterator[str]:
    from tdd_orchestrator.agents.sandbox import available

    reason = available()
    if reason and repository.config.workspace.sandbox != "none":
        yield f"No sandbox: {reason} Agents could write outside their tree; it would be noticed, not prevented."


def _store(repository: Opened) -> Iterator[str]:
    from tdd_orchestrator.notes.healing import check

    check(repository.objects, repository.store, deep=True)
    yield from ()


def _rewritten(repository: Opened) -> Iterator[str]:
    """Records that a rewrite left behind: what is certain is re-attached at once, and said."""
    from tdd_orchestrator.audit.reattach import orphans, reattach

    if not repository.state.head:
        return
    for orphan in orphans(repository.git, repository.objects, repository.store, repository.state.head):
        short = orphan.commit[:12]
        if orphan.certain and reattach(repository.store, orphan):
            yield f"{short} had lost its records in a rewrite; they were found by its {orphan.how} and are re-attached."
        elif len(orphan.sources) > 1:
            some = ", ".join(source[:12] for source in orphan.sources[:3])
            yield f"{short} has lost its records, and several fit by its {orphan.how} ({some}): nothing was guessed."
        else:
            yield f"{short} says that it belongs to a cycle, and no record of it is here; `tdd sync` may bring it."


def _answers(repository: Opened) -> Iterator[str]:
    """Each configured agent is asked for one word."""
    from tdd_orchestrator.agents.trial import silent
    from tdd_orchestrator.app.company import Company
    from tdd_orchestrator.prompting.secrets import redactor

    config = repository.config
    company = Company(config, repository.found.work_tree, lambda _: None, None, None, redactor(os.environ))
    for name in sorted({config.agents.default, *config.agents.roles.values()} - {"", "human", "replay"}):
        sentence = silent(company.agent("analyze", name))
        if sentence:
            yield sentence


CHECKS: tuple[tuple[str, Callable[[Opened], Iterator[str]]], ...] = (
    ("configuration", _configuration),
    ("repository", _state),
    ("git", _git),
    ("tests", _tests),
    ("trees", _trees),
    ("agents", _agents),
    ("prompts", _prompts),
    ("sandbox", _sandbox),
    ("trail", _store),
    ("rewrites", _rewritten),
)
