"""``tdd stats`` as a user calls it, on a repository of simulated notes."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from kit import Kata
from simulated_night import Night, import_rows

from tdd_orchestrator.cli import stats
from tdd_orchestrator.history.metrics import METRICS, Numbers


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path)
    import_rows(kata.root, Night(seed=5).rows(120))
    return kata


def test_shows_every_table(kata: Kata) -> None:
    said = kata.tdd("stats", "--since", "2026-01-01")
    assert said.code == 0
    for words in (
        "Overview since 2026-01-01",
        "Failures by type",
        "Agents and models",
        "claude",
        "src/billing.py",
    ):
        assert words in said.out
    assert "SELECT" not in said.out


def test_a_named_table_shows_its_sql_and_cycles(kata: Kata) -> None:
    said = kata.tdd("stats", "agents")
    assert "FROM attempts" in said.out
    assert re.search(r"from cycles 120, \d+, .* and \d+ more", said.out)
    assert "Overview" not in said.out


def test_draws_bars(kata: Kata) -> None:
    out = kata.tdd("stats", "weeks", "--plot").out
    assert "█" * 40 in out


def test_json_has_rows_sql_and_cycles(kata: Kata) -> None:
    data = kata.tdd("stats", "summary", "--json").json
    assert data["schema"] == "tdd/stats"
    [metric] = data["metrics"]
    assert metric["rows"][0]["cycles_begun"] == 120
    assert len(metric["cycles"][0]) == 120
    assert metric["sql"].startswith("SELECT")


def test_csv_of_one_table_and_of_all(kata: Kata) -> None:
    rows = list(csv.DictReader(io.StringIO(kata.tdd("stats", "agents", "--csv").out)))
    assert {row["agent"] for row in rows} == {"claude", "codex"}
    assert all(row["cycles"].startswith("c-") for row in rows)
    every = list(csv.DictReader(io.StringIO(kata.tdd("stats", "--csv").out)))
    assert {"metric": "summary", "row": "1", "column": "cycles_begun", "value": "120"} in every


def test_a_cell_is_no_formula_and_no_escape(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    rows = [
        (
            commit,
            {**record, "item": "=1", "agent": {**record["agent"], "name": "=HYPERLINK(1)\x1b[31m"}},
            subject,
        )
        for commit, record, subject in Night().rows(1)
        if "agent" in record
    ]
    import_rows(kata.root, iter(rows))
    out = kata.tdd("stats", "agents", "--csv").out
    assert "'=HYPERLINK(1)," in out
    assert "\x1b" not in kata.tdd("stats", "agents").out + out


@pytest.mark.parametrize("words", [("nothing",), ("--since", "soon"), ("--since", "9999999w")])
def test_a_wrong_word_is_a_usage_error(kata: Kata, words: tuple[str, ...]) -> None:
    said = kata.tdd("stats", *words)
    assert said.code == 2
    assert "Error:" in said.err


def test_in_a_repository_without_records(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    said = kata.tdd("stats")
    assert said.code == 0
    assert said.out == f"Nothing yet: {', '.join(metric.name for metric in METRICS)}\n"
    assert "  nothing yet" in kata.tdd("stats", "weeks").out


def test_a_table_that_is_too_wide_is_a_paragraph_a_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {
        "week": "2026-11-23",
        "cycles_begun": 12,
        "landed": 11,
        "rejected_percent": 8,
        "average_seconds": 2.5,
    }
    shown = Numbers(METRICS[0], "", ({**row, "tokens": 18400},), ((),))
    monkeypatch.setattr(stats, "columns", lambda: 60)
    stats._show(shown, None, plot=False)
    lines = capsys.readouterr().out.splitlines()
    assert "  week 2026-11-23 · cycles begun 12 · landed 11 · rejected" in lines
    assert max(map(len, lines)) <= 60


def test_a_note_that_cannot_be_read_is_said(kata: Kata) -> None:
    kata.git("notes", "--ref=tdd", "append", "-m", '{"at":"2026","id":"N","v":99,"kind":"later"}', "HEAD")
    said = kata.tdd("stats", "summary")
    assert said.code == 0
    assert "was written by a later version of tdd" in said.err
    assert "120" in said.out


def test_a_risky_file_is_said_while_planning(kata: Kata) -> None:
    added = kata.tdd("plan", "add", "taxes", "--impl-file", "src/billing.py")
    assert "Forecast: Changes to src/billing.py were rejected" in added.err
    assert "forecast" in kata.tdd("plan", "show", added.out[:4]).out
    assert kata.tdd("plan", "add", "stamps", "--impl-file", "src/mail.py").err == ""
