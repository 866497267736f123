"""One cycle as people look at it: its attempts with tests, answers, cost and change, and what happened
between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tdd_orchestrator.cycle.evidence import decode
from tdd_orchestrator.history.index import Index
from tdd_orchestrator.model.errors import TddError
from tdd_orchestrator.model.report import Case, Report
from tdd_orchestrator.notes import message
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.notes.message import Entry
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.text import middle_cut, plain

_OID = re.compile(r"[0-9a-f]{40}")
_DIFF = 200_000  # characters of one change
_OUTPUT = 6_000  # characters of failing output
_EVIDENCE = 32 << 20  # bytes of a blob that is read for a page
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt that ended, or (``open``) one that was begun. ``answers``: what was asked of the tests, and
    answered."""

    phase: str
    number: int
    at: str
    open: bool = False
    accepted: bool = False
    verdict: str = ""
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""
    agent: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    test_seconds: float = 0.0
    answers: tuple[tuple[str, str], ...] = ()
    commit: str = ""
    rejected_change: str = ""
    summary: str = ""
    evidence: str = ""
    move: str = ""

    @property
    def id(self) -> str:
        return f"{self.phase.lower()}-{self.number}"


@dataclass(frozen=True, slots=True)
class Step:
    """What happened between attempts, in a sentence; ``kind`` is the record's."""

    at: str
    kind: str
    text: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cycle:
    """``row`` is the cycle's row in the index; ``timeline`` holds attempts and steps, oldest first."""

    row: Mapping[str, Any]
    timeline: tuple[Attempt | Step, ...]
    records: tuple[Record, ...]

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        return tuple(one for one in self.timeline if isinstance(one, Attempt))

    def accepted(self, phase: str) -> Attempt | None:
        """The newest accepted attempt of a phase."""
        found = [one for one in self.attempts if one.accepted and one.phase == phase]
        return found[-1] if found else None


class Reader:
    """Reads cycles from the index, and from git what the index does not hold."""

    def __init__(self, index: Index, history: History, git: Git, objects: Objects) -> None:
        self._index, self._history, self._git, self._objects = index, history, git, objects

    def cycle(self, word: str) -> Cycle | None:
        """The cycle with this id or number; None where there is none."""
        number = int(word) if word.isdecimal() and len(word) < 10 else -1
        where = (
            "SELECT * FROM cycles WHERE cycle_id = :word OR number = :number ORDER BY cycle_id = :word "
            "DESC, started DESC"
        )
        row = self._index.one(where, {"word": word, "number": number})
        if not row:
            return None
        records = self.records("cycle_id = :cycle", {"cycle": row["cycle_id"]})
        return Cycle(row, tuple(timeline(records)), tuple(records))

    def records(self, where: str, values: Mapping[str, Any], limit: int = 1000) -> list[Record]:
        """Whole records of the rows that a condition of ours selects, in the order of the trail."""
        return [entry.record for entry in self.entries(where, values, limit)]

    def entries(
        self, where: str, values: Mapping[str, Any] | None = None, limit: int = 100_000
    ) -> list[Entry]:
        """As :meth:`records`, each with the commit that it is on."""
        sql = f"SELECT id, on_commit, notes_commit FROM records WHERE {where} ORDER BY seq LIMIT {limit:d}"
        found = ((row["on_commit"], self._record(**row)) for row in self._index.select(sql, values))
        return [Entry(record, commit, "") for commit, record in found if record is not None]

    def _record(self, id: str, on_commit: str, notes_commit: str) -> dict[str, Any] | None:
        entry = None
        if _OID.fullmatch(notes_commit):
            entry = message.parse(self._objects.read_commit(notes_commit).message, notes_commit)
        if entry is not None and entry.record["id"] == id:
            return entry.record
        return next((one for one in self._history.of(on_commit).records if one["id"] == id), None)

    def change(self, attempt: Attempt) -> str:
        """What the attempt changed, as a unified diff; of a rejected one at least the record's own, bounded
        text."""
        if not _OID.fullmatch(attempt.commit):
            return attempt.rejected_change
        words = (
            "diff-tree",
            "--root",
            "-p",
            "-M",
            "--no-commit-id",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
        )
        done = self._git.finished(*words, "--end-of-options", attempt.commit)
        text = done.stdout[: 4 * _DIFF].decode("utf-8", "replace") if done.exit_code == 0 else ""
        return middle_cut(text, _DIFF) or attempt.rejected_change

    def run(self, attempt: Attempt) -> Report | None:
        """Every case of the attempt's test run; None where it was not kept."""
        if not _OID.fullmatch(attempt.evidence):
            return None
        try:
            data = self._objects.read_kind(attempt.evidence, "blob")
            return decode(data) if len(data) <= _EVIDENCE else None
        except TddError:
            return None

    def failing_output(self, attempt: Attempt) -> str:
        """What the failing tests said, targets first, bounded."""
        report = self.run(attempt)
        return output_of(report, attempt.targets) if report else ""


def output_of(report: Report, targets: Iterable[str]) -> str:
    wanted = set(targets)
    cases = sorted(report.failing, key=lambda case: case.id not in wanted)
    parts = [f"{error.file}:{error.line}: {error.message}\n{error.detail}" for error in report.build_errors]
    parts += [f"{case.id}\n{_said(case)}" for case in cases]
    return plain(middle_cut("\n\n".join(part.strip() for part in parts), _OUTPUT))


def _said(case: Case) -> str:
    return case.detail if case.message in case.detail else f"{case.detail}\n{case.message}"


def timeline(records: Iterable[Record]) -> list[Attempt | Step]:
    """Attempts and steps from a cycle's records, oldest first. An attempt that was begun shows until it ends,
    or as interrupted where another one or the cycle's end came first."""
    found: list[Attempt | Step] = []
    begun: Attempt | None = None
    for record in records:
        kind = record["kind"]
        if begun is not None and kind in ("intent", "handoff", "error", "cycle_ended"):
            place = found.index(begun)
            ended = kind in ("handoff", "error")
            text = f"{begun.phase} attempt {begun.number} was interrupted"
            found[place : place + 1] = [] if ended else [Step(begun.at, "interrupted", text)]
            begun = None
        if kind in ("intent", "handoff", "error"):
            attempt = _attempt(record)
            begun = attempt if attempt.open else None
            found.append(attempt)
        elif step := _step(record):
            found.append(step)
    return found


def _attempt(record: Record) -> Attempt:
    kind = record["kind"]
    tests = record.get("tests") or {}
    details = record.get("error_details") or {}
    counts = {
        name: value for name, value in (tests.get("counts") or {}).items() if isinstance(value, int) and value
    }
    return Attempt(
        phase=str(record.get("phase", "")),
        number=int(record.get("attempt") or 0),
        at=record["at"],
        open=kind == "intent",
        accepted=kind == "handoff",
        verdict=str(record.get("verdict", "")),
        reasons=_texts(record.get("reasons")),
        warnings=_texts(record.get("warnings")),
        error=str(details.get("message") or record.get("error") or "") if kind == "error" else "",
        agent=record.get("agent") or {},
        counts=counts,
        targets=_texts(tests.get("target_tests")),
        flaky=_texts(tests.get("flaky_tests")),
        test_seconds=_real(tests.get("seconds")),
        answers=_answers(record),
        commit=str(record.get("candidate") or ""),
        rejected_change=str(record.get("diff") or ""),
        summary=str(record.get("summary") or ""),
        evidence=str(tests.get("evidence") or ""),
        move=str((record.get("move") or {}).get("why") or ""),
    )


def _answers(record: Record) -> tuple[tuple[str, str], ...]:
    """The counterfactual questions of the record with their answers, whatever it holds of them."""
    asked = record.get("questions") or (record.get("tests") or {}).get("questions") or {}
    if isinstance(asked, dict):
        return tuple((str(name), _answer(value)) for name, value in asked.items())
    if isinstance(asked, list):
        rows = [one for one in asked if isinstance(one, dict)]
        return tuple(
            (str(one.get("question") or one.get("name") or ""), _answer(one.get("answer"))) for one in rows
        )
    return ()


def _answer(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {one}" for key, one in value.items() if one not in ("", None, [], {}))
    return "not answered" if value is None else str(value)


def _step(record: Record) -> Step | None:
    write = _STEPS.get(record["kind"])
    text = write(record) if write else ""
    if not text:
        return None
    return Step(record["at"], record["kind"], text, _texts(record.get("reasons") or record.get("hint")))


_STEPS: dict[str, Callable[[Record], str]] = {
    "cycle_started": lambda record: f"Cycle begun on {record.get('branch') or 'a branch'}",
    "landing": lambda record: (
        f"Landing on {record.get('branch') or 'the branch'}: {str(record.get('new'))[:12]}"
    ),
    "cycle_ended": lambda record: f"Cycle ended: {str(record.get('outcome')).replace('_', ' ')}",
    "resumed": lambda record: "Resumed by a person",
    "rebased": lambda record: "The branch had moved; the cycle was rebased and is proven again",
    "rollback": lambda record: f"Rolled back to {str(record.get('new'))[:12]}",
    "approval": lambda record: (
        f"Approval {record.get('decision')}: {str(record.get('gate')).replace('_', ' ')}"
    ),
    "incident": lambda record: f"Incident: {record.get('error')}",
    "error_report": lambda record: f"Error report {record.get('error_id')}: {record.get('status')}",
}


def _texts(values: Any) -> tuple[str, ...]:
    if isinstance(values, str):
        return (values,) if values else ()
    return tuple(str(one) for one in values) if isinstance(values, list) else ()


def _real(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
