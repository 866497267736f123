"""`--item`, `--agent` and `--jobs` of `tdd cycle next`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fleet.hall import Hall

pytestmark = pytest.mark.journey


def test_the_named_item_is_begun_and_its_cycle_gone_on_with(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two"])
    after = hall.add("three", "--after", hall.ids["one"])
    assert hall.tdd("cycle", "next", "--phase", "--item", hall.ids["two"]).code == 0
    assert hall.statuses() == {"one": "planned", "two": "in_progress", "three": "planned"}
    refused = hall.tdd("cycle", "next", "--item", after)
    assert refused.code == 2
    assert f"it comes after {hall.ids['one']}" in refused.err
    assert "no item 'nothing'" in hall.tdd("cycle", "next", "--item", "nothing").err
    done = hall.tdd("cycle", "run", "--item", hall.ids["two"])
    assert done.code == 0, done.err
    assert hall.statuses() == {"one": "planned", "two": "completed", "three": "planned"}
    assert len(hall.records("cycle_started")) == 1
    refused = hall.tdd("cycle", "next", "--item", hall.ids["two"])
    assert "it is completed" in refused.err
    refused = hall.tdd("cycle", "run", "--item", hall.ids["one"], "--jobs", "2")
    assert (refused.code, "leave out --item" in refused.err) == (2, True)


def test_two_items_are_begun_at_once_and_by_the_named_agent(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two", "three"])
    words = ["sh", str(hall.agent / "agent.sh")]
    hall.configure(f"[agents.other]\ncommand = {json.dumps(words)}\n")
    hall.set("seconds", "0.3")
    done = hall.tdd("cycle", "next", "--jobs", "2", "--agent", "other")
    assert done.code == 0, done.err
    assert list(hall.statuses().values()) == ["completed", "completed", "planned"]
    worked = {record["agent"]["name"] for record in hall.records("handoff")}
    assert worked - {""} == {"other"}, "a commit that was proven again on a moved branch has no agent"
