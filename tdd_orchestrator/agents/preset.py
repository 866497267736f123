"""What is known of an agent's command line, the words that a run of it is made of, and the known ones by name.

Words in ``argv`` that stand in braces are slots: ``{mode}`` ``{model}`` ``{session}`` ``{resume}`` ``{call}``
``{isolated}`` become the words of that field (or nothing), ``{prompt}`` ``{scratch}`` ``{output}`` are
replaced in place. Rows stand in ``clients/``, one file each, and are found by their place.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from tdd_orchestrator.agents import clients, documents, events
from tdd_orchestrator.agents.agent import Agent, AgentStatus, Request, Usage
from tdd_orchestrator.agents.parsed_output import Parser
from tdd_orchestrator.process import Limits, run
from tdd_orchestrator.text import one_line

OPENAI = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE")
ANTHROPIC = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
GOOGLE = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL")
MANY = (
    *OPENAI,
    *ANTHROPIC,
    *GOOGLE,
    "OPENROUTER_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
    "GROQ_API_KEY",
    "XAI_API_KEY",
)
MANY_KEYS = tuple(name for name in MANY if name.endswith("_KEY") or name.endswith("_TOKEN"))


@dataclass(frozen=True, slots=True)
class Preset:
    """One agent's command line. ``observed`` is the version that was run for real, "" = from its
    documentation."""

    name: str
    program: str
    argv: tuple[str, ...]
    parse: Parser
    before: tuple[str, ...] = ()  # words that stand before the program: one of ours that leads it
    edit: tuple[str, ...] = ()
    read_only: tuple[str, ...] | None = (
        None  # None: it has no such mode; the sandbox and the tree check hold it
    )
    contained: tuple[str, ...] | None = (
        None  # the edit mode inside our own sandbox, where its own would not start
    )
    model: tuple[str, ...] = ("--model", "{value}")
    session: tuple[str, ...] = ("--resume", "{value}")
    new_session: tuple[
        str, ...
    ] = ()  # names a new session {value}, where the output names it at its end alone
    resume: tuple[str, ...] = ()  # an extra word where a session goes on
    prompt: str = "stdin"  # stdin | argument | file
    completion: bool = True  # a run without its completion record has failed
    environment: Mapping[str, str] = field(default_factory=dict)
    read_only_environment: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()  # variables of the user's that it needs
    providers: tuple[str, ...] = ()  # other places of its model (agents.providers)
    switches: tuple[str, ...] = ()  # variables of its own that turn one of them on
    gateways: str = ""  # how it reaches others through its own variables
    logins_by: tuple[str, ...] = ()  # variables of which one logs it in with its own vendor
    logins: tuple[str, ...] = ()  # files under HOME that do
    reads: tuple[str, ...] = ()  # secret places under HOME that it may read: those of a provider that is on
    isolated: tuple[
        str, ...
    ] = ()  # words that leave the user's hooks, memories, extensions and MCP servers out
    homes: tuple[str, ...] = ()  # under HOME: what it writes; a name that ends in "/" is a folder
    session_log: str = ""  # under HOME, {session}: its own logs that count tokens, patterns
    session_rows: str = ""  # those logs are databases: the query of a session's lines, ? is the session
    read_log: Callable[[bytes, datetime], Usage] | None = None  # what those logs count from a time on
    log_first: bool = False  # the log counts, and not the output, which has a resumed session as a whole
    home_variable: str = ""  # the variable that may name another place for the first of ``homes``
    file: str = ""  # a file in the scratch folder that the parser reads
    version: tuple[str, ...] = ("--version",)
    commands: tuple[str, ...] = ()  # in the tree: where a slash command of the user's may lie, {name}
    call: tuple[str, ...] = ()  # the words that call one; none: "/NAME" before the prompt does
    install: str = ""
    observed: str = ""


_XDG = {
    ".config/": "XDG_CONFIG_HOME", ".local/share/": "XDG_DATA_HOME", ".local/state/": "XDG_STATE_HOME",
    ".cache/": "XDG_CACHE_HOME",
}  # fmt: skip


def place_of(preset: Preset, name: str, home: Path, environ: Mapping[str, str]) -> Path:
    """Where a client's file or folder under HOME is: below its own variable or its XDG variable, where that
    is set."""
    named = {preset.homes[0]: preset.home_variable} if preset.home_variable else {}
    for prefix, variable in {**named, **_XDG}.items():
        if name.startswith(prefix) and os.path.isabs(environ.get(variable, "")):
            return Path(environ[variable], name.removeprefix(prefix))
    return home / name


def argv_of(
    preset: Preset,
    command: tuple[str, ...],
    *,
    read_only: bool = False,
    contained: bool = False,
    inherit: bool = True,
    model: str = "",
    session: str = "",
    new_session: str = "",
    called: str = "",
    places: Mapping[str, str],
) -> list[str]:
    """The words to run. ``command`` stands for the program where the user gave one; ``called`` is the slash
    command's name; ``places`` has prompt, scratch, output."""
    mode = preset.edit
    if contained and preset.contained is not None:
        mode = preset.contained
    if read_only and preset.read_only is not None and not (contained and preset.contained is not None):
        mode = preset.read_only
    goes_on = bool(session and preset.session)
    slots = {
        "{mode}": mode,
        "{model}": _given(preset.model, model),
        "{session}": _given(preset.session, session) or _given(preset.new_session, new_session),
        "{resume}": preset.resume if goes_on else (),
        "{call}": _given(preset.call, called),
        "{isolated}": () if inherit else preset.isolated,
    }

    def filled(words: tuple[str, ...]) -> list[str]:
        return [_placed(inner, places) for word in words for inner in slots.get(word, (word,))]

    return [*filled(preset.before), *(command or (preset.program,)), *filled(preset.argv)]


def _given(words: tuple[str, ...], value: str) -> tuple[str, ...]:
    return tuple(word.replace("{value}", value) for word in words) if value else ()


def _placed(word: str, places: Mapping[str, str]) -> str:
    for name, value in places.items():
        if "{" + name + "}" in word:
            return word.replace("{" + name + "}", value)
    return word


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
        logins_by=client.logins_by, logins=client.logins, home_variable=client.home_variable,
        session_log=client.session_log, session_rows=client.session_rows, read_log=client.read_log,
        log_first=client.log_first,
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
