"""Cycles whose suite and agents take a minute: ``long_suite.py [--seconds N] [--cycles N]``.

A suite of pytest with one test that sleeps, agents that sleep as long, cycles one after the other, in the sandbox.
The clock of each against its three agents and one run of the suite; goal 1.1.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from kit import Kata  # noqa: E402

AGENT = """\
import os, pathlib, sys, time
sys.stdin.read()
time.sleep({seconds})
number = len(list(pathlib.Path("tests").glob("test_n*.py")))
if os.environ["TDD_PHASE"] == "red":
    text = f"from n{{number}} import value\\n\\n\\ndef test_value():\\n    assert value(2) == {{number}} + 2\\n"
    pathlib.Path(f"tests/test_n{{number}}.py").write_text(text)
elif os.environ["TDD_PHASE"] == "green":
    text = f"def value(given):\\n    return given + {{number - 1}}\\n"
    pathlib.Path(f"n{{number - 1}}.py").write_text(text)
"""


def measure(seconds: float, cycles: int) -> list[float]:
    """Run so many cycles, each with a command of its own; return the seconds of each."""
    with tempfile.TemporaryDirectory(prefix="tdd-long-") as folder:
        kata = Kata(Path(folder), config='[workspace]\nsandbox = "auto"\n')
        kata.write("tests/test_long.py", f"import time\n\n\ndef test_long():\n    time.sleep({seconds})\n")
        kata.git("add", "-A")
        kata.git("commit", "-q", "-m", "test: a suite that takes a while")
        (kata.agent / "agent.py").write_text(AGENT.format(seconds=seconds))
        taken = []
        for number in range(cycles):
            kata.plan(f"adds {number} to a number")
            begun = time.monotonic()
            done = kata.next(env={"TDD_STATE_DIR": str(Path(folder, "state"))})
            taken.append(time.monotonic() - begun)
            assert done.code == 0, done.out + done.err
        return taken


def main(arguments: list[str]) -> None:
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    parser = argparse.ArgumentParser(description="Cycles with a long suite and long agents.")
    parser.add_argument("--seconds", type=float, default=60.0, help="of the suite, and of each agent")
    parser.add_argument("--cycles", type=int, default=3)
    given = parser.parse_args(arguments)
    for number, taken in enumerate(measure(given.seconds, given.cycles), 1):
        ratio = taken / (4 * given.seconds)
        print(f"cycle {number}: {taken:.0f} s, {ratio:.2f} times three agents and one run of the suite")


if __name__ == "__main__":
    main(sys.argv[1:])
