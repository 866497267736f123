"""Processor time of `tdd prove` against that of the test runs that it makes.

    python benchmarks/prove_cpu.py CLONE RANGE COMMAND...

The test command is wrapped in a script that writes down its own processor time; the ratio is that of all child processes to these.
CLONE is cloned first and not written to. With a range of several commits each is proven by itself, on two cores.
"""

from __future__ import annotations

import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


def seconds(minutes: str) -> float:
    """Read ``0m1.234s``, as the shell's ``times`` prints it."""
    whole, _, rest = minutes.rstrip("s").partition("m")
    return int(whole) * 60 + float(rest)


def measure(clone: Path, wanted: str, command: list[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="prove-cpu-") as folder:
        tree, script, times = (Path(folder, name) for name in ("tree", "run.sh", "times"))
        subprocess.run(["git", "clone", "-q", str(clone), str(tree)], check=True)
        script.write_text(f'#!/bin/bash\n{shlex.join(command)} "$@"\ncode=$?\ntimes >> {times}\nexit $code\n')
        script.chmod(0o755)
        (tree / "tdd.toml").write_text(
            f'[test]\ncommand = {json.dumps([str(script)])}\nframework = "pytest"\n[workspace]\nsandbox = "none"\n'
        )
        each = ["--each", "--jobs", "2"] if ".." in wanted else []
        words = [sys.executable, "-P", "-m", "tdd_orchestrator", "prove", wanted, "--json", *each]
        environ = {**os.environ, "XDG_STATE_HOME": str(Path(folder, "state"))}
        done = subprocess.run(words, cwd=tree, env=environ, capture_output=True, text=True, check=False)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        runs = [sum(map(seconds, line.split())) for line in times.read_text().splitlines()[1::2]]
        report = json.loads(done.stdout or "{}")
    total, own = used.ru_utime + used.ru_stime, sum(runs)
    judged = len(report.get("changes", []))
    print(
        f"{judged} commits, {len(runs)} runs: {total:.1f} s in all, {own:.1f} s of them in the test command,"
    )
    print(f"{total / own:.2f} times; exit code {done.returncode} {done.stderr[-300:] if not runs else ''}")


def main() -> None:
    measure(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])


if __name__ == "__main__":
    main()
