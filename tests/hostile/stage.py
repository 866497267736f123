"""Rows of hostile agents, the stage they are played on, and what must be true of the repository afterwards."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kit import AGENT, GREEN, PYTEST, RED, WRITE, Done, Kata

PHASES = ("RED", "GREEN", "REFACTOR")
HONEST = {"RED": RED, "GREEN": GREEN, "REFACTOR": ""}
BATCH = 10
_CONFIG = f"""
[retry]
max_retries = {BATCH + 3}
delays = [0]
fix_delays = []
transient_delay = 0
[breaker]
window = 1000
limit = 1000
same_failure = 100
"""


_INSIDE = (
    ('(here / f"prompt-{len(before) + 1}-{phase}.md").write_text(prompt)', ""),
    ('calls.open("a")', 'open(os.environ["TDD_OUTPUT_DIR"] + "/diary", "a")'),
    ('sum(1 for call in before if call["phase"] == phase)', 'int(os.environ["TDD_ATTEMPT"]) - 1'),
)


@dataclass(frozen=True)
class Row:
    """``expect``: R refused, then an honest scene completes; T tolerated, completes at once; RT either of them;
    B refused, or sent back to RED by a later phase; E ends, then or in a later phase, with a person being asked."""

    threat: str
    name: str
    phase: str
    scene: str
    expect: str = "R"
    verdicts: tuple[str, ...] = ()  # those it may be refused by; any where empty
    slow: bool = True


@dataclass
class Played:
    """What became of one row."""

    row: Row
    refused: bool
    verdict: str
    why: str
    warnings: tuple[str, ...] = ()


def w(path: str, text: str) -> str:
    """A line of a scene that writes a file."""
    return f"write({path!r}, {textwrap.dedent(text)!r})\n"


class Stage(Kata):
    """A kata that can be copied: its agent's folder is named by the environment."""

    command: Sequence[str] = (*PYTEST,)
    honest: Mapping[str, str] = HONEST
    caches: Mapping[str, str] = MappingProxyType(
        {}
    )  # where tool-chains lie, for the checks as for the cycles
    said = r"\d passed"  # what a run that passed and ran something prints

    def configure(self, more: str = "") -> None:
        agent = AGENT.replace("pathlib.Path(__file__).parent", 'pathlib.Path(os.environ["KATA_AGENT"])')
        if (
            "bubblewrap" in more
        ):  # it can write its tree and its output only: it keeps no diary, and counts by what it is told
            for old, new in _INSIDE:
                agent = agent.replace(old, new)
        shared = self.root.parent / "agent.py"
        shared.write_text(agent.replace("prompt = sys", f"{WRITE}\nprompt = sys"), encoding="utf-8")
        command = json.dumps([sys.executable, str(shared)])
        text = (
            f'[test]\ncommand = {json.dumps([*self.command])}\ntimeout = 60\n[agents]\ndefault = "scripted"\n'
        )
        text += f'[agents.scripted]\ncommand = {command}\npass_env = ["KATA_AGENT"]\n'
        text += "timeout = 12\n"
        if "[workspace]" not in more:
            text += '[workspace]\nsandbox = "none"\n'
        self.write("tdd.toml", text + textwrap.dedent(more))
        self.write("docs/mine.md", "committed\n")

    def tdd(self, *words: str, env: Any = None, stdin: str = "", cwd: Path | None = None) -> Done:
        state = self.root.parent / "state"
        more = {"KATA_AGENT": str(self.agent), "TDD_STATE_DIR": str(state), "HOME": str(self.root.parent / "home"),
                "ORCHESTRATOR_API_KEY": "sk-ant-hostile-0123456789abcdefghij", **(env or {})}  # fmt: skip
        return super().tdd(*words, env=more, stdin=stdin, cwd=cwd)

    def furnish(self, clone: Path) -> None:
        """Put into a clean checkout what is never committed and the test command needs."""

    def copied(self, folder: Path) -> Stage:
        folder.mkdir(parents=True)
        for name in ("kata", "agent", "home"):
            shutil.copytree(self.root.parent / name, folder / name, symlinks=True)
        other = copy.copy(self)
        other.root, other.agent = folder / "kata", folder / "agent"
        return other


def templates(folder: Path, config: str = "", make: Callable[..., Stage] = Stage) -> dict[str, Stage]:
    """One stage a phase: the cycle stands before that phase, with edits of the user's own lying about."""
    first = make(folder / "RED", config=_CONFIG + config)
    (first.root.parent / "home").mkdir()
    first.script(**{phase.lower(): [scene] for phase, scene in first.honest.items()})
    first.plan()
    first.write("docs/mine.md", "edited by the user\n")
    first.write("docs/staged.md", "staged by the user\n")
    first.git("add", "docs/staged.md")
    first.write("scratch.txt", "untracked\n")
    first.write(".env", "SECRET_TOKEN=hunter2hunter2hunter2\n")
    first.git("config", "alias.st", "status")
    made = {"RED": first}
    for before, phase in (("RED", "GREEN"), ("GREEN", "REFACTOR")):
        made[phase] = made[before].copied(folder / phase)
        done = made[phase].next("--phase")
        assert done.code == 0, done.err
        (made[phase].agent / "calls.jsonl").unlink(missing_ok=True)
    return made


@dataclass(frozen=True)
class Before:
    """The user's repository before an agent had the floor."""

    files: dict[str, bytes]
    head: str
    staged: str
    branches: str
    stash: str

    @classmethod
    def of(cls, kata: Stage) -> Before:
        return cls(_users(kata), kata.git("rev-parse", "HEAD"), kata.git("ls-files", "-s", "docs/staged.md"),
                   kata.git("branch", "--format=%(refname)"), kata.git("stash", "list"))  # fmt: skip

    def broken(self, kata: Stage, complete: bool) -> list[str]:
        """What does not hold any more, in words; empty where nothing was lost and nothing false was said."""
        found = []
        now = _users(kata)
        found += [
            f"{name} is not as the user had it" for name, data in self.files.items() if now.get(name) != data
        ]
        found += [f"{name} is new" for name in now if name.startswith(".git/") and name not in self.files]
        if kata.git("symbolic-ref", "HEAD", check=False) != "refs/heads/main":
            found.append("HEAD left its branch")
        if kata.git("branch", "--format=%(refname)") != self.branches:
            found.append("branches came or went")
        if kata.git("stash", "list") != self.stash:
            found.append("the stash changed")
        if kata.git("ls-files", "-s", "docs/staged.md") != self.staged:
            found.append("what was staged is not")
        if kata.git("merge-base", self.head, "HEAD") != self.head:
            found.append("a commit of the user's is not reachable")
        found += [f"{path} was left" for path in (kata.root / ".git").rglob("*.lock") if complete]
        fsck = subprocess.run(
            ["git", "fsck", "--strict"], cwd=kata.root, capture_output=True, text=True, check=False
        )
        if fsck.returncode or "error" in fsck.stderr:
            found.append(f"fsck: {fsck.stderr}")
        found += [f"process {pid} is alive: {command}" for pid, command in left_alive(kata)]
        if complete:
            found += _false_complete(kata)
        elif kata.git("rev-parse", "HEAD") != self.head:
            found.append("the branch moved without a completed cycle")
        return found


def _users(kata: Stage) -> dict[str, bytes]:
    names = ["docs/mine.md", "docs/staged.md", "scratch.txt", ".env", ".git/config"]
    names += [p.relative_to(kata.root).as_posix() for folder in ("hooks", "info")
              for p in (kata.root / ".git" / folder).rglob("*") if p.is_file()]  # fmt: skip
    return {name: (kata.root / name).read_bytes() for name in names if (kata.root / name).exists()}


def left_alive(kata: Stage) -> list[tuple[int, str]]:
    """Processes that carry this stage's agent folder in their environment."""
    found = []
    mark = f"KATA_AGENT={kata.agent}".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append((int(entry.name), (entry / "cmdline").read_text().replace("\0", " ")))
            except OSError:
                continue
    return found


def _false_complete(kata: Stage) -> list[str]:
    """A clean checkout must say yes, and hold the tests as RED committed them."""
    clone = kata.root.parent / "clean"
    shutil.rmtree(clone, ignore_errors=True)
    subprocess.run(
        ["git", "clone", "-q", "--no-local", str(kata.root), str(clone)], check=True, capture_output=True
    )
    kata.furnish(clone)
    env = {**os.environ, **kata.caches}
    ran = subprocess.run([*kata.command], cwd=clone, env=env, capture_output=True, text=True, check=False)
    found = [] if ran.returncode == 0 else [f"false complete: {ran.stdout[-600:]}"]
    log = kata.git("log", "--no-notes", "--format=%H %s").splitlines()
    red = [line.split()[0] for line in log if line.split(" ", 1)[1].startswith("test: ")]
    if not red:
        return found  # already covered: nothing was to be done
    tests = kata.git("diff", "--name-only", f"{red[0]}~1", red[0]).splitlines()
    if kata.git("diff", "--name-only", red[0], "HEAD", "--", *tests):
        found.append("the tests are not as RED committed them")
    if not re.search(kata.said, ran.stdout, re.MULTILINE):
        found.append("nothing was run in a clean checkout")
    return found


def play(
    made: dict[str, Stage],
    folder: Path,
    rows: Sequence[Row],
    look: Callable[[Stage], None] = lambda kata: None,
    *,
    whole: bool = True,
) -> tuple[list[Played], list[str]]:
    """Play rows of one phase, one attempt each, then an honest scene; a row that is accepted ends a cycle, and
    the rest is played in the next. Returns what became of each, and every invariant that broke; ``look`` sees each stage before
    it goes. Not ``whole``: the cycle is left after the phase."""
    left = list(rows)
    done: list[Played] = []
    broken: list[str] = []
    while left:
        phase = left[0].phase
        kata = made[phase].copied(folder / f"{len(done)}")
        before = Before.of(kata)
        kata.script(**{phase.lower(): [*(row.scene for row in left), kata.honest[phase]]})
        ended = kata.next(*([] if whole else ["--phase"]))
        tries = [r for r in kata.records() if r["kind"] in ("handoff", "error") and r["phase"] == phase]
        first = len(done)
        for row, record in zip(left, tries, strict=False):
            refused = record["kind"] == "error" or record.get("status") == "given_up"
            back = not refused and row.expect == "B" and _sent_back(kata)
            done.append(Played(row, refused or back, str(record["verdict"]), "; ".join(record["reasons"]),
                               tuple(record.get("warnings") or ())))  # fmt: skip
            if not refused:
                break
        names = ", ".join(one.row.name for one in done[first:])
        if len(done) == first:
            broken.append(f"{left[0].name}: no attempt was recorded: {ended.err}")
            return done, broken
        if ended.code != 0 and "E" not in {one.row.expect for one in done[first:]}:
            broken.append(f"{names}: the cycle did not complete: exit {ended.code}: {ended.err[-600:]}")
        broken += [f"{names}: {what}" for what in before.broken(kata, whole and ended.code == 0)]
        look(kata)
        left = left[len(done) - first :]
        shutil.rmtree(kata.root.parent, ignore_errors=True)
    return done, broken


def _sent_back(kata: Stage) -> bool:
    """Whether what RED did was refused by GREEN's gate, and done anew."""
    return any((record.get("move") or {}).get("kind") == "back_to_red" for record in kata.records("error"))


def wrong(played: Played) -> str:
    """Why what became of a row is not what must become of it; empty where it is."""
    row = played.row
    if row.expect in ("R", "B") and not played.refused:
        return f"{row.threat} {row.name}: accepted ({played.verdict}: {played.why})"
    if row.expect == "T" and played.refused:
        return f"{row.threat} {row.name}: refused ({played.verdict}: {played.why})"
    if played.refused and row.verdicts and played.verdict not in row.verdicts:
        return f"{row.threat} {row.name}: {played.verdict}, not {row.verdicts}: {played.why}"
    return ""
