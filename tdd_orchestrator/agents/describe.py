"""Describe what one agent gets: program, modes, variables and files (``tdd agents NAME``).

No value is shown.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tdd_orchestrator.agents.preset import COMMAND, PRESETS, Preset, acp_of, client_version, quiet
from tdd_orchestrator.agents.providers import Setup, setups, with_providers
from tdd_orchestrator.agents.table import AgentSettings

INHERITED = {
    "claude": "user settings with their hooks, MCP servers and memories (kept: those of the project)",
    "codex": "config.toml with its MCP servers and hooks (the login stays)",
    "gemini": "extensions and MCP servers",
    "qwen": "extensions and MCP servers",
    "opencode": "plugins",
    "pi": "extensions, skills and context files",
    "copilot": "built-in MCP servers and custom instructions",
}
"""What ``inherit = false`` leaves out, by client."""


@dataclass(frozen=True, slots=True)
class Described:
    """``missing`` are groups of which one has to be there; ``passed`` are names, ``set`` those of them that
    have a value."""

    name: str
    preset: str
    program: str
    path: str
    version: str
    observed: str
    newer: bool
    install: str
    timeout: float
    read_only: str
    inherit: bool
    inherits: str
    passed: tuple[str, ...]
    set: tuple[str, ...]
    providers: tuple[Setup, ...]
    missing: tuple[tuple[str, ...], ...]
    gateways: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def describe(name: str, settings: AgentSettings, environ: Mapping[str, str] | None = None) -> Described:
    """Describe the agent of that name as it would be run here."""
    environ = os.environ if environ is None else environ
    kind = settings.preset or ("command" if settings.command else name)
    row = acp_of(settings.command) if kind == "acp" else PRESETS.get(kind, COMMAND)
    used = with_providers(row, environ, model=settings.model, named=settings.providers)
    found = setups(row, environ, model=settings.model, named=settings.providers)
    program = settings.command[0] if settings.command else row.program
    path = shutil.which(program, path=environ.get("PATH")) or "" if program else ""
    version = _version(path, row, environ)
    names = tuple(dict.fromkeys((*used.keys, *settings.pass_env)))
    return Described(
        name, row.name, program, path, version, row.observed, is_newer(version, row.observed), row.install,
        settings.timeout,
        "own" if row.read_only is not None else "sandbox", settings.inherit, INHERITED.get(row.name, ""),
        names,
        tuple(one for one in names if environ.get(one)), found,
        tuple(group for one in found for group in one.missing), row.gateways,
    )  # fmt: skip


def _version(path: str, row: Preset, environ: Mapping[str, str]) -> str:
    asked = path and row.version and os.path.basename(path) == row.program
    return client_version(path, row.version, quiet(environ, row.environment)) if asked else ""


def is_newer(version: str, observed: str) -> bool:
    """Whether an installed version's first or second number is above the one that the preset was observed
    with."""
    here, known = _numbers(version), _numbers(observed)
    return bool(here and known) and here[:2] > known[:2]


def _numbers(version: str) -> tuple[int, ...]:
    hit = re.search(r"\d+(?:\.\d+)+", version)
    return tuple(int(number) for number in hit[0].split(".")) if hit else ()


def render(one: Described) -> list[str]:
    """The description for a person, line by line."""
    where = (
        f"{one.path} {one.version}".strip()
        if one.path
        else f"not installed ({one.install or 'set its command'})"
    )
    lines = [f"{one.name}  preset {one.preset}, {where}"]
    if one.newer:
        lines.append(f"  version    newer than {one.observed}, the one that this preset was observed with")
    lines.append(f"  time       {one.timeout:g} s for each run")
    if one.inherits:
        how = "is used" if one.inherit else "is left out"
        lines.append(f"  inherit    {'true' if one.inherit else 'false'}: {how}: {one.inherits}")
    for row in one.providers:
        lines += _of_provider(row)
    if one.gateways:
        lines.append(f"  gateways   {one.gateways}")
    for group in one.missing:
        lines.append(f"  missing    one of: {', '.join(group)}")
    return lines


def _of_provider(row: Setup) -> list[str]:
    if not row.on:
        groups = "; ".join(f"one of {', '.join(group)}" for group in row.needs)
        lines = [f"  {row.name:10} off" + (f", on with {' or '.join(row.switches)}" if row.switches else "")]
        return [*lines, f"    needs    {groups}"] if row.switches and groups else lines
    lines = [f"  {row.name:10} on"]
    lines += [f"    set      {', '.join(row.set)}"] if row.set else []
    lines += [f"    files    {', '.join(row.files)}"] if row.files else []
    lines += [f"    not set  {', '.join(row.unset)}"] if row.unset else []
    return lines
