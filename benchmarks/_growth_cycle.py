"""One real cycle in a repository as large as is wanted, counted by ``_probe.py``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROBE = Path(__file__).resolve().parent / "_probe.py"
AGENT = """#!/bin/sh
cat > /dev/null
n=$(cat "$(dirname "$0")/number")
case "$TDD_PHASE" in
red) mkdir -p tests; printf 'from double_%s import double\\n\\n\\ndef test_doubles_%s():\\n    assert double(2) == %s\\n' $n $n $((n * 2)) >> RED_FILE ;;
green) printf 'def double(n):\\n    return n * %s\\n' $n > double_$n.py ;;
refactor) printf 'def double(number):\\n    return number * %s\\n' $n > double_$n.py ;;
esac
"""


class Project:
    """A repository in ``folder/repo`` in which cycles can be run; made where there is none. RED adds its test to ``red``."""

    def __init__(self, folder: Path, red: str = "tests/test_double_$n.py") -> None:
        self.folder, self.repo, self.number = folder, folder / "repo", 1
        if not self.repo.exists():
            self.repo.mkdir(parents=True)
            self.git("init", "-q", "-b", "main")
        agent = folder / "agent.sh"
        agent.write_text(AGENT.replace("RED_FILE", red))
        command = json.dumps([sys.executable, "-m", "pytest", "-q", "--disable-plugin-autoload", "tests"])
        self.write("tests/test_greet.py", "def test_greets():\n    assert 'ada' in 'hello ada'\n")
        self.write(".gitignore", "__pycache__/\n")
        self.write(
            "tdd.toml",
            f'[test]\ncommand = {command}\n[agents]\ndefault = "instant"\n[agents.instant]\n'
            f'command = ["sh", "{agent}"]\n[workspace]\nsandbox = "none"\n',
        )
        self.git("config", "user.name", "B")
        self.git("config", "user.email", "b@example.org")

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.repo, check=True, stdout=subprocess.DEVNULL)

    def write(self, name: str, text: str) -> None:
        path = self.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "more")

    def tdd(self, *words: str) -> dict[str, Any]:
        """The command's counts; CalledProcessError where it fails."""
        env = {**os.environ, "PYTHONPATH": str(ROOT), "TDD_STATE_DIR": str(self.folder / "state")}
        result = self.folder / "counts.json"
        subprocess.run(
            [sys.executable, str(PROBE), str(result), *words],
            cwd=self.repo,
            env=env,
            check=True,
            capture_output=True,
        )
        found: dict[str, Any] = json.loads(result.read_text())
        return found

    def cycle(self, *words: str) -> dict[str, Any]:
        """Plan an item, run its cycle, return the cycle's counts."""
        self.number += 1
        (self.folder / "number").write_text(str(self.number))
        self.tdd("plan", "add", f"doubles {self.number}")
        return self.tdd("cycle", "next", *words)
