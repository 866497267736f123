"""The stage is set once; what became of every row is shown as a table at the end."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from .stage import Stage, templates

COLUMNS = (
    "variants",
    "caught",
    "retried",
    "escalated",
    "tolerated",
    "false completes",
    "false alarms",
    "bytes lost",
)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Stage]:
    return templates(tmp_path_factory.mktemp("stage"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line a threat, from what the tests recorded; xdist hands the properties over."""
    rows: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COLUMNS, 0))
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, ()):
            for name, value in getattr(report, "user_properties", ()):
                if name == "hostile" and report.when == "call":
                    threat, *counts = value
                    for column in counts:
                        rows[threat][column] += 1
    if not rows:
        return
    terminalreporter.section("hostile agents")
    terminalreporter.write_line(f"{'threat':10}" + "".join(f"{column:>17}" for column in COLUMNS))
    for threat in sorted(
        rows, key=lambda name: (name[:1] != "T", int(name[1:]) if name[1:].isdigit() else 0)
    ):
        terminalreporter.write_line(
            f"{threat:10}" + "".join(f"{rows[threat][column]:17}" for column in COLUMNS)
        )
    totals = {column: sum(row[column] for row in rows.values()) for column in COLUMNS}
    terminalreporter.write_line(f"{'all':10}" + "".join(f"{totals[column]:17}" for column in COLUMNS))
