"""What manifests declare, whatever shape they have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.workspace.project import declared_dependencies


def test_every_kind_of_manifest(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\ndependencies = ["Click>=8"]\n[project.optional-dependencies]\ndev = ["ruff-x"]\n'
        '[tool.poetry.dependencies]\nrich = "*"\n'
    )
    (tmp_path / "requirements-dev.txt").write_text("# comment\nflask==3\n")
    (tmp_path / "package.json").write_text(
        '{"dependencies": {"left-pad": "1"}, "devDependencies": {"vitest": "1"}}'
    )
    (tmp_path / "Cargo.toml").write_text('[dependencies]\nserde = "1"\n')
    (tmp_path / "Gemfile").write_text('source "x"\ngem "nokogiri", "~> 1"\n  gem(\'rake\')\n# gem "no"\n')
    (tmp_path / "kata.gemspec").write_text(
        'spec.add_dependency "sequel"\nspec.add_development_dependency("pry")\n'
    )
    wanted = {
        "nokogiri",
        "rake",
        "sequel",
        "pry",
        "click",
        "ruff_x",
        "rich",
        "flask",
        "left_pad",
        "vitest",
        "serde",
    }
    assert declared_dependencies(tmp_path) == wanted


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "tool = 3\nproject = 4\n"),
        ("pyproject.toml", "[tool]\npoetry = 3\n[project]\ndependencies = 3\noptional-dependencies = [1]\n"),
        ("pyproject.toml", "[[tool]]\nx = 1\n"),
        ("pyproject.toml", "x = " + "[" * 5000),
        ("Cargo.toml", "dependencies = 3\n"),
        ("package.json", "[]"),
        ("package.json", '{"dependencies": ["a"]}'),
        ("package.json", "[" * 100_000),
    ],
)
def test_another_shape_declares_nothing(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert declared_dependencies(tmp_path) == frozenset()
