"""The index and the dashboard at 10,000 cycles and 100,000 records: time to build, to update, to answer; memory; clients.

``--quick`` takes 1,000 cycles; ``beside`` measures only a real cycle beside an open dashboard. Goals are compared with
processor time, which other programs on the machine change less; the clock stands beside it. What plain Python and git need
for the same notes is measured in the same run: it says how fast the machine is.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "benchmarks")]

from _growth_cycle import Project  # noqa: E402
from simulated_night import Night, import_rows  # noqa: E402

from tdd_orchestrator.app.open_repository import OpenRepository  # noqa: E402
from tdd_orchestrator.history.index import Index  # noqa: E402
from tdd_orchestrator.model.plan import Item  # noqa: E402
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
    "/audit/commits",
)
CLIENTS = 100


def within(what: str, value: float, goal: float, unit: str) -> bool:
    print(
        f"{'ok    ' if value <= goal else 'beyond'}  {what}: {value:.2f} {unit} (goal {goal:g})", flush=True
    )
    return value <= goal


def repository(where: Path, cycles: int) -> int:
    subprocess.run(["git", "init", "-q", "-b", "main", str(where)], check=True)
    name = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", "-C", str(where), *name, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    with OpenRepository(where) as opened_here:
        items = [Item(f"i{n}", f"does the right thing, case {n}", order=n) for n in range(1, cycles + 1)]
        opened_here.plan_repository.rewrite(items)
    return import_rows(where, Night().rows(cycles))


def index(where: Path, path: Path) -> list[bool]:
    head = subprocess.run(
        ["git", "-C", str(where), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    )
    with Git(where / ".git") as git, Objects(git) as objects:
        store, found = Store(git, objects), Index(path)
        plain = time.process_time()
        for message in git.stream("log", "-z", "--format=%B", store.ref):
            json.loads(message.split(b"\n\n", 2)[1])
        plain = time.process_time() - plain
        wall, own = time.perf_counter(), time.process_time()
        found.update(store)
        wall, own = time.perf_counter() - wall, time.process_time() - own
        print(
            f"        index of {found.one('SELECT count(*) AS n FROM records')['n']} records: {wall:.1f} s by the clock;"
            f" git log with json.loads of each record: {plain:.2f} s of processor time, the index {own / plain:.1f} times"
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
        within("index, processor time", own, 2.0, "s"),
        within("one record more, median", median(times), 20.0, "ms"),
    ]


class Page:
    """A dashboard in a process of its own, asked as a browser asks it."""

    def __init__(self, where: Path, state: Path) -> None:
        env = {**os.environ, "TDD_STATE_DIR": str(state), "PYTHONPATH": str(ROOT)}
        words = [sys.executable, "-m", "tdd_orchestrator", "dashboard", "--no-browser"]
        self.child = subprocess.Popen(words, cwd=where, env=env, stdout=subprocess.PIPE, text=True)
        assert self.child.stdout is not None
        address, _, token = self.child.stdout.readline().strip().partition("/?token=")
        self._headers = {"Authorization": f"Bearer {token}"}
        self._root = f"{address}/r/{where.name}"

    def open(self, path: str) -> Any:
        request = urllib.request.Request(self._root + path, headers=self._headers)
        return urllib.request.urlopen(request, timeout=120)

    def get(self, path: str) -> float:
        """Milliseconds until the whole answer is here."""
        start = time.perf_counter()
        with self.open(path) as answer:
            answer.read()
        return 1000 * (time.perf_counter() - start)

    def cost(self, path: str, before: Callable[[], object], times: int) -> tuple[float, float]:
        """Milliseconds for a page after ``before``: by the clock (median), and the server's processor time (mean)."""
        clock, used = [], 0.0
        for _ in range(times):
            before()
            start = _processor_time(self.child.pid)
            clock.append(self.get(path))
            used += _processor_time(self.child.pid) - start
        return median(clock), 1000 * used / times

    def close(self) -> None:
        self.child.kill()
        self.child.wait()


@contextmanager
def opened(where: Path, state: Path) -> Iterator[Page]:
    page = Page(where, state)
    try:
        yield page
    finally:
        page.close()


def dashboard(where: Path, state: Path) -> list[bool]:
    with opened(where, state) as page, Git(where / ".git") as git, Objects(git) as objects:
        page.get("")
        store = Store(git, objects)
        still = {path: page.cost(path, lambda: None, 10) for path in PAGES}
        fresh = {path: page.cost(path, lambda: _append_attempt(store), 10) for path in PAGES}
        for path in PAGES:
            print(
                f"        page {path or '/'}: {still[path][1]:.0f} ms of processor time ({still[path][0]:.0f} by the clock); "
                f"after a new record {fresh[path][1]:.0f} ({fresh[path][0]:.0f})"
            )
        waiting = [page.open("/live") for _ in range(CLIENTS)]
        _, first = page.cost("", lambda: _append_attempt(store), 10)
        memory = _memory(page.child.pid)
        for one in waiting:
            one.close()
        return [
            within("first page, processor time", still[""][1], 100.0, "ms"),
            within("first page after a new record", fresh[""][1], 100.0, "ms"),
            within("slowest page", max(own for _, own in still.values()), 200.0, "ms"),
            within("slowest page after a new record", max(own for _, own in fresh.values()), 200.0, "ms"),
            within(f"first page after a new record, beside {CLIENTS} open streams", first, 200.0, "ms"),
            within("memory", memory, 150.0, "MiB"),
        ]


def _append_attempt(store: Store) -> None:
    """Append an attempt, which changes the plan and most tables."""
    tip = store.tip()
    assert tip is not None
    place = {"cycle_id": "c-now", "cycle_number": 1, "item_id": "i1", "phase": "RED"}
    store.append("0" * 39 + "1", {"kind": "handoff", **place, "summary": tip[0]}, subject="RED accepted")


def beside(rounds: int) -> list[bool]:
    """Processor time of a real cycle and its children beside a dashboard whose page is open, against one alone."""
    with tempfile.TemporaryDirectory(prefix="tdd-bench-") as name:
        project = Project(Path(name))
        project.commit()
        project.cycle()
        alone, open_too, dashboards = [], [], []
        for _ in range(rounds):
            alone.append(_cycle_seconds(project))
            with opened(project.repo, Path(name) / "state") as page:
                threading.Thread(target=_follow, args=(page,), daemon=True).start()
                page.get("")
                before = _processor_time(page.child.pid)
                open_too.append(_cycle_seconds(project))
                dashboards.append(_processor_time(page.child.pid) - before)
        print(
            f"        a cycle takes {median(alone):.2f} s, the dashboard {median(dashboards):.2f} s meanwhile"
        )
        return [within("a cycle beside an open dashboard", median(open_too) / median(alone), 1.05, "times")]


def _follow(page: Page) -> None:
    """As htmx does: the page is asked for again at each event."""
    with suppress(OSError), page.open("/live") as stream:
        for line in stream:
            if line.startswith(b"event: changed"):
                page.get("")


def _cycle_seconds(project: Project) -> float:
    def used() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    start = used()
    project.cycle()
    return used() - start


def _processor_time(pid: int) -> float:
    """Seconds that a process has used, with its children that ended."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _memory(pid: int) -> float:
    """Resident memory of a process, at its highest."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


def main(arguments: list[str]) -> bool:
    if "beside" in arguments:
        return all(beside(5))
    cycles = 1_000 if "--quick" in arguments else 10_000
    with tempfile.TemporaryDirectory(prefix="tdd-bench-") as name:
        where = Path(name) / "night"
        print(f"{repository(where, cycles)} records of {cycles} cycles", flush=True)
        return all(
            [
                *index(where, Path(name) / "index.sqlite3"),
                *dashboard(where, Path(name) / "state"),
                *beside(5),
            ]
        )


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
