"""Read pytest's reports as JSON lines, written by our reporter plug-in.

One file may hold several sessions, one after the other or at the same time; each line carries the
process that wrote it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tdd_orchestrator.model.report import BAD, Attachment, BuildError, Case, Outcome, count
from tdd_orchestrator.testlog.reading import DETAIL_LIMIT, Reading, detail_of

_LINE_LIMIT = 1 << 20  # bytes; the plug-in cuts what it writes to less
_RANK = {
    Outcome.PASSED: 0, Outcome.XPASSED: 1, Outcome.SKIPPED: 2, Outcome.XFAILED: 2, Outcome.ERROR: 3,
    Outcome.FAILED: 4,
}  # fmt: skip
_STATUS = {2: "pytest was interrupted", 3: "pytest had an internal error", 4: "pytest was called wrongly"}


@dataclass(slots=True)
class _Session:
    """One pytest process; ``status`` is its exit status, None while it runs."""

    root: str = ""
    collected: int = 0
    status: int | None = None
    cases: dict[str, Case] = field(default_factory=dict)
    errors: list[BuildError] = field(default_factory=list)

    @property
    def ran(self) -> int:
        return sum(case.phase != "collect" for case in self.cases.values())


def is_events(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is a stream of these events."""
    return head.startswith(b'{"event": ')


def read_events(path: Path) -> Reading:
    """Return the reading of the stream. Raises OSError if unreadable, ValueError for an unknown line."""
    sessions: dict[int, _Session] = {}
    done: list[_Session] = []
    for line in _lines(path):
        facts = json.loads(line)
        if not isinstance(facts, dict):
            raise ValueError("a line is no object")
        pid = int(facts.get("pid", 0))
        if facts.get("event") == "start" and pid in sessions:
            done.append(sessions.pop(pid))
        _feed(sessions.setdefault(pid, _Session()), facts)
    return _reading([*done, *(one for one in sessions.values() if one.root)])


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while line := file.readline(_LINE_LIMIT):
            yield line


def _feed(session: _Session, facts: dict[str, Any]) -> None:
    match facts.get("event"):
        case "start":
            session.root = str(facts["root"])
        case "collected":
            session.collected = max(session.collected, int(facts["tests"]))
        case "collect_error":
            _add_collect_error(session, facts)
        case "report":
            _add_report(session, facts)
        case "finish":
            session.status = int(facts["status"])


def _add_collect_error(session: _Session, facts: dict[str, Any]) -> None:
    """Add a file that could not be loaded, once, as a build error and as a case.

    Each xdist worker reports it again.
    """
    identity = str(facts["id"])
    if identity in session.cases:
        return
    error = _build_error(session, facts)
    session.errors.append(error)
    session.cases[identity] = Case(
        identity,
        identity,
        Outcome.ERROR,
        error.file,
        error.line,
        error.message,
        error.exception,
        "collect",
        error.detail,
    )


def _build_error(session: _Session, facts: dict[str, Any]) -> BuildError:
    failure = facts.get("failure") or {}
    own = os.path.join(session.root, str(facts["id"]).split("::")[0])
    line = next((int(number) for name, number in reversed(failure.get("frames", [])) if name == own), 0)
    text = str(facts["text"])
    last = (text.strip().splitlines() or [""])[-1]
    kind = str(failure.get("type", ""))
    message = f"{kind}: {failure.get('message', '')}" if kind else last
    return BuildError(message, own, line, kind, text[-DETAIL_LIMIT:])


def _add_report(session: _Session, facts: dict[str, Any]) -> None:
    """Merge one phase of a test, or one of its subtests, into its case: the worst outcome wins."""
    if facts["outcome"] not in ("passed", "failed", "skipped"):
        return  # e.g. rerun, of a plug-in: another outcome follows
    case = _case(session, facts)
    earlier = session.cases.get(case.id)
    if earlier is None:
        if facts["when"] == "call" or case.outcome is not Outcome.PASSED:
            session.cases[case.id] = case
        return
    if facts.get("subtest") and case.outcome not in BAD:
        return
    worst = earlier if _RANK[earlier.outcome] >= _RANK[case.outcome] else case
    session.cases[case.id] = replace(worst, seconds=earlier.seconds + case.seconds)


def _case(session: _Session, facts: dict[str, Any]) -> Case:
    failure = facts.get("failure") or {}
    outcome = _outcome(facts)
    identity = str(facts["id"])
    file = os.path.join(session.root, str(facts.get("file") or identity.split("::")[0]))
    frames = tuple(f"{name}:{line}" for name, line in failure.get("frames", []))
    line = int(facts.get("line", 0))
    for name, number in failure.get("frames", []):
        line = int(number) if name == file else line
    text = str(facts.get("text", ""))
    return Case(
        id=identity,
        name=identity,
        outcome=outcome,
        file=file,
        line=line,
        message=_message(facts, failure, text) if outcome is not Outcome.PASSED else "",
        exception=str(failure.get("type", "")),
        phase=str(facts["when"]),
        detail=_detail(text, failure),
        stdout=str(facts.get("output", ""))[-DETAIL_LIMIT:],
        seconds=float(facts.get("seconds") or 0.0),
        attachments=tuple(
            Attachment("other", v) for k, v in facts.get("properties", []) if k == "attachment"
        ),
        frames=frames if outcome in BAD else (),
    )


def _detail(text: str, failure: dict[str, Any]) -> str:
    """Return the report's text, plus the frames' places where the traceback style omits them."""
    places = [f"{name}:{line}" for name, line in failure.get("frames", [])[-8:]]
    return "\n".join([detail_of(text, DETAIL_LIMIT * 2), *places]) if places else text


def _message(facts: dict[str, Any], failure: dict[str, Any], text: str) -> str:
    if failure.get("type") == "FixtureLookupError":  # its own text is a tuple
        named = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
        return named[0] if named else str(failure["message"])
    return str(failure.get("message") or facts.get("reason") or text)


def _outcome(facts: dict[str, Any]) -> Outcome:
    if facts["outcome"] == "failed":
        return Outcome.ERROR if facts["when"] in ("setup", "teardown") else Outcome.FAILED
    if facts["outcome"] == "skipped":
        return Outcome.XFAILED if facts.get("xfail") else Outcome.SKIPPED
    return Outcome.XPASSED if facts.get("xfail") else Outcome.PASSED


def _reading(sessions: list[_Session]) -> Reading:
    """Merge all sessions into one reading; equal names in two sessions are two tests."""
    cases = [case for session in sessions for case in session.cases.values()]
    errors = [error for session in sessions for error in session.errors]
    statuses = [session.status for session in sessions]
    missing = sum(max(0, session.collected - session.ran) for session in sessions)
    crashed = (
        next((_STATUS[s] for s in statuses if s in _STATUS and not errors), "")
        if None not in statuses
        else ""
    )
    if missing and statuses and not any(statuses) and None not in statuses:
        crashed = f"{missing} collected tests have no outcome"
    return Reading(
        counts=count(cases),
        cases=cases,
        build_errors=errors,
        started=bool(sessions),
        finished=bool(sessions) and None not in statuses,
        claims_ok=all(status in (0, 5) for status in statuses) if sessions else None,
        no_tests=bool(sessions) and all(status == 5 for status in statuses),
        crashed=crashed,
        complete=bool(sessions) and None not in statuses and not missing and not crashed,
    )
