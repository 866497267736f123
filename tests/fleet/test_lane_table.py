"""The live table of lanes on a terminal."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from rich.console import Console
from warm import ROOT

from tdd_orchestrator.agents.live import AgentProgress
from tdd_orchestrator.cli.jobs import LaneTable, LaneWatcher


def test_each_lane_at_work_has_a_row_and_what_is_done_scrolls_above() -> None:
    out = io.StringIO()
    table = LaneTable(3, Console(file=out, force_terminal=True, width=100, markup=False))
    one, two = (LaneWatcher(number, threading.RLock(), False, table) for number in (1, 2))
    with table:
        one.doing("RED: claude works (attempt 1)")
        two.doing("RED: codex works (attempt 1)")
        two.working(AgentProgress("RED", "codex", "edits tests/test_[it].py"))
        table._rows.refresh()
        shown = out.getvalue()
        assert "RED: claude works (attempt 1)" in shown
        assert "2 RED: codex: edits tests/test_[it].py" in shown
        assert "idle" not in shown, "a lane without work has no row"
        two.done("RED: proven", True)
        out.truncate(0)
        table._rows.refresh()
        assert "codex" not in out.getvalue()
        assert "claude" in out.getvalue()


LIVE = """
import sys, threading, time
import click
from tdd_orchestrator.cli.jobs import LaneTable, LaneWatcher
table = LaneTable(2)
with table:
    lane = LaneWatcher(1, threading.RLock(), False, table)
    lane.doing("RED: claude works (attempt 1) on an item whose words are longer than the terminal is wide")
    time.sleep(0.3)
    lane.note("a note")
    click.echo("a result")
    click.echo("a report", err=True)
    time.sleep(0.3)
"""


@pytest.mark.parametrize("columns", [60, 100])
def test_what_is_said_stands_on_lines_of_its_own_and_the_time_is_kept(columns: int) -> None:
    """click must not write past the table, which then stays on the screen and is drawn again below."""
    shown = on_terminal([sys.executable, "-c", LIVE], columns)
    drawn = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown).replace("\r", "\n").splitlines()
    for said in ("  [1]   a note", "a result", "a report"):
        assert said in drawn, drawn
    rows = [line for line in drawn if "RED: claude" in line]
    assert rows
    assert all("0:00:00" in row and len(row) <= columns for row in rows), rows


def test_results_go_where_standard_output_goes(tmp_path: Path) -> None:
    code = LIVE.replace("table = ", f"sys.stdout = open({str(tmp_path / 'out')!r}, 'w'); table = ")
    assert "a result" not in on_terminal([sys.executable, "-c", code], 80)
    assert (tmp_path / "out").read_text() == "a result\n"


def on_terminal(words: Sequence[str], columns: int) -> str:
    """Return what a program writes to a terminal of so many columns."""
    mine, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    left_out = ("COLUMNS", "LINES", "NO_COLOR", "CI")
    env = {name: value for name, value in os.environ.items() if name not in left_out}
    child = subprocess.Popen(
        words,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**env, "TERM": "xterm", "PYTHONPATH": str(ROOT)},
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # the terminal is gone when the program has ended
        while data := os.read(mine, 65536):
            shown += data
    os.close(mine)
    assert child.wait() == 0, shown
    return shown.decode("utf-8", "replace")
