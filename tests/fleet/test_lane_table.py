"""The live table of lanes on a terminal."""

from __future__ import annotations

import io
import threading

from rich.console import Console

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
