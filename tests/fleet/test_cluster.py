"""A plan driven on a Dask cluster of worker processes: real git, real agents, nothing shared but the scheduler."""

from __future__ import annotations

from pathlib import Path

import pytest

from fleet.cluster_kit import local_cluster
from fleet.hall import Hall

pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
pytestmark = pytest.mark.journey


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
