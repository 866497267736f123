"""Match pytest's lines, and assign the titled failures of its report to their cases or build errors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.traces import CRASHED_WORKER, RAISED, Trace

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


_LINED = re.compile(r"^([^\s:][^:]{0,300}):(\d+): (\S.*)$")


def explain(traces: Iterable[tuple[str, Trace]], cases: dict[str, Case], errors: list[BuildError]) -> None:
    """Give each titled failure's place, message and type to its case; add cases that no summary names."""
    leaves: dict[str, list[str]] = {}
    for case in cases.values():
        if case.outcome in (Outcome.FAILED, Outcome.ERROR):
            leaves.setdefault(_leaf(case.id), []).append(case.id)
    for title, trace in traces:
        _explain(title, trace, cases, errors, leaves)


def _leaf(identity: str) -> str:
    """Return ``test_a[x::y]`` for ``a.py::B::test_a[x::y]``."""
    head, bracket, rest = identity.partition("[")
    return head.rpartition("::")[2] + bracket + rest


def _explain(
    title: str, trace: Trace, cases: dict[str, Case], errors: list[BuildError], leaves: dict[str, list[str]]
) -> None:
    path = title.removeprefix("ERROR collecting ")
    if path != title:
        # The title is relative to pytest's root, the summary to the folder where pytest was started.
        known = next((i for i, error in enumerate(errors) if f"/{path}".endswith(f"/{error.file}")), None)
        if known is None:
            errors.append(trace.build_error(path))
        else:
            path = errors[known].file
            errors[known] = trace.build_error(path)
        cases.setdefault(path, Case(path, path, Outcome.ERROR, path, phase="collect"))
        cases[path] = trace.explain(cases[path])
        return
    phase = "call"
    for stage in ("setup", "teardown"):
        if title.startswith(f"ERROR at {stage} of "):
            phase, title = stage, title[len(f"ERROR at {stage} of ") :]
    leaf = title.removeprefix("[doctest] ")
    twin = _find(cases, leaf, phase, leaves)
    if twin is None and (crashed := CRASHED_WORKER.match(trace.message)):
        twin = cases.get(crashed[1])
    if twin is None:
        name = leaf.replace(".", "::") if "[" not in leaf else leaf
        outcome = Outcome.FAILED if phase == "call" else Outcome.ERROR
        twin = Case(name, name, outcome, trace.file)
    explained = trace.explain(replace(twin, phase=phase))
    cases[twin.id] = explained


def _find(cases: dict[str, Case], leaf: str, phase: str, leaves: dict[str, list[str]]) -> Case | None:
    head, bracket, rest = leaf.partition("[")
    ending = "::" + head.replace(".", "::") + bracket + rest
    plain = "::" + leaf
    found = [
        cases[identity]
        for key in dict.fromkeys((_leaf(ending), _leaf(plain)))
        for identity in leaves.get(key, ())
        if identity.endswith((ending, plain))
    ]
    # a title may stand for several tests (a class that other modules import): they come in the summary's
    # order
    return next((case for known in ("", phase) for case in found if case.phase == known), None)


def explain_lines(lines: Iterable[str], cases: dict[str, Case]) -> None:
    """Read ``--tb=line``: ``file:line: type: message``, assigned by the summary's message."""
    bare = [case for case in cases.values() if case.outcome is Outcome.FAILED and not case.line]
    for line in lines:
        match = _LINED.match(line)
        if not match:
            continue
        case = next((one for one in bare if _begins(match[3], one.message)), None)
        if case is None:
            continue
        bare.remove(case)
        raised = RAISED.match(match[3])
        typed = raised is not None and raised[2] is not None
        cases[case.id] = replace(
            case,
            file=match[1],
            line=int(match[2]),
            message=raised[2] if raised and typed else match[3],
            exception=raised[1] if raised and typed else "",
        )


def _begins(text: str, message: str) -> bool:
    """Whether the text begins with the message, which the summary may have cut."""
    return bool(message) and text.startswith(message.removesuffix("..."))
