"""What one Dask scheduler can do: ``scheduler.py [WORKERS] [REPOSITORIES] [LANES] [SECONDS]``.

Workers are objects of one process, tasks sleep so many seconds. Each repository is a coordinator's connection, each of
its lanes a thread that hands out one task after the other, as a run does. Printed: how much later than it
was done the lane had each result.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from tdd_orchestrator.fleet.cluster import Cluster  # noqa: E402
from tdd_orchestrator.fleet.tasks import Settings, Sources, TestResult, TestTask  # noqa: E402

ROUNDS = 2  # tasks of each lane
_AT_ONCE = 50  # workers that are started together


def sleep_task(task: TestTask) -> TestResult:
    time.sleep(task.limit)
    return TestResult(task.id, (), "")


def serve(count: int, addresses: multiprocessing.Queue[str], stop: Any) -> None:
    """Run the scheduler and its workers until ``stop`` is set."""
    import dask
    from distributed import Scheduler, Worker

    from tdd_orchestrator.fleet.worker import version_resource

    for name in ("distributed", "distributed.scheduler", "distributed.worker", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    dask.config.set({"distributed.scheduler.worker-ttl": "300s", "distributed.admin.tick.limit": "300s"})
    options = {"nthreads": 1, "memory_limit": 0, "dashboard": False, "heartbeat_interval": "30s"}

    async def work() -> None:
        async with Scheduler(port=0, dashboard=False, host="127.0.0.1") as scheduler:
            made = [
                Worker(scheduler.address, resources={version_resource(): 1.0}, **options)
                for _ in range(count)
            ]
            for begin in range(0, count, _AT_ONCE):
                await asyncio.gather(*made[begin : begin + _AT_ONCE])
            addresses.put(scheduler.address)
            while not stop.is_set():
                await asyncio.sleep(0.2)
            os._exit(0)

    asyncio.run(work())


def measure(workers: int, repositories: int, lanes: int, seconds: float) -> dict[str, float]:
    """Return how late the results of all lanes were, in seconds."""
    addresses: multiprocessing.Queue[str] = multiprocessing.Queue()
    stop = multiprocessing.Event()
    served = multiprocessing.Process(target=serve, args=(workers, addresses, stop), daemon=True)
    served.start()
    address, late = addresses.get(), list[float]()
    clusters = [Cluster(address, "r", Settings()) for _ in range(repositories)]
    task = TestTask("t", Sources("r", "0" * 40), Settings(), (), {}, (), limit=seconds)
    for cluster in clusters:
        cluster.call(
            sleep_task, TestTask("c", task.sources, Settings(), (), {}, ()), (), None, threading.Event()
        )  # type: ignore[arg-type]

    def lane(cluster: Cluster) -> None:
        for _ in range(ROUNDS):
            begun = time.monotonic()
            cluster.call(sleep_task, task, (), None, threading.Event())  # type: ignore[arg-type]
            late.append(time.monotonic() - begun - seconds)

    threads = [threading.Thread(target=lane, args=(one,)) for one in clusters for _ in range(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    served.join()
    late.sort()
    return {"tasks": len(late), "median": late[len(late) // 2], "most": late[-1]}


def main(arguments: list[str]) -> bool:
    given = [float(word) for word in arguments if word.replace(".", "").isdigit()]
    workers, repositories, lanes, seconds = [*given, *[100.0, 10.0, 10.0, 20.0][len(given) :]]
    done = measure(int(workers), int(repositories), int(lanes), seconds)
    print(
        f"{workers:.0f} workers, {repositories:.0f} repositories with {lanes:.0f} lanes each: {done['tasks']:.0f} tasks of "
        f"{seconds:g} s came back {done['median']:.2f} s late (median; {done['most']:.2f} s at most)"
    )
    return True  # there is no bound: it is a measurement


if __name__ == "__main__":
    main(sys.argv[1:])
