"""A repository whose tests and agents are shell scripts, with one function a plan item, for runs of
many cycles at once.

An item is called "adds NAME". Its agent writes tests/test_NAME.sh and NAME.sh. ``slow`` and ``shared``
are read by the agent from files beside it, so that a test decides how long it works and which items
edit one file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kit import ROOT, Done, Kata

RUN = """\
n=0; bad=0
[ -f PAUSE ] && sleep "$(cat PAUSE)"
for file in tests/test_*.sh; do
  n=$((n + 1))
  if said=$(sh "$file" 2>&1); then echo "ok $n - $file"; else bad=1; echo "not ok $n - $file"; echo "# $said"; fi
done
echo "1..$n"
exit $bad
"""
AGENT = """\
prompt=$(cat)
name=$(printf '%s' "$prompt" | grep -o 'adds [a-z][a-z0-9]*' | head -n 1 | cut -d' ' -f2)
echo "$TDD_PHASE $name $TDD_ATTEMPT $TDD_CYCLE_ID begin $(date +%s%N) $PWD" >> HERE/calls
[ -f HERE/hold ] && while [ ! -f HERE/go ]; do sleep 0.02; done
sleep "$(cat HERE/seconds)"
file=$name.sh
grep -qx "$name" HERE/shared && file=shared.sh
case "$TDD_PHASE" in
red) printf '%s\\n' ". ./$file" "got=\\$($name 2)" "[ \\"\\$got\\" = '2 $name' ] || { echo \\"expected '2 $name', got \\$got\\"; exit 1; }" \\
  > tests/test_$name.sh ;;
green) printf '%s\\n' "$name() { echo \\"\\$1 $name\\"; }" >> $file ;;
esac
echo "$TDD_PHASE $name $TDD_ATTEMPT $TDD_CYCLE_ID end $(date +%s%N) $PWD" >> HERE/calls
"""


class Hall(Kata):
    """``seconds``: how long each agent works; ``shared``: items whose code goes into one file."""

    def __init__(self, folder: Path, items: Sequence[str], *, config: str = "") -> None:
        self.folder = folder / "hall"
        super().__init__(self.folder, config=config, existing=False)
        self.write("run.sh", RUN)
        self.write("tests/test_greet.sh", "true\n")
        self.write("shared.sh", "# shared\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "chore: tests in shell")
        self.ids = {name: self.add(name) for name in items}
        self.set("seconds", "0")
        self.set("shared", "")

    def add(self, name: str, *more: str) -> str:
        return self.plan(f"adds {name}", *more)

    def set(self, name: str, text: str) -> None:
        (self.agent / name).write_text(f"{text}\n", encoding="utf-8")

    @property
    def env(self) -> dict[str, str]:
        return {"TDD_STATE_DIR": str(self.folder / "state"), "HOME": str(self.folder / "home")}

    def configure(self, more: str = "") -> None:
        agent = self.agent / "agent.sh"
        agent.write_text(AGENT.replace("HERE", str(self.agent)), encoding="utf-8")
        words = json.dumps(["sh", str(agent)])
        self.write(
            "tdd.toml",
            f'[test]\ncommand = "sh run.sh"\nfiles = ["tests/*.sh"]\n[agents]\ndefault = "scripted"\n'
            f"[agents.scripted]\ncommand = {words}\n[retry]\ndelays = [0, 0, 0]\nfix_delays = [0, 0, 0]\n"
            f'transient_delay = 0\n[workspace]\nsandbox = "none"\n{more}',
        )

    def tdd(self, *words: str, **kw: Any) -> Done:
        env = {**self.env, **(kw.pop("env", None) or {})}
        return super().tdd(*words, env=env, **kw)

    def run(self, jobs: int, *words: str) -> Done:
        return self.tdd("cycle", "run", "--jobs", str(jobs), *words)

    def start(self, *words: str, before: Sequence[str] = ()) -> subprocess.Popen[str]:
        """The command left running, in a group of its own; ``before``: words that start it elsewhere."""
        return subprocess.Popen(
            [*before, sys.executable, "-m", "tdd_orchestrator", *words],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(ROOT), **self.env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def agent_calls(self, phase: str = "", event: str = "begin") -> list[list[str]]:
        """Rows of phase, item, attempt, cycle, event, nanoseconds, folder."""
        path = self.agent / "calls"
        rows = [line.split(" ", 6) for line in path.read_text().splitlines()] if path.exists() else []
        return [row for row in rows if row[4] == event and (not phase or row[0] == phase)]

    def most_at_once(self) -> int:
        """Return how many agents worked at the same time at most."""
        path = self.agent / "calls"
        events = [line.split(" ") for line in path.read_text().splitlines()]
        now = most = 0
        for row in sorted(events, key=lambda row: int(row[5])):
            now += 1 if row[4] == "begin" else -1
            most = max(most, now)
        return most

    def statuses(self) -> dict[str, str]:
        items = self.tdd("plan", "list", "--json").json["items"]
        return {item["title"].removeprefix("adds "): item["status"] for item in items}

    def landed(self) -> list[str]:
        """Items by the order of their GREEN commits on the branch."""
        return [line.removeprefix("feat: adds ") for line in self.subjects() if line.startswith("feat: ")]
