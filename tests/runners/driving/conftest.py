"""Small real repositories, and a way to run a suite in them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tdd_orchestrator.model.report import Case
from tdd_orchestrator.runners.run import Ran, RunEnvironment, Suite, neutral_env, run_suite
from tdd_orchestrator.runners.table import by_name

Write = Callable[..., Path]
Drive = Callable[..., Ran]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """``write({path: text})`` makes a tree and returns its folder."""

    def make(files: dict[str, str], name: str = "tree") -> Path:
        root = tmp_path / name
        root.mkdir(exist_ok=True)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        return root

    return make


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    """Run a command in a tree the way the cycle does."""
    without_plugin: set[tuple[str, ...]] = set()

    def run(
        tree: Path,
        command: Sequence[str] = ("python", "-m", "pytest", "-q"),
        *,
        framework: str = "pytest",
        watched: Sequence[str] = (),
        only: Sequence[Case] = (),
        timeout: float = 60.0,
        cwd: str = "",
        env: dict[str, str] | None = None,
    ) -> Ran:
        base = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
        suite = Suite("all", tuple(command), by_name(framework), cwd=cwd, timeout=timeout)
        return run_suite(
            suite,
            RunEnvironment(
                tree,
                tmp_path / "work",
                {
                    **neutral_env(tree, base),
                    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                    **(env or {}),
                },  # a fast start
                run_marker=f"driving-tests-{os.getpid()}",
                without_plugin=without_plugin,
            ),
            only=only,
            watched=watched,
        )

    return run
