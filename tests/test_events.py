"""The log: silent unless it is asked for, for a person or as JSON, and never with a secret in it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tdd_orchestrator import events

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "logging.md"


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TDD_LOG", raising=False)
    monkeypatch.delenv("TDD_VERBOSE", raising=False)


def test_nothing_is_written_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    events.log("agent run failed", "warning", reason="report missing")
    assert capsys.readouterr().err == ""


def test_a_bug_of_ours_is_always_written(capsys: pytest.CaptureFixture[str]) -> None:
    events.log("page failed", "error", path="/")
    assert capsys.readouterr().err == "tdd: error: page failed (path /)\n"


@pytest.mark.parametrize("variable", [("TDD_VERBOSE", "1"), ("TDD_LOG", "console")])
def test_a_line_for_a_person(
    variable: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(*variable)
    events.log(
        "agent run failed", "warning", reason="report missing", incident="inc_1", agent="mi\x07ne", model="", refs=["a", "b"]
    )  # fmt: skip
    written = capsys.readouterr().err
    assert (
        written == "tdd: warning: agent run failed: report missing (agent mine, incident inc_1, refs a b)\n"
    )


def test_json_is_one_object_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TDD_LOG", "json")
    events.log("tests ran", passed=3, verdict="passed")
    events.log("phase begun", phase="RED", attempt=1)
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert first.pop("timestamp") < second.pop("timestamp")
    assert first == {"event": "tests ran", "level": "info", "passed": 3, "verdict": "passed"}
    assert second == {"event": "phase begun", "level": "info", "phase": "RED", "attempt": 1}


def test_layouts_do_not_change_each_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for layout in ("json", "console", "json"):
        monkeypatch.setenv("TDD_LOG", layout)
        events.log("tests ran")
    first, second, third = capsys.readouterr().err.splitlines()
    assert second == "tdd: info: tests ran"
    assert [json.loads(line)["event"] for line in (first, third)] == ["tests ran", "tests ran"]


@pytest.mark.parametrize("layout", ["console", "json"])
def test_no_secret_is_in_an_event(
    layout: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TDD_LOG", layout)
    monkeypatch.setenv("GITHUB_PAT", "vQ8-of-the-environment")
    monkeypatch.setattr(events, "_hidden", set())
    events.hide(["tR5-of-a-dotenv-file"])
    github = "ghp_" + "a1B2" * 9
    events.log(
        f"said {github}", reason="it was vQ8-of-the-environment", refs=["x", "tR5-of-a-dotenv-file"], path=Path(f"/{github}")
    )  # fmt: skip
    written = capsys.readouterr().err
    assert "redacted" in written
    assert not [one for one in ("vQ8", "tR5", "ghp_") if one in written]


def test_structlog_is_not_imported_where_nothing_is_logged() -> None:
    code = "import sys; from tdd_orchestrator.events import log; log('x', 'warning'); print('structlog' in sys.modules)"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TDD_")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert (done.stdout, done.stderr) == ("False\n", "")


def _events_in_code() -> set[str]:
    found = set()
    for path in (ROOT / "tdd_orchestrator").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "log":
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.add(first.value)
    return found


def test_every_event_is_documented() -> None:
    rows = [line.split("`")[1] for line in DOCUMENT.read_text("utf-8").splitlines() if line.startswith("| `")]
    assert sorted(rows) == sorted(_events_in_code())


@pytest.mark.parametrize("value", ["yes", "JSON"])
def test_an_unknown_layout_is_refused(value: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TDD_LOG": value}
    words = [sys.executable, "-m", "tdd_orchestrator", "status"]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"TDD_LOG is '{value}'; it may be console or json." in done.stderr
