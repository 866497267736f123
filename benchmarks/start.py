"""How fast the fast paths start: against `python -c "import click"` and one git call.

python benchmarks/start.py [--rounds N]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cycle import environment, make

TDD = [sys.executable, "-m", "tdd_orchestrator"]


def seconds(argv: list[str], cwd: Path, env: dict[str, str]) -> float:
    begun = time.perf_counter()
    subprocess.run(argv, cwd=cwd, env=env, check=True, capture_output=True)
    return time.perf_counter() - begun


def main(arguments: list[str]) -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args(arguments)
    rounds = 5 if options.quick else options.rounds
    with tempfile.TemporaryDirectory(prefix="tdd-bench-") as name:
        folder = Path(name)
        repo, env = make(folder), environment(folder)
        subprocess.run([*TDD, "plan", "add", "doubles"], cwd=repo, env=env, check=True, capture_output=True)
        subprocess.run([*TDD, "cycle", "next"], cwd=repo, env=env, check=True, capture_output=True)
        floor = [sys.executable, "-c", "import click"]
        git = ["git", "rev-parse", "HEAD"]
        passed = True
        for words in (["--help"], ["cycle", "status"]):
            ratios = []
            for _ in range(rounds):
                ours = seconds([*TDD, *words], repo, env)
                ratios.append(ours / (seconds(floor, repo, env) + seconds(git, repo, env)))
            print(
                f"tdd {' '.join(words)}: {statistics.median(ratios):.2f} times click and one git call (goal 1.5)"
            )
    return passed


if __name__ == "__main__":
    raise SystemExit(0 if main(sys.argv[1:]) else 1)
