"""The landing queue: cycles that are ready are proven together, and by themselves where that fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from kit import ROOT

from fleet.hall import RUN, Hall

pytestmark = pytest.mark.journey

KILLED = """\
import os, signal
from types import SimpleNamespace
from tdd_orchestrator.__main__ import main
from tdd_orchestrator.cycle.landing import together
module, name = "{call}".split(".")
dying = {{**vars(getattr(together, module)), name: lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)}}
setattr(together, module, SimpleNamespace(**dying))
main()
"""
REFUSES = 'echo "not ok $((n + 1)) - pair"; n=$((n + 1)); bad=1'


def ready(tmp_path: Path, items: list[str], check: str = "") -> Hall:
    """A repository whose cycles are all proven and could not land: a lock was in the way, which is gone now."""
    hall = Hall(tmp_path, items)
    script = RUN.replace('echo "1..$n"', f'{check}\necho "1..$n"')
    hall.write("run.sh", f"echo run >> {hall.agent}/runs\n{script}")
    hall.git("commit", "-qam", "test: a suite that counts its runs")
    lock = hall.root / ".git/index.lock"
    lock.touch()
    done = hall.run(len(items))
    lock.unlink()
    assert done.code == 2, done.out + done.err
    assert set(hall.statuses().values()) == {"in_progress"}
    assert hall.landed() == []
    return hall


def runs(hall: Hall) -> int:
    return (hall.agent / "runs").read_text().count("run")


def test_those_that_are_ready_are_proven_by_one_run_and_their_records_say_so(tmp_path: Path) -> None:
    hall = ready(tmp_path, ["one", "two", "three", "four"])
    before, calls = runs(hall), len(hall.agent_calls())
    done = hall.run(4)
    assert done.code == 0, done.err
    assert "3 cycles are proven together" in done.err
    assert hall.landed() == ["one", "two", "three", "four"]
    assert runs(hall) - before == 3 + 1, "each RED that moved, and the last commit; the first lands as it is"
    assert len(hall.agent_calls()) == calls
    tip = hall.git("rev-parse", "HEAD")
    moved = [one for one in hall.records("handoff") if one.get("together")]
    assert len(moved) == 6
    assert {one["together"] for one in moved} == {tip}
    assert [one["candidate"] for one in moved if one.get("known_good")] == [tip], (
        "no other was run as a whole"
    )
    verified = hall.tdd("verify")
    assert verified.code == 0, verified.out + verified.err
    assert verified.out.count(f"recorded proven: with {tip[:12]}; seen proven: ") == 2
    assert hall.git("status", "--porcelain") == ""


def test_a_red_batch_is_split_and_the_innocent_land(tmp_path: Path) -> None:
    hall = ready(
        tmp_path, ["one", "two", "three", "four"], f"[ -f one.sh ] && [ -f three.sh ] && {{ {REFUSES}; }}"
    )
    done = hall.run(4)
    assert done.code == 1, done.err
    assert "not proven together" in done.err
    now = hall.statuses()
    assert {name: now[name] for name in hall.ids} == {
        "one": "completed", "two": "completed", "three": "failed", "four": "completed",
    }  # fmt: skip
    assert len(hall.agent_calls("red")) == 4, "no test was written again"
    assert {row[1] for row in hall.agent_calls("green")[4:]} == {"three"}, "and no code but the culprit's"
    assert hall.tdd("verify").code == 0


def test_a_commit_that_is_proven_only_with_those_above_it_is_named_by_verify(tmp_path: Path) -> None:
    check = f"[ -f one.sh ] && [ -f two.sh ] && [ ! -f three.sh ] && {{ {REFUSES}; }}"
    hall = ready(tmp_path, ["one", "two", "three"], check)
    assert hall.run(3).code == 0
    assert hall.landed() == ["one", "two", "three"]
    verified = hall.tdd("verify")
    assert verified.code == 0, verified.out + verified.err
    assert "proven-together" in verified.out + verified.err
    alone = hall.tdd("verify", "HEAD~2")
    assert alone.code == 1, "without the commits above it, it is not proven"


@pytest.mark.parametrize("call", ["refs.update", "landing.follow"])
def test_killed_while_they_land_together_nothing_is_lost_and_nothing_counts_by_half(
    tmp_path: Path, call: str
) -> None:
    """Before the branch has moved each is proven again; after it files and records follow."""
    hall = ready(tmp_path, ["one", "two", "three"])
    code = KILLED.format(call=call)
    words = [sys.executable, "-c", code, "cycle", "run", "--jobs", "3"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **hall.env}
    killed = subprocess.run(words, cwd=hall.root, env=env, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    moved = call == "landing.follow"
    assert hall.landed() == (["one", "two", "three"] if moved else ["one"])
    before = runs(hall)
    if not moved:  # the first of the two must not land on the strength of a run with the second
        assert hall.tdd("cycle", "abort", "3").code == 0
    done = hall.run(2, "--max-cycles", "2" if moved else "1")
    assert done.code == 0, done.err
    assert hall.landed() == ["one", "two", *(["three"] if moved else [])]
    assert runs(hall) - before == (0 if moved else 2), "RED and GREEN of the one that is left"
    verified = hall.tdd("verify")
    assert verified.code == 0, verified.out + verified.err
    assert "proven-together" not in verified.out
    assert hall.git("status", "--porcelain") == ""
