"""Real agent command lines as rows: how each is installed for the tests, and how it is pointed at the scripted model.

They are installed once, into ``TDD_REAL_AGENTS_DIR`` (default: the user's cache folder), never into the repository.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

Home = Callable[[Path, str], dict[str, str]]
"""home folder, the model's address -> environment; writes the configuration files that the client reads there."""


@dataclass(frozen=True)
class Client:
    """``program`` is found below the installation folder. ``version`` is pinned: a client's output is its interface."""

    preset: str
    package: str
    program: str
    home: Home
    model: str = "fake-model"
    args: tuple[str, ...] = ()
    own_retries: bool = True  # it waits out a short rate limit by itself
    gives_up: float = (
        40.0  # seconds after which it has given up on a provider that stays busy, or is to be ended
    )
    more: tuple[str, ...] = field(default=())  # packages installed beside it
    speaks: str = ""  # "acp": the row that leads it is this one, and not its own
    place: str = ""  # the folder of another row that installs the same package
    pass_env: tuple[str, ...] = ()

    @property
    def row(self) -> str:
        return self.speaks or self.preset


def _claude(home: Path, url: str) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-scripted-0000000000"}


def _claude_used(home: Path, url: str) -> dict[str, str]:
    """A home where it was used before: inside the sandbox a file can be written only where there is one."""
    (home / ".claude.json").write_text("{}")
    return _claude(home, url)


def _codex(home: Path, url: str) -> dict[str, str]:
    folder = home / ".codex"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(
        'model_provider = "scripted"\nallow_login_shell = false\n'
        "[analytics]\nenabled = false\n[feedback]\nenabled = false\n"
        "[features]\nplugins = false\napps = false\nremote_plugin = false\n"
        f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{url}/v1"\nenv_key = "OPENAI_API_KEY"\n'
        'wire_api = "responses"\nrequest_max_retries = 1\nstream_max_retries = 1\nstream_idle_timeout_ms = 20000\n'
    )
    return {"OPENAI_API_KEY": "sk-scripted-0000000000"}


def _pi(home: Path, url: str) -> dict[str, str]:
    folder = home / ".pi" / "agent"
    folder.mkdir(parents=True, exist_ok=True)
    price = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}
    model = {"id": "fake-model", "name": "Scripted", "reasoning": False, "input": ["text"], "contextWindow": 128000,
             "maxTokens": 8192, "cost": price}  # fmt: skip
    provider = {
        "baseUrl": f"{url}/v1",
        "api": "openai-completions",
        "apiKey": "sk-scripted",
        "models": [model],
    }
    (folder / "models.json").write_text(json.dumps({"providers": {"fake": provider}}))
    return {"PI_OFFLINE": "1"}


def _gemini(home: Path, url: str) -> dict[str, str]:
    folder = home / ".gemini"
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    return {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "scripted-0000"}


def _mini(home: Path, url: str) -> dict[str, str]:
    return {
        "OPENAI_API_KEY": "sk-scripted",
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_API_BASE": f"{url}/v1",
        "MSWEA_COST_TRACKING": "ignore_errors",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }


def _aider(home: Path, url: str) -> dict[str, str]:
    price = {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6, "litellm_provider": "openai"}
    sizes = {"max_tokens": 8192, "max_input_tokens": 128000, "max_output_tokens": 8192}
    models = {"openai/fake-model": {**sizes, **price, "mode": "chat"}}
    (home / ".aider.model.metadata.json").write_text(json.dumps(models))
    return {
        "OPENAI_API_KEY": "sk-scripted-0000000000",
        "OPENAI_API_BASE": f"{url}/v1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }


def _qwen(home: Path, url: str) -> dict[str, str]:
    folder = home / ".qwen"
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"disableAutoUpdate": True, "disableUpdateNag": True, "enableAutoUpdate": False},
        "security": {"auth": {"selectedType": "openai"}},
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    return {
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_API_KEY": "sk-scripted-0000000000",
        "OPENAI_MODEL": "fake-model",
    }


def _opencode(home: Path, url: str) -> dict[str, str]:
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True, exist_ok=True)
    model = {
        "name": "Scripted",
        "limit": {"context": 128000, "output": 8192},
        "cost": {"input": 1, "output": 2},
    }
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": f"{url}/v1", "apiKey": "sk-scripted"},
        "models": {"fake-model": model},
    }
    settings = {
        "autoupdate": False, "share": "disabled", "snapshot": False, "model": "fake/fake-model", "small_model": "fake/fake-model",
        "enabled_providers": ["fake"], "lsp": False, "formatter": False, "provider": {"fake": provider},
    }  # fmt: skip
    (folder / "opencode.json").write_text(json.dumps(settings))
    return {}


def _copilot(home: Path, url: str) -> dict[str, str]:
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": "sk-scripted-0000000000",
        "COPILOT_MODEL": "fake-model",
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_MAX_PROMPT_TOKENS": "100000",
        "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS": "8000",
    }


CLIENTS = {
    row.preset: row
    for row in (
        Client("claude", "npm:@anthropic-ai/claude-code@2.1.197", "node_modules/.bin/claude", _claude, "claude-sonnet-4-5"),
        Client("codex", "npm:@openai/codex@0.169.0", "node_modules/.bin/codex", _codex, "gpt-5", own_retries=False),
        Client("pi", "npm:@earendil-works/pi-coding-agent@0.74.2", "node_modules/.bin/pi", _pi, "fake/fake-model", ("--offline",), gives_up=90),
        Client("gemini", "npm:@google/gemini-cli@0.61.0", "node_modules/.bin/gemini", _gemini, "gemini-2.5-pro"),
        Client("opencode", "npm:opencode-ai@1.18.33", "node_modules/.bin/opencode", _opencode, "fake/fake-model", gives_up=90),
        Client("copilot", "npm:@github/copilot@1.0.102", "node_modules/.bin/copilot", _copilot, "fake-model",
               ("--disable-client-telemetry", "--disable-builtin-mcps"), own_retries=False),
        Client("qwen", "npm:@qwen-code/qwen-code@0.15.10", "node_modules/.bin/qwen", _qwen, "fake-model", ("--auth-type", "openai")),
        Client("aider", "pip:aider-chat==0.86.2", "bin/aider", _aider, "openai/fake-model",
               ("--map-tokens", "0", "--edit-format", "diff", "--no-show-model-warnings"),
               gives_up=120, pass_env=("LITELLM_LOCAL_MODEL_COST_MAP",)),
        Client("mini", "pip:mini-swe-agent==2.4.6", "bin/mini", _mini, "openai/fake-model", gives_up=90, more=("mcp",)),
    )
}  # fmt: skip

ACP = {
    row.preset: row
    for row in (
        Client("gemini-acp", "npm:@google/gemini-cli@0.61.0", "node_modules/.bin/gemini", _gemini, "",
               ("--experimental-acp", "--model", "gemini-2.5-pro"), speaks="acp", place="gemini"),
        Client("opencode-acp", "npm:opencode-ai@1.18.33", "node_modules/.bin/opencode", _opencode, "", ("acp",), speaks="acp", place="opencode"),
        Client("claude-acp", "npm:@zed-industries/claude-code-acp@0.16.2", "node_modules/.bin/claude-code-acp", _claude_used, "", speaks="acp"),
        Client("claude-agent-acp", "npm:@zed-industries/claude-agent-acp@0.23.1", "node_modules/.bin/claude-agent-acp", _claude_used, ""),
    )
}  # fmt: skip
"""Led by the Agent Client Protocol instead of a command line of their own."""

ALL = {**CLIENTS, **ACP}


def folder() -> Path:
    named = os.environ.get("TDD_REAL_AGENTS_DIR")
    person = Path(pwd.getpwuid(os.getuid()).pw_dir)  # not HOME: that is a sealed one in tests
    return Path(named) if named else person / ".cache" / "tdd-orchestrator" / "real-agents"


@cache
def install(preset: str) -> tuple[Path | None, str]:
    """The client's program, installed where it is not there yet; or None with the reason that an install was refused."""
    client = ALL[preset]
    place = folder() / (client.place or client.preset)
    program = place / client.program
    if program.exists():
        return program, ""
    place.mkdir(parents=True, exist_ok=True)
    kind, _, package = client.package.partition(":")
    if kind == "npm" and shutil.which("npm") is None:
        return None, f"{preset}: npm is not here"
    commands = {
        "npm": [["npm", "install", "--no-audit", "--no-fund", "--prefix", str(place), package]],
        "pip": [
            [sys.executable, "-m", "venv", str(place)],
            [str(place / "bin" / "python"), "-m", "pip", "install", "-q", package, *client.more],
        ],
    }[kind]
    for command in commands:
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL, check=False
            )
        except subprocess.TimeoutExpired:
            return None, f"{preset}: the install took longer than ten minutes"
        if done.returncode != 0:
            said = [line for line in (done.stderr + done.stdout).splitlines() if "rror" in line] or [
                "no reason given"
            ]
            return None, f"{preset}: the install was refused ({said[0][:200]})"
    return (
        (program, "")
        if program.exists()
        else (None, f"{preset}: installed, but {client.program} is not there")
    )
