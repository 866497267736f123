"""kill -9 of the orchestrator at any moment: the same command again completes the cycle as if nothing had been (T42)."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pytest
from faulty import OWN, Calls, Sweep, Swift
from wreck import Facts, Point, Room, faults, killed_after, waits_until

SEED = 20261121
WRITES = ("rename,link", "unlink", "sync", "truncate,pwrite", "write")
needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler: cc is not installed")


def whole(room: Room) -> tuple[Facts, int, int, float]:
    """The cycle undisturbed: what it leaves, the agent calls and git calls that it takes, and its seconds."""
    begun = time.monotonic()
    done = room.ran("cycle", "next", env=room.shimmed())
    assert done.code == 0, done.err
    seconds = time.monotonic() - begun
    facts = room.facts()
    assert facts.attempts == [("RED", "proven", 0), ("GREEN", "still_failing", 0), ("GREEN", "proven", 1), ("REFACTOR", "unchanged", 0)]  # fmt: skip
    calls = len(room.agent_calls())
    assert room.check(Point("undisturbed", kills=0), facts, calls).wrong == []
    return facts, calls, len(room.git_calls()), seconds


@dataclass(frozen=True)
class Strike:
    """Before or after the ``number``-th git call whose words contain ``only``."""

    how: str
    number: int
    only: str = ""


def at_git_calls(room: Room, points: list[Point], strikes: Callable[[int], Iterable[Strike]]) -> None:
    wanted, calls, count, _ = whole(room)
    for strike in strikes(count):
        room.restore()
        env = room.shimmed(
            before=strike.number * (strike.how == "before"),
            after=strike.number * (strike.how == "after"),
            only=strike.only,
        )
        code = room.ran("cycle", "next", env=env).code
        point = Point(f"{strike} {room.git_calls()[-1][-60:]}", reached=code == -9)
        points.append(room.resume(point, wanted, calls))


def torn(room: Room, points: list[Point], only: str, numbers: Iterable[int]) -> None:
    """The git call and the orchestrator both end at the git call's n-th rename: what a power cut leaves of refs."""
    wanted, calls, *_ = whole(room)
    for number in numbers:
        room.restore()
        around = f"strace -qq -o /dev/null -e trace=rename,unlink -e inject=rename,unlink:signal=KILL:when={number}"
        room.ran("cycle", "next", env=room.shimmed(after=1, only=only, around=around))
        point = Point(f"'{only}' torn at its rename or unlink {number}", reached=room.struck_code() == "137")
        points.append(room.resume(point, wanted, calls))
        if not point.reached:
            break


def at_times(room: Room, points: list[Point], times: int, kills: int) -> None:
    wanted, calls, _, seconds = whole(room)
    chance = random.Random(SEED + kills)
    for _ in range(times):
        for _ in range(5):
            room.restore()
            moments = [chance.uniform(0.05, 0.8) * seconds for _ in range(kills)]
            struck = sum(killed_after(room, moment) for moment in moments)
            if struck:
                break
            seconds *= 0.9  # it was measured while the machine was busier
        point = Point(
            f"killed after {', '.join(f'{moment:.3f}' for moment in moments)} s",
            reached=struck > 0,
            kills=struck,
        )
        points.append(room.resume(point, wanted, calls))


def at_writes(room: Swift, points: list[Point], few: int) -> None:
    """``few``: how many of each kind of write, spread over the cycle; 0 is all of them."""
    wanted, calls, *_ = whole(room)
    for kinds in WRITES:
        kills = Calls(OWN, kinds, "KILL")
        sweep = Sweep(room, room.library, kills, room.places, lambda point: room.resume(point, wanted, calls))
        points.extend(sweep.points(few))


LANDING = "read-tree -m -u"
BRANCH = "-m tdd: doubles a number --stdin"
REFS = "-m tdd --stdin"


def test_killed_at_some_git_calls(room: Room, swept: list[Point]) -> None:
    def some(count: int) -> Iterable[Strike]:
        yield from (Strike("before", 1, LANDING), Strike("after", 1, LANDING), Strike("after", 1, BRANCH))
        yield from (Strike("before", count // 2), Strike("after", count // 3))

    at_git_calls(room, swept, some)
    assert faults(swept) == []


@needs_strace
def test_a_torn_write_of_the_branch_and_of_the_index(room: Room, swept: list[Point]) -> None:
    torn(room, swept, BRANCH, [1])
    torn(room, swept, LANDING, [1])
    assert faults(swept) == []


@needs_strace
def test_a_torn_write_of_the_notes_ref(room: Room, swept: list[Point]) -> None:
    torn(room, swept, REFS, [3])
    assert faults(swept) == []


def test_killed_at_some_times(room: Room, swept: list[Point]) -> None:
    at_times(room, swept, 2, 1)
    assert faults(swept) == []


def test_killed_twice_in_a_row(room: Room, swept: list[Point]) -> None:
    at_times(room, swept, 1, 2)
    assert faults(swept) == []


@pytest.mark.slow
@needs_cc
def test_killed_at_every_git_call(swift: Swift, swept: list[Point]) -> None:
    at_git_calls(
        swift,
        swept,
        lambda count: [Strike(how, n) for n in range(1, count + 1) for how in ("before", "after")],
    )
    assert faults(swept) == []


@pytest.mark.slow
@needs_strace
@needs_cc
@pytest.mark.parametrize(
    "only", [REFS, BRANCH, LANDING, "read-tree -n -m -u", "update-index", "read-tree --reset -u"]
)
def test_every_torn_write_of_git(swift: Swift, swept: list[Point], only: str) -> None:
    torn(swift, swept, only, range(1, 200))
    assert faults(swept) == []


@pytest.mark.slow
@needs_cc
def test_killed_at_200_random_times(swift: Swift, swept: list[Point]) -> None:
    at_times(swift, swept, 200, 1)
    assert faults(swept) == []


@pytest.mark.slow
@needs_cc
def test_killed_at_50_random_times_twice(swift: Swift, swept: list[Point]) -> None:
    at_times(swift, swept, 50, 2)
    assert faults(swept) == []


@needs_cc
def test_killed_at_some_writes(swift: Swift, swept: list[Point]) -> None:
    at_writes(swift, swept, 1)
    assert faults(swept) == []


@pytest.mark.slow
@needs_cc
def test_killed_at_every_write(swift: Swift, swept: list[Point]) -> None:
    at_writes(swift, swept, 0)
    assert faults(swept) == []


def test_an_agent_that_outlives_its_orchestrator_is_ended_by_the_next_start(room: Room) -> None:
    """It has left the group, and does not die with its parent; its cookie finds it."""
    wanted, calls, *_ = whole(room)
    room.restore()
    alive = room.folder / "alive"
    agent = room.agent / "agent.sh"
    plays = agent.read_text()
    agent.write_text(f"setsid sh -c 'echo $$ > {alive}; exec sleep 600' &\nsleep 600\n")
    child = room.start("cycle", "next")
    assert waits_until(lambda: alive.exists() and alive.read_text().strip(), 60)
    child.kill()
    child.communicate()
    assert any("sleep 600" in line for line in room.processes())
    agent.write_text(plays)
    point = room.resume(Point("only the parent"), wanted, calls)
    assert point.wrong == []
