"""What grows as work grows: with past cycles, with test files and tests. Counts and processor time, no clock.

python benchmarks/growth.py [--quick] [PART ...]        # parts: disk, past, files, tests, verify
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "benchmarks")]

from _growth_cycle import Project  # noqa: E402
from simulated_cycles import Cycles, ImportedCycles, repository  # noqa: E402


def within(what: str, value: float, goal: float, unit: str) -> bool:
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
                within(".git", disk_size(where / ".git") - empty, 30 * count / 1000, "MB"),
                within("loose objects", int(counted["count"]), 1300, ""),
                within("refs", listed.stdout.count("\n"), 200, ""),
                within("state", disk_size(Path(name) / "state"), 100, "MB"),
            ]
        )


def past(quick: bool) -> bool:
    """One real cycle behind many others, against one behind none."""
    count = 1000 if quick else 10_000
    none, many = _cycle_after(0), _cycle_after(count)
    print(
        f"        {count} past cycles: {many['records']} notes commits parsed (none: {none['records']}), "
        f"{many['git']} git processes ({none['git']}), {many['modules']} modules, {many['patterns']} patterns"
    )
    return all(
        [
            within("notes commits parsed in one cycle more", many["records"] - none["records"], 150, ""),
            within("git processes more", many["git"] - none["git"], 2, ""),
            within("own processor time against none", many["own"] / none["own"], 1.1, "times"),
        ]
    )


def _cycle_after(past_cycles: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="tdd-bench-") as name:
        where = repository(Path(name) / "repo")
        cycles = ImportedCycles(where, Path(name) / "simulated")
        cycles.play(past_cycles)
        cycles.close()
        subprocess.run(["git", "reset", "-q", "--hard"], cwd=where, check=True)
        project = Project(Path(name))
        project.commit()
        project.cycle()
        return project.cycle()


def files(quick: bool) -> bool:
    """One real cycle among many tracked files, against one among few; the trees are there already."""
    few, many = _cycle_among(100), _cycle_among(10_000 if quick else 50_000)
    return within("processor time with all children, against few files", many / few, 1.5, "times")


def _cycle_among(count: int) -> float:
    with tempfile.TemporaryDirectory(prefix="tdd-bench-") as name:
        project = Project(Path(name))
        for number in range(count):
            project.write(f"src/d{number // 100}/m{number}.txt", f"{number}\n" * 20)
        project.commit()
        project.cycle()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        project.cycle()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tests(quick: bool) -> bool:
    """RED in a large test file, and beside many tests: own processor time beyond that of a small project."""
    lines, files = (5000, 20) if quick else (20_000, 100)
    small = _red(60, 0)
    return all(
        [
            within(f"test file of {lines} lines", _red(lines, 0) - small, 0.5 if quick else 2.0, "s"),
            within(f"{files * 100} tests in {files} files", _red(60, files) - small, 1.0, "s"),
        ]
    )


def _red(lines: int, files: int) -> float:
    with tempfile.TemporaryDirectory(prefix="tdd-bench-") as name:
        project = Project(Path(name), red="tests/test_large.py")
        project.write("tests/test_large.py", _cases("large", lines // 6))
        for number in range(files):
            project.write(f"tests/test_m{number}.py", _cases(f"m{number}", 100))
        project.commit()
        return float(project.cycle("--phase")["own"])


def _cases(name: str, count: int) -> str:
    form = "def test_{name}_{n}():\n    value = {n}\n    other = value + 1\n    assert other == {n} + 1\n\n\n"
    return "".join(form.format(name=name, n=number) for number in range(count))


def verify(quick: bool) -> bool:
    """`tdd verify --no-replay` of everything, and of the newest twenty cycles, behind few cycles and behind many."""
    few, many = (30, 100) if quick else (100, 1000)
    with tempfile.TemporaryDirectory(prefix="tdd-bench-") as name:
        where = repository(Path(name) / "repo")
        cycles = Cycles(where, Path(name) / "simulated")
        found: list[dict[str, Any]] = []
        for count in (few, many - few):
            cycles.play(count)
            subprocess.run(["git", "reset", "-q", "--hard"], cwd=where, check=True)
            project = Project(Path(name))
            found += [project.tdd("verify", "--no-replay", *words) for words in ([], ["main~60..main"])]
        cycles.close()
    _, part_few, whole, part_many = found
    for what, one in (
        (f"all of {many} cycles", whole),
        (f"20 of {few}", part_few),
        (f"20 of {many}", part_many),
    ):
        print(
            f"        {what}: {one['records']} notes commits parsed, {one['git']} git processes, "
            f"{one['kilobytes'] / 1024:.0f} MiB, {one['own']:.2f} s of its own"
        )
    return all(
        [
            within("memory, everything", whole["kilobytes"] / 1024, 150, "MiB"),
            within(
                "notes commits parsed more for a range", part_many["records"] - part_few["records"], 0, ""
            ),
            within("git processes more for a range", part_many["git"] - part_few["git"], 0, ""),
            within(
                "own processor time of a range, against few", part_many["own"] / part_few["own"], 1.1, "times"
            ),
        ]
    )


PARTS = {"disk": disk, "past": past, "files": files, "tests": tests, "verify": verify}


def main(arguments: list[str]) -> bool:
    chosen = [word for word in arguments if not word.startswith("-")] or list(PARTS)
    passed = True
    for name in chosen:
        print(f"-- {name}", flush=True)
        passed = PARTS[name]("--quick" in arguments) and passed
    return passed


if __name__ == "__main__":
    raise SystemExit(0 if main(sys.argv[1:]) else 1)
