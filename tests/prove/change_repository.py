"""A small Python repository without records, and the `tdd prove` command in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from kit import Done
from warm import ROOT, ran

CODE = "def double(number):\n    return number + number\n"
TEST = "from calc import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"


class Repository:
    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.org")
        command = (
            f'[test]\ncommand = ["{sys.executable}", "-m", "pytest", "-q"]\n[workspace]\nsandbox = "none"\n'
        )
        self.commit("chore: begin", {
            ".gitignore": "__pycache__/\n.pytest_cache/\n",
            "tdd.toml": command,
            "calc.py": CODE,
            "tests/test_calc.py": TEST,
        })  # fmt: skip

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"git {words}: {done.stderr}"
        return done.stdout.strip()

    def write(self, files: dict[str, str | None]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text, encoding="utf-8")

    def commit(self, message: str, files: dict[str, str | None]) -> str:
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")

    def tdd(self, *words: str) -> Done:
        done = ran(words, self.root, {**os.environ, "PYTHONPATH": str(ROOT)}, "")
        assert "Traceback" not in done.stderr, done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    def prove(self, *words: str) -> Any:
        """The whole answer of ``tdd prove --json``, with its exit code under ``code``."""
        done = self.tdd("prove", "--json", *words)
        assert done.code in (0, 1, 3), done.err
        return {**done.json, "code": done.code}

    def prove_one(self, *words: str) -> Any:
        (change,) = self.prove(*words)["changes"]
        return change
