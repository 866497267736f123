"""The code around a failure is read by the name that a run printed, and a run may print anything."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tdd_orchestrator.cycle.attempt import brief
from tdd_orchestrator.cycle.attempt.brief import around
from tdd_orchestrator.model.diagnosis import Diagnosis
from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Any]:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("one = 1\ntwo = 3\n")
    (tmp_path / "odd\nname.py").write_text("odd = 1\n")
    for words in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    with Objects(Git(tmp_path / ".git", tmp_path)) as objects:
        yield SimpleNamespace(repo=SimpleNamespace(objects=objects))


def test_the_place_and_the_heads_of_what_changed(context: Any) -> None:
    shown = around(context.repo, "HEAD", Diagnosis(file="src/a.py", line=2), ["src/a.py"])
    assert shown == "src/a.py:2\n  1  one = 1\n> 2  two = 3"


@pytest.mark.parametrize(
    "printed", ["../shared/util.js", "../../x.py", "./src/a.py", "/etc/passwd", "src", "odd\nname.py", "<string>", "a b"]
)  # fmt: skip
def test_a_place_that_the_commit_does_not_hold_by_that_name_is_left_out(context: Any, printed: str) -> None:
    shown = around(context.repo, "HEAD", Diagnosis(file=printed, line=1), ["src/a.py"])
    assert shown == "src/a.py\n  1  one = 1\n  2  two = 3"


def failing(name: str, detail: str) -> Case:
    return Case(f"tests/test_a.py::{name}", name, Outcome.FAILED, detail=detail)


def test_a_prompt_shows_each_traceback_once() -> None:
    one, other = "def f():\n>  1 / 0\nZeroDivisionError", "assert 3 == 4"
    cases = (
        failing("a", one),
        failing("b", other),
        failing("c", one),
        *(failing(f"d{n}", one) for n in range(4)),
    )
    proof: Any = SimpleNamespace(report=SimpleNamespace(build_errors=(), failing=cases))
    text = brief.failing_text(proof)
    assert text == f"a\nc\nd0\nd1\n{one}\n\nb\n{other}\n\n... and 2 more fail"
