"""Screens at 60, 100 and 140 columns, kept as files: a change is seen in the diff. Write them anew: REWRITE=1 pytest."""

from __future__ import annotations

import io
import os
from datetime import UTC, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tdd_orchestrator.audit.findings import CommitResult, Finding
from tdd_orchestrator.audit.verify import Audit
from tdd_orchestrator.cli import app, render
from tdd_orchestrator.cli import log as log_command
from tdd_orchestrator.cli.verify import row_lines, show
from tdd_orchestrator.cli.watch import TerminalWatcher, live_line
from tdd_orchestrator.cycle.counterfactual.answers import Answer, Asked, Question, Word, listed
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.model.summary import summarize

GOLDEN = Path(__file__).parent / "screens"
ITEM = "an empty cart has a total of 0, whatever currency it was opened with"


def record(kind: str, at: str, **more: Any) -> dict[str, Any]:
    return {
        "kind": kind,
        "at": f"2026-11-23T14:{at}.120Z",
        "cycle_id": "c-1",
        "cycle_number": 3,
        "item": ITEM,
        **more,
    }


RECORDS = [
    record("cycle_started", "00:00", wall=0.4),
    record("error", "00:21", wall=20.0, tests={}),
    record("handoff", "01:10", wall=48.5, tests={"counts": {"passed": 12}}),
    record(
        "handoff", "02:40", wall=90.25, tests={"counts": {"passed": 13}},
        warnings=["tests/test_cart.py::test_slow was flaky and is quarantined until 2026-12-07: 1 of 3 whole runs failed"],
    ),
]  # fmt: skip
LOG = [
    (record("cycle_ended", "03:00"), "a" * 40, f"landed: {ITEM} on main"),
    (record("handoff", "02:40"), "a" * 40, f"GREEN accepted: {ITEM} (attempt 2)"),
    (record("error", "00:21"), "b" * 40, f"GREEN refused: {ITEM} (attempt 1, still_failing)"),
    ({"kind": "baseline", "at": "2026-11-23T13:59:58.000Z"}, "c" * 40, "baseline: 12 passing"),
]


def summary(width: int) -> list[str]:
    told = render.summary_of(
        read_all(RECORDS), "2 files changed, 14 insertions(+)", "18,400 tokens, 0.21 dollars"
    )
    return render.summary_lines(told, width)


def table(width: int) -> list[str]:
    rows = [
        (ITEM, "landed", ""),
        ("one item counts with its price", "aborted", "err_20261123_140500"),
        ("a cart knows its number of items", "parked", "parked: git merge 1234567890ab"),
        ("an empty cart is falsy", "already_covered", ""),
    ]
    return render.items_table(rows, width)


def verified(width: int) -> list[str]:
    rows = [
        CommitResult("b" * 40, "test: x", "c-1", 3, ITEM, "RED", "commit", "proven: 1 error", "proven: 1 error", ok=True),
        CommitResult("a" * 40, "feat: x", "c-1", 3, "an empty cart", "GREEN", "squash", "proven: 12 passed, 1 skipped",
             "still_failing: 11 passed, 1 failed, 1 skipped", ok=False),
    ]  # fmt: skip
    return [line for row in rows for line in row_lines(row, width)]


def test_verify_shows_how_the_questions_were_answered() -> None:
    answers = Asked((
        Answer(Question.POISON, "a", Word.FAILS), Answer(Question.POISON, "b", Word.FAILS),
        Answer(Question.STUB, "a", Word.NOT_ASKED, "GREEN changed no function"),
    ))  # fmt: skip
    row = CommitResult("a" * 40, "feat: x", "c-1", 3, ITEM, "GREEN", "commit", "proven: 2 passed", "proven: 2 passed",
                       ok=True, questions=listed(answers))  # fmt: skip
    assert row_lines(row, 140)[0].endswith("proven: 2 passed; poison 2/2, stub not asked")


def test_what_verify_found_is_wrapped_at_words(capsys: pytest.CaptureFixture[str]) -> None:
    what = "the record of abc1234 was made for another tree than the one that this commit has now"
    done = Audit(findings=[Finding("unchecked-signature", what)], records=12, commits=3, tracked=2, trees=3)
    show(done, 60, replayed=True)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join(" ".join(lines).split()) == (
        f"unchecked-signature: {what} Proven: 2 commits with records, 1 without (12 records, 3 test runs)."
    )


def log(width: int) -> list[str]:
    entries = [(summarize(one), commit, subject) for one, commit, subject in LOG]
    return render.log_lines(entries, timezone(timedelta(hours=1)), width)


def turn(width: int) -> list[str]:
    text = (
        f"\nYour turn: RED  {ITEM}\n"
        "  do     write a test that fails because this does not work yet; change tests only\n"
        "  where  /home/ada/.local/state/tdd/cart-1/agent\n"
        "  check  tdd test        (what the referee will run)"
    )
    return render.paragraphs(text, width, rest=" " * 7)


def found(width: int) -> list[str]:
    text = (
        "note: .venv is not ignored by git, so no work tree has it and the tests would run without it.\n"
        "set notes.rewriteRef = refs/notes/tdd* (amend and rebase carry the records along)"
    )
    return render.paragraphs(text, width, rest="      ")


@pytest.mark.parametrize("width", [60, 100, 140])
@pytest.mark.parametrize("shown", [summary, table, log, verified, turn, found])
def test_a_screen_is_as_it_was(shown: Any, width: int) -> None:
    lines = shown(width)
    assert max(map(len, lines)) <= width
    path = GOLDEN / f"{shown.__name__}-{width}.txt"
    if os.environ.get("REWRITE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert path.read_text("utf-8") == "\n".join(lines) + "\n"


def test_many_landed_items_are_one_line() -> None:
    rows = [(f"item {number}", "landed", "") for number in range(11)] + [("the last", "aborted", "err_1")]
    rows.insert(3, ("unrefactored", "landed", "finished without a refactoring"))
    assert render.items_table(rows, 60) == [
        "  landed      11 items  (tdd log)",
        "  landed      unrefactored  (finished without a refactoring)",
        "  failed      the last  (err_1)",
    ]
    assert render.run_counts([outcome for _, outcome, _ in rows]) == "13 cycles run: 12 landed, 1 failed"
    assert render.run_counts(["landed"]) == "1 cycle run"


def test_the_live_line_keeps_its_time_whatever_is_done() -> None:
    console = Console(width=60, file=io.StringIO(), force_terminal=True, color_system=None)
    progress = live_line(console)
    progress.add_task("RED: claude: Bash " + "python -m pytest " * 10, total=None)
    with console.capture() as seen:
        console.print(progress.get_renderable())
    [line] = seen.get().splitlines()
    assert "0:00:00 RED: claude: Bash" in line
    assert line.rstrip().endswith("…")


def test_a_notice_of_an_idle_agent_leaves_the_clock_of_the_live_line_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    watcher = TerminalWatcher()
    watcher.doing("GREEN: pi works (attempt 1)")
    progress = watcher._progress
    assert progress is not None
    watcher.doing("GREEN: pi has said nothing for 1 minute", begins=False)
    assert watcher._progress is progress
    assert [task.description for task in progress.tasks] == ["GREEN: pi has said nothing for 1 minute"]
    watcher.doing("running the tests")
    assert watcher._progress is not progress
    watcher.close()


def test_no_line_is_broken_within_a_word() -> None:
    long = "tests/test_a_very_long_name_that_no_terminal_of_sixty_columns_can_hold.py::test_it"
    assert render.wrapped(f"see {long}", 20) == ["see", long]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.44, "0.4 s"), (12.4, "12 s"), (200, "3 min 20 s"), (180, "3 min"), (3900, "1 h 5 min")],
)
def test_durations(seconds: float, said: str) -> None:
    assert render.duration(seconds) == said


def test_a_time_is_shown_as_the_wall_clock_has_it() -> None:
    assert render.local("2026-11-23T23:30:00.000Z", timezone(timedelta(hours=2))) == "2026-11-24 01:30:00"
    assert render.local("no time", UTC) == "no time"


def test_a_record_is_wrapped_and_leaves_out_what_it_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_command, "columns", lambda: 60)
    stored = record("landing", "03:00", v=1, id="", old="a" * 40, new="b" * 40, attempt=0, phase="COMPLETE")
    _, *rows = log_command._record_text(stored).splitlines()
    assert rows == [
        "  cycle        3 (c-1)",
        "  item         an empty cart has a total of 0, whatever",
        "               currency it was opened with",
        "  phase        COMPLETE",
        "  from, to     aaaaaaaaa..bbbbbbbbb",
    ]


def test_an_error_is_wrapped_at_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(render, "columns", lambda *, err=False: 60)
    assert app._say(Refused("There is no agent 'humn'.", f"Known: {', '.join(['claude'] * 12)}.")) == 2
    first, *rest = capsys.readouterr().err.splitlines()
    assert first == "tdd: There is no agent 'humn'."
    assert len(rest) > 1
    assert all(len(line) <= 60 and line.startswith("     ") for line in rest)
