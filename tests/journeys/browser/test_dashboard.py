"""The dashboard in a real Chromium, on a repository that real cycles made: looked at, and a failure fixed by one click."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit import Kata
from warm import ROOT

from tdd_orchestrator.history.metrics import METRICS

from .chromium import browser
from .gallery import code, failing_test, gallery, measured

EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>"
WRONG = "write('double.py', 'def double(number):\\n    return 5\\n')"
RIGHT = "write('double.py', 'def double(number):\\n    return number * 2\\n')"
pytestmark = pytest.mark.slow


class Dashboard:
    """The real command, in a process of its own; ``look`` runs a script in Chromium. Used in a ``with``, it is ended."""

    def __enter__(self) -> Dashboard:
        return self

    def __exit__(self, *error: object) -> None:
        self.child.terminate()
        self.child.wait(20)

    def __init__(self, *roots: Path) -> None:
        self.python, self.chromium, why = browser()
        if why:
            pytest.skip(why)
        words = [sys.executable, "-m", "tdd_orchestrator", "dashboard", "--no-browser", *map(str, roots)]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        self.child = subprocess.Popen(words, cwd=roots[0], env=env, stdout=subprocess.PIPE, text=True)
        assert self.child.stdout is not None
        self.address = self.child.stdout.readline().strip()

    def start(self, script: str, folder: Path | None = None) -> subprocess.Popen[str]:
        words = [self.python, str(Path(__file__).with_name("look.py")), self.chromium, self.address, script]
        return subprocess.Popen(
            [*words, *([str(folder)] if folder else [])], stdout=subprocess.PIPE, text=True
        )

    def look(self, script: str, folder: Path | None = None) -> dict[str, Any]:
        out, _ = self.start(script, folder).communicate(timeout=400)
        found: dict[str, Any] = json.loads(out.splitlines()[-1])
        assert found["console"] == []
        assert found["others"] == [], "nothing comes from the network"
        return found


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    """One item failed for good in its cycle, after a retry; its fix works."""
    kata = Kata(tmp_path, config="[retry]\nmax_retries = 1\ndelays = [0]\nfix_delays = [0]\n")
    kata.script(green=[WRONG, WRONG, RIGHT])
    kata.plan()
    kata.plan(EVIL)
    assert kata.next().code == 1
    return kata


@pytest.fixture
def dashboard(kata: Kata) -> Iterator[Dashboard]:
    with Dashboard(kata.root) as found:
        yield found


def test_the_plan_shows_the_failure_and_its_fix(dashboard: Dashboard, kata: Kata) -> None:
    seen = dashboard.look("plan")
    [error] = kata.tdd("errors", "list", "--json").json["errors"]
    assert seen["red"]
    assert seen["tooltip"] == error["summary"]
    assert seen["label"] == f"Failed: {error['summary']}"
    assert "1 retry" in seen["failed"]
    assert seen["report"].endswith(error["error_id"])
    assert "Fix required" in seen["fix"]
    assert "estimated" in seen["fix"]
    assert error["error_type"] in seen["fix"]
    assert seen["parent"] == f"#item-{error['item_id']}"


def test_a_failure_is_mended_by_one_click(dashboard: Dashboard, kata: Kata) -> None:
    prompt = kata.tdd("errors", "prompt", "last").out
    seen = dashboard.look("mend")
    assert seen["copied"].strip() == prompt.strip()
    assert "View report" in seen["links"]
    assert seen["live"].strip(), "what it says shows while it runs"
    assert "GREEN" in seen["lines"]
    assert seen["newest"], "the last line is in view"
    assert seen["same"], "the page was never loaded again"
    assert kata.tdd("errors", "list", "--json").json["errors"] == []
    assert "return number * 2" in (kata.root / "double.py").read_text()


def test_a_cycle_that_was_given_up_goes_on_with_a_hint(dashboard: Dashboard, kata: Kata) -> None:
    seen = dashboard.look("resume")
    assert "Twice the number; see --help" in seen["timeline"]
    assert kata.records("resumed")[-1]["hint"] == "Twice the number; see --help"


def test_what_waits_for_a_person_is_answered_on_the_page(tmp_path: Path) -> None:
    kata = gallery(tmp_path)
    kata.script(green=["import time\ntime.sleep(2)\n" + code("line", "count, each", "f'{count} x {each}'")])
    kata.script(red=['os.remove("tests/test_total.py")\n' + failing_test("last", "[1, 2]", "2")])
    with Dashboard(kata.root) as found:
        seen = found.look("answer")
    assert seen["ends"] == ["cancelled", "cancelled"]
    answers = [
        (one["gate"], one["decision"]) for one in kata.records("approval") if one["decision"] != "wanted"
    ]
    assert answers == [("covered", "approved"), ("removed_tests", "approved"), ("removed_tests", "rejected")]


def test_every_page_is_accessible_in_each_width_and_theme(tmp_path: Path) -> None:
    kata = gallery(tmp_path)
    kata.plan(EVIL)
    root = kata.root.rename(
        tmp_path / "a-repository-with-a-name-that-needs-half-of-the-width-of-a-small-screen"
    )
    with Dashboard(root) as found:
        seen = found.look("everywhere")
    assert seen["pages"] == 72
    assert seen["axe"] == []
    assert seen["wide"] == []


def test_the_report_is_accessible_in_each_width_and_theme(tmp_path: Path) -> None:
    kata = gallery(tmp_path)
    kata.plan(EVIL)
    assert kata.tdd("report", "html", "-o", str(tmp_path / "report.html")).code == 0
    with Dashboard(kata.root) as found:
        seen = found.look("report", tmp_path)
    assert (seen["axe"], seen["wide"]) == ([], [])
    assert "No module named 'price'" in seen["text"]


def test_every_number_is_shown_with_its_sql_and_its_cycles(tmp_path: Path) -> None:
    kata = measured(tmp_path)
    kata.plan("a price has a currency", "--impl-file", "price.py")
    with Dashboard(kata.root) as found:
        seen = found.look("numbers")
    assert seen["axe"] == []
    assert (seen["rest"], set(seen["tables"])) == ([], {metric.title for metric in METRICS})
    for metric in METRICS:
        table = seen["tables"][metric.title]
        assert table["cycles"] > 0, metric.name
        assert table["sql"] == metric.sql.strip()
    assert "2,600" in seen["tables"]["Trend by week"]["row"]
    assert "test_sometimes" in seen["tables"]["Flaky tests"]["row"]
    [card] = seen["forecast"]
    assert "Changes to this file were rejected" in card


def test_changes_are_coloured_and_the_theme_is_kept(dashboard: Dashboard) -> None:
    seen = dashboard.look("details")
    assert {"from", "import", "def"} & set(seen["keywords"])
    before, after, kept = seen["theme"]
    assert before != after == kept
    assert seen["first"] == "Skip to the content"


def test_a_failure_shows_at_once(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    item = kata.plan()
    with Dashboard(kata.root) as found:
        looking = found.start("wait")
        assert looking.stdout is not None
        assert looking.stdout.readline() == "ready\n"
        kata.tdd("plan", "mark-failed", item, "--report", "-", stdin='{"error_message": "it broke"}')
        recorded = kata.records("item_failed")[0]["at"]
        seen = json.loads(looking.communicate(timeout=60)[0].splitlines()[-1])
    from datetime import datetime

    assert seen["at"] - datetime.fromisoformat(recorded).timestamp() < 3.0, (
        "a busy machine is given two seconds more"
    )


def test_killed_at_once_it_loses_nothing(dashboard: Dashboard, kata: Kata) -> None:
    before = kata.records()
    looking = dashboard.start("gone")
    assert looking.stdout is not None
    assert looking.stdout.readline() == "ready\n"
    dashboard.child.kill()
    dashboard.child.wait(20)
    seen = json.loads(looking.communicate(timeout=60)[0].splitlines()[-1])
    assert not seen["before"]
    assert "cannot be reached" in seen["text"], "an open page does not look as if it were up to date"
    assert kata.records() == before
    with Dashboard(kata.root) as again:
        assert again.look("plan")["red"]
