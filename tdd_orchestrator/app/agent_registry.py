"""Which agent plays which role, and how it is spoken to."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.agents.agent import Agent
from tdd_orchestrator.agents.command import Wrap
from tdd_orchestrator.agents.preset import Preset
from tdd_orchestrator.agents.table import AgentEnvironment, AgentSettings, check_name, make_agent, none_set
from tdd_orchestrator.agents.usage import Price
from tdd_orchestrator.config.load import words
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.prompting.brief import Brief
from tdd_orchestrator.prompting.compose import compose, kinds_of
from tdd_orchestrator.prompting.templates import choose_skills, find_role, load_skills


@dataclass(frozen=True, slots=True)
class ConfiguredAgents:
    """Which agent plays which role, made when it is first needed."""

    config: Config
    root: Path
    tell: Callable[[str], None]
    wait: Callable[[], None] | None
    wrap: Callable[[Preset], Wrap | None] | None
    redact: Callable[[str], str]
    everyone: str = ""

    def agent(self, role: str, name: str = "") -> Agent:
        chosen = self.everyone or name or self.config.agents.for_role(role)
        if not chosen:
            raise none_set(role)
        check_name(chosen, self.config.agents.named)
        return make_agent(chosen, self._settings(chosen), self._around())

    def fallback(self, name: str) -> str:
        return self._settings(name).fallback

    def account(self, name: str) -> str:
        """What agents share that are limited together: the client that they are presets of."""
        return self._settings(name).preset or name

    def can(self, role: str) -> bool:
        """Whether an agent other than a person or a recording plays this role."""
        chosen = self.everyone or self.config.agents.for_role(role)
        kind = self._settings(chosen).preset or chosen
        named = role in self.config.agents.roles and not self.everyone
        return bool(chosen) and (kind not in ("human", "replay") or named)

    def _settings(self, name: str) -> AgentSettings:
        return settings_of(self.config, name)

    def _around(self) -> AgentEnvironment:
        prices = {
            model: Price(row.input, row.cached, row.cache_creation, row.output)
            for model, row in self.config.prices.items()
        }
        return AgentEnvironment(self.tell, self.wait, self.wrap, self.redact, self.root, prices=prices)


def settings_of(config: Config, name: str) -> AgentSettings:
    """The settings of an agent: its own table, else the defaults of a preset of that name."""
    table = config.agents.named.get(name)
    if table is None:
        return AgentSettings(name)
    return AgentSettings(
        name, table.preset, words(table.command), table.model, table.timeout, table.idle_timeout,
        tuple(table.pass_env), table.fallback, table.recording, tuple(table.providers), table.inherit,
    )  # fmt: skip


def composer(root: Path, redact: Callable[[str], str]) -> Callable[[str, Brief], str]:
    def composed(role: str, brief: Brief) -> str:
        card = find_role(role, root)
        skills, _ = load_skills(root, Path.home() if os.environ.get("HOME") else None)
        text = compose(card, brief, choose_skills(skills, card, kinds_of(brief)), redact=redact)
        return text.encode("utf-8", "replace").decode()  # a test may have printed half a character

    return composed
