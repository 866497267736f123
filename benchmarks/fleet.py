"""`tdd cycle run --jobs N`, bound by agents: ``fleet.py [--items N] [JOBS ...]`` (default 16 items; 1 2 4 8 16).

Independent items, agents that sleep 2 s, a suite that sleeps 0.2 s, no sandbox. For each number of jobs: how
long the agents worked in all against the clock (so many agents worked at once on average), and the coordinator's
own processor time a cycle.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "fleet")]

from hall import Hall  # noqa: E402

AGENT, SUITE = 2.0, 0.2  # seconds
COUNTED = """\
import atexit, pathlib, resource, runpy, sys
path = pathlib.Path(sys.argv.pop(1))
atexit.register(lambda: path.write_text(str(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))))
runpy.run_module("tdd_orchestrator", run_name="__main__")
"""


def measure(jobs: int, items: int) -> dict[str, float]:
    """Run a plan of so many items with so many jobs; return seconds of the clock, of agents and of the processor."""
    with tempfile.TemporaryDirectory(prefix="tdd-fleet-") as folder:
        hall = Hall(Path(folder), [f"n{number}x" for number in range(items)])
        hall.write("PAUSE", f"{SUITE}\n")
        hall.git("add", "PAUSE")
        hall.git("commit", "-q", "-m", "test: a suite that takes a while")
        hall.set("seconds", str(AGENT))
        counted = Path(folder, "seconds")
        begun = time.monotonic()
        subprocess.run(
            [sys.executable, "-c", COUNTED, str(counted), "--quiet", "cycle", "run", "--jobs", str(jobs)],
            cwd=hall.root,
            env={**os.environ, "PYTHONPATH": str(ROOT), **hall.env},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        wall = time.monotonic() - begun
        assert set(hall.statuses().values()) == {"completed"}
        calls = hall.agent_calls()
        return {
            "jobs": jobs,
            "wall": wall,
            "agents": len(calls) * AGENT,
            "reached_at_once": hall.most_at_once(),
            "cpu_a_cycle": float(counted.read_text()) / items,
        }


def main(arguments: list[str]) -> bool:
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    parser = argparse.ArgumentParser(description="Several items at once, against one after the other.")
    parser.add_argument("jobs", nargs="*", type=int)
    parser.add_argument("--items", type=int, default=16)
    parser.add_argument("--quick", action="store_true", help="one and eight jobs")
    given = parser.parse_args(arguments)
    wanted = given.jobs or ([1, 8] if given.quick else [1, 2, 4, 8, 16])
    rows = [measure(jobs, given.items) for jobs in wanted]
    for row in rows:
        at_once = row["agents"] / row["wall"]
        print(
            f"{row['jobs']:2.0f} jobs: {row['wall']:6.1f} s of the clock, {row['wall'] / rows[0]['wall']:.2f} of the "
            f"first row (an efficiency of {rows[0]['wall'] * rows[0]['jobs'] / row['wall'] / row['jobs']:.0%}); {at_once:.2f} agents at work on average ({row['reached_at_once']:.0f} at most); "
            f"{row['cpu_a_cycle']:.2f} s of the coordinator's processor time a cycle",
            flush=True,
        )
    print(json.dumps(rows))
    return True  # there is no bound: on a busy machine the clock says little


if __name__ == "__main__":
    main(sys.argv[1:])
