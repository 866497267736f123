"""The agent command lines that are known, one file each in ``clients/``, found by its place."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from tdd_orchestrator.agents import clients, documents, events
from tdd_orchestrator.agents.agent import Agent, AgentStatus, Request
from tdd_orchestrator.agents.preset import Preset
from tdd_orchestrator.process import Limits, run
from tdd_orchestrator.text import one_line


class _Presets(Mapping[str, Preset]):
    """Rows by name. A row's file is imported when the row is first asked for."""

    def __init__(self) -> None:
        names = (module.name.replace("_", "-") for module in iter_modules(clients.__path__))
        self._names = dict.fromkeys(sorted(names))

    def __getitem__(self, name: str) -> Preset:
        if name not in self._names:
            raise KeyError(name)
        preset: Preset = import_module(f"{clients.__name__}.{name.replace('-', '_')}").PRESET
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


def over_acp(client: Preset) -> Preset:
    """The protocol's row with the keys and the places of the client that is led by it."""
    return replace(
        ACP, keys=client.keys, homes=client.homes, environment=client.environment, providers=client.providers,
        commands=client.commands if client.name in _SLASH_OVER_ACP else (), switches=client.switches,
        logins_by=client.logins_by, logins=client.logins,
    )  # fmt: skip


def acp_of(command: tuple[str, ...]) -> Preset:
    """The row for a command that speaks the protocol; one that we know by its name keeps its keys and its
    places."""
    names = [word.rpartition("/")[2] for word in command]
    for row in PRESETS.values():
        if any(name == row.program or name.startswith(f"{row.name}-") for name in names):
            return over_acp(row)
    return ACP


_LIMIT = 10.0  # seconds
_NUMBER = re.compile(r"\d+\.\d")


@cache
def client_version(program: str, words: tuple[str, ...], environ: tuple[tuple[str, str], ...]) -> str:
    """The last line with a number that ``program`` prints about its version; ``""`` where it fails or takes
    longer than ten seconds."""
    finished = run([program, *words], env=dict(environ), limits=Limits(timeout=_LIMIT, head=65536, tail=0))
    lines = (finished.stdout or finished.stderr).decode("utf-8", "replace").strip().splitlines()
    numbered = [line for line in lines if _NUMBER.search(line)] or lines
    return one_line(numbered[-1], 60) if numbered and finished.exit_code == 0 else ""


def quiet(environ: Mapping[str, str], more: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """An environment in which clients ask nothing and draw nothing, fit for a cache's key."""
    return tuple(sorted({**environ, **more, "CI": "true", "NO_COLOR": "1", "TERM": "dumb"}.items()))


QUESTION = "Answer with the one word: ready. Do nothing else."


def silent(agent: Agent, timeout: float = 60.0) -> str:
    """Why it does not answer, as a sentence; empty where it does. Costs a few tokens of the user's."""
    with tempfile.TemporaryDirectory(prefix="tdd-trial-", ignore_cleanup_errors=True) as name:
        tree, output = Path(name) / "tree", Path(name) / "output"
        tree.mkdir()
        output.mkdir()
        request = Request(
            "analyze", "analyze", QUESTION, tree, output, "trial", read_only=True, timeout=timeout
        )
        reply = agent.work(request)
    return "" if reply.status is AgentStatus.SUCCESS else f"{agent.name}: {reply.failure_reason}"
