"""The command lines we know: a table of data, each row run by the one mechanism in ``command``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from tdd_orchestrator.agents import documents, events
from tdd_orchestrator.agents.preset import Preset
from tdd_orchestrator.agents.usage import codex_session, copilot_session

_OPENAI = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE")
_ANTHROPIC = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
_GOOGLE = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL")
_MANY = (
    *_OPENAI,
    *_ANTHROPIC,
    *_GOOGLE,
    "OPENROUTER_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
    "GROQ_API_KEY",
    "XAI_API_KEY",
)

_MANY_KEYS = tuple(name for name in _MANY if name.endswith("_KEY") or name.endswith("_TOKEN"))

_OPENCODE_READER = """{"agent": {"tdd-reader": {"description": "reads, changes nothing", "mode": "primary",
"permission": {"edit": "deny", "bash": "deny", "webfetch": "deny", "task": "deny"}}}}"""

_ROWS = (
    Preset(
        "claude",
        "claude",
        ("-p", "--output-format", "stream-json", "--verbose", "{mode}", "{isolated}", "{model}", "{session}"),
        events.result_event,
        edit=(
            "--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,MultiEdit,Write,Read,Grep,Glob", "--add-dir", "{output}",
        ),
        read_only=("--tools", "Read,Grep,Glob", "--permission-mode", "dontAsk", "--strict-mcp-config"),
        environment={
            "CLAUDE_CODE_MAX_RETRIES": "2", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_TERMINAL_TITLE": "1",
        },
        keys=(
            *_ANTHROPIC, "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL",
            "ANTHROPIC_DEFAULT_SONNET_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "CLAUDE_CODE_SUBAGENT_MODEL", "CLAUDE_CODE_API_KEY_HELPER_TTL_MS", "API_TIMEOUT_MS",
            "MAX_THINKING_TOKENS", "DISABLE_PROMPT_CACHING", "CLAUDE_CODE_EXTRA_BODY", "CLAUDE_CODE_CLIENT_CERT", "CLAUDE_CODE_CLIENT_KEY",
            "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
        ),
        providers=("bedrock", "vertex", "foundry"),
        logins_by=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        logins=(".claude/.credentials.json",),
        isolated=("--strict-mcp-config", "--setting-sources", "project,local"),
        commands=(".claude/commands/{name}.md",),
        homes=(".claude/", ".claude.json", ".cache/claude/", ".cache/claude-cli-nodejs/"),
        install="npm install -g @anthropic-ai/claude-code",
        observed="2.1.197",
    ),
    Preset(
        "codex",
        "codex",
        (
            "exec", "{resume}", "--json", "--skip-git-repo-check", "-c", 'approval_policy="never"',
            "-c", "features.unbounded_connection_retries=false", "-c", "check_for_update_on_startup=false",
            "{isolated}", "{mode}", "{model}", "{session}", "-",
        ),
        events.codex,
        edit=("-c", 'sandbox_mode="workspace-write"', "-c", 'sandbox_workspace_write.writable_roots=["{output}"]'),
        read_only=("-c", 'sandbox_mode="read-only"'),
        contained=("-c", 'sandbox_mode="danger-full-access"'),
        model=("-m", "{value}"),
        session=("{value}",),
        resume=("resume",),
        environment={"RUST_LOG": "error"},
        keys=(*_OPENAI, "OPENAI_ORGANIZATION", "OPENAI_PROJECT", "CODEX_API_KEY", "CODEX_HOME", "OPENROUTER_API_KEY"),
        providers=("azure", "ollama", "litellm"),
        logins_by=("OPENAI_API_KEY", "CODEX_API_KEY"),
        logins=(".codex/auth.json", ".codex/config.toml"),
        isolated=("--ignore-user-config",),
        homes=(".codex/",),
        session_log=".codex/sessions/*/*/*/rollout-*{session}.jsonl",
        session_log_home="CODEX_HOME",
        read_log=codex_session,
        install="npm install -g @openai/codex",
        observed="0.169.0",
    ),
    Preset(
        "gemini",
        "gemini",
        ("--output-format", "stream-json", "{mode}", "{isolated}", "{model}", "{session}", "-p", "{prompt}"),
        events.gemini,
        edit=("--approval-mode", "yolo", "--include-directories", "{output}"),
        read_only=("--approval-mode", "plan"),
        prompt="argument",
        environment={"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_TELEMETRY_ENABLED": "false"},
        keys=(*_GOOGLE, "GEMINI_MODEL", "GOOGLE_CLOUD_PROJECT", "GOOGLE_GEMINI_API_VERSION"),
        providers=("vertex",),
        logins_by=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        logins=(".gemini/oauth_creds.json",),
        isolated=("--extensions", "none", "--allowed-mcp-server-names", "none"),
        commands=(".gemini/commands/{name}.toml",),
        homes=(".gemini/",),
        install="npm install -g @google/gemini-cli",
        observed="0.61.0",
    ),
    Preset(
        "opencode",
        "opencode",
        ("run", "--format", "json", "{mode}", "{isolated}", "{model}", "{session}", "{call}", "{prompt}"),
        events.opencode,
        edit=("--agent", "build", "--auto"),
        read_only=("--agent", "tdd-reader"),
        session=("--session", "{value}"),
        prompt="argument",
        environment={"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_SHARE": "1"},
        read_only_environment={"OPENCODE_CONFIG_CONTENT": _OPENCODE_READER},
        keys=_MANY,
        commands=(".opencode/command/{name}.md", ".opencode/commands/{name}.md"),
        call=("--command", "{value}"),
        providers=("bedrock", "vertex", "azure", "litellm", "ollama"),
        logins_by=_MANY_KEYS,
        logins=(".local/share/opencode/auth.json", ".config/opencode/opencode.json"),
        isolated=("--pure",),
        homes=(".config/opencode/", ".local/share/opencode/", ".local/state/opencode/", ".cache/opencode/"),
        install="npm install -g opencode-ai",
        observed="1.18.33",
    ),
    Preset(
        "qwen",
        "qwen",
        ("--output-format", "stream-json", "{mode}", "{isolated}", "{model}", "{session}", "-p", "{prompt}"),
        events.result_event,
        edit=("--approval-mode", "yolo", "--include-directories", "{output}"),
        read_only=("--approval-mode", "plan"),
        prompt="argument",
        environment={"QWEN_TELEMETRY_ENABLED": "false"},
        keys=(*_OPENAI, "OPENAI_MODEL", "DASHSCOPE_API_KEY", "DASHSCOPE_BASE_URL"),
        providers=("litellm", "ollama"),
        logins_by=("OPENAI_API_KEY", "DASHSCOPE_API_KEY"),
        logins=(".qwen/oauth_creds.json",),
        isolated=("--extensions", "none", "--allowed-mcp-server-names", "none"),
        commands=(".qwen/commands/{name}.md", ".qwen/commands/{name}.toml"),
        homes=(".qwen/",),
        install="npm install -g @qwen-code/qwen-code",
        observed="0.15.10",
    ),
    Preset(
        "aider",
        "aider",
        (
            "{model}", "--yes-always", "--no-stream", "--no-pretty", "--no-fancy-input", "--no-gitignore", "--no-auto-commits",
            "--no-dirty-commits", "--no-check-update", "--no-show-release-notes", "--analytics-disable", "--no-detect-urls",
            "--disable-playwright", "--no-suggest-shell-commands", "--chat-history-file", "{scratch}/chat.md",
            "--input-history-file", "{scratch}/input", "{mode}", "--message-file", "{scratch}/prompt.md",
        ),
        documents.aider,
        read_only=("--edit-format", "ask"),
        session=(),
        prompt="file",
        environment={"AIDER_ANALYTICS": "false", "AIDER_CHECK_UPDATE": "false"},
        keys=_MANY,
        providers=("bedrock", "vertex", "azure", "litellm", "ollama"),
        logins_by=_MANY_KEYS,
        homes=(".aider/",),
        install="pip install aider-chat",
        observed="0.86.2",
    ),
    Preset(
        "mini",
        "mini",
        ("{model}", "-y", "--exit-immediately", "-o", "{scratch}/trajectory.json", "-t", "{prompt}"),
        documents.mini,
        model=("-m", "{value}"),
        session=(),
        prompt="argument",
        environment={"MSWEA_SILENT_STARTUP": "1", "MSWEA_CONFIGURED": "true", "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "2"},
        keys=(*_MANY, "MSWEA_MODEL_NAME", "MSWEA_COST_TRACKING", "LITELLM_LOCAL_MODEL_COST_MAP"),
        providers=("bedrock", "vertex", "azure", "litellm", "ollama"),
        logins_by=_MANY_KEYS,
        homes=(".config/mini-swe-agent/",),
        file="trajectory.json",
        version=(),
        install="pip install mini-swe-agent mcp",
        observed="2.4.6",
    ),
    Preset(
        "goose",
        "goose",
        ("run", "{session}", "{model}", "--quiet", "--output-format", "json", "-i", "-"),
        documents.goose,
        session=("--resume", "--name", "{value}"),
        environment={"GOOSE_MODE": "auto", "GOOSE_DISABLE_KEYRING": "1"},
        keys=(*_MANY, "GOOSE_PROVIDER", "GOOSE_MODEL"),
        providers=("bedrock", "vertex", "azure", "litellm", "ollama"),
        logins_by=_MANY_KEYS,
        logins=(".config/goose/config.yaml",),
        homes=(".config/goose/", ".local/share/goose/", ".local/state/goose/"),
        install="https://block.github.io/goose/docs/getting-started/installation",
    ),
    Preset(
        "cursor",
        "cursor-agent",
        ("-p", "--output-format", "stream-json", "--trust", "{mode}", "{model}", "{session}", "{prompt}"),
        events.result_event,
        edit=("--force",),
        read_only=("--mode", "ask"),
        prompt="argument",
        keys=("CURSOR_API_KEY",),
        logins_by=("CURSOR_API_KEY",),
        logins=(".config/cursor/auth.json", ".cursor/cli-config.json"),
        homes=(".cursor/", ".config/cursor/", ".local/share/cursor-agent/"),
        install="https://cursor.com/cli",
    ),
    Preset(
        "copilot",
        "copilot",
        (
            "--output-format", "json", "--no-auto-update", "--no-color", "--no-ask-user", "{mode}", "{isolated}", "{model}",
            "{session}", "-p", "{prompt}",
        ),
        events.copilot,
        edit=("--allow-all",),
        read_only=("--available-tools", "view", "grep", "glob", "--allow-all-tools"),
        session=("--resume={value}",),
        prompt="argument",
        environment={"COPILOT_AUTO_UPDATE": "false"},
        keys=(
            "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL", "COPILOT_PROVIDER_API_KEY",
            "COPILOT_MODEL", "COPILOT_OFFLINE", "COPILOT_PROVIDER_TYPE", "COPILOT_PROVIDER_BEARER_TOKEN",
            "COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS", "GH_HOST",
        ),
        providers=("azure", "ollama"),
        logins_by=("GH_TOKEN", "GITHUB_TOKEN", "COPILOT_GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_BASE_URL"),
        logins=(".copilot/config.json",),
        isolated=("--disable-builtin-mcps", "--no-custom-instructions"),
        session_log=".copilot/session-state/{session}/events.jsonl",
        read_log=copilot_session,
        homes=(".copilot/", ".cache/copilot/"),
        install="npm install -g @github/copilot",
        observed="1.0.102",
    ),
    Preset(
        "pi",
        "pi",
        ("-p", "--mode", "json", "{mode}", "{isolated}", "{model}", "{session}", "{prompt}"),
        events.pi,
        read_only=("--tools", "read,grep,find,ls"),
        session=("--session", "{value}"),
        prompt="argument",
        environment={"PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"},
        keys=(*_MANY, "PI_OFFLINE"),
        providers=("bedrock", "vertex", "azure", "ollama"),
        logins_by=_MANY_KEYS,
        logins=(".pi/agent/auth.json", ".pi/agent/models.json"),
        isolated=("--no-extensions", "--no-skills", "--no-context-files"),
        commands=(".pi/prompts/{name}.md",),
        homes=(".pi/",),
        install="npm install -g @earendil-works/pi-coding-agent",
        observed="0.74.2",
    ),
    Preset(
        "amp",
        "amp",
        ("--execute", "--stream-json", "{mode}"),
        events.result_event,
        edit=("--dangerously-allow-all",),
        model=(),
        session=(),
        keys=("AMP_API_KEY", "AMP_URL"),
        logins_by=("AMP_API_KEY",),
        logins=(".local/share/amp/secrets.json",),
        homes=(".config/amp/", ".local/share/amp/", ".cache/amp/"),
        install="npm install -g @sourcegraph/amp",
    ),
    Preset(
        "droid",
        "droid",
        ("exec", "--output-format", "json", "{mode}", "{model}", "{session}", "-f", "{scratch}/prompt.md"),
        events.result_event,
        edit=("--auto", "medium"),
        read_only=(),
        session=("--session-id", "{value}"),
        prompt="file",
        keys=("FACTORY_API_KEY",),
        logins_by=("FACTORY_API_KEY",),
        logins=(".factory/auth.json",),
        homes=(".factory/",),
        install="https://docs.factory.ai/cli",
    ),
    Preset(
        "kimi",
        "kimi",
        ("--print", "--output-format", "stream-json", "{model}", "{session}"),
        events.kimi,
        session=("--session", "{value}"),
        keys=("KIMI_API_KEY", "KIMI_BASE_URL", "KIMI_MODEL_NAME", "MOONSHOT_API_KEY"),
        logins_by=("KIMI_API_KEY", "MOONSHOT_API_KEY"),
        logins=(".kimi/config.toml",),
        homes=(".kimi/",),
        install="pip install kimi-cli",
    ),
    Preset(
        "vibe",
        "vibe",
        ("--output", "json", "--trust", "--auto-approve", "{mode}", "{session}", "-p", "{prompt}"),
        documents.vibe,
        read_only=("--enabled-tools", "read", "--enabled-tools", "grep"),
        model=(),
        prompt="argument",
        keys=("MISTRAL_API_KEY", "VIBE_HOME"),
        logins_by=("MISTRAL_API_KEY",),
        logins=(".vibe/.env", ".vibe/config.toml"),
        homes=(".vibe/",),
        install="pip install mistral-vibe",
        observed="3.0.2",
    ),
)  # fmt: skip

COMMAND = Preset("command", "", (), documents.any_command, read_only=None, version=(), completion=True)
"""Any command of the user's: the prompt on standard input, its exit code as its word (A2)."""

_BRIDGE = str(Path(__file__).with_name("acp_bridge.py"))

ACP = Preset(
    "acp", "", (), events.acp, before=(sys.executable, "-P", _BRIDGE, "--output", "{output}", "{mode}", "{model}", "{session}", "--"),
    read_only=("--read-only",), session=("--session", "{value}"), version=(),
)  # fmt: skip
"""Any agent that speaks the Agent Client Protocol; its command is the user's."""

_SLASH_OVER_ACP = frozenset({"claude", "opencode", "qwen"})
"""Whose slash commands work over the protocol, too; Gemini and Codex hand them to the model as they stand."""

PRESETS: Mapping[str, Preset] = MappingProxyType({row.name: row for row in _ROWS})


def acp_of(command: tuple[str, ...]) -> Preset:
    """The row for a command that speaks the protocol; one that we know by its name keeps its keys and its places."""
    names = [word.rpartition("/")[2] for word in command]
    for row in PRESETS.values():
        if any(name == row.program or name.startswith(f"{row.name}-") for name in names):
            commands = row.commands if row.name in _SLASH_OVER_ACP else ()
            return replace(
                ACP, keys=row.keys, homes=row.homes, environment=row.environment, commands=commands,
                providers=row.providers, logins_by=row.logins_by, logins=row.logins,
            )  # fmt: skip
    return ACP
