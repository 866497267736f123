"""Clouds, gateways and local models: what is passed and shown where they are on, and nothing of it where they are off (A12)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tdd_orchestrator.agents.agent import Request
from tdd_orchestrator.agents.command import CommandAgent
from tdd_orchestrator.agents.describe import describe, is_newer, render
from tdd_orchestrator.agents.preset import PRESETS, argv_of
from tdd_orchestrator.agents.providers import PROVIDERS, setups, with_providers
from tdd_orchestrator.agents.sandbox import agent_wrap
from tdd_orchestrator.agents.table import AgentEnvironment, AgentSettings, make_agent
from tdd_orchestrator.model.errors import BadConfig

AWS = {"AWS_PROFILE": "work", "AWS_REGION": "us-east-1", "AWS_SECRET_ACCESS_KEY": "s3cret-s3cret-1"}
BEDROCK = {**AWS, "CLAUDE_CODE_USE_BEDROCK": "1"}


def request(tree: Path) -> Request:
    return Request("green", "green", "Do it.", tree, tree, "c-1")


def environment(preset: str, environ: dict[str, str], tree: Path, **settings: object) -> dict[str, str]:
    words = AgentSettings(preset, preset, **settings)  # type: ignore[arg-type]
    agent = make_agent(preset, words, AgentEnvironment(print, environ=environ, root=tree))
    assert isinstance(agent, CommandAgent)
    return agent.environment(request(tree), tree)


def test_keys_of_a_cloud_reach_an_agent_only_where_that_cloud_is_on(tmp_path: Path) -> None:
    assert not set(AWS) & set(environment("claude", AWS, tmp_path))
    assert not set(AWS) & set(environment("claude", {**AWS, "CLAUDE_CODE_USE_BEDROCK": "0"}, tmp_path))
    assert set(BEDROCK) <= set(environment("claude", BEDROCK, tmp_path))
    assert set(AWS) <= set(environment("opencode", AWS, tmp_path, model="amazon-bedrock/anthropic.claude"))
    assert set(AWS) <= set(environment("opencode", AWS, tmp_path, providers=("bedrock",)))
    assert not set(AWS) & set(environment("opencode", AWS, tmp_path, model="anthropic/claude"))


@pytest.mark.parametrize("preset", ["aider", "opencode", "goose"])
def test_the_switch_of_one_client_opens_no_cloud_for_another(tmp_path: Path, preset: str) -> None:
    """Whoever uses Claude Code on Bedrock did not say so of others."""
    assert not set(AWS) & set(environment(preset, BEDROCK, tmp_path))
    lines = render(describe(preset, AgentSettings(preset), {"HOME": str(tmp_path), "PATH": str(tmp_path)}))
    ways = 'a model "bedrock/..." or a model "amazon-bedrock/..." or providers = ["bedrock"]'
    assert f"  bedrock    off, on with {ways}" in lines
    assert not any("CLAUDE_CODE_USE" in line for line in lines)


def test_geminis_own_switch_is_its_own(tmp_path: Path) -> None:
    google = {"GOOGLE_CLOUD_PROJECT": "p-1", "GOOGLE_APPLICATION_CREDENTIALS": "/k.json"}
    key = "GOOGLE_APPLICATION_CREDENTIALS"
    assert key in environment("gemini", {**google, "GOOGLE_GENAI_USE_VERTEXAI": "true"}, tmp_path)
    assert key not in environment("gemini", {**google, "CLAUDE_CODE_USE_VERTEX": "1"}, tmp_path)
    assert key not in environment("claude", {**google, "GOOGLE_GENAI_USE_VERTEXAI": "true"}, tmp_path)


def test_an_agent_over_the_protocol_has_the_switches_of_its_client(tmp_path: Path) -> None:
    assert set(BEDROCK) <= set(environment("claude-agent-acp", BEDROCK, tmp_path))


def test_a_provider_that_the_client_does_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="no provider 'vertex'"):
        environment("codex", {}, tmp_path, providers=("vertex",))


def test_the_sandbox_shows_the_files_of_a_provider_that_is_on_and_no_others(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in (".aws", ".config/gcloud", ".ssh"):
        (home / name).mkdir(parents=True)

    def hidden(environ: dict[str, str]) -> set[str]:
        row = with_providers(PRESETS["claude"], environ)
        wrap = agent_wrap(row, kind="bubblewrap", environ={"HOME": str(home)})
        assert wrap is not None
        words = wrap(["true"], request(tmp_path))
        return {words[at + 1] for at, word in enumerate(words) if word == "--tmpfs"}

    assert {str(home / name) for name in (".aws", ".config/gcloud", ".ssh")} <= hidden({})
    assert str(home / ".aws") not in hidden(BEDROCK)
    assert {str(home / ".config/gcloud"), str(home / ".ssh")} <= hidden(BEDROCK)


def test_what_is_missing_is_named_and_no_value_is_shown(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "PATH": str(tmp_path)}
    found = describe("claude", AgentSettings("claude"), home)
    assert found.missing == (
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", ".claude/.credentials.json"),
    )
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / ".credentials.json").write_text("{}")
    assert describe("claude", AgentSettings("claude"), home).missing == ()
    bedrock = describe("claude", AgentSettings("claude"), {**home, **BEDROCK})
    text = "\n".join(render(bedrock))
    assert bedrock.missing == ()
    assert "AWS_PROFILE" in text
    assert "s3cret" not in text
    lacking = describe("claude", AgentSettings("claude"), {**home, "CLAUDE_CODE_USE_BEDROCK": "1"})
    assert any("AWS_REGION" in group for group in lacking.missing)


def test_a_provider_that_is_off_says_what_turns_it_on_and_what_it_needs(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "PATH": str(tmp_path)}
    lines = render(describe("claude", AgentSettings("claude"), home))
    at = lines.index("  bedrock    off, on with CLAUDE_CODE_USE_BEDROCK")
    assert "one of AWS_REGION, " in lines[at + 1]
    assert "AWS_BEARER_TOKEN_BEDROCK" in lines[at + 1]
    gateways = next(line for line in lines if line.startswith("  gateways"))
    assert all(word in gateways for word in ("LiteLLM", "Ollama", "Azure", "ANTHROPIC_BASE_URL"))
    for cloud in ("vertex", "foundry"):
        assert any(line.startswith(f"  {cloud:10} off, on with CLAUDE_CODE_USE_") for line in lines)


def test_the_own_provider_is_off_where_another_is_on() -> None:
    own, bedrock, *_ = setups(PRESETS["claude"], BEDROCK)
    assert (own.on, bedrock.on) == (False, True)


@pytest.mark.parametrize("preset", list(PRESETS))
def test_every_provider_that_a_row_names_exists(preset: str) -> None:
    assert set(PRESETS[preset].providers) <= set(PROVIDERS)


@pytest.mark.parametrize("preset", ["claude", "codex", "gemini", "qwen", "opencode", "pi", "copilot"])
def test_inherit_false_leaves_the_users_own_out(preset: str) -> None:
    places = {"prompt": "p", "scratch": "/s", "output": "/o"}
    row = PRESETS[preset]
    plain, alone = (argv_of(row, (), inherit=inherit, places=places) for inherit in (True, False))
    assert [word for word in alone if word not in plain]
    assert not [word for word in row.isolated if word in plain]
    assert "{isolated}" not in " ".join(plain)


def test_a_version_newer_than_the_observed_one() -> None:
    assert is_newer("2.2.0 (Claude Code)", "2.1.197")
    assert not is_newer("codex-cli 0.169.3", "0.169.0")
    assert not is_newer("", "1.0")
    assert not is_newer("1.0.0", "")
    assert replace(PRESETS["claude"]).observed
