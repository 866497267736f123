"""The one program starter: limits, groups ended whole, stragglers found, output bounded."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tdd_orchestrator import process
from tdd_orchestrator.process import Finished, Limits, run


def test_streams_exit_code_and_input() -> None:
    done = run(["sh", "-c", "cat; echo no >&2; exit 3"], stdin=b"yes")
    assert (done.exit_code, done.stdout, done.stderr) == (3, b"yes", b"no\n")


def test_work_is_done_while_the_program_runs(tmp_path: Path) -> None:
    """The program ends when the work is done, and is ended where the work fails."""
    mark = tmp_path / "mark"
    waits = ["sh", "-c", f"until [ -e {mark} ]; do sleep 0.05; done"]
    assert run(waits, limits=Limits(timeout=20), meanwhile=mark.touch).exit_code == 0
    begun = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        run(["sleep", "30"], meanwhile=lambda: 1 / 0)
    assert time.monotonic() - begun < 20


def test_a_large_input_to_a_program_that_does_not_read_it() -> None:
    assert run(["true"], stdin=b"x" * (1 << 22)).exit_code == 0


def test_a_program_that_is_not_there() -> None:
    done = run(["no-such-program-anywhere"])
    assert done.exit_code is None
    assert done.error == "no-such-program-anywhere: no such program"


def test_a_missing_working_folder_is_said(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    assert run([sys.executable, "-c", ""], cwd=gone).error == f"{gone}: no such folder"


def test_a_signal_is_told_as_a_shell_tells_it() -> None:
    done = run(["sh", "-c", "kill -SEGV $$"])
    assert (done.exit_code, done.signal) == (139, 11)


@pytest.mark.parametrize("trap", ["", "trap '' TERM; "])
def test_wall_limit_ends_the_whole_group(trap: str) -> None:
    begun = time.monotonic()
    done = run(["sh", "-c", f"{trap}sleep 60 & sleep 60"], limits=Limits(timeout=0.3))
    assert done.timed_out == "wall"
    assert time.monotonic() - begun < 8


def test_idle_limit_counts_from_the_last_output() -> None:
    done = run(["sh", "-c", "echo a; sleep 0.2; echo b; sleep 60"], limits=Limits(idle=0.6))
    assert done.timed_out == "idle"
    assert done.stdout == b"a\nb\n"


def test_closed_pipes_do_not_hide_a_hang() -> None:
    done = run(["sh", "-c", "exec >&- 2>&-; sleep 60"], limits=Limits(timeout=0.3))
    assert done.timed_out == "wall"


def test_the_end_is_the_childs_exit_not_the_end_of_its_pipe() -> None:
    begun = time.monotonic()
    done = run(["sh", "-c", "sleep 30 & echo done"], run_marker=f"t-pipe-{os.getpid()}")
    assert done.stdout == b"done\n"
    assert time.monotonic() - begun < 5


def test_processes_that_left_the_group_are_found(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    run(
        ["sh", "-c", f"setsid sh -c 'echo $$ > {pid}; sleep 60' & while [ ! -s {pid} ]; do :; done"],
        run_marker=f"t-left-{os.getpid()}",
    )
    number = int(pid.read_text())
    deadline = time.monotonic() + 5
    while Path(f"/proc/{number}").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not Path(f"/proc/{number}").exists()


def test_a_flood_is_bounded_in_memory_and_on_disk(tmp_path: Path) -> None:
    log = tmp_path / "log"
    limits = Limits(head=1000, tail=1000, log=1 << 20)
    done = run(["sh", "-c", "head -c 50000000 /dev/zero; echo THE END"], limits=limits, log=log)
    assert len(done.stdout) < 200_000
    assert done.cut > 49_000_000
    assert done.stdout.endswith(b"THE END\n")
    assert log.stat().st_size < (1 << 20) + 200_000
    assert log.read_bytes().endswith(b"THE END\n")


def test_merged_streams_keep_their_order() -> None:
    done = run(["sh", "-c", "echo 1; echo 2 >&2; echo 3"], merge=True)
    assert done.stdout == b"1\n2\n3\n"


def test_the_sweep_spares_other_cookies() -> None:
    import subprocess

    other = subprocess.Popen(["sleep", "30"], env={**os.environ, process.COOKIE: "someone-else"})
    try:
        process.sweep("t-mine")
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's parent-death signal is Linux's")
def test_a_child_dies_with_a_killed_parent(tmp_path: Path) -> None:
    import signal
    import subprocess

    pid = tmp_path / "pid"
    program = (
        "from tdd_orchestrator.process import run\n"
        f"run(['sh', '-c', 'echo $$ > {pid}; exec sleep 60'], run_marker='t-parent')\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parents[1])
    deadline = time.monotonic() + 10
    while not (pid.exists() and pid.read_text().strip()) and time.monotonic() < deadline:
        time.sleep(0.01)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    number = pid.read_text().strip()
    deadline = time.monotonic() + 5
    while Path(f"/proc/{number}/cmdline").exists() and time.monotonic() < deadline:
        if not Path(f"/proc/{number}/cmdline").read_bytes():
            break
        time.sleep(0.01)
    assert not Path(f"/proc/{number}").exists() or not Path(f"/proc/{number}/cmdline").read_bytes()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A test run that a script put in the background ignores SIGINT; here it is heard as at a terminal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _alive(mark: str) -> list[str]:
    asked = subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True, check=False)
    return asked.stdout.split()


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_between_fork_and_exec_leaves_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupts() -> None:
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(0.3)

    monkeypatch.setattr(process, "_dying_with_parent", lambda: interrupts)
    with pytest.raises(KeyboardInterrupt):
        run(["sleep", "86123"], run_marker="between-fork-and-exec", limits=Limits(timeout=30))
    assert _alive("sleep 86123") == []


@pytest.mark.usefixtures("interruptible")
def test_a_second_interrupt_does_not_cut_the_cleaning_up_short(tmp_path: Path) -> None:
    """The first Ctrl-C comes while the child works, the next ones while it is being ended."""
    mark = tmp_path / "mark"
    hears_nothing = f"trap '' TERM INT; echo > {mark}; setsid sleep 86124 & sleep 86125; sleep 86125"

    def impatient() -> None:
        while not mark.exists():
            time.sleep(0.01)
        for _ in range(4):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)

    hand = threading.Thread(target=impatient)
    hand.start()
    with pytest.raises(KeyboardInterrupt):
        run(["sh", "-c", hears_nothing], run_marker="impatient", limits=Limits(timeout=30))
    hand.join()
    assert _alive("sleep 8612[45]") == []


@pytest.mark.parametrize("starts", [run, process.quick])
def test_what_the_machine_refuses_is_not_the_programs_failure(
    monkeypatch: pytest.MonkeyPatch, starts: Callable[..., Finished]
) -> None:
    """A test command that could not be started for want of descriptors has not failed, and an agent neither."""

    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(process.subprocess, "Popen", refused)
    with pytest.raises(OSError, match="Too many open files"):
        starts(["true"])


def test_dots_are_read_together() -> None:
    """A runner that writes a dot a test costs no wake-up a test."""
    pieces: list[bytes] = []
    program = "import os, time\nfor _ in range(1500): os.write(1, b'.'); time.sleep(0.0005)"
    done = run([sys.executable, "-c", program], on_output=pieces.append)
    assert done.stdout == b"." * 1500
    assert len(pieces) < 600
