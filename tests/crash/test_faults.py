"""What disk and system refuse: one sentence, an exit code of the contract, and the same command goes on (T43)."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from faulty import GIT, OWN, SHELL, Calls, Library, Refused, Sweep, Swift, spread
from kit import ROOT
from test_fix_killed import Red
from test_kill import whole
from wreck import TESTS, Room, faults

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler: cc is not installed")
ROWS = (
    # in the repository, its git dir, state, home, temporary folders, the prompts and /dev/null
    Calls(OWN, "open,create", "EIO"),
    Calls(OWN, "open,create", "EMFILE"),
    Calls(OWN, "pipe", "EMFILE"),
    Calls(OWN, "create", "ENOSPC"),
    Calls(OWN, "write,pwrite", "ENOSPC"),
    Calls(OWN, "mkdir", "ENOSPC"),
    Calls(OWN, "rename,link", "ENOSPC"),
    Calls(OWN, "sync,truncate", "EIO"),
    Calls(OWN, "unlink", "EIO"),
    Calls(GIT, "open,create", "EIO"),
    Calls(GIT, "open,create", "EMFILE"),
    Calls(GIT, "create", "ENOSPC"),
    Calls(GIT, "write,pwrite", "ENOSPC"),
    Calls(GIT, "mkdir,rename,link", "ENOSPC"),
    Calls(GIT, "sync", "EIO"),
    Calls(OWN, "read", "EIO"),
    Calls(OWN, "list", "EIO"),
    Calls(OWN, "look", "EIO"),
    Calls(GIT, "read", "EIO"),
    Calls(GIT, "list", "EIO"),
    Calls(GIT, "look", "EIO"),
)
SECONDS = float(os.environ.get("FAULT_SECONDS", "90"))  # of each row; 0 is every call, however long
FEW_OF_A_FIX = 10  # points of a row: each takes three times as long
FEW = 30  # points of what is not the product's: interpreters, libraries, other people's processes


def swept_by(room: Swift, calls: Calls, *places: str) -> Sweep:
    return Sweep(room, room.library, calls, places or room.places, taken_up(room))


def taken_up(room: Room) -> Callable[[Refused], object]:
    wanted, agent_calls, *_ = whole(room)
    return lambda point: room.resume(point, wanted, agent_calls)


def test_wherever_a_sweep_ends_it_struck_all_over_the_cycle() -> None:
    calls = [*["open /a"] * 50, *["open /b"] * 30, "open /c", *["open /a"] * 20]
    order = spread(calls)
    assert sorted(order) == list(range(1, 102))
    assert {calls[number - 1] for number in order[:3]} == set(calls)
    first = sorted(number for number in order[:40])
    assert max(after - before for before, after in pairwise(first)) < 10


@pytest.mark.parametrize("calls", [ROWS[0], ROWS[5], ROWS[6], ROWS[9]], ids=str)
def test_some_calls_fail(swift: Swift, swept: list[Refused], calls: Calls) -> None:
    swept.extend(swept_by(swift, calls).points(1))
    assert faults(swept) == []


@pytest.mark.slow
@pytest.mark.parametrize("calls", ROWS, ids=str)
def test_each_call_fails_once(swift: Swift, swept: list[Refused], calls: Calls) -> None:
    swept.extend(swept_by(swift, calls).points(seconds=SECONDS))
    assert faults(swept) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("calls", "places"),
    [
        (Calls(OWN, "open,create", "EIO"), ("/proc/",)),
        (Calls(GIT, "open,create", "EIO"), ("/etc/", "/usr/", "/dev/")),
    ],
    ids=str,
)
def test_some_calls_elsewhere_fail(
    swift: Swift, swept: list[Refused], calls: Calls, places: tuple[str, ...]
) -> None:
    swept.extend(swept_by(swift, calls, *places).points(FEW))
    assert faults(swept) == []


@pytest.mark.slow
def test_some_imports_fail(room: Room, tmp_path: Path, swept: list[Refused]) -> None:
    """The interpreter says so itself, in its own way; nothing has begun, and nothing is lost."""
    resume = taken_up(room)
    library = Library(tmp_path / "library")
    places = (f"{sys.prefix}/", f"{sys.base_prefix}/", f"{ROOT}/tdd_orchestrator/")
    env = {"LD_PRELOAD": str(library.file)}
    calls = Calls(OWN, "open", "EIO")
    swept.extend(Sweep(room, library, calls, places, resume, env=env, starting=True).points(FEW))
    assert faults(swept) == []


def test_calls_of_the_tests_fail(swift: Swift, swept: list[Refused]) -> None:
    """Nobody's fault: they are run again, and no attempt is lost. A red run of a tree is kept, so it would stay red."""
    swift.write("run.sh", f"export LD_PRELOAD={swift.library.file}\n{TESTS}")
    swift.git("commit", "-q", "-m", "chore: a library before the tests", "--", "run.sh")
    shutil.rmtree(swift.kept)
    shutil.copytree(swift.folder, swift.kept, symlinks=True)
    swept.extend(swept_by(swift, Calls(SHELL, "open", "EIO")).points())
    assert faults(swept) == []
    assert [point.name for point in swept if point.extra] == []


class SwiftRed(Swift, Red):
    """The room of ``tdd fix``, warm."""


@pytest.mark.slow
@pytest.mark.parametrize("calls", ROWS, ids=str)
def test_some_calls_of_a_fix_fail(tmp_path: Path, swept: list[Refused], calls: Calls) -> None:
    room = SwiftRed(tmp_path)

    def resume(point: Refused) -> None:
        point.wrong += room.wrong(extra=1) if point.stopped else room.left(extra=1)

    try:
        sweep = Sweep(room, room.library, calls, room.places, resume, command=("fix",), code=1)
        swept.extend(sweep.points(FEW_OF_A_FIX))
    finally:
        room.warm.end()
    assert faults(swept) == []


@pytest.mark.parametrize("kinds", ["write", "create"])
def test_a_full_disk_under_git_is_said_and_nothing_is_lost(swift: Swift, kinds: str) -> None:
    """The git that moves refs cannot write the lock of the notes ref."""
    sweep = swept_by(swift, Calls(GIT, kinds, "ENOSPC"), f"{swift.root}/.git/refs/notes/tdd.lock")
    point = next(iter(sweep.points(1)))
    assert (point.reached, point.stopped, point.wrong) == (True, True, [])
