"""SIGINT, SIGTERM, SIGHUP: out within ten seconds with 130, nothing left running, taken up by the same command (T41)."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from wreck import Facts, Room, waits_until

HANGS = "trap '' TERM INT HUP; echo here > {mark}; setsid sleep 600 & sleep 600; sleep 600\n"
ATTEMPTS = [
    ("RED", "proven", 0),
    ("GREEN", "still_failing", 0),
    ("GREEN", "proven", 1),
    ("REFACTOR", "unchanged", 0),
]


def struck(room: Room, mark: Path, number: signal.Signals) -> tuple[int, float, str]:
    """The command's exit code, its seconds from the signal on, and its words."""
    child = room.start("cycle", "next")
    assert waits_until(mark.exists, 60), child.poll()
    begun = time.monotonic()
    child.send_signal(number)
    _, err = child.communicate(timeout=60)
    return child.returncode, time.monotonic() - begun, err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=str)
def test_while_an_agent_works_that_will_not_listen(room: Room, number: signal.Signals) -> None:
    mark, agent = room.folder / "mark", room.agent / "agent.sh"
    plays = agent.read_text()
    agent.write_text(HANGS.format(mark=mark))
    code, seconds, err = struck(room, mark, number)
    assert (code, seconds < 10) == (130, True), (seconds, err)
    assert "The same command goes on from here." in err
    assert room.processes() == []
    assert room.locks() == []
    agent.write_text(plays)
    assert room.tdd("cycle", "next").code == 0
    assert room.facts().attempts == ATTEMPTS


def test_while_the_tests_run(room: Room) -> None:
    mark = room.folder / "mark"
    (room.root / "run.sh").write_text(
        f"[ -f {mark}.off ] || {{ {HANGS.format(mark=mark)} }}\n" + (room.root / "run.sh").read_text()
    )
    room.git("commit", "-q", "-m", "chore: a slow suite", "--", "run.sh")
    code, seconds, err = struck(room, mark, signal.SIGTERM)
    assert (code, seconds < 10) == (130, True), (seconds, err)
    assert room.processes() == []
    Path(f"{mark}.off").touch()
    done = room.tdd("cycle", "next")
    assert done.code == 0, done.err
    facts: Facts = room.facts()
    assert facts.attempts == ATTEMPTS


def test_who_asked_for_no_hangup_gets_none(room: Room) -> None:
    mark, agent = room.folder / "mark", room.agent / "agent.sh"
    agent.write_text(f"echo here > {mark}; sleep 1\n{agent.read_text()}")
    child = room.start("cycle", "next", before=("nohup",))
    assert waits_until(mark.exists, 60)
    child.send_signal(signal.SIGHUP)
    child.communicate(timeout=120)
    assert child.returncode == 0
