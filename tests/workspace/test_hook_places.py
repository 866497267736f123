"""Which paths of the tree are hooks of the user's git, by their core.hooksPath."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.app.suites import rules_of, suites_of
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.workspace.guard import matches


@pytest.mark.parametrize(
    ("chosen", "kept", "free"),
    [
        ("tools/hooks", ["tools/hooks/pre-commit", "tools/hooks/lib/x.sh"], ["tools/x.py"]),
        ("./tools/hooks/", ["tools/hooks/pre-commit"], ["tools/x.py"]),
        ("ci/hooks/_", ["ci/hooks/pre-commit", "ci/hooks/_/pre-commit"], ["ci/x.py"]),
        ("linked", ["linked/pre-commit", "kept/pre-commit"], ["x.py"]),
        (".", ["pre-commit", "prepare-commit-msg", "post-checkout", "fsmonitor-watchman"], ["double.py"]),
        ("{top}/tools/hooks", ["tools/hooks/pre-push"], ["tools/x.py"]),
        ("../elsewhere", [], ["elsewhere/pre-commit", "double.py"]),
        ("~/hooks", [], ["hooks/pre-commit"]),
        ("", [], ["hooks/pre-commit"]),
    ],
)
def test_hooks_in_the_tree(tmp_path: Path, chosen: str, kept: list[str], free: list[str]) -> None:
    (tmp_path / "linked").symlink_to("kept")
    config = Config.model_validate({"test": {"command": ["pytest"]}})
    suites = suites_of(config, tmp_path)
    rules = rules_of(config, suites, tmp_path, chosen.format(top=tmp_path))
    assert all(matches(path, rules.hooks) for path in kept)
    assert not any(matches(path, rules.hooks) for path in free)
