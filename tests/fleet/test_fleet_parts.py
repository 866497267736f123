"""The parts of the fleet, each alone: order of items, the turn, the queue, which cycles are open."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tdd_orchestrator import process
from tdd_orchestrator.cli.worker import worker
from tdd_orchestrator.config.schema import FleetConfig
from tdd_orchestrator.cycle.context import choose, cycles_at_hand
from tdd_orchestrator.cycle.state import fold
from tdd_orchestrator.fleet.cluster import Cluster
from tdd_orchestrator.fleet.tasks import Settings
from tdd_orchestrator.fleet.turn import LaneClock, Queue, Stopped, Turn
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.plan import FIX_TAG, Item, Plan, Status, from_authored
from tdd_orchestrator.model.reading import read
from tdd_orchestrator.model.records import Record

ROOT = Path(__file__).resolve().parents[2]


def plan(*items: Item) -> Plan:
    return Plan(items)


def test_the_next_item_waits_for_those_named_in_after() -> None:
    one, two = Item("1", "one"), Item("2", "two", after=("1",))
    assert plan(two, one).next() == one
    done = Item("1", "one", status=Status.COMPLETED)
    assert plan(two, done).next() == two
    failed = Item("1", "one", status=Status.FAILED)
    assert plan(two, failed).next() is None
    assert plan(two, failed).unmet(two) == ("1",)
    assert plan(two).next() == two, "an item that was removed is waited for by nobody"


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ({"impl_file": "a.py"}, {"impl_file": "a.py"}),
        ({"test_file": "test_a.py"}, {"test_file": "test_a.py"}),
        ({}, {"parent": "1"}),
        ({"parent": "2"}, {}),
    ],
)
def test_items_with_an_order_are_not_beside_each_other(first: dict[str, str], later: dict[str, str]) -> None:
    both = plan(Item("1", "one", **first), Item("2", "two", **later))  # type: ignore[arg-type]
    assert both.next_beside({"1"}) is None
    assert both.next_beside({"2"}) is None
    chosen = both.next_beside(set())
    assert chosen is not None
    assert chosen.id == "1"


def test_items_without_an_order_are_beside_each_other() -> None:
    two = Item("2", "two", impl_file="b.py")
    three = plan(Item("1", "one", impl_file="a.py"), two, Item("3", "fix", tags=(FIX_TAG,)))
    assert three.next_beside({"1"}) == two
    assert three.next_beside({"1", "2"}) is None, "a fix item is begun by `tdd errors fix` alone"


def test_after_is_kept_with_the_item() -> None:
    item = Item("2", "two", after=("1", "3"))
    assert from_authored(item.authored()).after == ("1", "3")
    assert "after" not in Item("1", "one").authored()


def record(cycle: str, kind: str, *beside: str, **more: Any) -> Record:
    begun = {"base": "b", "cycle_number": int(cycle[1:])} if kind == "cycle_started" else {}
    return read({"cycle_id": cycle, "kind": kind, "beside": list(beside), **begun, **more})


def test_the_newest_record_tells_which_cycles_are_open() -> None:
    trail = [
        record("c0", "cycle_started"),
        record("c0", "cycle_ended", outcome="landed"),
        record("c1", "cycle_started"),
        record("c2", "cycle_started", "c1"),
        record("c3", "cycle_started", "c1", "c2"),
        record("c2", "cycle_ended", "c1", "c3", outcome="landed"),
    ]
    seen: list[str] = []
    found = cycles_at_hand(seen.append(one.cycle_id) or one for one in reversed(trail))  # type: ignore[func-returns-value]
    assert [records[0].cycle_id for records in found] == ["c2", "c1", "c3"]
    assert "c0" not in seen, "nothing older than what is asked for is read"
    assert choose(found)[0].cycle_id == "c1"
    assert choose(found, "c3")[0].cycle_id == "c3"
    landing = [*trail, record("c3", "landing", "c1", old="b", new="n", at="")]
    assert choose(cycles_at_hand(reversed(landing)))[0].cycle_id == "c3"


def test_a_replanned_cycle_keeps_its_red_and_counts_nothing() -> None:
    start = record("c1", "cycle_started", item_id="1", item="one")
    red = record("c1", "handoff", phase="RED", next_phase="GREEN", tip="r", tests={"target_tests": ["t"]})
    refused = record(
        "c1", "error", phase="GREEN", verdict="still_failing", move={"counts": True}, error="", error_details={"type": "", "message": ""},
    )  # fmt: skip

    def again(phase: str, tip: str) -> Record:
        return record("c1", "rebased", base="h", tip=tip, next_phase=phase, mapping={"r": "r2"})

    state = fold([start, red, refused, again("GREEN", "r2")])
    assert state is not None
    assert (state.phase, state.base, state.tip, state.red) == (Phase.GREEN, "h", "r2", "r2")
    assert (state.retry, state.retried, state.targets) == (0, 0, ("t",))
    anew = fold([start, red, refused, again("RED", "h")])
    assert anew is not None
    assert (anew.phase, anew.tip, anew.red, anew.targets) == (Phase.RED, "h", "", ())


def test_one_thread_has_the_turn_and_gives_it_away_while_it_waits() -> None:
    turn, seen = Turn(), []
    inside = threading.Event()

    def first() -> None:
        with turn:
            with turn.outside():
                inside.set()
                assert other.wait(5)
            seen.append("first")

    other = threading.Event()
    thread = threading.Thread(target=first)
    thread.start()
    assert inside.wait(5)
    with turn:
        other.set()
        thread.join(0.05)
        assert seen == [], "it cannot go on while another has the turn"
    thread.join(5)
    assert seen == ["first"]


def test_a_stopped_run_ends_who_waits_and_who_comes_back() -> None:
    turn, ended = Turn(), []

    def lane(how: str) -> None:
        try:
            with turn:
                LaneClock(turn).sleep(60) if how == "sleeps" else turn.wait(lambda: False)
        except Stopped:
            ended.append(how)

    threads = [threading.Thread(target=lane, args=(how,)) for how in ("sleeps", "waits")]
    for thread in threads:
        thread.start()
    turn.stop()
    for thread in threads:
        thread.join(5)
    assert sorted(ended) == ["sleeps", "waits"]


def test_the_queue_takes_the_earliest_in_the_plan_of_those_that_wait() -> None:
    turn = Turn()
    queue, landed = Queue(turn), []

    def lane(number: int) -> None:
        with turn, queue.place((float(number), "")):
            landed.append(number)

    with turn, queue.place((0.0, "")):
        threads = [threading.Thread(target=lane, args=(number,)) for number in (3, 1, 2)]
        for thread in threads:
            thread.start()
        turn.wait(lambda: len(queue.waiting) == 3, 5)
    for thread in threads:
        thread.join(5)
    assert landed == [1, 2, 3]


def test_a_sweep_ends_the_processes_of_every_lane_and_those_of_no_other_run() -> None:
    def marked(cookie: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(["sleep", "60"], env={**os.environ, process.COOKIE: cookie})

    lane, other = marked("abc.2"), marked("abcd")
    try:
        process.sweep("abc")
        with pytest.raises(ProcessLookupError):
            os.kill(lane.pid, 0)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_one_job_imports_nothing_of_the_fleet() -> None:
    code = (
        "import sys; from tdd_orchestrator.cli import cycle, status; from tdd_orchestrator.app import context as wiring;"
        "from tdd_orchestrator.cycle import loop;"
        "print([name for name in sys.modules if name.startswith('tdd_orchestrator.fleet')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize(
    "address", ["tcp://host:8786", "host:8786", "tls://10.0.0.1:8786", "tcp://[::1]:8786", ""]
)
def test_an_address_of_a_scheduler_is_taken(address: str) -> None:
    assert FleetConfig(scheduler=address).scheduler == address


@pytest.mark.parametrize(
    "address", ["http://host:8787", "tcp://host", "host", "tcp://host:8786/status", "a b:1"]
)
def test_what_is_no_address_of_a_scheduler_is_refused_before_anything_runs(address: str) -> None:
    with pytest.raises(ValueError, match="tcp://HOST:PORT"):
        FleetConfig(scheduler=address)
    pytest.importorskip("distributed")
    with pytest.raises(Refused, match="tdd worker tcp://HOST:PORT"):
        worker.main([address], standalone_mode=False)


class Slow:
    """A task that is at work for a while."""

    status = "finished"

    def __init__(self, seconds: float) -> None:
        self.until = time.monotonic() + seconds

    def done(self) -> bool:
        return time.monotonic() >= self.until

    def add_done_callback(self, _: Callable[[object], None]) -> None: ...

    def result(self) -> str:
        return "done"

    def cancel(self) -> None: ...


def test_the_scheduler_is_seldom_asked_about_a_task_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred lanes that asked four times a second kept it from handing out tasks."""
    pytest.importorskip("distributed")
    asked: list[float] = []
    monkeypatch.setattr(Cluster, "_has_a_worker", lambda *_: asked.append(time.monotonic()) or True)
    client = SimpleNamespace(status="running")
    way = Cluster("tcp://host:1", "r", Settings())
    assert way._result(client, Slow(1.5), threading.Event(), 15.0) == "done"  # type: ignore[arg-type]
    assert len(asked) == 1
