"""Workers in network namespaces: a pulled cable, a clock that is wrong, a full disk, and kills at any moment."""

from __future__ import annotations

import os
import random
import re
import subprocess
import time
from pathlib import Path

import pytest

from fleet.cluster_kit import LocalCluster, kill, local_cluster, waits_until
from fleet.hall import Hall
from fleet.network_kit import network_cluster
from fleet.test_cluster_faults import at_work, begun, finishes, hall_on

pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
pytestmark = pytest.mark.slow

ITEMS, WORKERS = int(os.environ.get("FLEET_ITEMS", "12")), int(os.environ.get("FLEET_WORKERS", "4"))
SHIFTED = "import time as _t\n_now = _t.time\n_t.time = lambda: _now() + 3600\n"


def test_a_worker_whose_cable_was_pulled_comes_back_too_late(tmp_path: Path) -> None:
    with network_cluster(tmp_path / "cluster", workers=2) as cluster:
        hall = hall_on(tmp_path, cluster.address)
        child = begun(hall)
        at_work = cluster.at_work(hall.agent_calls()[0][6])
        name = next(name for name, worker in cluster.workers.items() if worker is at_work)
        cluster.cut(name)
        assert waits_until(lambda: len(hall.agent_calls()) == 2), "the attempt began anew elsewhere"
        hall.set("go", "")
        assert waits_until(lambda: len(hall.agent_calls("red", "end")) == 2), "the first one ends, unheard"
        cluster.mend(name)
        out, err = child.communicate(timeout=120)
        assert child.returncode == 0, out + err
    finishes(hall, red_calls=2)


@pytest.mark.parametrize("seconds", [5, 60])
def test_a_coordinator_whose_cable_is_pulled_goes_on_or_pauses(tmp_path: Path, seconds: float) -> None:
    """A short cut costs nothing; after a long one the worker ends the agent, and the next run goes on."""
    with network_cluster(tmp_path / "cluster", workers=1) as cluster:
        hall = hall_on(tmp_path, cluster.address)
        hall.set("hold", "")
        child = hall.start("cycle", "run", before=cluster.inside("here"))
        assert waits_until(lambda: len(hall.agent_calls()) == 1)
        cluster.cut("here")
        waits_until(lambda: child.poll() is not None, seconds)
        assert (child.poll() is None) == (seconds == 5)
        assert at_work(hall) == (seconds == 5)
        cluster.mend("here")
        hall.set("go", "")
        out, err = child.communicate(timeout=120)
        assert child.returncode == (0 if seconds == 5 else 4), out + err
        assert "Traceback" not in err
        assert hall.tdd("cycle", "run").code == 0
    finishes(hall, red_calls=1 if seconds == 5 else 2)


def test_three_workers_in_namespaces_share_the_work(tmp_path: Path) -> None:
    with network_cluster(tmp_path / "cluster", workers=3) as cluster:
        names = ["one", "two", "three", "four", "five", "six"]
        hall = Hall(tmp_path, names, config=f'[fleet]\nscheduler = "{cluster.address}"\njobs = 3\n')
        hall.set("seconds", "1")
        done = hall.tdd("cycle", "run")
        assert done.code == 0, done.out + done.err
        used = {name for row in hall.agent_calls() for name in cluster.workers if f"/{name}/" in row[6]}
    assert used == {"w1", "w2", "w3"}
    assert sorted(hall.landed()) == sorted(names)
    assert hall.tdd("verify").code == 0


def test_a_worker_whose_clock_is_an_hour_ahead_works_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "ahead").mkdir()
    (tmp_path / "ahead" / "sitecustomize.py").write_text(SHIFTED)
    with local_cluster(tmp_path / "cluster") as cluster:
        path = os.pathsep.join([str(tmp_path / "ahead"), cluster.python_path])
        cluster.worker("ahead", env={"PYTHONPATH": path})
        hall = hall_on(tmp_path, cluster.address)
        done = hall.tdd("cycle", "run")
        assert done.code == 0, done.out + done.err
    finishes(hall, red_calls=1)


def test_a_worker_whose_disk_is_full_pauses_the_run_and_says_so(tmp_path: Path) -> None:
    disk = tmp_path / "cluster" / "full"
    disk.mkdir(parents=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no tmpfs can be mounted")
    try:
        with local_cluster(tmp_path / "cluster") as cluster:
            cluster.worker("full")
            hall = hall_on(tmp_path, cluster.address)
            done = hall.tdd("cycle", "run")
            assert done.code == 4, done.out + done.err
            assert re.search(
                r"The worker tcp://\S+ could not do its task: .*space", done.err, re.IGNORECASE
            ), done.err
            cluster.worker("roomy")
            kill(cluster.workers["full"])
            again = hall.tdd("cycle", "run")
            assert again.code == 0, again.out + again.err
        calls = len(hall.agent_calls("red"))
        finishes(hall, red_calls=calls)
        assert calls <= 2, "at most one agent call more"
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_random_kills_of_workers_and_coordinator_lose_nothing_and_land_nothing_twice(tmp_path: Path) -> None:
    """Each item lands once, by three agent calls and at most one more for each agent that a kill could meet."""
    dice = random.Random(os.environ.get("FLEET_SEED", "1"))
    with local_cluster(tmp_path / "cluster", workers=WORKERS) as cluster:
        names = [f"n{number}x" for number in range(ITEMS)]
        hall = Hall(tmp_path, [], config=f'[fleet]\nscheduler = "{cluster.address}"\njobs = {WORKERS}\n')
        hall.write("list.md", "".join(f"- [ ] adds {name}\n" for name in names))
        assert hall.tdd("plan", "import", "list.md").code == 0
        (hall.root / "list.md").unlink()
        hall.set("seconds", "0.5")
        lost, child, until = 0, hall.start("cycle", "run"), time.monotonic() + 60 * ITEMS
        while child.poll() is None and time.monotonic() < until:
            time.sleep(dice.uniform(1.0, 6.0))
            if dice.random() < 0.2:
                child.kill()
                child.communicate()
                child, lost = hall.start("cycle", "run"), lost + WORKERS
            else:
                lost += _replace_one(cluster, dice)
        out, err = child.communicate(timeout=60)
        print(f"{lost} agent calls may have been lost; {len(hall.agent_calls())} were made")
        if child.returncode == 4:  # a task that met a kill each time: the run pauses, and goes on
            done = hall.tdd("cycle", "run")
            assert done.code == 0, out + err + done.err
        else:
            assert child.returncode == 0, out + err
    assert sorted(hall.landed()) == sorted(names)
    assert len(hall.records("cycle_started")) == ITEMS
    assert len(hall.agent_calls()) <= 3 * ITEMS + lost
    assert hall.tdd("verify").code == 0
    assert hall.git("status", "--porcelain") == ""


def _replace_one(cluster: LocalCluster, dice: random.Random) -> int:
    name = dice.choice(sorted(cluster.workers))
    kill(cluster.workers.pop(name))
    number = max(int(one[1:]) for one in [*cluster.workers, name]) + 1
    cluster.worker(f"w{number}")
    return 1
