"""The index and the dashboard at 10,000 cycles and 100,000 records: time to build, to update, to answer; memory; clients.

``--quick`` takes 1,000 cycles. Times are given by the wall clock and, where it is this process that works, in its own
processor time, which other programs on the machine change less.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from simulated_night import Night, import_rows  # noqa: E402

from tdd_orchestrator.history.index import Index  # noqa: E402
from tdd_orchestrator.notes.store import Store  # noqa: E402
from tdd_orchestrator.repo.git import Git  # noqa: E402
from tdd_orchestrator.repo.objects import Objects  # noqa: E402

PAGES = (
    "",
    "/cycles",
    "/cycles/5",
    "/errors",
    "/analytics",
    "/flaky",
    "/agents",
    "/audit",
    "/audit?q=billing",
)
CLIENTS = 100


def told(what: str, value: float, goal: float, unit: str) -> bool:
    print(
        f"{'ok    ' if value <= goal else 'beyond'}  {what}: {value:.1f} {unit} (goal {goal:g})", flush=True
    )
    return value <= goal


def repository(where: Path, cycles: int) -> int:
    subprocess.run(["git", "init", "-q", "-b", "main", str(where)], check=True)
    name = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", "-C", str(where), *name, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    return import_rows(where, Night().rows(cycles))


def index(where: Path, path: Path) -> list[bool]:
    head = subprocess.run(
        ["git", "-C", str(where), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    )
    with Git(where / ".git") as git, Objects(git) as objects:
        store, found = Store(git, objects), Index(path)
        wall, own = time.perf_counter(), time.process_time()
        found.update(store)
        wall, own = time.perf_counter() - wall, time.process_time() - own
        print(
            f"        index of {found.one('SELECT count(*) AS n FROM records')['n']} records: {wall:.1f} s by the clock"
        )
        times = []
        for number in range(30):
            store.append(
                head.stdout.strip(), {"kind": "incident", "error": f"number {number}"}, subject="incident"
            )
            start = time.perf_counter()
            change = found.update(store)
            times.append(1000 * (time.perf_counter() - start))
            assert change.records == 1
        found.close()
    return [
        told("index, processor time", own, 2.0, "s"),
        told("one record more, median", median(times), 20.0, "ms"),
    ]


def dashboard(where: Path, state: Path) -> list[bool]:
    env = {**os.environ, "TDD_STATE_DIR": str(state), "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "tdd_orchestrator", "dashboard", "--no-browser"]
    child = subprocess.Popen(words, cwd=where, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        address, _, token = child.stdout.readline().strip().partition("/?token=")
        headers = {"Authorization": f"Bearer {token}"}
        root = f"{address}/r/{where.name}"

        def get(path: str) -> float:
            start = time.perf_counter()
            with urllib.request.urlopen(
                urllib.request.Request(root + path, headers=headers), timeout=120
            ) as answer:
                answer.read()
            return 1000 * (time.perf_counter() - start)

        get("")
        times = {path: median(get(path) for _ in range(7)) for path in PAGES}
        for path, value in times.items():
            print(f"        page {path or '/'}: {value:.0f} ms")
        waiting = [
            urllib.request.urlopen(urllib.request.Request(root + "/live", headers=headers), timeout=120)
            for _ in range(CLIENTS)
        ]
        first = get("")
        memory = _memory(child.pid)
        for one in waiting:
            one.close()
        return [
            told("first page, median", times[""], 100.0, "ms"),
            told("slowest page, median", max(times.values()), 200.0, "ms"),
            told(f"first page beside {CLIENTS} open streams", first, 200.0, "ms"),
            told("memory", memory, 150.0, "MiB"),
        ]
    finally:
        child.kill()
        child.wait()


def _memory(pid: int) -> float:
    """Resident memory of a process, at its highest."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


def main(arguments: list[str]) -> bool:
    cycles = 1_000 if "--quick" in arguments else 10_000
    with tempfile.TemporaryDirectory(prefix="tdd-bench-") as name:
        where = Path(name) / "night"
        print(f"{repository(where, cycles)} records of {cycles} cycles", flush=True)
        return all([*index(where, Path(name) / "index.sqlite3"), *dashboard(where, Path(name) / "state")])


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
