"""The log of a whole cycle: every phase, gate, git write and agent run has its events."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kit import Kata

pytestmark = pytest.mark.journey


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


def test_a_cycle_logs_every_phase_gate_git_write_and_agent_run(kata: Kata) -> None:
    kata.plan()
    done = kata.next(env={"TDD_LOG": "json"})
    assert done.code == 0, done.err
    written = [json.loads(line) for line in done.err.splitlines() if line.startswith("{")]
    names = [one["event"] for one in written]
    for phase in ("RED", "GREEN", "REFACTOR"):
        mine = {one["event"] for one in written if one.get("phase") == phase}
        assert {"phase begun", "gate judged", "record written"} <= mine
    assert names.count("agent run begun") == names.count("agent run ended") == 3
    assert {"tests ran", "refs moved", "files moved"} <= set(names)
    kinds = [one["kind"] for one in written if one["event"] == "record written"]
    assert kinds == [record["kind"] for record in kata.records()]


def test_verbose_shows_what_quiet_commands_do_not(kata: Kata) -> None:
    kata.plan()
    assert "tdd: " not in kata.next("--phase").err
    verbose = kata.tdd("--verbose", "cycle", "next", "--phase").err
    assert "tdd: info: gate judged" in verbose
    assert "tdd: debug: refs moved" in verbose
