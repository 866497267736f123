"""``tdd demo``: a kata repository, three behaviours, recorded agents that go wrong in every phase."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import click

from tdd_orchestrator.model.errors import Refused

ITEMS = (
    "a year divisible by four is a leap year",
    "centuries are not leap years",
    "every fourth century is a leap year",
)

README = "# Leap years\n\nA kata: which years are leap years?\n"

CONFIG = """\
[test]
command = {command}

[agents]
default = "recorded"
[agents.recorded]
preset = "replay"
recording = {recording}

[retry]
delays = [0.1, 0.2, 0.4]            # seconds; shorter than usual, for the demo
fix_delays = [0.1, 0.2, 0.4]
"""

_NEXT = """
Next, in a repository of your own:
  tdd init
  tdd plan add "what is to happen"
  tdd cycle next
"""


@click.command()
@click.option(
    "--keep", type=click.Path(path_type=Path), help="Make the repository in this new folder and keep it."
)
def demo(keep: Path | None) -> int:
    """Three behaviours through RED, GREEN and REFACTOR, with an attempt that goes wrong in each; no model, no
    key."""
    folder = keep or Path(tempfile.mkdtemp(prefix="tdd-demo-"))
    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise Refused(f"{keep} is not empty.", "Name a folder that does not exist yet.")
    state = folder / ".git" / "tdd-demo-state" if keep is None else None
    try:
        return _play(folder, state)
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def _play(folder: Path, state: Path | None) -> int:
    """Run every command for real, in a process of its own, as a user would type it."""
    _make(folder)
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [_home(), os.environ.get("PYTHONPATH", "")])),
    }
    if state is not None:
        env["TDD_STATE_DIR"] = str(folder.parent / f"{folder.name}-state")
    tdd = [sys.executable, "-m", "tdd_orchestrator"]
    try:
        _show(folder, env, [*tdd, "init"], "tdd init")
        for title in ITEMS:
            _show(folder, env, [*tdd, "plan", "add", title], f'tdd plan add "{title}"')
        code = _show(folder, env, [*tdd, "cycle", "run"], "tdd cycle run")
        _show(folder, env, [*tdd, "log", "-n", "12"], "tdd log -n 12")
        _show(folder, env, ["git", "log", "--oneline"], "git log --oneline")
        notes = "git notes show HEAD | cut -c 1-300"  # a record is 2 kB on one line
        _show(folder, env, ["sh", "-c", notes], notes)
        verified = _show(folder, env, [*tdd, "verify", "--jobs", "2"], "tdd verify --jobs 2")
        click.echo(_NEXT)
    finally:
        if state is not None:
            shutil.rmtree(folder.parent / f"{folder.name}-state", ignore_errors=True)
    return max(code, verified)


def _make(folder: Path) -> None:
    import json

    from tdd_orchestrator.demo import __file__ as here

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(README, encoding="utf-8")
    (folder / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    recording = str(Path(here).with_name("recording.toml"))
    command = json.dumps([sys.executable, "-m", "unittest"])
    text = CONFIG.format(command=command, recording=json.dumps(recording))
    (folder / "tdd.toml").write_text(text, encoding="utf-8")
    identity = ["-c", "user.name=Demo", "-c", "user.email=demo@example.org"]
    for words in (["init", "-q", "-b", "main"], ["config", "user.name", "Demo"],
                  ["config", "user.email", "demo@example.org"],
                  ["add", "-A"], [*identity, "commit", "-q", "-m", "chore: begin the kata"]):  # fmt: skip
        _run(folder, dict(os.environ), ["git", *words])


def _home() -> str:
    import tdd_orchestrator

    return str(Path(tdd_orchestrator.__file__).parent.parent)


def _show(folder: Path, env: dict[str, str], argv: list[str], words: str) -> int:
    click.secho(f"\n$ {words}", bold=True)
    sys.stdout.flush()
    return _run(folder, env, argv)


def _run(folder: Path, env: dict[str, str], argv: list[str]) -> int:
    from tdd_orchestrator import process

    return process.attached(argv, cwd=folder, env=env)
