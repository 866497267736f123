"""Where the clients that people work in read which MCP servers there are, as rows; the texts with ours in
them. Pure.

Formats: each client's public documentation of its project configuration.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
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


EDITORS: Mapping[str, Editor] = {
    "claude": Editor(
        Entry(".mcp.json", ("mcpServers", "tdd")),
        Entry(".claude/settings.local.json", ("permissions", "additionalDirectories")),
        typed=True,
    ),
    "codex": Editor(
        Entry(".codex/config.toml", ("mcp_servers", "tdd")),
        Entry(".codex/config.toml", ("sandbox_workspace_write", "writable_roots")),
    ),
    "cursor": Editor(Entry(".cursor/mcp.json", ("mcpServers", "tdd"))),
    "gemini": Editor(
        Entry(".gemini/settings.json", ("mcpServers", "tdd")),
        Entry(".gemini/settings.json", ("context", "includeDirectories")),
    ),
    "vscode": Editor(Entry(".vscode/mcp.json", ("servers", "tdd")), typed=True),
}


def entries(editor: Editor, folder: str) -> list[tuple[Entry, Any]]:
    """What is to stand in which file; ``folder``: the tree that the client is told to edit."""
    server = {"type": "stdio", **SERVER} if editor.typed else dict(SERVER)
    found: list[tuple[Entry, Any]] = [(editor.server, server)]
    if editor.folders is not None:
        found.append((editor.folders, [folder]))
    return found


def merged(text: str, entry: Entry, value: Any) -> str:
    """The file's text with the value in its place; everything else stays. ValueError where it cannot be read
    as it is."""
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
