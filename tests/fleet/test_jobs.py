"""`tdd cycle run --jobs N`: independent items at once on one machine, with real git and real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fleet.hall import RUN, Hall

pytestmark = pytest.mark.journey


def waits_until(true: Callable[[], bool], seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if true():
            return True
        time.sleep(0.02)
    return False


def held(hall: Hall, jobs: int) -> subprocess.Popen[str]:
    """A run whose agents all wait for ``go``, once each lane has one at work."""
    hall.set("hold", "")
    child = hall.start("cycle", "run", "--jobs", str(jobs))
    assert waits_until(lambda: len(hall.agent_calls()) == jobs), child.communicate()
    return child


def killed(child: subprocess.Popen[str]) -> None:
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()


def chained(hall: Hall) -> None:
    """The records are one chain, every commit is proven, and nothing of the user's was touched."""
    verified = hall.tdd("verify")
    assert verified.code == 0, verified.out + verified.err
    assert hall.git("status", "--porcelain") == ""


def test_independent_items_are_worked_on_at_once_and_land_in_a_chain(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two", "three"])
    child = held(hall, 3)
    assert len({row[6] for row in hall.agent_calls()}) == 3, "each lane has a tree of its own"
    assert set(hall.statuses().values()) == {"in_progress"}
    shown = hall.tdd("status").out
    assert f"at work: process {child.pid} on" in shown
    assert shown.splitlines()[-1] == "  next: tdd status", "every other command would be refused"
    hall.set("go", "")
    _, err = child.communicate(timeout=200)
    assert child.returncode == 0, err
    assert set(hall.statuses().values()) == {"completed"}
    assert sorted(hall.landed()) == ["one", "three", "two"]
    assert len(hall.agent_calls("red")) == 3
    chained(hall)


def test_items_with_an_order_between_them_are_not_worked_on_at_once(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one"])
    two = hall.add("two", "--after", hall.ids["one"])
    hall.add("three", "--parent", two)
    hall.add("four", "--impl-file", "four.sh")
    hall.add("five", "--impl-file", "four.sh")
    hall.set("seconds", "0.1")
    done = hall.run(4)
    assert done.code == 0, done.err
    ends = {row[1]: int(row[5]) for row in hall.agent_calls("refactor", "end")}
    begins = {row[1]: int(row[5]) for row in hall.agent_calls("red")}
    for first, later in (("one", "two"), ("two", "three"), ("four", "five")):
        assert ends[first] < begins[later], f"{later} was begun before {first} was done"


def test_a_conflict_goes_on_from_the_new_head_and_costs_no_retry(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two"])
    hall.set("shared", "one\ntwo")
    child = held(hall, 2)
    hall.set("go", "")
    out, err = child.communicate(timeout=200)
    assert child.returncode == 0, out + err
    assert set(hall.statuses().values()) == {"completed"}
    head, *functions = (hall.root / "shared.sh").read_text().splitlines()
    assert head == "# shared"
    assert sorted(functions) == ['one() { echo "$1 one"; }', 'two() { echo "$1 two"; }'], (
        "whichever was ready first"
    )
    assert len(hall.agent_calls("red")) == 2, "the test of the later one is kept"
    assert len(hall.agent_calls("green")) == 3
    again = [one for one in hall.records("rebased") if one["next_phase"] == "GREEN"]
    assert len(again) == 1, "the other one landed as it was"
    assert {one["retry_count"] for one in hall.records("intent")} == {0}
    chained(hall)


def test_a_killed_coordinator_resumes_every_cycle(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two", "three"])
    killed(held(hall, 3))
    hall.set("go", "")
    done = hall.run(3)
    assert done.code == 0, done.err
    assert set(hall.statuses().values()) == {"completed"}
    assert len(hall.records("cycle_started")) == 3, "each cycle went on; none was begun anew"
    assert len(hall.agent_calls("red")) == 6, "one agent call more for each lane"
    assert len(hall.agent_calls("green")) == 3
    chained(hall)


def test_one_job_goes_on_with_what_lanes_left(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two"])
    killed(held(hall, 2))
    hall.set("go", "")
    done = hall.tdd("cycle", "run")
    assert done.code == 0, done.err
    assert set(hall.statuses().values()) == {"completed"}
    assert len(hall.records("cycle_started")) == 2
    chained(hall)


def test_a_run_that_takes_no_requests_refuses_an_abort_at_once_also_after_a_killed_one_that_did(
    tmp_path: Path,
) -> None:
    hall = Hall(tmp_path, ["one", "two"])
    killed(held(hall, 2))
    child = hall.start("cycle", "run")
    assert waits_until(lambda: len(hall.agent_calls()) == 3), child.communicate()
    begun = time.monotonic()
    refused = hall.tdd("cycle", "abort", "1")
    assert refused.code == 5, refused.out + refused.err
    assert time.monotonic() - begun < 45, "it waits a minute for a run that takes requests"
    hall.set("go", "")
    child.communicate(timeout=200)


def test_every_open_cycle_is_shown_and_each_can_be_ended(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two"])
    killed(held(hall, 2))
    shown = hall.tdd("cycle", "status")
    assert "at work" not in shown.out
    assert "cycle 1: adds one" in shown.out
    assert "cycle 2: adds two" in shown.out
    unknown = hall.tdd("cycle", "abort", "7")
    assert unknown.code == 2
    assert "open: 1 (adds one), 2 (adds two)" in unknown.err
    assert "Cycle 1 is ended" in hall.tdd("cycle", "abort", "1").out
    assert hall.statuses() == {"one": "planned", "two": "in_progress"}
    standing = hall.tdd("cycle", "status", "--json").json
    assert [one["cycle_number"] for one in standing["beside"]] == [2]
    assert standing["next"] == "tdd cycle run"


def test_of_several_cycles_that_wait_each_is_answered_by_its_item(tmp_path: Path) -> None:
    """Without a name the newest one would be approved, whatever the person has looked at."""
    hall = Hall(tmp_path, ["one", "two", "three"], config="[approval]\nbefore_landing = true\n")
    done = hall.run(2)
    assert done.code == 3, done.err
    assert any(f"tdd cycle approve --item {one}" in done.err for one in hall.ids.values()), done.err
    for answer in ("approve", "reject"):
        refused = hall.tdd("cycle", answer)
        assert refused.code == 2, refused.out
        assert "3 cycles wait for an answer" in refused.err
        assert f"{hall.ids['one']} (adds one)" in refused.err
        assert "--item ID" in refused.err
    assert hall.landed() == []
    done = hall.tdd("cycle", "approve", "--item", hall.ids["one"])
    assert done.code == 0, done.err
    assert hall.landed() == ["one"]
    assert hall.tdd("cycle", "reject", "--item", hall.ids["two"]).code == 0
    assert hall.statuses() == {"one": "completed", "two": "planned", "three": "in_progress"}
    assert hall.tdd("cycle", "approve").code == 0, "one is left, and needs no name"
    assert hall.landed() == ["one", "three"]


def test_of_several_open_cycles_none_is_ended_without_a_name(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two"])
    killed(held(hall, 2))
    refused = hall.tdd("cycle", "abort")
    assert refused.code == 2, refused.out
    assert "open: 1 (adds one), 2 (adds two)" in refused.err
    assert hall.statuses() == {"one": "in_progress", "two": "in_progress"}


def test_one_cycle_of_a_run_at_work_is_ended_and_the_others_go_on(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two", "three"])
    child = held(hall, 2)
    rows = {row[1]: row for row in hall.agent_calls()}
    assert "open: 1 (adds one), 2 (adds two)" in hall.tdd("cycle", "abort", "7").err
    done = hall.tdd("cycle", "abort", rows["one"][3], "--reason", "not like this")
    assert done.code == 0, done.err
    assert "Cycle 1 is ended" in done.out
    assert waits_until(lambda: len(hall.agent_calls("red")) == 3), "its lane begins the next item"
    assert hall.statuses() == {"one": "planned", "two": "in_progress", "three": "in_progress"}
    hall.set("go", "")
    _, err = child.communicate(timeout=200)
    assert child.returncode == 0, err
    assert hall.statuses() == {"one": "planned", "two": "completed", "three": "completed"}
    assert [end["reasons"] for end in hall.records("cycle_ended") if end["outcome"] == "cancelled"] == [
        ["not like this"]
    ]
    assert hall.run(2).code == 0
    assert hall.statuses()["one"] == "completed", "a later run takes it up"
    chained(hall)


def test_an_interrupt_ends_the_agents_and_is_resumable(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two"])
    child = held(hall, 2)
    os.kill(child.pid, signal.SIGINT)
    child.communicate(timeout=60)
    assert child.returncode == 130
    left = subprocess.run(["pgrep", "-f", str(hall.agent)], capture_output=True, text=True, check=False)
    assert left.stdout == ""
    hall.set("go", "")
    assert hall.run(2).code == 0
    assert len(hall.records("cycle_started")) == 2


def test_what_an_agent_without_a_sandbox_does_is_undone_and_the_other_lane_does_not_bring_it_back(
    tmp_path: Path,
) -> None:
    hall = Hall(tmp_path, ["one", "two"])
    agent = hall.agent / "agent.sh"
    hook = hall.root / ".git/hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    evil = f'[ "$name" = one ] && {{ echo "exit 1" > {hook}; git -C {hall.root} update-ref refs/tdd/evil HEAD; }}\n'
    agent.write_text(agent.read_text().replace("file=$name.sh\n", f"file=$name.sh\n{evil}"))
    child = held(hall, 2)
    hall.set("go", "")
    _, err = child.communicate(timeout=200)
    assert child.returncode == 0, err
    assert not hook.exists()
    assert hall.git("for-each-ref", "refs/tdd/evil") == ""
    assert hall.records("incident"), "it is in the records"
    assert set(hall.statuses().values()) == {"completed"}
    chained(hall)


def test_what_keeps_one_lane_from_beginning_is_found_out_once(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two", "three"])
    hall.write("run.sh", f"echo run >> {hall.agent}/runs\n{RUN}")
    hall.write("tests/test_bad.sh", "false\n")
    hall.git("add", "-A")
    hall.git("commit", "-qm", "test: one that fails")
    done = hall.run(3)
    assert done.code == 2, done.out
    assert done.err.count("stopped: The tests fail before anything was changed") == 1, done.err
    assert (hall.agent / "runs").read_text().count("run") == 3, "the run and its two repetitions, of one lane"
    assert set(hall.statuses().values()) == {"planned"}


def test_a_person_who_is_to_play_every_role_is_refused(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two"])
    done = hall.run(2, "--agent", "human")
    assert done.code == 2, done.err
    assert "can work in one tree at a time" in done.err


def test_lanes_share_a_budget_of_attempts_to_the_last_one(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two", "three"], config="[budget]\nrun_attempts = 4\n")
    hall.set("seconds", "0.3")
    done = hall.run(3)
    assert done.code == 4, done.err
    assert "The budget of this run: 4 of 4 attempts" in done.err
    assert len(hall.agent_calls()) == 4
    hall.configure()
    assert hall.run(3).code == 0
    assert len(hall.agent_calls()) == 9, "each went on where it stood"


def test_a_commit_of_the_users_meanwhile_is_one_more_head(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ["one", "two"])
    child = held(hall, 2)
    hall.write("notes.md", "mine\n")
    hall.git("add", "notes.md")
    hall.git("commit", "-q", "-m", "docs: mine")
    hall.set("go", "")
    _, err = child.communicate(timeout=200)
    assert child.returncode == 0, err
    assert hall.subjects()[-5] == "docs: mine"
    chained(hall)
