"""Hostile agents, one file each: ``agents/GROUP/THREAT/phase-what-it-does.py`` is the code that the agent runs.

Comments at the top say what a test must know: the phase and the name; what the code begins with (see ``BEGINNINGS``);
what is expected of the product (see ``Row.expect``) and by which verdicts, where it is not a plain refusal.
"""

from __future__ import annotations

import re
from pathlib import Path

from .stage import GREEN, Row, w

FOLDER = Path(__file__).parent / "agents"
WRONG = w("double.py", "def double(number):\n    return 5\n")
TOOLS = """
import subprocess, signal, time, sys
def sh(line):
    subprocess.run(line, shell=True, capture_output=True)
USER = pathlib.Path(os.environ["KATA_AGENT"]).parent / "kata"
MARK = pathlib.Path(os.environ["KATA_AGENT"]) / "executed"
"""
BEGINNINGS = {"tools": TOOLS, "solution": GREEN, "wrong": WRONG}
KEY = "sk-ant-api03-" + "Zq9" * 30
PLACES = {"{KEY}": KEY, "{REST}": KEY[12:]}  # no file of ours holds a key as it looks
_HEAD = re.compile(r"# (?P<name>[A-Za-z ]+): (?P<text>.*)\n")


def agents(*groups: str) -> list[Row]:
    """Return the agents of these groups, by threat and name."""
    files = [path for group in groups for path in (FOLDER / group).glob("T*/*.py")]
    return [_row(path) for path in sorted(files, key=lambda path: (int(path.parent.name[1:]), path.name))]


def _row(path: Path) -> Row:
    text = path.read_text(encoding="utf-8")
    facts: dict[str, str] = {}
    while found := _HEAD.match(text):
        facts[found["name"]] = found["text"]
        text = text[found.end() :]
    phase, name = next(iter(facts.items()))
    for place, value in PLACES.items():
        text = text.replace(place, value)
    beginning = "".join(BEGINNINGS[part] for part in facts.get("begins with", "").split(", ") if part)
    return Row(
        path.parent.name,
        name,
        phase,
        beginning + text,
        facts.get("expect", "R"),
        tuple(facts.get("verdicts", "").split()),
    )
