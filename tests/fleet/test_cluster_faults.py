"""Faults of a cluster: a worker, the scheduler or the coordinator ends, or cannot be reached for a while."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from fleet.cluster_kit import kill, local_cluster, waits_until
from fleet.hall import Hall
from tdd_orchestrator.fleet import cluster as fleet_cluster
from tdd_orchestrator.fleet.cluster import Cluster
from tdd_orchestrator.fleet.tasks import Settings, Sources, TestTask
from tdd_orchestrator.model.errors import Paused

pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
pytestmark = pytest.mark.slow


def begun(hall: Hall) -> subprocess.Popen[str]:
    """A run whose agent is at work, and waits for ``go``."""
    hall.set("hold", "")
    child = hall.start("cycle", "run")
    assert waits_until(lambda: len(hall.agent_calls()) == 1), child.communicate()
    return child


def at_work(hall: Hall) -> bool:
    found = subprocess.run(["pgrep", "-f", str(hall.agent)], capture_output=True, text=True, check=False)
    return bool(found.stdout)


def finishes(hall: Hall, red_calls: int) -> None:
    """The item landed once, by as many agent calls, and its records are proven."""
    assert hall.statuses() == {"one": "completed"}
    assert hall.landed() == ["one"]
    assert len(hall.agent_calls("red")) == red_calls
    assert len(hall.records("cycle_started")) == 1
    verified = hall.tdd("verify")
    assert verified.code == 0, verified.out + verified.err


def hall_on(tmp_path: Path, address: str) -> Hall:
    return Hall(tmp_path, ["one"], config=f'[fleet]\nscheduler = "{address}"\n')


def test_a_killed_workers_attempt_goes_on_at_another_worker(tmp_path: Path) -> None:
    with local_cluster(tmp_path / "cluster", workers=2) as cluster:
        hall = hall_on(tmp_path, cluster.address)
        child = begun(hall)
        kill(cluster.at_work(hall.agent_calls()[0][6]))
        assert waits_until(lambda: len(hall.agent_calls()) == 2), "the attempt began anew elsewhere"
        hall.set("go", "")
        out, err = child.communicate(timeout=120)
        assert child.returncode == 0, out + err
    finishes(hall, red_calls=2)


def test_a_worker_that_comes_back_with_a_late_result_is_not_believed(tmp_path: Path) -> None:
    with local_cluster(tmp_path / "cluster", workers=2) as cluster:
        hall = hall_on(tmp_path, cluster.address)
        child = begun(hall)
        cut_off = cluster.at_work(hall.agent_calls()[0][6])
        os.kill(cut_off.pid, signal.SIGSTOP)
        assert waits_until(lambda: len(hall.agent_calls()) == 2), "the attempt began anew elsewhere"
        hall.set("go", "")  # the first agent ends too, while its worker cannot be reached
        os.kill(cut_off.pid, signal.SIGCONT)
        out, err = child.communicate(timeout=120)
        assert child.returncode == 0, out + err
    finishes(hall, red_calls=2)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_end_of_the_last_worker_pauses_the_run_and_its_agent_is_ended(
    tmp_path: Path, number: signal.Signals
) -> None:
    with local_cluster(tmp_path / "cluster", workers=1) as cluster:
        hall = hall_on(tmp_path, cluster.address)
        child = begun(hall)
        last = cluster.workers["w1"]
        last.send_signal(number)
        last.wait(timeout=30)
        assert waits_until(lambda: not at_work(hall), 5), "no agent works that nobody waits for"
        _, err = child.communicate(timeout=60)
        assert child.returncode == 4, err
        assert f"No worker of {cluster.address} has all of this" in err
        hall.set("go", "")
        cluster.worker("again")
        done = hall.tdd("cycle", "run")
        assert done.code == 0, done.err
    finishes(hall, red_calls=2)


def test_a_killed_scheduler_pauses_and_the_next_run_goes_on(tmp_path: Path) -> None:
    with local_cluster(tmp_path / "cluster", workers=1) as cluster:
        hall = hall_on(tmp_path, cluster.address)
        child = begun(hall)
        kill(cluster.scheduler)
        _, err = child.communicate(timeout=120)
        assert child.returncode == 4, err
        assert "does not answer" in err
        assert waits_until(lambda: not at_work(hall)), "no agent is left"
        hall.set("go", "")
        cluster.start_scheduler(cluster.address)
        cluster.worker("again")
        done = hall.tdd("cycle", "run")
        assert done.code == 0, done.err
    finishes(hall, red_calls=2)


def test_a_killed_coordinators_agent_is_ended_and_the_next_run_goes_on(tmp_path: Path) -> None:
    with local_cluster(tmp_path / "cluster", workers=1) as cluster:
        hall = hall_on(tmp_path, cluster.address)
        child = begun(hall)
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
        assert waits_until(lambda: not at_work(hall)), "the worker ended what nobody waits for"
        hall.set("go", "")
        done = hall.tdd("cycle", "run")
        assert done.code == 0, done.err
    finishes(hall, red_calls=2)


def test_a_worker_without_the_agent_gets_no_attempt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_cluster, "_PATIENCE", 0.5)
    bare = {"PATH": "/usr/bin:/bin"}
    with local_cluster(tmp_path / "cluster") as cluster:
        cluster.worker("bare", env=bare)
        way = Cluster(cluster.address, "r", Settings())
        task = TestTask("t", Sources("r", "0" * 40), Settings(), (), {}, ())
        with pytest.raises(Paused, match=r"No worker of .* has all of this: .*agent no-such"):
            way.call(lambda _: None, task, ("agent no-such",), None, threading.Event())  # type: ignore[arg-type]
        monkeypatch.setattr("tdd_orchestrator.fleet.worker.__version__", "0.0.0")
        with pytest.raises(Paused, match=r"tdd 0\.0\.0"):
            way.call(lambda _: None, task, (), None, threading.Event())  # type: ignore[arg-type]
        way.close()


def test_a_worker_without_bubblewrap_gets_nothing_of_a_project_that_asks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "bin"
    path.mkdir()
    for name in ("git", "sh"):
        (path / name).symlink_to(str(shutil.which(name)))
    with local_cluster(tmp_path / "cluster") as cluster:
        cluster.worker("bare", env={"PATH": str(path)})
        hall = hall_on(tmp_path, cluster.address)
        text = (hall.root / "tdd.toml").read_text()
        hall.write("tdd.toml", text.replace('sandbox = "none"', 'sandbox = "bubblewrap"'))
        done = hall.tdd("cycle", "next")
    assert done.code == 4, done.out + done.err
    assert "has all of this" in done.err
    assert "sandbox" in done.err


def test_a_project_that_stands_on_links_is_refused(tmp_path: Path) -> None:
    config = 'link = [".venv"]\n[fleet]\nscheduler = "tcp://127.0.0.1:1"\n'
    hall = Hall(tmp_path, ["one"], config=config)
    done = hall.tdd("cycle", "next")
    assert done.code == 2
    assert "workspace.setup" in done.err


def test_who_loses_a_race_is_ended_on_its_worker(tmp_path: Path) -> None:
    script = tmp_path / "sleeper.sh"
    script.write_text("cat > /dev/null; exec sleep 300\n", encoding="utf-8")
    with local_cluster(tmp_path / "cluster", workers=2) as cluster:
        table = f'[agents.sleeper]\ncommand = ["sh", "{script}"]\n'
        hall = Hall(tmp_path, ["one"], config=f'[fleet]\nscheduler = "{cluster.address}"\n{table}')
        done = hall.tdd("cycle", "run", "--race", "sleeper,scripted")
        assert done.code == 0, done.out + done.err
        found = subprocess.run(["pgrep", "-f", "sleep 300"], capture_output=True, text=True, check=False)
        left = [pid for pid in found.stdout.split() if str(tmp_path) in _cwd(pid)]
        assert waits_until(lambda: not [pid for pid in left if os.path.exists(f"/proc/{pid}")])
    finishes(hall, red_calls=1)


def test_a_person_ends_one_cycle_on_its_worker_and_the_lane_goes_on(tmp_path: Path) -> None:
    with local_cluster(tmp_path / "cluster", workers=2) as cluster:
        config = f'[fleet]\nscheduler = "{cluster.address}"\njobs = 2\n'
        hall = Hall(tmp_path, ["one", "two", "three"], config=config)
        hall.set("hold", "")
        child = hall.start("cycle", "run")
        assert waits_until(lambda: len(hall.agent_calls()) == 2)
        done = hall.tdd("cycle", "abort", next(row[3] for row in hall.agent_calls() if row[1] == "one"))
        assert done.code == 0, done.err
        assert waits_until(lambda: len(hall.agent_calls()) == 3), "the worker is free for the next item"
        hall.set("go", "")
        out, err = child.communicate(timeout=120)
        assert child.returncode == 0, out + err
    assert hall.statuses() == {"one": "planned", "two": "completed", "three": "completed"}
    assert len(hall.agent_calls("red", "end")) == 2, "the first agent was ended"


def _cwd(pid: str) -> str:
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""
