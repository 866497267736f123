"""Documents that cannot drift: commands, settings and the diagram are held against the code."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tdd_orchestrator.cli.app import COMMANDS
from tdd_orchestrator.config.schema import ROLES, AgentConfig, Config, Section
from tdd_orchestrator.model.phase import TRANSITIONS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_readme(name: str) -> None:
    assert f"tdd {name}" in README


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_loaded_and_helps(name: str) -> None:
    from click.testing import CliRunner

    from tdd_orchestrator.cli.app import tdd

    done = CliRunner().invoke(tdd, [name, "--help"])
    assert done.exit_code == 0, done.output
    assert "Usage:" in done.output


def _settings() -> list[tuple[str, str, object]]:
    found: list[tuple[str, str, object]] = []
    for section, field in Config.model_fields.items():
        model = field.annotation
        if isinstance(model, type) and issubclass(model, Section):
            found += [(section, key, one.default) for key, one in model.model_fields.items()]
    return found


@pytest.mark.parametrize(("section", "key", "default"), _settings(), ids=lambda value: str(value))
def test_every_setting_is_documented_with_its_default(section: str, key: str, default: object) -> None:
    part = SETTINGS.split(f"## [{section}]", 1)[1].split("\n## ", 1)[0]
    row = re.search(rf"^\| `{key}` \| (.*?) \|", part, re.MULTILINE)
    assert row is not None, f"{section}.{key} is not in docs/configuration.md"
    if row[1] != "found out" and not isinstance(default, tuple):
        said = row[1].strip("`").strip('"')
        shown = json.dumps(default) if isinstance(default, (bool, list)) else str(default)
        assert said in (shown, shown.removesuffix(".0")), (
            f"{section}.{key}: {said} is written, {shown} is the default"
        )


def test_agent_keys_and_roles_are_documented() -> None:
    for name in (*AgentConfig.model_fields, *ROLES):
        assert f"`{name}`" in SETTINGS


def test_the_diagram_is_the_table() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"^\s+([A-Z]+) --> ([A-Z]+): (\w+)$", text, re.MULTILINE))
    assert {(str(a), str(b), str(v)) for (a, v), b in TRANSITIONS.items()} <= drawn


def test_links_lead_somewhere() -> None:
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_every_json_schema_is_documented() -> None:
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    code = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "tdd_orchestrator" / "cli").glob("*.py")
    )
    for name in set(re.findall(r'emit_json\("([a-z-]+)"', code)):
        assert f"`{name}`" in text, f"docs/json.md does not tell of tdd/{name}"


def test_the_package_says_whose_it_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == "MIT"
    assert project["authors"]
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= project["urls"].keys()


def test_editors_and_ruff_have_one_line_length() -> None:
    ruff = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]
    editors = (ROOT / ".editorconfig").read_text(encoding="utf-8")
    assert f"max_line_length = {ruff['line-length']}\n" in editors
