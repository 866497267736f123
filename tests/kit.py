"""A real repository, a scripted agent, and the installed command: what journeys are made of."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warm import ROOT, ran

PYTEST = [sys.executable, "-m", "pytest", "-q", "--disable-plugin-autoload"]
"""Plug-ins of this environment are left out: loading them takes longer than a test run."""

AGENT = '''\
"""Plays one scene a call: scenes[phase][n] for the n-th call of that phase; the last one again and again."""
import json, os, pathlib, sys
here = pathlib.Path(__file__).parent
scenes = json.loads((here / "scenes.json").read_text())
phase = os.environ["TDD_PHASE"]
calls = here / "calls.jsonl"
before = [json.loads(line) for line in calls.read_text().splitlines()] if calls.exists() else []
number = sum(1 for call in before if call["phase"] == phase)
prompt = sys.stdin.read()
(here / f"prompt-{len(before) + 1}-{phase}.md").write_text(prompt)
with calls.open("a") as file:
    entry = {"phase": phase, "cwd": os.getcwd()}
    entry.update({k: v for k, v in os.environ.items() if k.startswith("TDD_")})
    file.write(json.dumps(entry) + "\\n")
own = scenes.get(os.environ.get("TDD_ROLE", ""), scenes.get(phase, []))
if own:
    exec(compile(own[min(number, len(own) - 1)], f"<{phase} {number + 1}>", "exec"))
'''

RED = '''
write("tests/test_double.py", """
from double import double


def test_doubles():
    assert double(2) == 4
""")
'''
GREEN = '''
write("double.py", """
def double(number):
    return number * 2
""")
'''
WRITE = """
def write(name, text):
    path = pathlib.Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.lstrip("\\n"))
"""


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Kata:
    """A repository with one passing test (or none), an item in the plan, and a scripted agent."""

    def __init__(self, folder: Path, *, config: str = "", existing: bool = True) -> None:
        self.root = folder / "kata"
        self.agent = folder / "agent"
        self.root.mkdir(parents=True)
        self.agent.mkdir()
        (self.agent / "agent.py").write_text(
            AGENT.replace("prompt = sys", f"{WRITE}\nprompt = sys"), encoding="utf-8"
        )
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.org")
        self.write(".gitignore", "__pycache__/\n.env\n")
        self.write("README.md", "# Kata\n")
        if existing:
            self.write("greet.py", "def greet(name):\n    return f'hello {name}'\n")
            self.write(
                "tests/test_greet.py",
                "from greet import greet\n\n\ndef test_greets():\n    assert greet('ada') == 'hello ada'\n",
            )
        self.configure(config)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "chore: begin")
        self.script(red=[RED], green=[GREEN], refactor=[""])

    def configure(self, more: str = "") -> None:
        """``more`` is TOML of further tables; [retry] is quick unless it says otherwise."""
        command = json.dumps(PYTEST)
        agent = json.dumps([sys.executable, str(self.agent / "agent.py")])
        text = f'[test]\ncommand = {command}\n[agents]\ndefault = "scripted"\n[agents.scripted]\ncommand = {agent}\n'
        if "[retry]" not in more:
            text += "[retry]\ndelays = [0, 0, 0]\nfix_delays = [0, 0, 0]\ntransient_delay = 0\n"
        if "[workspace]" not in more:
            text += '[workspace]\nsandbox = "none"\n'
        self.write("tdd.toml", text + textwrap.dedent(more))

    def script(self, **scenes: Sequence[str]) -> None:
        """Python source for each call of a phase (or of a role); ``write(path, text)`` and ``os`` are there."""
        path = self.agent / "scenes.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        known.update({name.replace("_role", "").replace("_", "-") if name.endswith("_role") else name: list(texts)
                      for name, texts in scenes.items()})  # fmt: skip
        path.write_text(json.dumps(known))

    def calls(self, phase: str = "") -> list[dict[str, str]]:
        path = self.agent / "calls.jsonl"
        found = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [call for call in found if not phase or call["phase"] == phase]

    def prompts(self, phase: str = "") -> list[str]:
        paths = sorted(
            self.agent.glob(f"prompt-*-{phase or '*'}.md"), key=lambda path: int(path.name.split("-")[1])
        )
        return [path.read_text() for path in paths]

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def git(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(["git", *words], cwd=self.root, capture_output=True, text=True, check=False)
        assert done.returncode == 0 or not check, f"git {words}: {done.stderr}"
        return done.stdout.rstrip("\n")

    def tdd(
        self, *words: str, env: Mapping[str, str] | None = None, stdin: str = "", cwd: Path | None = None
    ) -> Done:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        done = ran(words, cwd or self.root, environment, stdin)
        assert "Traceback" not in done.stderr, done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    def plan(self, title: str = "doubles a number", *more: str) -> str:
        return str(self.tdd("plan", "add", title, "--json", *more).json["id"])

    def next(self, *words: str, **kw: Any) -> Done:
        return self.tdd("cycle", "next", *words, **kw)

    def records(self, kind: str = "") -> list[dict[str, Any]]:
        """The audit log, oldest first."""
        lines = self.tdd("log", "--json", "-n", "100000").out.splitlines()
        found = [json.loads(line) for line in reversed(lines)]
        return [record for record in found if not kind or record["kind"] == kind]

    def verdicts(self) -> list[str]:
        return [record["verdict"] for record in self.records() if record["kind"] in ("handoff", "error")]

    def subjects(self) -> list[str]:
        return self.git("log", "--no-notes", "--reverse", "--format=%s").splitlines()

    def snapshot(self) -> dict[str, bytes]:
        """Every byte of the user's tree, index and configuration."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            inside = path.relative_to(self.root).as_posix()
            if path.is_file() and (
                not inside.startswith(".git/") or inside in (".git/index", ".git/config", ".git/HEAD")
            ):
                found[inside] = path.read_bytes()
        return found
