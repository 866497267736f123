"""Patterns of pytest's lines, and the rules for node ids in them."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Outcome

OUTCOMES = {
    "PASSED": Outcome.PASSED, "FAILED": Outcome.FAILED, "ERROR": Outcome.ERROR, "SKIPPED": Outcome.SKIPPED,
    "XFAIL": Outcome.XFAILED, "XPASS": Outcome.XPASSED,
}  # fmt: skip
LETTERS = {".": "passed", "F": "failed", "E": "errors", "s": "skipped", "x": "xfailed", "X": "xpassed"}
COUNTED = {
    "passed": "passed", "failed": "failed", "error": "errors", "errors": "errors", "skipped": "skipped",
    "xfailed": "xfailed", "xpassed": "xpassed",
}  # fmt: skip
SECTION = re.compile(r"^=+ ([^=].{0,200}?) =+$")
TITLE = re.compile(r"^(?:_+ ([^_].{0,400}?|_\w.{0,400}?) _+|―{2,} (\S.{0,400}?) ―{2,})$")  # sugar's are ―
COUNT = re.compile(r"(\d+) ([a-z]+)")
CLOSING = re.compile(
    r"^(?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|warnings?|deselected|rerun|subtests passed|"
    r"subtests failed)|no tests ran|no tests collected|\d+ tests? collected|\d+/\d+ tests collected)\b"
    r"[^=]{0,200} in \d+(?:\.\d+)?s(?: \(\d.{0,20}\))?$"
)
STATUS = re.compile(
    r"\b(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN)(?: \([^()]{0,200}\))?\s*(?:\[ *\d+%\])?$"
)
XDIST = re.compile(r"^\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (.+?) *$")
DOTS = re.compile(r"^(?:\S{1,300}\.\w{1,8} )?([.FEsxXRup,-]+)(?: *\[ *(\d+)%\])?$")
SHORT = re.compile(r"^(PASSED|FAILED|ERROR|XFAIL|XPASS) (\S.*)$")
SUB = re.compile(
    r"^(?:SUBFAIL(?:ED)?)? ?(\[[^\]]{0,200}\])? ?(\([^()]{0,200}\))? ?(?:SUBFAIL(?:ED)? )?"
    r"([^\s:]{1,300}::\S.*)$"
)
RESULTS = re.compile(r"^Results \(\d[\d.]{0,12}s\):$")
SUGAR_COUNT = re.compile(
    r"^ {2,12}(\d+) (passed|failed|error|errors|skipped|xfailed|xpassed|deselected|rerun)\b"
)
BANG = re.compile(r"^!+ (.{1,300}?) !+$")
COLLECTED = re.compile(r"^(?:collecting \.\.\. ?)?collected (\d+) items?(?: / .*?(?:(\d+) selected)?)?$")
USAGE = re.compile(
    r"^(?:ERROR: (?:file or directory not found|not found: |found no collectors|Wrong )"
    r"|(?:[\w./-]{0,200}python[\w.]{0,12} -m )?(?:pytest|py\.test|__main__\.py): error: )"
)


def split_summary(rest: str) -> tuple[str, str]:
    """Split ``id - message`` at the first `` - `` outside brackets."""
    start = 0
    while (cut := rest.find(" - ", start)) >= 0:
        if rest.count("[", 0, cut) <= rest.count("]", 0, cut):
            return rest[:cut].strip(), rest[cut + 3 :].strip()
        if start > 2_000:
            break
        start = cut + 3
    return rest.strip(), ""


def leading_identity(line: str) -> str:
    """Return the node id at the start of a verbose line: up to the first blank outside brackets."""
    head = line.partition(" ")[0]
    if "[" not in head or (head[-1] == "]" and head.count("[") == head.count("]") == 1):
        return head
    depth = 0
    for index, letter in enumerate(line):
        if letter == "[":
            depth += 1
        elif letter == "]":
            depth = max(0, depth - 1)
        elif letter == " " and not depth:
            return line[:index]
    return line


def is_identity(text: str) -> bool:
    return text.count("[") <= text.count("]") and leading_identity(text.rstrip()) == text.rstrip()
