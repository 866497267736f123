"""A plan driven on a Dask cluster of worker processes: real git, real agents, nothing shared but the scheduler."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from journeys.test_uncovered_lines import DOUBLE, OLD, RED, SIGN
from kit import WRITE, Kata

from fleet.cluster_kit import local_cluster
from fleet.hall import Hall

pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
pytestmark = pytest.mark.journey


CLIENT = f"""#!{sys.executable}
import json, os, pathlib, sys, uuid
sys.stdin.read()
{WRITE}
here = pathlib.Path(__file__).parent
session = sys.argv[sys.argv.index("--resume") + 1] if "--resume" in sys.argv else str(uuid.uuid4())
with open(here / "sessions", "a") as log:
    print(os.environ["TDD_PHASE"], session, "--resume" in sys.argv, os.getcwd(), file=log)
phase, tried = os.environ["TDD_PHASE"], int(os.environ["TDD_ATTEMPT"])
if phase == "red":
    write("tests/test_one.sh", '. ./one.sh; [ "$(one)" = 1 ] || {{ echo "expected 1, got $(one)"; exit 1; }}\\n')
if phase == "green" and tried > 1:
    write("one.sh", "one() {{ echo 1; }}\\n")
print(json.dumps(dict(type="result", subtype="success", is_error=False, num_turns=1, result="Done.", session_id=session)))
"""


def on_cluster(address: str) -> str:
    return f'[fleet]\nscheduler = "{address}"\n'


def test_a_plan_is_driven_on_three_workers_and_verified(tmp_path: Path) -> None:
    with local_cluster(tmp_path / "cluster", workers=3) as cluster:
        hall = Hall(tmp_path, ["one", "two", "three", "four"], config=on_cluster(cluster.address))
        hall.set("seconds", "0.5")
        done = hall.run(3)
        assert done.code == 0, done.out + done.err
        assert set(hall.statuses().values()) == {"completed"}
        assert sorted(hall.landed()) == ["four", "one", "three", "two"]
        folders = {row[6] for row in hall.agent_calls()}
        assert all(str(tmp_path / "cluster") in folder for folder in folders), "agents work on workers alone"
        assert len(folders) == 3, "each worker has a clone and a tree of its own"
        assert hall.most_at_once() > 1
        anew = hall.tdd("verify", "--on", "cluster", "--jobs", "3")
        assert anew.code == 0, anew.out + anew.err
    verified = hall.tdd("verify")
    assert verified.code == 0, verified.out + verified.err
    assert hall.git("status", "--porcelain") == ""


def test_an_item_is_worked_on_where_there_is_what_it_needs(tmp_path: Path) -> None:
    with local_cluster(tmp_path / "cluster") as cluster:
        cluster.worker("plain", "--threads", "2")
        cluster.worker("fast", "--has", "gpu", "--has", "ours")
        hall = Hall(tmp_path, ["one"], config=on_cluster(cluster.address) + 'needs = ["ours"]\n')
        hall.add("two", "--tag", "needs:gpu")
        assert hall.run(2).code == 0
        assert {row[6].split("/cluster/")[1].split("/")[0] for row in hall.agent_calls()} == {"fast"}
        hall.configure(on_cluster(cluster.address))
        hall.add("four", "--tag", "needs:gpu")
        done = hall.run(2)
        assert done.code == 0, done.err
        where = {row[1]: row[6].split("/cluster/")[1].split("/")[0] for row in hall.agent_calls("red")}
        assert where["four"] == "fast"
        hall.add("five", "--tag", "needs:crane")
        done = hall.tdd("cycle", "run")
        assert done.code == 4, done.out
        assert "has all of this" in done.err
        assert "crane" in done.err


def test_a_retry_goes_on_in_its_session_where_that_was(tmp_path: Path) -> None:
    with local_cluster(tmp_path / "cluster", workers=3) as cluster:
        hall = Hall(tmp_path, ["one"])
        client = hall.agent / "client"
        client.write_text(CLIENT)
        client.chmod(0o755)
        mine = f'[agents.mine]\npreset = "claude"\ncommand = {json.dumps([str(client)])}\n'
        hall.configure(on_cluster(cluster.address) + mine)
        done = hall.tdd("cycle", "run", "--agent", "mine")
        assert done.code == 0, done.out + done.err
    rows = [line.split() for line in (hall.agent / "sessions").read_text().splitlines()]
    red, first, second = rows[:3]
    assert [row[0] for row in rows[:3]] == ["red", "green", "green"]
    assert (first[1], first[3]) == (second[1], second[3]), (
        "the same session, in the same tree of the same worker"
    )
    assert (red[2], first[2], second[2]) == ("False", "False", "True")


@pytest.mark.skipif(find_spec("coverage") is None, reason="coverage.py is not installed")
def test_workers_measure_which_lines_the_tests_execute(tmp_path: Path) -> None:
    with local_cluster(tmp_path / "cluster", workers=1) as cluster:
        kata = Kata(tmp_path, config=f'[proof]\ncovered = "warn"\n{on_cluster(cluster.address)}')
        kata.write("calc.py", SIGN)
        kata.write("tests/test_sign.py", OLD)
        kata.git("add", "-A")
        kata.git("commit", "-q", "-m", "feat: sign")
        kata.script(red=[f"write('tests/test_double.py', {RED!r})"], green=[f"write('calc.py', {DOUBLE!r})"])
        kata.plan()
        done = kata.next()
        assert done.code == 0, done.out + done.err
    red, green = (record for record in kata.records("handoff") if record["phase"] != "REFACTOR")
    assert red["affected_tests"] == ["tests/test_sign.py::test_signs"]
    assert green["uncovered"] == ["calc.py:7"]
