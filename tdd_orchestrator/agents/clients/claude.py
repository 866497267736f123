"""Claude Code."""

from __future__ import annotations

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.preset import ANTHROPIC, Preset
from tdd_orchestrator.agents.usage import claude_session

PRESET = Preset(
    "claude",
    "claude",
    ("-p", "--output-format", "stream-json", "--verbose", "{mode}", "{isolated}", "{model}", "{session}"),
    events.result_event,
    edit=(
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        "Bash,Edit,MultiEdit,Write,Read,Grep,Glob",
        "--add-dir",
        "{output}",
    ),
    read_only=("--tools", "Read,Grep,Glob", "--permission-mode", "dontAsk", "--strict-mcp-config"),
    environment={
        "CLAUDE_CODE_MAX_RETRIES": "2",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_TERMINAL_TITLE": "1",
    },
    keys=(
        *ANTHROPIC,
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_MODEL",
        "ANTHROPIC_SMALL_FAST_MODEL",
        "ANTHROPIC_DEFAULT_OPUS_MODEL",
        "ANTHROPIC_DEFAULT_SONNET_MODEL",
        "ANTHROPIC_DEFAULT_HAIKU_MODEL",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
        "CLAUDE_CODE_SUBAGENT_MODEL",
        "CLAUDE_CODE_API_KEY_HELPER_TTL_MS",
        "API_TIMEOUT_MS",
        "MAX_THINKING_TOKENS",
        "DISABLE_PROMPT_CACHING",
        "CLAUDE_CODE_EXTRA_BODY",
        "CLAUDE_CODE_CLIENT_CERT",
        "CLAUDE_CODE_CLIENT_KEY",
        "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
    ),
    providers=("bedrock", "vertex", "foundry"),
    switches=("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"),
    gateways="LiteLLM, Ollama and other proxies: ANTHROPIC_BASE_URL with ANTHROPIC_AUTH_TOKEN; Azure is foundry",
    logins_by=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    logins=(".claude/.credentials.json",),
    isolated=("--strict-mcp-config", "--setting-sources", "project,local"),
    commands=(".claude/commands/{name}.md",),
    session_log=".claude/projects/*/{session}.jsonl .claude/projects/*/{session}/subagents/*.jsonl",
    read_log=claude_session,
    homes=(".claude/", ".claude.json", ".cache/claude/", ".cache/claude-cli-nodejs/"),
    home_variable="CLAUDE_CONFIG_DIR",
    install="npm install -g @anthropic-ai/claude-code",
    observed="2.1.332",
)
