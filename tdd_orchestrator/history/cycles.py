"""One cycle as people look at it: its attempts with tests, answers, cost and change, and what happened
between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tdd_orchestrator.cycle.evidence import decode
from tdd_orchestrator.history.index import Index
from tdd_orchestrator.model.errors import TddError
from tdd_orchestrator.model.parts import AgentInfo, QuestionInfo, QuestionsInfo
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.model.records import (
    Approval,
    CycleEnded,
    CycleStarted,
    ErrorReportRecord,
    Handoff,
    Incident,
    Intent,
    Landing,
    Rebased,
    Record,
    Resumed,
    Rollback,
    Trouble,
)
from tdd_orchestrator.model.report import Case, Report
from tdd_orchestrator.notes import message
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.notes.message import Entry
from tdd_orchestrator.prompting.logs import cut_log
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.text import middle_cut, one_line

_OID = re.compile(r"[0-9a-f]{40}")
_DIFF = 200_000  # characters of one change
_OUTPUT = 6_000  # characters of failing output
_EVIDENCE = 32 << 20  # bytes of a blob that is read for a page


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
    agent: AgentInfo = AgentInfo()
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

    @property
    def said(self) -> str:
        """The agent's last words, "" where a reason quotes them."""
        words = one_line(self.agent.last_words, 500)
        return (
            "" if any(words[:60] in one_line(text, 1000) for text in (*self.reasons, self.error)) else words
        )

    @property
    def worker(self) -> str:
        """The agent with its model, and with its role where that is not the phase's own: "claude (opus) as build-doctor"."""
        agent = self.agent
        model = f" ({one_line(agent.model, 60)})" if agent.model else ""
        role = f" as {one_line(agent.role, 60)}" if agent.role not in ("", self.phase.lower()) else ""
        return one_line(agent.name, 60) + model + role if agent.name else ""

    @property
    def folder(self) -> str:
        """The name of the folder that holds what its agent was told and printed."""
        return f"{self.id}-{self.agent.role}" if self.agent.role else self.id


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
    records: tuple[Mapping[str, Any], ...]

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
        return Cycle(row, tuple(timeline(read_all(records))), tuple(records))

    def records(self, where: str, values: Mapping[str, Any], limit: int = 1000) -> list[Mapping[str, Any]]:
        """Whole records of the rows that a condition of ours selects, in the order of the audit log."""
        return [entry.record for entry in self.entries(where, values, limit)]

    def entries(
        self, where: str, values: Mapping[str, Any] | None = None, limit: int = 100_000
    ) -> list[Entry]:
        """As :meth:`records`, each with the commit that it is on."""
        sql = f"SELECT id, on_commit, notes_commit FROM records WHERE {where} ORDER BY seq LIMIT {limit:d}"
        found = ((row["on_commit"], self._record(**row)) for row in self._index.select(sql, values))
        return [Entry(record, commit, "") for commit, record in found if record is not None]

    def _record(self, id: str, on_commit: str, notes_commit: str) -> dict[str, Any] | None:
        announced: Iterable[dict[str, Any]] = ()
        if _OID.fullmatch(notes_commit):
            text = self._objects.read_commit(notes_commit).message
            announced = (entry.record for entry in message.entries(text, notes_commit))
        found = next((one for one in announced if one["id"] == id), None)
        return found or next((one for one in self._history.of(on_commit).records if one["id"] == id), None)

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
    """What failed, each text once, without places in installed code; bounded. (A file that cannot be imported is a
    build error and a failing case.)"""
    wanted = set(targets)
    cases = sorted(report.failing, key=lambda case: case.id not in wanted)
    found = [(f"{one.file}:{one.line}: {one.message}", one.detail.strip()) for one in report.build_errors]
    found += [(case.id, _failure_text(case).strip()) for case in cases]
    texts: dict[str, str] = {}
    for head, text in found:
        texts.setdefault(text or head, head)
    parts = (head if text == head else f"{head}\n{text}" for text, head in texts.items())
    return cut_log("\n\n".join(parts), _OUTPUT)


def _failure_text(case: Case) -> str:
    return case.detail if case.message in case.detail else f"{case.detail}\n{case.message}"


def timeline(trail: Iterable[Record]) -> list[Attempt | Step]:
    """Attempts and steps from a cycle's records, oldest first. An attempt that was begun shows until it ends,
    or as interrupted where another one or the cycle's end came first."""
    found: list[Attempt | Step] = []
    running: Attempt | None = None
    for record in trail:
        if running is not None and isinstance(record, Intent | Handoff | Trouble | CycleEnded):
            place = found.index(running)
            ended = isinstance(record, Handoff | Trouble)
            text = f"{running.phase} attempt {running.number} was interrupted"
            found[place : place + 1] = [] if ended else [Step(running.at, "interrupted", text)]
            running = None
        if isinstance(record, Intent):
            running = Attempt(record.phase, record.attempt, record.at, open=True, agent=record.agent)
            found.append(running)
        elif isinstance(record, Handoff | Trouble):
            found.append(_attempt(record))
        elif step := _step(record):
            found.append(step)
    return found


def _attempt(record: Handoff | Trouble) -> Attempt:
    tests = record.tests
    counts = tests.counts.model_dump(exclude_defaults=True) if tests.counts else {}
    attempt = Attempt(
        phase=record.phase,
        number=record.attempt,
        at=record.at,
        verdict=record.verdict,
        reasons=tuple(record.reasons),
        agent=record.agent,
        counts=counts,
        targets=tuple(tests.target_tests),
        flaky=tuple(tests.flaky_tests),
        test_seconds=tests.seconds,
        commit=record.candidate,
        summary=record.summary,
        evidence=tests.evidence,
    )
    if isinstance(record, Handoff):
        answers = _answers(record.questions)
        return replace(attempt, accepted=True, warnings=tuple(record.warnings), answers=answers)
    error = record.error_details.message or record.error
    return replace(attempt, error=error, rejected_change=record.diff, move=record.move.why)


def _answers(questions: QuestionsInfo | None) -> tuple[tuple[str, str], ...]:
    """Each counterfactual question that was asked, with its answer in words."""
    if questions is None:
        return ()
    rows = (("poison", questions.poison), ("shift", questions.shift), ("stub", questions.stub))
    return tuple((name, _answer(row)) for name, row in rows if row is not None)


def _answer(row: QuestionInfo) -> str:
    silent = f"no claim about {len(row.not_asked)}" if row.not_asked else ""
    asked = f"{row.failed} of {row.asked} target tests fail, as they must" if row.asked else ""
    return "; ".join(filter(None, (asked, silent)))


def _step(record: Record) -> Step | None:
    text = _sentence(record)
    if not text:
        return None
    details = [record.hint] if isinstance(record, Resumed) and record.hint else []
    if isinstance(record, CycleEnded | Rollback):
        details = record.reasons
    return Step(record.at, record.kind, text, tuple(details))


def _sentence(record: Record) -> str:
    """What happened, in one sentence; "" for a record that is not shown."""
    match record:
        case CycleStarted():
            return f"Cycle begun on {record.branch or 'a branch'}"
        case Landing():
            return f"Landing on {record.branch or 'the branch'}: {record.new[:12]}"
        case CycleEnded():
            return f"Cycle ended: {record.outcome.replace('_', ' ')}"
        case Resumed():
            return "Resumed by a person"
        case Rebased():
            return "The branch had moved; the cycle was rebased and is proven again"
        case Rollback():
            return f"Rolled back to {record.new[:12]}"
        case Approval():
            return f"Approval {record.decision}: {record.gate.replace('_', ' ')}"
        case Incident():
            return f"Incident: {record.error}"
        case ErrorReportRecord():
            return f"Error report {record.error_id}: {record.status}"
        case _:
            return ""
