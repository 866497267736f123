"""A real repository with a real suite, a scripted agent, and the context that a command would have."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from warm import ran

from tdd_orchestrator.app.context import Surroundings, make_context
from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.failures.escalation import FailureReporter
from tdd_orchestrator.failures.reports import StoredReport, read
from tdd_orchestrator.model.plan import Item

AGENT = """
import os, pathlib, sys
prompt = sys.stdin.read()
fixing = "Fix:" in prompt.split("## ")[0] or "Fix: " in prompt
name = "fix" if "Fix: " in prompt else "add"
if os.environ["TDD_PHASE"] == "red":
    pathlib.Path(f"tests/test_{name}.py").write_text(
        "from calc import add\\n\\n\\ndef test_%s():\\n    assert add(2, 3) == 5\\n" % name)
elif os.environ["TDD_PHASE"] == "green":
    wrong = name == "add"
    pathlib.Path("calc.py").write_text("def add(a, b):\\n    return a %s b\\n" % ("-" if wrong else "+"))
"""

TOML = """\
[test]
command = "{python} -m pytest -q -p no:cacheprovider"
[agents]
default = "scripted"
[agents.scripted]
command = ["{python}", "{agent}"]
[retry]
max_retries = 0
delays = []
[workspace]
sandbox = "none"
"""


@pytest.fixture(autouse=True)
def _sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TDD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ada@example.org")


def plain(where: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(where), *args], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (args, done.stderr)
    return done.stdout.strip()


class Quiet:
    """A watcher that remembers."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def working(self, progress: object) -> None: ...

    def doing(self, what: str) -> None:
        pass

    def done(self, what: str, good: bool) -> None:
        self.heard.append(what)

    def note(self, what: str) -> None:
        self.heard.append(what)


@dataclass
class Scene:
    """One repository. ``said`` has what the user was told."""

    root: Path
    said: list[str] = field(default_factory=list)

    def configure(self, text: str) -> None:
        path = self.root / "tdd.toml"
        path.write_text(path.read_text() + text)

    @contextmanager
    def context(self) -> Iterator[CycleContext]:
        with OpenRepository(self.root) as opened:
            reporter = FailureReporter(opened.config, self.said.append)
            yield make_context(opened, Surroundings(Quiet(), reporter, self.said.append))

    def fail(self, issue: int = 0) -> CycleState:
        """A cycle whose GREEN fails for good."""
        from tdd_orchestrator.cycle import loop

        with self.context() as context:
            context.repo.plan.add([Item("", "adds two numbers", issue=issue)])
            state = loop.cycle(context)
        assert state is not None
        assert state.over == "aborted"
        return state

    def records(self) -> list[dict[str, Any]]:
        with OpenRepository(self.root) as opened:
            return [entry.record for entry in opened.store.trail(newest_first=False)]

    def reports(self) -> list[StoredReport]:
        with OpenRepository(self.root) as opened:
            return read(opened.store)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    root = tmp_path / "repo"
    plain(tmp_path, "init", "-q", "-b", "main", str(root))
    agent = tmp_path / "agent.py"
    agent.write_text(AGENT)
    (root / "tests").mkdir()
    (root / "tests" / "test_first.py").write_text("def test_first():\n    assert True\n")
    (root / "calc.py").write_text("")
    (root / "conftest.py").write_text("")
    (root / "tdd.toml").write_text(TOML.format(python=sys.executable, agent=agent))
    (root / ".gitignore").write_text("__pycache__/\n")
    plain(root, "add", ".")
    plain(root, "commit", "-q", "-m", "begin")
    return Scene(root)


Tdd = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def tdd(scene: Scene) -> Tdd:
    """The command as a user has it, in the scene's repository."""

    def run(*args: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        return ran(args, scene.root, {**os.environ, **env}, stdin)

    return run


def stage(
    scene: Scene, item: Item, *, kind: str = "test", message: str = "assert -1 == 5", evidence: str = ""
) -> Item:
    """An item whose cycle failed in GREEN for good, as its records say; the end of the cycle is still to come."""
    from tdd_orchestrator.cycle.start import where_we_stand
    from tdd_orchestrator.model.parts import ErrorDetails, MoveInfo, TestEvidence
    from tdd_orchestrator.model.records import CycleStarted, Handoff, Trouble
    from tdd_orchestrator.notes.codec import new_id

    with scene.context() as context:
        added = context.repo.plan.add([item])[0]
        branch, head = where_we_stand(context)
        shown = {"cycle_id": f"c-{new_id()[10:].lower()}", "cycle_number": 1, "item_id": added.id,
                 "item": added.title, "branch": branch, "base": head, "tip": head}  # fmt: skip
        context.write(head, CycleStarted(**shown, phase="PLAN", next_phase="RED"), "started")
        trouble = Trouble(
            **shown, phase="GREEN", next_phase="ABORTED", attempt=1, verdict="still_failing",
            error="Test still failing after implementation",
            error_details=ErrorDetails(type="TestFailure", message=message),
            reasons=[message], diagnosis={"error_type": kind, "confidence": 0.9, "file": "calc.py", "line": 2},
            tests=TestEvidence(evidence=evidence, failing_tests=["tests/test_add.py::test_add"]),
            move=MoveInfo(kind="escalate", why="GREEN was retried 3 times without being proven"), candidate=head,
        )  # fmt: skip
        context.write(head, Handoff(**shown, phase="RED", next_phase="GREEN", attempt=1), "RED accepted")
        context.write(head, trouble, "refused")
        (context.repo.places.runs / shown["cycle_id"] / "green-1").mkdir(parents=True)
        (context.repo.places.runs / shown["cycle_id"] / "green-1" / "output.log").write_text("words\n")
    return added
