"""Where the clients that people work in read which MCP servers there are, as rows; the texts with ours in
them, and our block of AGENTS.md. Pure.

Formats: each client's public documentation of its project configuration.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SERVER: Mapping[str, Any] = {"command": "tdd", "args": ["mcp"]}


@dataclass(frozen=True, slots=True)
class Entry:
    """One value in one file: ``path`` are the keys that lead to it; a list gets the value added."""

    file: str  # in the repository
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Editor:
    """``folders``: where it reads which folders beside the project it may edit; None where it has no such
    setting."""

    server: Entry
    folders: Entry | None = None
    typed: bool = False  # a server names its transport
    more: Mapping[str, Any] = field(default_factory=dict)  # what its server entry needs besides


EDITORS: Mapping[str, Editor] = {
    "claude": Editor(
        Entry(".mcp.json", ("mcpServers", "tdd")),
        Entry(".claude/settings.local.json", ("permissions", "additionalDirectories")),
        typed=True,
    ),
    "codex": Editor(
        Entry(".codex/config.toml", ("mcp_servers", "tdd")),
        Entry(".codex/config.toml", ("sandbox_workspace_write", "writable_roots")),
        # its limit for a call is short, and a proof runs tests; it passes named variables only
        more={"tool_timeout_sec": 1800, "env_vars": ["TDD_STATE_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"]},
    ),
    "cursor": Editor(Entry(".cursor/mcp.json", ("mcpServers", "tdd"))),
    "gemini": Editor(
        Entry(".gemini/settings.json", ("mcpServers", "tdd")),
        Entry(".gemini/settings.json", ("context", "includeDirectories")),
        more={"timeout": 1_800_000},
    ),
    "vscode": Editor(Entry(".vscode/mcp.json", ("servers", "tdd")), typed=True),
}


def entries(editor: Editor, folder: str) -> list[tuple[Entry, Any]]:
    """Return the entries for each configuration file; ``folder`` is the tree that the client edits."""
    server = {**({"type": "stdio"} if editor.typed else {}), **SERVER, **editor.more}
    found: list[tuple[Entry, Any]] = [(editor.server, server)]
    if editor.folders is not None:
        found.append((editor.folders, [folder]))
    return found


def merged(text: str, entry: Entry, value: Any) -> str:
    """Return the file's text with the value in its place; everything else stays.

    Raises ValueError where it cannot be read.
    """
    import tomlkit

    toml = entry.file.endswith(".toml")
    document: Any = (tomlkit.parse(text) if toml else json.loads(text)) if text.strip() else {}
    if toml and not text.strip():
        document = tomlkit.document()
    if not isinstance(document, dict):
        raise ValueError("it is no table of settings")
    table = document
    for name in entry.path[:-1]:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise ValueError(f"{name} is no table")
    last = entry.path[-1]
    if isinstance(value, list):
        known = list(table.get(last, []))
        value = known + [one for one in value if one not in known]
    table[last] = value
    if not toml:
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    written = tomlkit.dumps(document)
    tomllib.loads(written)
    return written


BEGIN, END = "<!-- tdd: begin -->", "<!-- tdd: end -->"
"""What stands between these in AGENTS.md is written by ``tdd init --agents-md``; the rest is the user's."""

AGENTS_BLOCK = f"""{BEGIN}
## Test-driven development

This repository is developed with `tdd`: it runs the tests itself, and a change counts when it is proven.

- One behavior at a time: first a test that fails because the behavior is missing (RED), then the least code that makes it
  pass (GREEN), then better code with the same tests (REFACTOR).
- Where the MCP server `tdd` is available: call `next_step`, edit only the folder that it names, then call `prove`.
- Without it: make your change, then run `tdd prove --worktree`. Until it says that the change is proven, it is not done.
- In GREEN and REFACTOR do not edit tests or the configuration of tests. If a test is wrong, say so.
- `tdd status` says what comes next; `tdd plan list` shows what is planned.
{END}
"""


def with_agents_block(text: str) -> str:
    """AGENTS.md with today's block in it: in the place of an older one, else at the end. ValueError where
    one marker stands without the other."""
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 and end < 0:
        return f"{text.rstrip()}\n\n{AGENTS_BLOCK}" if text.strip() else AGENTS_BLOCK
    if begin < 0 or end < begin or text.count(BEGIN) > 1 or text.count(END) > 1:
        raise ValueError(f"{BEGIN} and {END} do not enclose one block")
    return text[:begin] + AGENTS_BLOCK.rstrip("\n") + text[end + len(END) :]
