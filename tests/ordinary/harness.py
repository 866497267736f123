"""One row is one small project, what the agents do to it in a cycle, and how the cycle must end."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hostile.tongues import CACHES
from kit import Done, Kata

LANDS, WARNS, NOT_SILENT, REFUSED, ASKS = "lands", "warns", "not silent", "refused", "asks"
"""LANDS: at once, without one refusal. WARNS: it lands, and the record has a warning. NOT_SILENT: refused, or it lands with
a warning. REFUSED: nothing lands. ASKS: it waits for a person (exit 3), and lands after the person's yes."""

Files = Mapping[str, str | None]
"""Path to text; None deletes the file. ``{python}`` is this interpreter, ``{tmp}`` a folder outside the project."""

CONFIG = """
[retry]
max_retries = {retries}
delays = [0]
fix_delays = []
transient_delay = 0
"""


@dataclass(frozen=True)
class Base:
    """A project with a passing suite. ``said``: what a run of a clean checkout prints (a regular expression)."""

    name: str
    command: str | Sequence[str]
    files: Files
    needs: tuple[str, ...] = ()  # programs, or paths, without which its rows are skipped
    shell: bool = False
    config: str = ""


@dataclass(frozen=True)
class Row:
    """``red``, ``green`` and ``refactor`` are the files that the agent writes, one mapping for each call."""

    threat: str
    name: str
    base: Base
    red: Files | Sequence[Files]
    green: Files | Sequence[Files]
    expect: str = LANDS
    refactor: Files = field(default_factory=dict)
    files: Files = field(default_factory=dict)  # on top of the base's
    command: str | Sequence[str] = ""
    shell: bool = False
    test: str = ""  # more keys of [test]
    config: str = ""  # more tables
    phase: str = ""  # the phase that refuses it; any where empty
    verdicts: tuple[str, ...] = ()  # those it may be refused by; any where empty
    says: str = ""  # what the refusal or the warning must contain
    kind: str = "behaviour"
    retries: int = 0
    fails_clean: bool = False  # the suite had failures before: a clean checkout fails as before

    @property
    def id(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", f"{self.threat} {self.name}".lower()).strip("-")


class Project(Kata):
    """The row's project in a repository of its own, with the row's agents."""

    def __init__(self, folder: Path, row: Row) -> None:
        self.row, self.outside = row, folder / "outside"
        self.outside.mkdir(parents=True)
        super().__init__(folder, config=row.config, existing=False)
        for phase in ("red", "green", "refactor"):
            self.script(**{phase: [self._scene(files) for files in _calls(getattr(row, phase))]})

    def configure(self, more: str = "") -> None:
        row = self.row
        command = row.command or row.base.command
        words = [self._filled(w) for w in command] if not isinstance(command, str) else self._filled(command)
        agent = json.dumps([sys.executable, str(self.agent / "agent.py")])
        text = f'[agents]\ndefault = "scripted"\n[agents.scripted]\ncommand = {agent}\ntimeout = 30\n'
        text += CONFIG.replace("{retries}", str(row.retries))
        more = self._filled(textwrap.dedent(row.base.config) + textwrap.dedent(more))
        if "[workspace]" not in more:
            text += '[workspace]\nsandbox = "none"\n'
        table = "[test]\ntimeout = 120\n" + self._filled(row.test)
        if "[[test.suite]]" not in more:
            table += f"command = {json.dumps(words)}\n" + "shell = true\n" * (row.shell or row.base.shell)
        self.write("tdd.toml", table + text + more)
        for name, content in {**row.base.files, **row.files}.items():
            if content is not None:
                self.write(name, self._filled(textwrap.dedent(content).lstrip("\n")))
                if name.endswith(".sh"):
                    (self.root / name).chmod(0o755)

    def _filled(self, text: str) -> str:
        return text.replace("{python}", sys.executable).replace("{tmp}", str(self.outside))

    def _scene(self, files: Files) -> str:
        lines = []
        for name, text in files.items():
            if text is None:
                lines.append(f"os.remove({name!r})")
            else:
                lines.append(f"write({name!r}, {self._filled(textwrap.dedent(text))!r})")
        return "\n".join(lines)

    def tdd(self, *words: str, env: Mapping[str, str] | None = None, **kw: Any) -> Done:
        return super().tdd(*words, env={**CACHES, **(env or {})}, **kw)

    def clean_run(self) -> subprocess.CompletedProcess[str]:
        """The user's command in a clean checkout of what the branch holds now."""
        clone = self.root.parent / "clean"
        shutil.rmtree(clone, ignore_errors=True)
        subprocess.run(["git", "clone", "-q", str(self.root), str(clone)], check=True, capture_output=True)
        command: Any = self.row.command or self.row.base.command
        filled = self._filled(command) if isinstance(command, str) else [self._filled(w) for w in command]
        shell = isinstance(filled, str)
        env = {**os.environ, **CACHES, "CLEAN_RUN": "1"}
        return subprocess.run(
            filled, cwd=clone, shell=shell, env=env, capture_output=True, text=True, check=False
        )


def missing(row: Row) -> str:
    """Why this row cannot be played here; empty where it can."""
    absent = [name for name in row.base.needs if not Path(name).exists() and shutil.which(name) is None]
    return f"{', '.join(absent)} is not installed" if absent else ""


def play(row: Row, folder: Path) -> str:
    """Run the row's cycle. Returns what is not as it must be, in words; empty where all is."""
    project = Project(folder, row)
    project.plan("the next behaviour", "--type", row.kind)
    head = project.git("rev-parse", "HEAD")
    done = project.next()
    landed = project.git("rev-parse", "HEAD") != head
    records = [one for one in project.records() if one["kind"] in ("handoff", "error")]
    refusals = [one for one in records if one["kind"] == "error" or one.get("status") == "given_up"]
    if row.expect == ASKS and done.code == 3 and not landed:
        done = project.tdd("cycle", "approve")
        landed = project.git("rev-parse", "HEAD") != head
    elif row.expect == ASKS:
        return f"nobody was asked: exit {done.code}; {_reasons(refusals, done)}"
    if row.expect == REFUSED or (row.expect == NOT_SILENT and not landed):
        return _not_refused(row, landed, refusals, done)
    if not landed or done.code != 0:
        return f"did not land: exit {done.code}; {_reasons(refusals, done)}"
    if refusals and not row.retries:
        return f"landed, but not at once: {_reasons(refusals, done)}"
    clean = project.clean_run()
    if (clean.returncode == 0) == row.fails_clean:
        return f"FALSE COMPLETE: a clean checkout ends with {clean.returncode}: {clean.stdout[-400:]}"
    warnings = [text for one in records for text in one.get("warnings") or ()]
    if row.expect in (WARNS, NOT_SILENT) and not any(row.says in text for text in warnings):
        return f"landed without a word (warnings: {warnings})"
    return ""


def _not_refused(row: Row, landed: bool, refusals: list[dict[str, Any]], done: Done) -> str:
    if landed:
        return "LANDED, and must not"
    if done.code not in (1, 3) or not refusals:
        return f"not refused by a verdict: exit {done.code}: {done.err[-300:]}"
    last = refusals[-1]
    if row.phase and last["phase"] != row.phase:
        return f"refused in {last['phase']}, not {row.phase}: {_reasons(refusals, done)}"
    if row.verdicts and last["verdict"] not in row.verdicts:
        return f"refused as {last['verdict']}, not {row.verdicts}: {_reasons(refusals, done)}"
    if row.expect == REFUSED and row.says not in "; ".join(last["reasons"]) + done.err:
        return f"the refusal does not say {row.says!r}: {_reasons(refusals, done)}"
    return ""


def _reasons(refusals: list[dict[str, Any]], done: Done) -> str:
    if not refusals:
        return done.err.strip()[-300:]
    return "; ".join(f"{r['phase']} {r['verdict']}: {'; '.join(r['reasons'])[:240]}" for r in refusals)


def _calls(files: Files | Sequence[Files]) -> Sequence[Files]:
    return (files,) if isinstance(files, Mapping) else files


def on(base: Base, *rows: Row) -> tuple[Row, ...]:
    """The same rows on another base."""
    return tuple(replace(row, base=base, name=f"{row.name} ({base.name})") for row in rows)
