"""The parts of a test command that can be suites of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tdd_orchestrator.runners.command_parts import parts_of


@pytest.mark.parametrize(
    ("script", "settings", "parts"),
    [
        ("eslint . && node --test", "", ("eslint .", "node --test")),
        ("tsc --noEmit && node --test", "", ("tsc --noEmit", "node --test")),
        ("tsc && vitest run", '{"compilerOptions": {"noEmit": true}}', ("tsc", "vitest run")),
        ("tsc && node --test dist", '{"compilerOptions": {"outDir": "dist"}}', ()),
        ("tsc -p src && node --test dist", '{"compilerOptions": {"noEmit": true}}', ()),
        ("rimraf build && tsc && mocha", "", ()),
    ],
)
def test_what_a_later_command_reads_is_no_part(
    tmp_path: Path, script: str, settings: str, parts: tuple[str, ...]
) -> None:
    """TypeScript's compiler writes what the tests load, unless it is a linter alone."""
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": script}}))
    (tmp_path / "tsconfig.json").write_text(settings)
    assert parts_of(script, tmp_path) == parts
    assert parts_of("npm test", tmp_path) == parts
