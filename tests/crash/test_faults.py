"""What disk and system refuse: one sentence, an exit code of the contract, and the same command goes on (T43)."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable

import pytest
from test_kill import whole
from wreck import Point, Room

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
SAID = {"ENOSPC": "The disk is full", "EIO": "input/output error", "EMFILE": "Too many files are open"}
ROWS = (
    # system calls of the orchestrator's own process, what they answer
    ("sync_file_range,fsync,fdatasync", "EIO"),
    ("rename,renameat,renameat2", "ENOSPC"),
    ("write,pwrite64", "ENOSPC"),
    ("mkdir,mkdirat", "ENOSPC"),
    ("ftruncate", "EIO"),
    ("openat", "EMFILE"),
    ("openat", "EIO"),
)
_HARMLESS = re.compile(r"\.py[co]?\b|/lib/|/proc/|site-packages|pyvenv|/etc/|/sys/|__pycache__|importlib")


def calls(room: Room, calls_of: str) -> list[int]:
    """The numbers of those calls that are about the room (or a descriptor), in one undisturbed cycle."""
    log = room.folder.parent / "calls.log"
    room.restore()
    assert (
        room.ran(
            "cycle", "next", before=("strace", "-qq", "-y", "-o", str(log), "-e", f"trace={calls_of}")
        ).code
        == 0
    )
    lines = [line for line in log.read_text(errors="replace").splitlines() if "(" in line]
    mine = str(room.folder)
    return [number for number, line in enumerate(lines, 1) if mine in line and not _HARMLESS.search(line)]


def struck(room: Room, points: list[Point], calls_of: str, error: str, few: int) -> None:
    wanted, agent_calls, *_ = whole(room)
    numbers = calls(room, calls_of)
    chosen: Iterable[int] = numbers[:: max(1, len(numbers) // few)] if few else numbers
    for number in chosen:
        room.restore()
        inject = f"inject={calls_of}:error={error}:when={number}"
        done = room.ran(
            "cycle",
            "next",
            before=("strace", "-qq", "-o", "/dev/null", "-e", f"trace={calls_of}", "-e", inject),
        )
        point = Point(f"{error} at {calls_of} {number}", reached=done.code != 0)
        if done.code not in (0, 2, 4):
            point.wrong.append(f"exit {done.code}: {done.err[-500:]}")
        if done.code in (2, 4) and SAID[error] not in done.err and "tdd: " not in done.err:
            point.wrong.append(f"nothing said: {done.err[-500:]}")
        if "Traceback" in done.err:
            point.wrong.append(done.err[-1000:])
        points.append(room.resume(point, wanted, agent_calls))


@pytest.mark.parametrize(("calls_of", "error"), [ROWS[0], ROWS[1], ROWS[3]])
def test_some_calls_fail(room: Room, swept: list[Point], calls_of: str, error: str) -> None:
    struck(room, swept, calls_of, error, 1)
    assert swept
    assert [point for point in swept if point.wrong] == []


@pytest.mark.slow
@pytest.mark.parametrize(("calls_of", "error"), ROWS)
def test_every_call_fails_once(room: Room, swept: list[Point], calls_of: str, error: str) -> None:
    struck(room, swept, calls_of, error, 0)
    assert swept
    assert [point for point in swept if point.wrong] == []


@pytest.mark.parametrize("fault", ["write:error=ENOSPC", "openat:error=ENOSPC"])
def test_a_full_disk_under_git_is_said_and_nothing_is_lost(room: Room, fault: str) -> None:
    """The git that moves refs cannot write the lock of the notes ref."""
    wanted, agent_calls, *_ = whole(room)
    room.restore()
    lock = room.root / ".git/refs/notes/tdd.lock"
    around = f"strace -qq -f -o /dev/null -P {lock} -e trace=write,openat -e inject={fault}"
    env = room.shimmed(after=1, only="-m tdd --stdin", around=around)
    shim = room.folder.parent / "shim" / "git"
    shim.write_text(shim.read_text().replace("kill -9 $PPID", "true"))
    done = room.ran("cycle", "next", env=env)
    assert done.code == 4, done.err
    assert "disk" in done.err
    assert room.resume(Point("full", kills=0), wanted, agent_calls).wrong == []
