"""``tdd agents`` and ``tdd prompts``: the agents, what they lack, and the prompts they would get."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from tdd_orchestrator.cli import complete
from tdd_orchestrator.cli.render import JSON, clean, columns, echo_wrapped, emit_json, tinted, wrapped

if TYPE_CHECKING:
    from tdd_orchestrator.agents.table import Installed
    from tdd_orchestrator.config.schema import AgentsConfig
    from tdd_orchestrator.prompting.brief import Brief

_NAME = 10  # columns of an agent's name


class AgentNames(click.Group):
    """A group whose unknown words are names of agents: ``tdd agents claude`` is ``tdd agents show
    claude``."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["show", *args]
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of agents too, as they are taken in place of a command."""
        return [*super().shell_complete(ctx, incomplete), *complete.agents(ctx, self.params[0], incomplete)]


@click.group(cls=AgentNames, invoke_without_command=True)
@JSON
@click.pass_context
def agents(ctx: click.Context, as_json: bool) -> None:
    """Which coding agents are installed, their versions, and how to get the ones that are missing."""
    if ctx.invoked_subcommand is None:
        _listed(as_json)


@agents.command("show")
@click.argument("name", shell_complete=complete.agents)
@JSON
def show_agent(name: str, as_json: bool) -> int:
    """What NAME is given: program, variables that are passed, set and missing, providers (exit 1 where
    something is missing)."""
    from tdd_orchestrator.agents.describe import describe, render
    from tdd_orchestrator.agents.preset import PRESETS
    from tdd_orchestrator.agents.table import AgentSettings, check_name
    from tdd_orchestrator.app.agent_registry import settings_of
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.model.errors import TddError

    settings = AgentSettings(name)
    own: tuple[str, ...] = ()
    try:
        with OpenRepository(Path.cwd()) as opened:
            own = tuple(opened.config.agents.named)
            settings = settings_of(opened.config, name)
    except TddError:  # outside of a repository every preset can be shown
        pass
    if not settings.preset and not settings.command and name not in PRESETS:
        check_name(name, own)
    found = describe(name, settings)
    if as_json:
        emit_json("agent", found.as_dict())
    else:
        for line in render(found):
            echo_wrapped(line, rest=" " * (13 - len(line) + len(line.lstrip())))
    return int(bool(found.missing) or not found.path)


@agents.command()
@click.argument("name", required=False, default="", shell_complete=complete.agents)
def reset(name: str) -> None:
    """Close the circuit breaker: failures of NAME (or of every agent) until now no longer count."""
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.cycle.controls import reset_breaker
    from tdd_orchestrator.failures.stops import close_breaker
    from tdd_orchestrator.model.errors import Refused

    with OpenRepository(Path.cwd()) as opened:
        set_up = opened.config.agents
        known = {*set_up.named, *set_up.roles.values(), set_up.default} - {""}
        if name and name not in known:
            todo = f"Known: {', '.join(sorted(known))}." if known else "Set agents.default in tdd.toml."
            raise Refused(f"No agent '{name}' is set up here.", todo)
        if opened.state.unborn:
            raise Refused("The repository has no commit yet.", "There is nothing to reset.")
        opened.lock()
        reset_breaker(opened.store, opened.git.line("rev-parse", "HEAD"), name)
        closed = close_breaker(opened.store, opened.plan_repository, name)
    for line in (f"The circuit breaker is closed for {name or 'every agent'}.", *closed):
        click.echo(clean(line))


def _listed(as_json: bool) -> None:
    from tdd_orchestrator.agents.sandbox import available
    from tdd_orchestrator.agents.table import installed, none_installed
    from tdd_orchestrator.config.schema import AgentsConfig

    rows, here = installed(), _here()
    why_not = available()
    if as_json:
        sandbox = {"works": why_not is None, "reason": why_not or ""}
        roles = {"default": here.default, "roles": here.roles} if isinstance(here, AgentsConfig) else None
        emit_json("agents", {"agents": [asdict(row) for row in rows], "here": roles, "sandbox": sandbox})
        return
    for row in rows:
        for number, line in enumerate(wrapped(_line(row), columns(), rest=" " * 27)):
            click.echo(line if number else tinted(line, _NAME))
    click.echo(f"\nset here  {clean(_settings_text(here, rows))}", err=True)
    click.echo(f"sandbox   {'bubblewrap works here' if why_not is None else why_not}", err=True)
    named = isinstance(here, AgentsConfig) and (here.default or here.roles)
    if not named and not any(row.path for row in rows):
        click.echo("", err=True)
        for line in wrapped(none_installed(), columns()):
            click.echo(line, err=True)


def _here() -> AgentsConfig | str:
    """Return the agents that this repository's configuration names, or why it cannot be read."""
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.model.errors import TddError

    try:
        with OpenRepository(Path.cwd()) as opened:
            return opened.config.agents
    except TddError as error:
        return error.what


def _settings_text(here: AgentsConfig | str, rows: Sequence[Installed]) -> str:
    if isinstance(here, str):
        return here
    if not here.default and not here.roles:
        return "no agent is set: agents.default in tdd.toml names one"
    command = here.named[here.default].command if here.default in here.named else ()
    words = command if isinstance(command, str) else " ".join(command)
    if any(row.name == here.default and not row.path and not row.built_in for row in rows) and not words:
        words = "missing"
    default = f"{here.default}{f' ({words})' if words else ''}" if here.default else "no default"
    return "; ".join([default, *(f"{role}: {name}" for role, name in sorted(here.roles.items()))])


def _line(row: Installed) -> str:
    if row.built_in:
        return f"{row.name:16} {'always there':13} {row.hint}"
    if not row.path:
        return f"{row.name:16} missing   {clean(row.hint)}"
    held = "" if row.read_only == "own" else "  (no read-only mode: the sandbox and the tree check hold it)"
    return f"{row.name:16} {clean(row.version) or 'installed':30} {clean(row.path)}{held}"


@click.group()
def prompts() -> None:
    """What an agent is told, role by role."""


@prompts.command()
@click.argument("role")
@click.option("--after", metavar="VERDICT", help="As a retry after this verdict, such as still_failing.")
@JSON
def show(role: str, after: str | None, as_json: bool) -> None:
    """What an agent in ROLE would get, for the plan's next item, or an example where there is none."""
    from tdd_orchestrator.prompting.compose import compose, kinds_of
    from tdd_orchestrator.prompting.templates import choose_skills, find_role, load_skills
    from tdd_orchestrator.redaction import redactor

    root, brief = _brief(role)
    if after:
        brief = _after(brief, after)
    card = find_role(role, root)
    home = os.environ.get("HOME")
    skills, troubles = load_skills(root, Path(home) if home else None)
    chosen = choose_skills(skills, card, kinds_of(brief))
    text = compose(card, brief, chosen, redact=redactor(os.environ))
    for trouble in troubles:
        click.echo(f"tdd: {clean(trouble)}", err=True)
    if as_json:
        facts = {
            "role": card.name,
            "description": card.description,
            "file": str(card.path),
            "tools": list(card.tools),
        }
        more = {
            "model": card.model,
            "output": card.output,
            "skills": [skill.name for skill in chosen],
            "prompt": text,
        }
        emit_json("prompt", {**facts, **more})
        return
    click.echo(text, nl=False)
    click.echo(
        f"\n({card.path}; {len(text)} characters; examples stand for what only a cycle knows)", err=True
    )


@prompts.command("list")
@JSON
def list_roles(as_json: bool) -> None:
    """Every role, and where its prompt comes from."""
    from tdd_orchestrator.prompting.templates import ROLES, find_role

    root = _root()
    cards = [find_role(role, root) for role in ROLES]
    if as_json:
        rows = [
            {"role": card.name, "description": card.description, "file": str(card.path)} for card in cards
        ]
        emit_json("prompts", {"roles": rows})
        return
    for card in cards:
        own = "  (this repository's own)" if root and card.path.is_relative_to(root / ".tdd") else ""
        click.echo(f"{card.name:13} {clean(card.description)}{own}")


def _root() -> Path | None:
    """The repository's root, or None outside of one."""
    from tdd_orchestrator.model.errors import TddError
    from tdd_orchestrator.repo.discovery import discover

    try:
        return discover(Path.cwd()).work_tree
    except TddError:
        return None


def _brief(role: str) -> tuple[Path | None, Brief]:
    """An example, with this repository's next item and test command where it has them."""
    from tdd_orchestrator.model.diagnosis import SPECIALISTS
    from tdd_orchestrator.prompting.brief import Brief, FixRequest

    phase = "fix" if role in SPECIALISTS else "test_list" if role == "replan" else role
    failing = "E       assert None == 0\n\nshop/cart.py:12: AssertionError"
    brief = Brief(
        phase,
        item_id="EXAMPLE",
        title="An empty cart has a total of 0",
        description="total() of a cart without lines returns 0, not an error.",
        target_tests=("tests/test_cart.py::test_an_empty_cart_has_a_total_of_0",) if role == "green" else (),
        failing_output=failing if role in ("green", "analyze", *SPECIALISTS) else "",
        feature="A shopping cart with a total." if role == "test_list" else "",
        request=FixRequest(
            test_name="test_an_empty_cart_has_a_total_of_0", error_type="AssertionError", message="None == 0"
        ),
    )
    root = _root()
    if root is None:
        return None, brief
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.model.errors import Refused

    with OpenRepository(root) as opened:
        item = opened.plan_repository.plan().next()
        if item is not None:
            brief = replace(brief, item_id=item.id, title=item.title, description=item.description,
                item_type=item.type,
                            test_file=item.test_file, impl_file=item.impl_file)  # fmt: skip
        agents = opened.config.agents
        agent = agents.named.get(agents.for_role("test_list" if role == "replan" else role))
        if agent is not None and role != "analyze":  # whose limit is its own
            brief = replace(brief, minutes=round(agent.timeout / 60, 1))
        try:
            suite = opened.suites[0]
        except Refused:  # no test command yet: the prompt is shown without one
            return root, brief
    row = suite.framework
    return root, replace(
        brief,
        test_command=" ".join(suite.command),
        framework=row.name,
        language=row.language,
        test_patterns=row.test_files,
        forbidden=(*row.test_files, *row.config_files) if role in ("green", "refactor", *SPECIALISTS) else (),
    )


def _after(brief: Brief, word: str) -> Brief:
    from tdd_orchestrator.model.errors import Refused
    from tdd_orchestrator.model.phase import Verdict
    from tdd_orchestrator.prompting.brief import Try

    try:
        verdict = Verdict(word)
    except ValueError:
        raise Refused(f"There is no verdict '{word}'.", f"Verdicts: {', '.join(Verdict)}.") from None
    return replace(brief, attempt=2, tries=(Try(1, verdict, ("the reason, as the gate gave it",)),))
