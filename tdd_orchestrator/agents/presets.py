"""The agent command lines that are known, one file each in ``clients/``, found by its place."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from tdd_orchestrator.agents import clients, documents, events
from tdd_orchestrator.agents.preset import Preset


class _Presets(Mapping[str, Preset]):
    """Rows by name. A row's file is imported when the row is first asked for."""

    def __init__(self) -> None:
        self._names = dict.fromkeys(sorted(module.name for module in iter_modules(clients.__path__)))

    def __getitem__(self, name: str) -> Preset:
        if name not in self._names:
            raise KeyError(name)
        preset: Preset = import_module(f"{clients.__name__}.{name}").PRESET
        return preset

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


COMMAND = Preset("command", "", (), documents.any_command, read_only=None, version=(), completion=True)
"""Any command of the user's: the prompt on standard input, its exit code as its word (A2)."""

_BRIDGE = str(Path(__file__).with_name("acp_bridge.py"))

ACP = Preset(
    "acp", "", (), events.acp, before=(sys.executable, "-P", _BRIDGE, "--output", "{output}", "{mode}",
        "{model}", "{session}", "--"),
    read_only=("--read-only",), session=("--session", "{value}"), version=(),
)  # fmt: skip
"""Any agent that speaks the Agent Client Protocol; its command is the user's."""

_SLASH_OVER_ACP = frozenset({"claude", "opencode", "qwen"})
"""Whose slash commands work over the protocol, too; Gemini and Codex hand them to the model as they stand."""

PRESETS: Mapping[str, Preset] = _Presets()


def acp_of(command: tuple[str, ...]) -> Preset:
    """The row for a command that speaks the protocol; one that we know by its name keeps its keys and its
    places."""
    names = [word.rpartition("/")[2] for word in command]
    for row in PRESETS.values():
        if any(name == row.program or name.startswith(f"{row.name}-") for name in names):
            commands = row.commands if row.name in _SLASH_OVER_ACP else ()
            return replace(
                ACP, keys=row.keys, homes=row.homes, environment=row.environment, commands=commands,
                providers=row.providers, logins_by=row.logins_by, logins=row.logins,
            )  # fmt: skip
    return ACP
