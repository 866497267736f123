"""Find what the settings need and this machine lacks: extras, a key, a token, a recording, a program, an
agent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tdd_orchestrator.app.health.findings import Finding

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository


def settings_needs(repository: OpenRepository) -> Iterator[Finding]:
    """Everything that a setting asks for and that is missing."""
    yield from _quality(repository)
    yield from _github(repository)
    yield from _signing(repository)
    yield from _rules(repository)
    yield from _notify(repository)


def _quality(repository: OpenRepository) -> Iterator[Finding]:
    from tdd_orchestrator.cycle.extra_checks import fit
    from tdd_orchestrator.model.errors import Refused

    proof = repository.config.proof
    if proof.mutation:
        language = repository.suites[0].framework.language
        try:
            fit(proof.mutation, language)
        except Refused as error:
            yield Finding("settings", f"{error.what} {error.todo}")


def _github(repository: OpenRepository) -> Iterator[Finding]:
    github = repository.config.github
    if not github.repository:
        return
    if find_spec("github") is None:
        from tdd_orchestrator.model.errors import add_extra

        what = f"github.repository is set, and PyGithub is not installed. {add_extra('github')}"
        yield Finding("settings", what, stops=False)
    if not os.environ.get(github.token_env):
        yield Finding(
            "settings",
            f"github.repository is set, and the environment variable {github.token_env} holds no token. "
            "Set it, or name another one in github.token_env.",
            stops=False,
        )


def _signing(repository: OpenRepository) -> Iterator[Finding]:
    from tdd_orchestrator.audit.signing import problem

    if repository.config.notes.sign:
        why = problem(repository.git)
        if why is not None:
            yield Finding("settings", f"{why.what} {why.todo}")


def _rules(repository: OpenRepository) -> Iterator[Finding]:
    from tdd_orchestrator.diagnosis.user_rules import user_rules
    from tdd_orchestrator.model.errors import BadConfig

    try:
        user_rules(repository.config.rules)
    except BadConfig as error:
        yield Finding("settings", f"{error.what} {error.todo}".strip())


def _notify(repository: OpenRepository) -> Iterator[Finding]:
    from tdd_orchestrator.config.load import words
    from tdd_orchestrator.workspace.survey import not_there

    command = words(repository.config.notify.command)
    if command:
        missing = not_there(command, repository.found.work_tree, None, "of notify.command")
        if missing:
            yield Finding("settings", missing, stops=False)


def agents(repository: OpenRepository) -> Iterator[Finding]:
    """Agents that are named and cannot work: not known, not installed, without a recording."""
    from tdd_orchestrator.agents.table import installed, none_installed

    config = repository.config.agents
    if not config.default and not config.roles:
        if not any(row.path for row in installed(versions=False)):
            yield Finding("agents", none_installed())
        else:
            yield Finding("agents", "No agent is set. Choose one: tdd init --agent NAME")
        return
    for name in sorted({config.default, *config.roles.values()} - {""}):
        yield from _agent(repository, name)


def versions(repository: OpenRepository) -> Iterator[Finding]:
    """Clients that are newer than the one that their preset was observed with: their output may be another."""
    from tdd_orchestrator.agents.describe import describe
    from tdd_orchestrator.agents.table import BUILT_IN
    from tdd_orchestrator.app.agent_registry import settings_of

    config = repository.config.agents
    for name in sorted({config.default, *config.roles.values()} - {"", *BUILT_IN}):
        found = describe(name, settings_of(repository.config, name))
        if found.newer:
            yield Finding(
                "versions",
                f"{name} is {found.version}; this preset was observed with {found.observed}. If its runs fail or its "
                f"tokens are not counted, say so in an issue, or install that version.",
                stops=False,
            )


def _agent(repository: OpenRepository, name: str) -> Iterator[Finding]:
    from tdd_orchestrator.agents.table import BUILT_IN, check_name, installed
    from tdd_orchestrator.config.load import words
    from tdd_orchestrator.model.errors import BadConfig
    from tdd_orchestrator.workspace.survey import not_there

    config, root = repository.config.agents, repository.found.work_tree
    table = config.named.get(name)
    if table and table.command:
        missing = not_there(words(table.command), root, None, f"of the agent '{name}'")
        if missing:
            yield Finding("agents", missing)
        return
    preset = (table.preset if table else "") or name
    if preset == "replay":
        yield from _recording(repository, name)
    if preset in BUILT_IN:
        return
    try:
        check_name(preset)
    except BadConfig as error:
        yield Finding("agents", f"{error.what} {error.todo}")
        return
    row = next((row for row in installed(versions=False) if row.name == preset), None)
    if row is not None and not row.path:
        yield Finding("agents", f"The agent '{name}' is not installed. Install it: {row.hint}")


def _recording(repository: OpenRepository, name: str) -> Iterator[Finding]:
    from tdd_orchestrator.agents.replay import read_recording
    from tdd_orchestrator.model.errors import TddError

    table = repository.config.agents.named.get(name)
    if table is None or not table.recording:
        key = f"agents.{name}.recording"
        yield Finding("agents", f"The agent '{name}' plays a recording, and {key} names none.")
        return
    try:
        read_recording(repository.found.work_tree / table.recording)
    except TddError as error:
        yield Finding("agents", f"{error.what} {error.todo}".strip())
