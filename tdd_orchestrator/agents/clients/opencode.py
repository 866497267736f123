"""OpenCode."""

from __future__ import annotations

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.preset import MANY, MANY_KEYS, Preset
from tdd_orchestrator.agents.usage import opencode_session

_READER = """{"agent": {"tdd-reader": {"description": "reads, changes nothing", "mode": "primary",
"permission": {"edit": "deny", "bash": "deny", "webfetch": "deny", "task": "deny"}}}}"""
_MESSAGES = """SELECT data FROM message JOIN session ON session.id = message.session_id
WHERE ? IN (session.id, session.parent_id)"""

PRESET = Preset(
    "opencode",
    "opencode",
    (
        "run",
        "--format",
        "json",
        "--print-logs",
        "--log-level",
        "ERROR",
        "{mode}",
        "{isolated}",
        "{model}",
        "{session}",
        "{call}",
        "{prompt}",
    ),
    events.opencode,
    edit=("--agent", "build", "--auto"),
    read_only=("--agent", "tdd-reader"),
    session=("--session", "{value}"),
    prompt="argument",
    environment={"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_SHARE": "1"},
    read_only_environment={"OPENCODE_CONFIG_CONTENT": _READER},
    keys=MANY,
    commands=(".opencode/command/{name}.md", ".opencode/commands/{name}.md"),
    call=("--command", "{value}"),
    providers=("bedrock", "vertex", "azure", "litellm", "ollama"),
    logins_by=MANY_KEYS,
    logins=(".local/share/opencode/auth.json", ".config/opencode/opencode.json"),
    isolated=("--pure",),
    session_log=".local/share/opencode/opencode.db",
    session_rows=_MESSAGES,
    read_log=opencode_session,
    log_first=True,
    homes=(".config/opencode/", ".local/share/opencode/", ".local/state/opencode/", ".cache/opencode/"),
    install="npm install -g opencode-ai",
    observed="1.18.33",
)
