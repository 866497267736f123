"""A whole cycle with an instant agent, against a shell script that does the same runs and commits.

    python benchmarks/cycle.py [--rounds N] [--suite tiny|busy|many]

Both run the suite four times (baseline, RED, GREEN, REFACTOR), make three commits and write three notes. The suite is one
instant test, or has beside it a test that works for ten seconds (busy), or 10,000 instant ones in 100 files (many).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEST = "from double import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"
CODE = "def double(n):\n    return n * 2\n"
BETTER = "def double(number):\n    return number * 2\n"

AGENT = f"""#!/bin/sh
cat > /dev/null
case "$TDD_PHASE" in
red) mkdir -p tests; printf '%s' '{TEST}' > tests/test_double.py ;;
green) printf '%s' '{CODE}' > double.py ;;
refactor) printf '%s' '{BETTER}' > double.py ;;
esac
"""

SCRIPT = """#!/bin/sh
set -e
PYTHON=$1; AGENT=$2
run() { "$PYTHON" -m pytest -q --disable-plugin-autoload -p no:cacheprovider > /dev/null 2>&1 || [ "$1" = red ]; }
keep() { git add -A; git commit -q -m "$1"; git notes --ref=bench add -m "$1 accepted" HEAD; }
run base
TDD_PHASE=red sh "$AGENT" < /dev/null; run red; keep "test: doubles"
TDD_PHASE=green sh "$AGENT" < /dev/null; run green; keep "feat: doubles"
TDD_PHASE=refactor sh "$AGENT" < /dev/null; run refactor; keep "refactor: doubles"
"""


BUSY = """import time


def test_works():
    begun = time.process_time()
    while time.process_time() - begun < 10:
        pass
"""
MANY = "import pytest\n\n\n@pytest.mark.parametrize('n', range(100))\ndef test_many(n):\n    assert n >= 0\n"
GOALS = {"tiny": 1.5, "busy": 1.15, "many": 1.15}  # processor time of the cycle by that of the script


def more_tests(suite: str) -> dict[str, str]:
    """Return the test files beside the one instant test."""
    if suite == "busy":
        return {"test_busy.py": BUSY}
    return {f"test_many_{n}.py": MANY for n in range(100)} if suite == "many" else {}


def make(folder: Path, suite: str = "tiny") -> Path:
    """A repository with its tests, a configuration and an item in the plan."""
    repo = folder / "repo"
    (repo / "tests").mkdir(parents=True)
    (repo / "greet.py").write_text("def greet():\n    return 'hello'\n")
    (repo / "tests" / "test_greet.py").write_text(
        "from greet import greet\n\n\ndef test_greet():\n    assert greet() == 'hello'\n"
    )
    for name, text in more_tests(suite).items():
        (repo / "tests" / name).write_text(text)
    (repo / ".gitignore").write_text("__pycache__/\n")
    agent = folder / "agent.sh"
    agent.write_text(AGENT)
    command, words = (
        json.dumps([sys.executable, "-m", "pytest", "-q", "--disable-plugin-autoload"]),
        json.dumps(["sh", str(agent)]),
    )
    (repo / "tdd.toml").write_text(
        f'[test]\ncommand = {command}\n[agents]\ndefault = "instant"\n[agents.instant]\ncommand = {words}\n'
        '[workspace]\nsandbox = "none"\n'
    )
    for words_ in (["init", "-q", "-b", "main"], ["config", "user.name", "B"], ["config", "user.email", "b@example.org"],
                   ["add", "-A"], ["commit", "-q", "-m", "begin"]):  # fmt: skip
        subprocess.run(["git", *words_], cwd=repo, check=True)
    return repo


def environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TDD_STATE_DIR": str(folder / "state"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def cpu_seconds(argv: list[str], cwd: Path, env: dict[str, str]) -> float:
    """Processor time of a program and of all that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, cwd=cwd, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def one(kind: str, suite: str) -> float:
    """Processor seconds of one cycle, in a fresh repository."""
    folder = Path(tempfile.mkdtemp(prefix="tdd-bench-"))
    try:
        repo, env = make(folder, suite), environment(folder)
        if kind == "script":
            script = folder / "script.sh"
            script.write_text(SCRIPT)
            return cpu_seconds(["sh", str(script), sys.executable, str(folder / "agent.sh")], repo, env)
        tdd = [sys.executable, "-m", "tdd_orchestrator"]
        subprocess.run(
            [*tdd, "plan", "add", "doubles"], cwd=repo, env=env, check=True, stdout=subprocess.DEVNULL
        )
        return cpu_seconds([*tdd, "cycle", "next"], repo, env)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def git_processes() -> dict[str, int]:
    """How many git processes one cycle starts, by phase, counted by a git on PATH that notes each call."""
    folder = Path(tempfile.mkdtemp(prefix="tdd-bench-"))
    try:
        repo, env = make(folder), environment(folder)
        real = shutil.which("git") or "git"
        calls = folder / "calls"
        shim = folder / "bin" / "git"
        shim.parent.mkdir()
        shim.write_text(f'#!/bin/sh\necho x >> "{calls}"\nexec "{real}" "$@"\n')
        shim.chmod(0o755)
        tdd = [sys.executable, "-m", "tdd_orchestrator"]
        subprocess.run(
            [*tdd, "plan", "add", "doubles"], cwd=repo, env=env, check=True, stdout=subprocess.DEVNULL
        )
        counted = {}
        shimmed = {**env, "PATH": f"{shim.parent}{os.pathsep}{env['PATH']}"}
        for phase in ("baseline and RED", "GREEN", "REFACTOR and landing"):
            calls.write_text("")
            words = ["cycle", "next", "--phase"] if phase != "REFACTOR and landing" else ["cycle", "next"]
            subprocess.run([*tdd, *words], cwd=repo, env=shimmed, check=True, capture_output=True)
            counted[phase] = len(calls.read_text().splitlines())
        return counted
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(arguments: list[str]) -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="two rounds")
    parser.add_argument("--suite", choices=tuple(GOALS), default="tiny")
    options = parser.parse_args(arguments)
    goal = GOALS[options.suite]
    rounds = 2 if options.quick else options.rounds
    pairs = [(one("tdd", options.suite), one("script", options.suite)) for _ in range(rounds)]
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    print(
        f"cycle: tdd {statistics.median(p[0] for p in pairs):.2f} s, script {statistics.median(p[1] for p in pairs):.2f} s, ratio {ratio:.2f} (goal {goal})"
    )
    passed = ratio <= goal
    for phase, count in git_processes().items():
        print(f"git processes, {phase}: {count}")
    return passed


if __name__ == "__main__":
    raise SystemExit(0 if main(sys.argv[1:]) else 1)
