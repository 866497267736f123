"""The one place that knows every agent by name: presets, commands, a person, a recording."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from tdd_orchestrator.agents.agent import TIMEOUT, Agent
from tdd_orchestrator.agents.command import CommandAgent, Wrap
from tdd_orchestrator.agents.preset import ACP, COMMAND, PRESETS, Preset, acp_of, client_version, quiet
from tdd_orchestrator.agents.providers import with_providers
from tdd_orchestrator.agents.usage import Price
from tdd_orchestrator.model.errors import BadConfig, add_extra
from tdd_orchestrator.redaction import Redact

_AT_ONCE = 8  # clients that are asked for their version side by side
BUILT_IN = ("human", "replay")


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """One ``[agents.NAME]`` table. ``command`` alone is an agent; with ``preset`` it stands for the preset's
    program."""

    name: str
    preset: str = ""
    command: tuple[str, ...] = ()
    model: str = ""
    timeout: float = TIMEOUT  # seconds
    idle_timeout: float = 0.0  # seconds without output; 0 = none
    pass_env: tuple[str, ...] = ()
    fallback: str = ""  # the agent to use when this one's provider is unavailable
    recording: str = ""  # a replay's file
    providers: tuple[str, ...] = ()  # places of its model that are on whatever the environment says
    inherit: bool = True  # the user's own hooks, memories and MCP servers of the client


@dataclass(frozen=True, slots=True)
class AgentEnvironment:
    """The variables that an agent needs."""

    tell: Callable[[str], None]
    wait: Callable[[], None] | None = None  # None: no terminal
    wrap: Callable[[Preset], Wrap | None] | None = None  # a sandbox for a preset's row
    redact: Redact | None = None
    root: Path = Path()  # of the user's repository: recordings are found from here
    environ: Mapping[str, str] | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)  # by model


def make_agent(name: str, settings: AgentSettings, around: AgentEnvironment) -> Agent:
    """The agent of that name. Raises BadConfig for a name, preset or combination that is none."""
    kind = settings.preset or ("command" if settings.command else name)
    if kind == "human":
        from tdd_orchestrator.agents.human import HumanAgent

        return HumanAgent(around.tell, around.wait, name)
    if kind == "replay":
        from tdd_orchestrator.agents.replay import ReplayAgent, read_recording

        if not settings.recording:
            raise BadConfig(
                f"agent '{name}': replay needs a recording.", f"Set agents.{name}.recording to a file."
            )
        return ReplayAgent(read_recording(around.root / settings.recording), name)
    preset = _row(name, kind, settings.command)
    if not preset.program and not settings.command:
        raise BadConfig(
            f"agent '{name}' has no command.", f"Set agents.{name}.command, or agents.{name}.preset."
        )
    if settings.model and not preset.model:
        raise BadConfig(
            f"agent '{name}': {preset.name} takes its model from its own configuration, not from ours."
        )
    known = os.environ if around.environ is None else around.environ
    unknown = set(settings.providers) - set(preset.providers)
    if unknown:
        raise BadConfig(
            f"agent '{name}': {preset.name} has no provider '{min(unknown)}'.",
            f"Known: {', '.join(preset.providers) or 'none'}.",
        )
    preset = with_providers(preset, known, model=settings.model, named=settings.providers)
    agent = CommandAgent(
        name,
        settings.command,
        preset,
        settings.model,
        settings.timeout,
        settings.idle_timeout,
        settings.pass_env,
        around.wrap(preset) if around.wrap else None,
        redact=around.redact,
        inherit=settings.inherit,
        prices=around.prices,
        root=around.root,
    )
    return replace(agent, environ=around.environ) if around.environ is not None else agent


def check_name(name: str, own: Iterable[str] = ()) -> None:
    """BadConfig with the nearest name where ``name`` is neither built in nor one of the user's ``own``
    agents."""
    if name not in (*own, *PRESETS, *BUILT_IN):
        raise _unknown(name, name, own)


def _row(name: str, kind: str, command: tuple[str, ...]) -> Preset:
    if kind == "command":
        return COMMAND
    if kind != "acp" and kind not in PRESETS:
        raise _unknown(name, kind)
    row = acp_of(command) if kind == "acp" else PRESETS[kind]
    if row.before == ACP.before and importlib.util.find_spec("acp") is None:
        raise BadConfig(f"agent '{name}': the Agent Client Protocol needs the extra 'acp'.", add_extra("acp"))
    return row


def _unknown(name: str, kind: str, own: Iterable[str] = ()) -> BadConfig:
    known = [*own, *PRESETS, "acp", *BUILT_IN]
    near = get_close_matches(kind, known, 1, 0.5)
    guess = f" Did you mean '{near[0]}'?" if near else ""
    return BadConfig(
        f"There is no agent '{name}'.{guess}",
        f'Known: {", ".join(known)}; or give it a command in tdd.toml: [agents.{name}] command = ["PROGRAM"].',
    )


@dataclass(frozen=True, slots=True)
class Installed:
    """One row of ``tdd agents``. ``path`` is empty where it is not installed, ``hint`` then says how to get
    it."""

    name: str
    path: str = ""
    version: str = ""
    hint: str = ""
    read_only: str = ""  # own | sandbox: what keeps it from editing when it may only read
    observed: str = ""  # the version that this row was tried with
    built_in: bool = False


def installed(environ: Mapping[str, str] | None = None, *, versions: bool = True) -> tuple[Installed, ...]:
    """Every agent we know, whether it is here; asking the ones that are for their version (at most 10 s
    each)."""
    environ = os.environ if environ is None else environ
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:  # most of a client's answer is waiting
        rows = list(pool.map(lambda preset: _look(preset, environ, versions), PRESETS.values()))
    rows.append(
        Installed(
            "acp", hint="leads a command that speaks the Agent Client Protocol (extra acp)", built_in=True
        )
    )
    rows.append(Installed("human", hint="a person edits the tree", built_in=True))
    rows.append(Installed("replay", hint="plays a recording", built_in=True))
    return tuple(rows)


def _look(preset: Preset, environ: Mapping[str, str], versions: bool) -> Installed:
    found = shutil.which(preset.program, path=environ.get("PATH")) or ""
    own = "own" if preset.read_only is not None else "sandbox"
    if not found:
        return Installed(preset.name, hint=preset.install, read_only=own, observed=preset.observed)
    version = _version(found, preset, environ) if versions and preset.version else ""
    return Installed(preset.name, found, version, read_only=own, observed=preset.observed)


def _version(program: str, preset: Preset, environ: Mapping[str, str]) -> str:
    return client_version(program, preset.version, quiet(environ, preset.environment))


def none_set(role: str) -> BadConfig:
    """What to say where no agent is named: which are here, or which could be."""
    rows = installed(versions=False)
    here = [row.name for row in rows if row.path]
    choice = f"Installed here: {', '.join(here)}. Choose" if here else f"{none_installed()}; then choose"
    return BadConfig(
        f"No agent is set for the role '{role}'.",
        f"{choice} one: tdd init --agent {here[0] if here else 'NAME'}",
    )


def none_installed() -> str:
    """What to say where no agent is installed: an example of one, and how to work without."""
    return (
        "No coding agent is installed. Install one, for example: npm install -g @anthropic-ai/claude-code "
        "(`tdd agents` lists them all), or write the code yourself: tdd init --agent human"
    )
