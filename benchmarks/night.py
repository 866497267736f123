"""A night without anyone: a plan of many items, an agent that fails in twelve ways at random, and what stands in the morning.

    python benchmarks/night.py --items 50 --seed 1 [--keep DIR]

Every command is the real one, with real git and real pytest runs; only the agent's mind is scripted. Prints a table of how
the items ended; exits with 1 where an item is neither landed, parked nor failed with a report, or the audit log is not proven.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

AGENT = """\
import os, random, re, signal, subprocess, sys, time
from pathlib import Path

prompt, phase, attempt = sys.stdin.read(), os.environ["TDD_PHASE"], os.environ.get("TDD_ATTEMPT", "1")
numbers = re.findall(r"the square of (\\d+) ", prompt)
number = int(numbers[0]) if numbers else 0
chance = random.Random(f"{os.environ['NIGHT_SEED']}:{number}:{phase}:{attempt}:{os.environ.get('TDD_ROLE')}")
test, code = Path(f"tests/test_square_{number}.py"), Path(f"squares_{number}.py")
good_test = f"from squares_{number} import square_{number}\\n\\n\\ndef test_square_{number}():\\n    assert square_{number}() == {number ** 2}\\n"
good_code = f"def square_{number}():\\n    return {number} ** 2\\n"


def crash():
    sys.exit("internal error: index out of range")


def hang():
    time.sleep(600)


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def silent():
    print("Nothing to do here.")


def refuses():
    print("I'm sorry, but I can't help with that request.")


def asks():
    print("Which rounding do you mean? Please tell me before I go on.")


def wrong_place():
    test.write_text(good_test)
    code.write_text(good_code)


def passes_at_once():
    test.write_text(f"def test_square_{number}():\\n    assert {number} ** 2 == {number ** 2}\\n")
    code.write_text("def square(:\\n")


def syntax():
    (test if phase == "red" else code).write_text("def broken(:\\n")


def wrong_value():
    test.write_text(good_test) if phase == "red" else code.write_text(good_code.replace("** 2", "+ 2"))


def breaks_another():
    Path("base.py").write_text("def one():\\n    return 2\\n")
    code.write_text(good_code)


def commits():
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--allow-empty", "-qm", "mine"], check=False)
    subprocess.run(["git", "checkout", "-q", "--orphan", "elsewhere"], check=False)


WAYS = [crash, hang, killed, silent, refuses, asks, wrong_place, passes_at_once, syntax, wrong_value, breaks_another, commits]
if phase not in ("red", "green", "refactor", "fix"):
    sys.exit(0)
if chance.random() < float(os.environ["NIGHT_RATE"]):
    chance.choice(WAYS)()
elif phase == "red":
    test.write_text(good_test)
    print("Wrote a test of the square.")
elif phase in ("green", "fix"):
    code.write_text(good_code)
    print("Made it pass.")
else:
    print("Nothing to improve.")
"""
CONFIG = """\
[test]
command = ["{python}", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
timeout = 600
[agents]
default = "night"
[agents.night]
command = ["{python}", "{agent}"]
timeout = 20
pass_env = ["NIGHT_SEED", "NIGHT_RATE"]
[retry]
delays = [0, 0, 0]
fix_delays = [0, 0, 0]
[breaker]
cooldown = 0.01
"""
_MOST_RUNS = 20  # as often as a timer would start the command again while a pause lasts
_LANDED, _NEEDS_PERSON, _PAUSED = ("completed", "covered"), 3, 4


def main(arguments: list[str]) -> bool:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, default=50)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--rate", type=float, default=0.35, help="how often an attempt goes wrong")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--quick", action="store_true", help="six items")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="night-") as made:
        return play(
            Night(asked.keep or Path(made), asked.seed, asked.rate), 6 if asked.quick else asked.items
        )


class Night:
    def __init__(self, root: Path, seed: str, rate: float) -> None:
        self.root = root / "project"
        self.env = {
            **os.environ, "NIGHT_SEED": seed, "NIGHT_RATE": str(rate), "TDD_STATE_DIR": str(root / "state"), "NO_COLOR": "1",
            "PYTHONPATH": str(Path(__file__).parents[1]),
        }  # fmt: skip
        (self.root / "tests").mkdir(parents=True)
        (root / "agent.py").write_text(AGENT)
        (self.root / "base.py").write_text("def one():\n    return 1\n")
        (self.root / "tests/test_base.py").write_text(
            "from base import one\n\n\ndef test_one():\n    assert one() == 1\n"
        )
        (self.root / "conftest.py").write_text("")
        (self.root / "tdd.toml").write_text(CONFIG.format(python=sys.executable, agent=root / "agent.py"))
        for line in (
            "init -q -b main",
            "config user.name night",
            "config user.email night@example.org",
            "add -A",
        ):
            self.run("git", *line.split())
        self.run("git", "commit", "-qm", "chore: begin")

    def run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(argv, cwd=self.root, env=self.env, capture_output=True, text=True, check=False)

    def tdd(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-m", "tdd_orchestrator", *words)


def play(night: Night, items: int) -> bool:
    night.tdd("init")
    for number in range(2, items + 2):
        night.tdd("plan", "add", f"the square of {number} is {number**2}")
    begun = time.monotonic()
    codes, last = [], ""
    for _ in range(_MOST_RUNS):
        done = night.tdd("cycle", "run")
        codes.append(done.returncode)
        last = done.stdout
        (night.root.parent / f"run-{len(codes)}.txt").write_text(done.stdout + done.stderr)
        print(f"tdd cycle run: exit {done.returncode}, {time.monotonic() - begun:.0f} s", flush=True)
        statuses = _statuses(night)
        if done.returncode == _NEEDS_PERSON:
            print("a person is needed:", *done.stdout.splitlines()[-4:], sep="\n  ")
            break
        if done.returncode != _PAUSED and not statuses["planned"] and not statuses["in_progress"]:
            break
    print("\n".join(last.splitlines()[-items - 12 :]))
    return _judge(night, codes)


def _statuses(night: Night) -> Counter[str]:
    listed = json.loads(night.tdd("plan", "list", "--json").stdout)
    return Counter(item["status"] for item in listed["items"] if not item["parent"])  # no fix item, no chore


def _judge(night: Night, codes: list[int]) -> bool:
    listed = json.loads(night.tdd("plan", "list", "--json").stdout)["items"]
    reports = json.loads(night.tdd("errors", "list", "--json").stdout)
    told = json.dumps(reports)
    lost = [
        item["title"] for item in listed
        if item["status"] not in _LANDED and not (item["status"] == "failed" and item["id"] in told)
        and item.get("kind", "") != "fix" and not item.get("parent")
    ]  # fmt: skip
    verify = night.tdd("verify")
    print("items:", dict(_statuses(night)), "runs:", codes)
    print("verify:", verify.returncode, (verify.stdout.strip().splitlines() or [verify.stderr])[-1])
    for title in lost:
        print("neither landed nor failed with a report:", title)
    return not lost and _NEEDS_PERSON not in codes and verify.returncode == 0


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
