"""The fast paths start without what only slower commands need."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"pydantic", "git", "rich", "jinja2", "structlog", "tree_sitter"}


@pytest.mark.parametrize("module", ["cli.app", "cli.status"])
def test_a_fast_path_loads_nothing_heavy(module: str) -> None:
    script = f"import sys, tdd_orchestrator.{module}\nprint(*sorted({HEAVY!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []


def test_a_cycle_without_a_failure_loads_no_tables_of_diagnosis() -> None:
    script = "import sys, tdd_orchestrator.cycle.loop\nprint(*(m for m in sys.modules if '.diagnosis.' in m))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert [name for name in done.stdout.split() if name.startswith("tdd_orchestrator.diagnosis")] == []


def test_a_cycle_without_a_webhook_loads_no_http_client() -> None:
    script = (
        "import sys, tdd_orchestrator.cli.cycle, tdd_orchestrator.cycle.loop, tdd_orchestrator.failures.fix_cycle,"
        " tdd_orchestrator.failures.stops\nprint('http.client' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["False"]
