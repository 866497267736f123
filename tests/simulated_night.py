"""The records of many cycles, as a long night of work leaves them: landed, retried, aborted, fixed, flaky; seeded."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tdd_orchestrator.model.parts import (
    AgentInfo,
    CountsInfo,
    ErrorDetails,
    FilesChanged,
    MoveInfo,
    TestEvidence,
)
from tdd_orchestrator.model.records import (
    CycleEnded,
    CycleStarted,
    ErrorReportRecord,
    Handoff,
    Intent,
    Landing,
    Record,
    ReportAction,
    Trouble,
)
from tdd_orchestrator.notes.codec import digest, encode
from tdd_orchestrator.notes.message import compose

AGENTS = (("claude", "sonnet"), ("claude", "opus"), ("codex", "gpt"))
MODULES = ("billing", "cart", "users", "search", "mail")
ERRORS = (
    ("test", "AssertionError: expected 3, got 4", "still_failing"),
    ("type", "TypeError: unsupported operand type(s)", "breaks_existing"),
    ("syntax", "SyntaxError: invalid syntax", "build_error"),
    ("dependency", "ModuleNotFoundError: No module named 'redis'", "still_failing"),
    ("timeout", "the run took longer than 600 s", "timed_out"),
)
Row = tuple[str, dict[str, Any], str]
"""(annotated commit, record, subject)."""


@dataclass
class Night:
    """Yields rows in the order of the audit log; ``start`` is the time of the first."""

    seed: int = 1
    start: datetime = datetime(2026, 5, 1, tzinfo=UTC)
    minutes: float = 9.0
    chance: random.Random = field(init=False)
    number: int = field(default=0, init=False)
    written: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.now = self.start

    def rows(self, cycles: int) -> Iterator[Row]:
        for number in range(1, cycles + 1):
            yield from self._cycle(number)

    def _row(self, record: Record, subject: str, seconds: float = 20.0) -> Row:
        self.now += timedelta(seconds=seconds * self.chance.uniform(0.5, 1.5))
        self.written += 1
        data = record.model_dump(mode="json")
        data["at"] = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        data["id"] = f"{self.written:026}"
        return f"{self.written:040x}", data, subject

    def _cycle(self, number: int) -> Iterator[Row]:
        module = self.chance.choices(MODULES, weights=(5, 3, 3, 2, 2))[0]
        name, model = self.chance.choice(AGENTS)
        place: dict[str, Any] = {
            "cycle_id": f"c-{number:014}", "cycle_number": number, "item_id": f"i{number}",
            "item": f"{module} does the right thing, case {number}", "branch": "main", "base": f"{number:040x}",
        }  # fmt: skip
        self.now += timedelta(minutes=self.minutes * self.chance.random())
        yield self._row(CycleStarted(**place, phase="PLAN", next_phase="RED"), f"cycle {number}")
        for phase, following in (("RED", "GREEN"), ("GREEN", "REFACTOR"), ("REFACTOR", "COMPLETE")):
            agent = AgentInfo(
                name=name, role=phase.lower(), model=model, seconds=round(self.chance.uniform(20, 200), 1),
                tokens=self.chance.randrange(2_000, 40_000), cost=round(self.chance.uniform(0.01, 0.4), 4),
            )  # fmt: skip
            stuck = self.chance.random() < 0.02
            bad = 1.0 if stuck else 0.35 if module == "billing" else 0.12
            tries = 0
            while self.chance.random() < bad and phase != "REFACTOR" and tries < 4:
                tries += 1
                yield from self._rejected(place, phase, tries, module, agent)
            if tries == 4:
                yield from self._aborted(place, phase, module)
                return
            yield from self._accepted(place, phase, following, tries, module, agent)
        yield self._row(Landing(**place, phase="COMPLETE", next_phase="COMPLETE"), "landing", 1)
        ended = CycleEnded(
            **place, phase="COMPLETE", next_phase="COMPLETE", outcome="landed", known_good=True
        )
        yield self._row(ended, f"landed {number}", 1)

    def _accepted(
        self, place: dict[str, Any], phase: str, following: str, tries: int, module: str, agent: AgentInfo
    ) -> Iterator[Row]:
        flaky = [f"tests/test_{module}.py::test_sometimes"] if self.chance.random() < 0.05 else []
        tests = TestEvidence(
            framework="pytest", exit_code=int(phase == "RED"), counts=CountsInfo(passed=self.written // 9, failed=int(phase == "RED")),
            target_tests=[f"tests/test_{module}.py::test_case_{place['cycle_number']}"], flaky_tests=flaky,
            seconds=round(self.chance.uniform(2, 9), 2),
        )  # fmt: skip
        files = FilesChanged(modified=[f"tests/test_{module}.py" if phase == "RED" else f"src/{module}.py"])
        where = {**place, "phase": phase, "attempt": tries + 1, "retry_count": tries}
        yield self._row(Intent(**where, next_phase=phase, role=agent.role, agent=agent), f"{phase} begun", 2)
        done = Handoff(
            **where, next_phase=following, agent=agent, tests=tests, files_changed=files,
            wall=agent.seconds + tests.seconds, summary="Done as asked. " * 8,
        )  # fmt: skip
        yield self._row(done, f"{phase} accepted", agent.seconds)

    def _rejected(
        self, place: dict[str, Any], phase: str, attempt: int, module: str, agent: AgentInfo
    ) -> Iterator[Row]:
        kind, message, verdict = self.chance.choice(ERRORS)
        where = {**place, "phase": phase, "next_phase": phase, "attempt": attempt, "retry_count": attempt - 1}
        yield self._row(Intent(**where, role=agent.role, agent=agent), f"{phase} begun", 2)
        trouble = Trouble(
            **where, error=f"{phase} was refused", error_details=ErrorDetails(type=kind, message=message),
            verdict=verdict, reasons=[message], agent=agent, fingerprint=f"fp-{kind}", move=MoveInfo(kind="retry"),
            files_changed=FilesChanged(modified=[f"src/{module}.py"]), diagnosis={"error_type": kind}, wall=agent.seconds,
            diff=f"--- a/src/{module}.py\n+++ b/src/{module}.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
        )  # fmt: skip
        yield self._row(trouble, f"{phase} refused", agent.seconds)

    def _aborted(self, place: dict[str, Any], phase: str, module: str) -> Iterator[Row]:
        kind, message, _ = ERRORS[0]
        error_id = f"err_{self.now:%Y%m%d_%H%M%S}_{place['cycle_number']}"
        report = {
            "error_id": error_id, "workflow_id": place["cycle_id"], "failed_phase": phase, "error_type": kind,
            "error_message": message, "summary": f"{phase}: {message}", "item_id": place["item_id"],
            "item": place["item"], "fingerprint": f"fp-{kind}", "estimated_fix_hours": 1.5, "retry_count": 3,
            "affected_files": [f"src/{module}.py:3"], "fix_strategy": "targeted_fix", "root_cause": message,
        }  # fmt: skip
        same = {"error_id": error_id, "error_type": kind, "summary": report["summary"]}
        where = {**place, "phase": phase, "next_phase": "ABORTED", "retry_count": 3}
        yield self._row(ErrorReportRecord(**where, **same, report=report), "error report", 1)
        yield self._row(CycleEnded(**where, **same, outcome="aborted", reasons=[message]), "aborted", 1)
        begun = ReportAction(
            error_id=error_id, step="fix", status="begun", details={"item": f"fix{place['item_id']}"}
        )
        yield self._row(begun, "fix begun", 60)
        if self.chance.random() < 0.7:
            closed = ErrorReportRecord(
                status="closed", error_id=error_id, reason=f"fixed by fix{place['item_id']}"
            )
            yield self._row(closed, "closed", 4000)


def import_rows(where: Path, rows: Iterator[Row], ref: str = "refs/notes/tdd") -> int:
    """Write the rows as notes commits of ours, through one fast-import; the notes' trees stay empty."""
    child = subprocess.Popen(["git", "-C", str(where), "fast-import", "--quiet"], stdin=subprocess.PIPE)
    out, hash_before, count = child.stdin, "", 0
    assert out is not None
    for commit, record, subject in rows:
        record["prev"] = hash_before
        line = encode(record)
        hash_before = digest(line)
        text = compose(subject, line, commit, record["id"], []).encode()
        seconds = int(datetime.fromisoformat(record["at"]).timestamp())
        out.write(
            b"commit %s\ncommitter tdd <tdd@localhost> %d +0000\ndata %d\n%s\n"
            % (ref.encode(), seconds, len(text), text)
        )
        count += 1
    out.close()
    assert child.wait() == 0
    return count
