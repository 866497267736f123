"""What the pytest witness wrote, to a Reading. Every line carries the run's nonce and its place in the row: a line that
is missing, foreign or out of order is the end of belief."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tdd_orchestrator.model.report import BAD, Attachment, BuildError, Case, Counts, Outcome, count
from tdd_orchestrator.testlog.reading import CASE_LIMIT, DETAIL_LIMIT, Reading, detail_of

_SIZE_LIMIT = 512 << 20
_LINE_LIMIT = 16 << 20
_RANK = {
    Outcome.PASSED: 0, Outcome.XPASSED: 1, Outcome.SKIPPED: 2, Outcome.XFAILED: 2, Outcome.ERROR: 3, Outcome.FAILED: 4,
}  # fmt: skip
_STATUS = {2: "pytest was interrupted", 3: "pytest had an internal error", 4: "pytest was called wrongly"}


@dataclass(slots=True)
class Statement:
    """All that one witness file says. ``seen``: 'loaded' and 'start' were written; ``status`` is pytest's own."""

    loaded: bool = False
    started: bool = False
    sessions: int = 0  # pytest processes that began
    status: int | None = None
    failed: int = 0  # pytest's own count of failed reports, collection errors included
    root: str = ""
    distributed: bool = False
    apart: bool = False  # tests ran in processes that no witness went along to
    unseen: set[str] = field(default_factory=set)  # dotted tests that their class runs itself
    items: dict[str, int] = field(default_factory=dict)  # id -> line
    cases: dict[str, Case] = field(default_factory=dict)
    bad_reports: int = 0
    collect: list[BuildError] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)  # ids whose failure something turned into a pass
    patched: list[str] = field(
        default_factory=list
    )  # functions of the runner, and tests, that were changed in the run
    broken: str = ""
    control_seen: list[str] = field(default_factory=list)


def statement_in(folder: Path, nonce: str, tree: Path) -> Statement:
    """Read what every pytest process of the run left in ``folder``; an empty folder is an empty testimony."""
    said = Statement()
    _inside.cache_clear()
    real = os.path.realpath(tree)
    statuses: list[int | None] = []
    for path in sorted(path for path in folder.iterdir() if path.suffix == ".jsonl"):
        said.status, begun = None, said.started
        said.started = False
        _hear(said, path, nonce, real)
        if said.started:
            said.sessions += 1
            statuses.append(said.status)
        said.started = said.started or begun
    said.status = _together(statuses)
    return said


def _together(statuses: list[int | None]) -> int | None:
    """One status for several sessions: the first bad one; a session without tests is none beside one with tests."""
    for status in statuses:
        if status not in (0, 5):
            return status
    return (0 if 0 in statuses else 5) if statuses else None


def _hear(said: Statement, path: Path, nonce: str, real: str) -> None:
    if path.stat().st_size > _SIZE_LIMIT:
        said.broken = "the report is larger than 512 MiB"
        return
    for number, line in enumerate(_lines(path)):
        try:
            facts = json.loads(line)
            genuine = isinstance(facts, dict) and facts.get("n") == nonce and facts.get("i") == number
        except ValueError:
            genuine = False
        if not genuine or said.status is not None or not _taken(said, facts, real):
            said.broken = f"line {number + 1} of the report is not from this run"
            return


def _taken(said: Statement, facts: dict[str, Any], real: str) -> bool:
    """False where the line is not one that the witness writes: then somebody else wrote it, however odd it is."""
    shape, take = _LINES.get(str(facts.get("t")), ({}, None))
    if take is None or not all(isinstance(facts.get(key), kind) for key, kind in shape.items()):
        return False
    try:
        take(said, facts, real)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return False
    return True


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while line := file.readline(_LINE_LIMIT):
            yield line


def _loaded(said: Statement, facts: dict[str, Any], tree: str) -> None:
    said.loaded = True


def _start(said: Statement, facts: dict[str, Any], tree: str) -> None:
    said.started, said.root, said.distributed = True, facts["root"], facts["xdist"]


def _items(said: Statement, facts: dict[str, Any], tree: str) -> None:
    said.items.update((identity, line) for identity, line in facts["items"])


def _collect(said: Statement, facts: dict[str, Any], tree: str) -> None:
    own = _inside(os.path.join(said.root, facts["id"].split("::")[0]), tree)
    frames = [(_inside(name, tree), line) for name, line, _ in facts.get("frames", []) if _inside(name, tree)]
    file, line = next(((f, n) for f, n in reversed(frames) if f == own), frames[-1] if frames else (own, 0))
    kind, text = facts.get("exc", ""), facts.get("msg", "")
    message = (
        f"{kind}: {text}"
        if kind
        else facts["text"].strip().splitlines()[-1:][0]
        if facts["text"].strip()
        else ""
    )
    said.collect.append(BuildError(message, file or own, line, kind, facts["text"][-DETAIL_LIMIT:]))
    said.bad_reports += 1


def _phase(said: Statement, facts: dict[str, Any], tree: str) -> None:
    if facts["outcome"] not in ("passed", "failed", "skipped", "rerun"):
        raise ValueError(facts["outcome"])
    if facts["outcome"] == "rerun":
        return
    said.bad_reports += facts["outcome"] == "failed"
    if facts.get("hidden"):
        said.hidden.append(facts["id"])
    case = _case(said, facts, tree)
    earlier = said.cases.get(case.id)
    if earlier is None:
        if facts["when"] != "teardown" or case.outcome is not Outcome.PASSED:
            said.cases[case.id] = case
        return
    worst = max(earlier, case, key=lambda one: _RANK[one.outcome])
    if "sub" in facts and case.outcome not in BAD:
        worst = earlier
    said.cases[case.id] = replace(worst, seconds=earlier.seconds + case.seconds)


def _case(said: Statement, facts: dict[str, Any], tree: str) -> Case:
    outcome = _outcome(facts)
    file = _inside(os.path.join(said.root, facts.get("file", "")), tree) or facts["id"].split("::")[0]
    line, frames = facts.get("line", 0), facts.get("frames", [])
    for name, number, _ in frames:
        if _inside(name, tree) == file:
            line = number
    detail = facts.get("text", "")
    if frames and outcome in BAD:
        detail = f"{detail_of(detail, DETAIL_LIMIT * 2)}\n{_shown(frames, tree)}"
    return Case(
        id=facts["id"],
        name=facts["id"],
        outcome=outcome,
        file=file,
        line=line,
        message=_message(facts, outcome in BAD),
        exception=facts.get("exc", ""),
        phase=facts["when"] if facts["when"] in ("setup", "call", "teardown") else "call",
        detail=detail,
        stdout=(facts.get("out", "") + facts.get("err", ""))[-DETAIL_LIMIT:],
        seconds=float(facts["sec"] or 0.0),
        attachments=tuple(
            Attachment("other", value) for key, value in facts.get("props", []) if key == "attachment"
        ),
    )


def _shown(frames: list[Any], tree: str) -> str:
    """The frames of the project's own files, and the innermost of all, as lines ``file:line: in function``."""
    own = [
        (_inside(name, tree), line, where) for name, line, where in frames if where and _inside(name, tree)
    ]
    name, line, where = frames[-1]
    if where and not _inside(name, tree):
        own.append((name, line, where))
    return "\n".join(f"{file}:{number}: in {function}" for file, number, function in own)


def _message(facts: dict[str, Any], bad: bool) -> str:
    if facts.get("exc") == "FixtureLookupError":  # its own text is a tuple
        found = re.search(r"^E\s+(.*)", facts["text"], re.MULTILINE)
        return found.group(1) if found else str(facts["msg"])
    return str(facts.get("msg") or facts.get("reason") or (facts.get("text", "") if bad else ""))


def _outcome(facts: dict[str, Any]) -> Outcome:
    if facts.get("hidden"):
        return Outcome.FAILED
    if facts["outcome"] == "failed":
        return Outcome.FAILED if facts["when"] not in ("setup", "teardown") else Outcome.ERROR
    if facts["outcome"] == "skipped":
        return Outcome.XFAILED if facts.get("xfail") else Outcome.SKIPPED
    return Outcome.XPASSED if facts.get("xfail") else Outcome.PASSED


def _finish(said: Statement, facts: dict[str, Any], tree: str) -> None:
    said.status = facts["status"]
    said.failed += facts["failed"]


def _patched(said: Statement, facts: dict[str, Any], tree: str) -> None:
    said.patched += [str(name) for name in facts["names"]]


def _apart(said: Statement, facts: dict[str, Any], tree: str) -> None:
    said.apart = True


def _unseen(said: Statement, facts: dict[str, Any], tree: str) -> None:
    said.unseen.update(str(identity) for identity in facts["ids"])


_LINES: dict[
    str, tuple[dict[str, type | tuple[type, ...]], Callable[[Statement, dict[str, Any], str], None]]
] = {
    "loaded": ({}, _loaded),
    "patched": ({"names": list}, _patched),
    "apart": ({}, _apart),
    "unseen": ({"ids": list}, _unseen),
    "start": ({"root": str, "xdist": bool}, _start),
    "items": ({"items": list}, _items),
    "collect": ({"id": str, "text": str}, _collect),
    "phase": ({"id": str, "when": str, "outcome": str, "sec": (int, float)}, _phase),
    "finish": ({"status": int, "failed": int}, _finish),
}
"""What a line of each kind must hold, and who takes it."""


@functools.lru_cache(maxsize=4096)
def _inside(path: str, tree: str) -> str:
    """The path relative to the tree, with slashes; empty for what lies elsewhere. Kept for as long as one run is read."""
    real = os.path.realpath(path) if path else ""
    return os.path.relpath(real, tree).replace(os.sep, "/") if real.startswith(tree + os.sep) else ""


def reading(said: Statement) -> Reading:
    """The testimony as a Reading for the judge."""
    cases = list(said.cases.values())
    counts = count(cases).plus(Counts(errors=len(said.collect)))
    unheard = [identity for identity in said.items if identity not in said.cases]
    finished = said.status is not None and not said.broken
    crashed = said.broken
    if finished and unheard and not (said.collect and said.status == 2):
        crashed = f"{len(unheard)} collected tests have no outcome, the first is {unheard[0]}"
    elif finished and said.status in _STATUS and not said.collect:
        crashed = _STATUS[said.status]
    return Reading(
        counts=counts,
        cases=cases[:CASE_LIMIT] if len(cases) > CASE_LIMIT * 10 else cases,
        build_errors=list(said.collect),
        started=said.started,
        finished=finished,
        claims_ok=said.status == 0 and not said.failed,
        no_tests=said.status == 5,
        crashed=crashed,
        complete=finished and not unheard and not crashed,
    )


def without(said: Statement, file: str) -> bool | None:
    """Take the control in ``file`` out of the testimony, in place. True: it failed as it must; False: it did not;
    None: it was never reached, because the run did not get to its end."""
    leaf = file.rsplit("/", 1)[-1]
    ids = [
        identity
        for identity in {**said.items, **said.cases}
        if identity.split("::")[0].rsplit("/", 1)[-1] == leaf
    ]
    cases = [said.cases.pop(identity) for identity in ids if identity in said.cases]
    for identity in ids:
        said.items.pop(identity, None)
        said.control_seen.append(file)
    if not cases:
        return None if said.status is None or said.broken else False
    if not all(case.outcome is Outcome.FAILED and case.phase == "call" for case in cases):
        return False
    said.failed -= len(cases)
    said.bad_reports -= len(cases)
    if said.status == 1 and said.failed <= 0 and not said.collect:
        said.status = 0 if said.cases else 5
    return True
