"""What grows as work grows: with past cycles, and later with files, tests and logs. Counts and processor time, no clock.

python benchmarks/growth.py [--quick] [PART ...]        # parts: disk
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from simulated_cycles import Cycles, repository  # noqa: E402


def told(what: str, value: float, goal: float, unit: str) -> bool:
    print(
        f"{'ok    ' if value <= goal else 'beyond'}  {what}: {value:.2f} {unit} (goal {goal:g})", flush=True
    )
    return value <= goal


def disk_size(folder: Path) -> float:
    """Megabytes on disk."""
    blocks = 0
    for parent, folders, names in os.walk(folder):
        blocks += sum(os.lstat(os.path.join(parent, name)).st_blocks for name in (*folders, *names))
    return blocks * 512 / 1_000_000


def disk(quick: bool) -> bool:
    """Cycles written by the store: size of .git, refs and state afterwards."""
    count = 100 if quick else 1000
    with tempfile.TemporaryDirectory(prefix="tdd-bench-") as name:
        where = repository(Path(name) / "repo")
        empty = disk_size(where / ".git")
        cycles = Cycles(where, Path(name) / "state")
        cycles.play(count)
        cycles.close()
        counted = dict(
            line.split(": ")
            for line in subprocess.run(
                ["git", "count-objects", "-v"], cwd=where, capture_output=True, text=True, check=True
            ).stdout.splitlines()
        )
        listed = subprocess.run(
            ["git", "for-each-ref"], cwd=where, capture_output=True, text=True, check=True
        )
        print(
            f"        {count} cycles; {counted['in-pack']} objects in {counted['packs']} packs, {cycles.said or 'nothing put off'}"
        )
        return all(
            [
                told(".git", disk_size(where / ".git") - empty, 30 * count / 1000, "MB"),
                told("loose objects", int(counted["count"]), 1300, ""),
                told("refs", listed.stdout.count("\n"), 200, ""),
                told("state", disk_size(Path(name) / "state"), 100, "MB"),
            ]
        )


PARTS = {"disk": disk}


def main(arguments: list[str]) -> bool:
    chosen = [word for word in arguments if not word.startswith("-")] or list(PARTS)
    passed = True
    for name in chosen:
        print(f"-- {name}", flush=True)
        passed = PARTS[name]("--quick" in arguments) and passed
    return passed


if __name__ == "__main__":
    raise SystemExit(0 if main(sys.argv[1:]) else 1)
