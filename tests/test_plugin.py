"""The plugin: three manifests that say the same, of files that are there, with commands that exist."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tdd_orchestrator import __version__
from tdd_orchestrator.agents.editors import SERVER
from tdd_orchestrator.cli.app import tdd

PLUGIN = Path(__file__).parents[1] / "plugin"
MANIFESTS = (".claude-plugin/plugin.json", ".codex-plugin/plugin.json", "agent-plugin/plugin.json")


def load(path: str) -> Any:
    return json.loads((PLUGIN / path).read_text("utf-8"))


@pytest.mark.parametrize("path", MANIFESTS)
def test_a_manifest_names_this_version_and_files_that_are_there(path: str) -> None:
    manifest = load(path)
    first = load(MANIFESTS[0])
    shared = [name for name in first if name not in ("skills", "mcpServers")]
    assert [manifest[name] for name in shared] == [first[name] for name in shared]
    assert manifest["version"] == __version__
    for place in map(manifest.get, ("skills", "hooks")):
        assert place is None or (PLUGIN / place).exists()


SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
PERMITTED = {
    "$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords",
}  # fmt: skip


def test_the_portable_manifest_is_as_agent_plugins_1_0_0_says() -> None:
    """Its schema is closed; skills are found by their place. A server would have to stand in ``mcp.json`` and be
    started in the plugin's folder (7.2.1): ours works in the repository that it is started in, and is left out.
    It has a folder of its own: Codex 0.169 prefers it where it lies beside Codex's own manifest, and then reads no hooks."""
    manifest = load("agent-plugin/plugin.json")
    assert not (PLUGIN / "plugin.json").exists()
    assert (PLUGIN / "agent-plugin" / "skills" / "tdd" / "SKILL.md").exists()
    assert manifest["$schema"] == SCHEMA
    assert set(manifest) <= PERMITTED
    assert set(manifest["author"]) <= {"name", "email", "url"}
    assert not (PLUGIN / "agent-plugin" / "mcp.json").exists()
    assert "mcpServers" not in load(".codex-plugin/plugin.json")


def test_the_marketplace_leads_to_the_plugin() -> None:
    market = json.loads((PLUGIN.parent / ".claude-plugin" / "marketplace.json").read_text("utf-8"))
    (entry,) = market["plugins"]
    assert (PLUGIN.parent / entry["source"]).resolve() == PLUGIN
    assert entry["name"] == load(MANIFESTS[0])["name"]


def test_every_command_of_the_plugin_exists() -> None:
    assert load(MANIFESTS[0])["mcpServers"]["tdd"] == dict(SERVER)
    assert not (PLUGIN / ".mcp.json").exists(), "Codex would start it, too, in the plugin's folder"
    hooks = [
        hook["command"]
        for rows in load("hooks/hooks.json")["hooks"].values()
        for row in rows
        for hook in row["hooks"]
    ]
    for command in {*hooks, "tdd mcp"}:
        _, *words = command.split()
        assert CliRunner().invoke(tdd, [*words, "--help"]).exit_code == 0, command


def test_the_skill_is_short_and_says_when_to_use_it() -> None:
    text = (PLUGIN / "agent-plugin" / "skills" / "tdd" / "SKILL.md").read_text("utf-8")
    assert len(text.splitlines()) <= 75
    assert text.startswith("---\nname: tdd\ndescription: ")
