"""What `tdd verify` costs, against the plain test runs that it must make: ``replay.py [--cycles N] [--jobs N]``.

A history of N cycles is made by a scripted agent (not measured); then the same trees are run twice over: by the plain
test command in a plain checkout, each second tree before `tdd verify` and the others after it, for a machine's speed
drifts in the minutes that it takes.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from _measure import bound

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 1.2
COMMAND = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]

AGENT = """\
import os, pathlib, sys
sys.stdin.read()
number = len(list(pathlib.Path("tests").glob("test_n*.py")))
phase = os.environ["TDD_PHASE"]
if phase == "red":
    pathlib.Path(f"tests/test_n{number + 1}.py").write_text(
        f"import calc\\n\\n\\ndef test_times_{number + 1}():\\n    assert calc.times_{number + 1}(3) == {3 * (number + 1)}\\n")
elif phase == "green":
    with open("calc.py", "a") as file:
        file.write(f"\\n\\ndef times_{number}(value):\\n    return value * {number}\\n")
"""


def main(arguments: list[str]) -> bool:
    quick = "--quick" in arguments
    cycles = _option(arguments, "--cycles", 3 if quick else 10)
    jobs = _option(arguments, "--jobs", 1)
    with tempfile.TemporaryDirectory(prefix="tdd-replay-") as folder:
        where = Path(folder)
        env = {
            **os.environ,
            "TDD_STATE_DIR": str(where / "state"),
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        repository = _made(where, cycles, env)
        tdd = [sys.executable, "-m", "tdd_orchestrator", "verify", "--json", "--jobs", str(jobs)]
        trees = _trees(repository)
        begun = _clocks()
        _plain(where / "before", repository, trees[::2], jobs, env)
        between = _clocks()
        done = subprocess.run(tdd, cwd=repository, env=env, capture_output=True, text=True, check=False)
        ended = _clocks()
        _plain(where / "after", repository, trees[1::2], jobs, env)
        last = _clocks()
        said = json.loads(done.stdout)
        assert said["proven"], done.stdout
        assert said["trees"] == len(trees), (said["trees"], len(trees))
        what = f"tdd verify of {cycles} cycles, {len(trees)} trees, {jobs} at once / the plain test runs"
        wall, busy = (
            bound(
                f"{what}, {clock} time",
                (ended[n] - between[n]) * 1000,
                (between[n] - begun[n] + last[n] - ended[n]) * 1000,
                LIMIT,
            )
            for n, clock in enumerate(("wall", "processor"))
        )
        return wall and busy


def _clocks() -> tuple[float, float]:
    """Seconds of the wall clock, and of processor time that ended children have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter(), used.ru_utime + used.ru_stime


def _option(arguments: list[str], name: str, default: int) -> int:
    words = [word.partition("=") for word in arguments]
    given = [int(value) for key, _, value in words if key == name and value]
    if name in arguments[:-1]:
        given.append(int(arguments[arguments.index(name) + 1]))
    return given[-1] if given else default


def _made(where: Path, cycles: int, env: dict[str, str]) -> Path:
    repository, agent = where / "repository", where / "agent.py"
    agent.write_text(AGENT)
    (repository / "tests").mkdir(parents=True)
    (repository / "tests" / "test_base.py").write_text(
        "import calc\n\n\ndef test_base():\n    assert calc.base() == 0\n"
    )
    (repository / "calc.py").write_text("def base():\n    return 0\n")
    (repository / "tdd.toml").write_text(
        f"[test]\ncommand = {json.dumps(COMMAND)}\n[agents]\ndefault = 'made'\n[agents.made]\n"
        f"command = {json.dumps([sys.executable, str(agent)])}\n[workspace]\nsandbox = 'none'\n"
    )
    _run(["git", "init", "-q", "-b", "main"], repository, env)
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        _run(["git", "config", key, value], repository, env)
    _run(["git", "add", "-A"], repository, env)
    _run(["git", "commit", "-q", "-m", "chore: begin"], repository, env)
    tdd = [sys.executable, "-m", "tdd_orchestrator"]
    for number in range(1, cycles + 1):
        _run([*tdd, "plan", "add", f"multiplies by {number}"], repository, env)
        _run([*tdd, "cycle", "next"], repository, env)
    return repository


def _trees(repository: Path) -> list[str]:
    """A commit for each distinct tree of the history, the oldest first."""
    lines = _run(["git", "log", "--no-notes", "--reverse", "--format=%T %H"], repository, None).split("\n")
    return list(dict(reversed([line.split(" ") for line in reversed(lines) if line])).values())


def _plain(where: Path, repository: Path, commits: list[str], jobs: int, env: dict[str, str]) -> None:
    """Each commit checked out in a plain clone, and the test command run there."""
    shares = [commits[number::jobs] for number in range(jobs)]

    def one(number: int) -> None:
        clone = where / str(number)
        _run(["git", "clone", "-q", "--shared", str(repository), str(clone)], repository, env)
        for commit in shares[number]:
            _run(["git", "checkout", "-q", "--detach", commit], clone, env)
            subprocess.run(
                COMMAND, cwd=clone, env={**env, "PYTHONPATH": ""}, capture_output=True, check=False
            )

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, range(jobs)))


def _run(argv: list[str], cwd: Path, env: dict[str, str] | None) -> str:
    done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (argv, done.stdout, done.stderr)
    return done.stdout.rstrip("\n")


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
