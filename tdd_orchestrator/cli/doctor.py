"""``tdd doctor``: findings, one sentence each, with the command that fixes it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from tdd_orchestrator.cli import command_context
from tdd_orchestrator.cli.render import JSON, clean, echo_wrapped, emit_json

if TYPE_CHECKING:
    from tdd_orchestrator.app.health.checks import Check
    from tdd_orchestrator.app.health.findings import Finding
    from tdd_orchestrator.app.open_repository import OpenRepository


@click.command()
@JSON
@click.option(
    "--agents",
    "ask_agents",
    is_flag=True,
    help="Also ask each configured agent for one word (costs a token).",
)
@click.option("--no-tests", is_flag=True, help="Do not run the tests.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool, ask_agents: bool, no_tests: bool) -> int:
    """Find what the next command would stop at, and how to fix it. Exit code 1 where something is found.

    The tests are run once, as the next cycle would run them; the cycle reuses the result.
    """
    from tdd_orchestrator.app.health.checks import CHECKS

    with command_context.opened(ctx) as repository:
        found = gather(repository, CHECKS)
        if not no_tests:
            found += suite(repository, found, here_too=False)[0]
        if ask_agents:
            found += list(_answers(repository))
    if as_json:
        emit_json("doctor", {"troubles": [_shape(one) for one in found]})
    else:
        for one in found:
            echo_wrapped(f"{one.check}: {one.sentence}", rest="    ")
            for line in one.remedy.commands() if one.remedy else ():
                click.echo(f"    {clean(line)}")
        if not found:
            click.echo("Nothing is wrong.")
    return 1 if any(one.check != "versions" for one in found) else 0  # a newer client is no mistake


def gather(repository: OpenRepository, checks: Iterable[tuple[str, Check]]) -> list[Finding]:
    """Return the findings of the checks, each sentence once; a check that fails is itself a finding."""
    from tdd_orchestrator.app.health.findings import Finding
    from tdd_orchestrator.cli.boundary import fault
    from tdd_orchestrator.model.errors import TddError

    found: dict[str, Finding] = {}
    for name, check in checks:
        try:
            for one in check(repository):
                found.setdefault(one.sentence, one)
        except Exception as error:
            known = error if isinstance(error, TddError) else fault(error)
            if known is None:
                raise
            sentence = f"{known.what} {known.todo}".strip()
            found.setdefault(sentence, Finding(name, sentence))
    return list(found.values())


def suite(repository: OpenRepository, found: list[Finding], *, here_too: bool) -> tuple[list[Finding], str]:
    """Return the findings about the tests, and their counts.

    They are not run where an earlier finding prevents it.
    """
    from tdd_orchestrator.app.health.suite import Standing, baseline_standing
    from tdd_orchestrator.cli.watch import TerminalWatcher

    in_the_way = {"configuration", "repository", "trees", "tests", "plan"}
    if any(one.stops and one.check in in_the_way for one in found) or not repository.state.head:
        return [], ""
    watch = TerminalWatcher()
    standing: list[Standing] = []

    def check(opened: OpenRepository) -> Iterator[Finding]:
        standing.append(baseline_standing(opened, watch, here=here_too))
        yield from standing[0].findings

    try:
        new = gather(repository, (("tests", check),))
    finally:
        watch.close()
    known = {one.sentence for one in found}
    return [one for one in new if one.sentence not in known], standing[0].counted if standing else ""


def _shape(one: Finding) -> dict[str, object]:
    remedy = list(one.remedy.commands()) if one.remedy else []
    return {"check": one.check, "sentence": one.sentence, "stops": one.stops, "mend": remedy}


def _answers(repository: OpenRepository) -> Iterator[Finding]:
    """Ask each configured agent for one word, in the sandbox in which it works."""
    from tdd_orchestrator.agents.preset import silent
    from tdd_orchestrator.app.agent_registry import ConfiguredAgents
    from tdd_orchestrator.app.health.findings import Finding
    from tdd_orchestrator.app.sandboxes import agent_wrap
    from tdd_orchestrator.redaction import redactor

    config, redact = repository.config, redactor(os.environ)
    wrap = agent_wrap(config, repository)
    company = ConfiguredAgents(config, repository.found.work_tree, lambda _: None, None, wrap, redact)
    for name in sorted({config.agents.default, *config.agents.roles.values()} - {"", "human", "replay"}):
        sentence = silent(company.agent("analyze", name))
        if sentence:
            yield Finding("agents", sentence)
