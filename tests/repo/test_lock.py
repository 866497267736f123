"""The run lock: who holds it, who takes it over, and what may be swept under it."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import Busy, Refused
from tdd_orchestrator.repo import lock as run_lock
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.lock import RunLock


@pytest.fixture
def git(where: Path) -> Git:
    return Git(where / ".git", where)


HOLD = """
import sys, time, os
from pathlib import Path
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.lock import RunLock
lock = RunLock(Git(Path(sys.argv[1]))).acquire()
print(lock.run_marker, flush=True)
time.sleep(60)
"""


def test_the_second_is_told_who_holds_it_and_the_dead_are_taken_over(git: Git) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(git.git_dir)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    run_marker = holder.stdout.readline().strip()
    with pytest.raises(Busy, match=str(holder.pid)):
        RunLock(git).acquire()
    holder.kill()
    holder.wait()
    with RunLock(git) as lock:
        assert lock.taken_over is not None
        assert (lock.taken_over.pid, lock.taken_over.run_marker) == (holder.pid, run_marker)
        assert json.loads(lock.path.read_bytes())["pid"] == os.getpid()
        assert len(git.keep) == 1
    assert git.keep == ()
    with RunLock(git) as lock:
        assert lock.taken_over is None
        with pytest.raises(Busy):
            RunLock(Git(git.git_dir)).acquire()


def test_what_is_done_stays_done_where_the_lock_cannot_be_emptied(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was told as broken off, and the same command, given again, began anew what was done."""

    def refused(*_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with RunLock(git) as lock:
        monkeypatch.setattr(os, "ftruncate", refused)
    monkeypatch.undo()
    with RunLock(Git(git.git_dir)) as second:
        assert second.taken_over is not None
        assert second.taken_over.run_marker == lock.run_marker


def test_a_git_child_holds_the_lock_beyond_its_parent(git: Git) -> None:
    lock = RunLock(git).acquire()
    child = git.start("cat-file", "--batch")
    lock.release()
    with pytest.raises(Busy):
        RunLock(git).acquire()
    child.communicate()
    RunLock(git).acquire().release()


def test_locks_of_ours_are_swept_and_no_others(git: Git, where: Path) -> None:
    ours = ["refs/tdd/good.lock", "refs/tdd/attempts/1/1.lock", "refs/notes/tdd.lock", "refs/notes/tdd-plan.lock",
            "refs/heads/tdd/x.lock"]  # fmt: skip
    others = ["refs/heads/main.lock", "refs/notes/commits.lock", "packed-refs.lock", "index.lock"]
    for name in (*ours, *others):
        path = where / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (time.time() - 60,) * 2)
    (where / ".git/refs/tdd/good.lock").touch()  # a young one, looked at twice
    lock = RunLock(git)
    with pytest.raises(Refused):
        lock.sweep_locks()
    with lock:
        assert sorted(lock.sweep_locks()) == sorted(ours)
    assert [name for name in others if (where / ".git" / name).exists()] == others


LEAVES = """\
import os, subprocess, sys
from pathlib import Path
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.lock import RunLock
git = Git(Path(sys.argv[1]))
lock = RunLock(git).acquire()
subprocess.Popen(["sleep", sys.argv[2]], pass_fds=git.keep, stdout=subprocess.DEVNULL)
os.kill(os.getpid(), 9)
"""


def died(git: Git, seconds: str) -> int:
    """The number of an orchestrator that was killed, and left a child that works for so long."""
    with subprocess.Popen([sys.executable, "-c", LEAVES, str(git.git_dir), seconds]) as holder:
        assert holder.wait() == -9
    return holder.pid


def test_what_git_still_does_for_the_dead_is_waited_for(git: Git) -> None:
    """The next command came at once after a kill, and was refused because of it."""
    pid = died(git, "0.5")
    with RunLock(git) as lock:
        assert lock.taken_over is not None
        assert lock.taken_over.pid == pid


def test_not_for_ever_and_then_it_is_said(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_lock, "PATIENCE", 0.1)
    pid = died(git, "3")
    with pytest.raises(Busy, match=f"Process {pid}.* has died"):
        RunLock(git).acquire()


def test_who_ended_and_was_not_waited_for_is_dead(git: Git) -> None:
    holder = subprocess.Popen([sys.executable, "-c", LEAVES, str(git.git_dir), "0.3"])
    os.waitid(os.P_PID, holder.pid, os.WEXITED | os.WNOWAIT)
    with RunLock(git) as lock:
        assert lock.taken_over is not None
        assert lock.taken_over.pid == holder.pid
    holder.wait()


def test_the_living_and_those_elsewhere_are_not_waited_for(git: Git) -> None:
    with RunLock(git) as lock:
        began = time.monotonic()
        with pytest.raises(Busy, match=f"process {os.getpid()} on"):
            RunLock(Git(git.git_dir)).acquire()
        said = json.loads(lock.path.read_bytes())
        lock.path.write_text(json.dumps({**said, "pid": 2**22 - 1, "host": "elsewhere"}))
        with pytest.raises(Busy, match=r"process \d+ on elsewhere"):
            RunLock(Git(git.git_dir)).acquire()
        assert time.monotonic() - began < 5
