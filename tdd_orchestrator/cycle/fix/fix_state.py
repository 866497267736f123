"""What ``tdd fix`` did so far: for each failing test, for each specialist's attempt, and for the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.agents.last_words import LENGTH, LastWords, MessageKind, answer_to
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.usage_text import of_record
from tdd_orchestrator.model.parts import AgentInfo, FixResult
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.policy import Spent
from tdd_orchestrator.model.records import Approval, Fix, Incident, Landing, Record
from tdd_orchestrator.prompting.brief import Try
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:  # it needs the tables of diagnosis, which a cycle without a failure does not load
    from tdd_orchestrator.cycle.failures import Failure


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of one specialist.

    ``commit`` is empty where it changed nothing, ``after`` None where nothing was run.
    """

    by: str  # role (agent)
    judged: Judgement
    commit: str = ""
    diff: str = ""
    after: Proof | None = None
    worked: AgentInfo = field(default_factory=AgentInfo)
    words: LastWords = field(default_factory=LastWords)  # recognized, where it left no work

    @property
    def accepted(self) -> bool:
        return self.judged.verdict is Verdict.PROVEN

    @property
    def crashed(self) -> bool:
        """The agent failed and left nothing that could be run."""
        return self.judged.verdict is Verdict.AGENT_FAILED and self.after is None

    @property
    def reason(self) -> str:
        return self.judged.reasons[0] if self.judged.reasons else str(self.judged.verdict)


@dataclass(slots=True)
class FixState:
    """One test on its way to be fixed: ``agents`` that tried, in order; ``errors`` of its runs."""

    failure: Failure
    status: str = "FAILED"
    retry_count: int = 0
    agents: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    tries: list[Try] = field(default_factory=list)
    worked: AgentInfo = field(default_factory=AgentInfo)  # the newest attempt's
    said: list[MessageKind] = field(
        default_factory=list
    )  # the last words of each attempt that brought nothing
    answer: str = ""  # to the last words of the newest attempt
    reused: bool = False
    cured_by: str = (
        ""  # whose work was accepted; empty where there was none, or where it passed without one in the end
    )

    def take(self, done: Attempt) -> None:
        """Count one more attempt, and keep its error for the next one."""
        self.agents.append(done.by)
        self.retry_count = number = len(self.agents)
        if done.accepted:
            self.status, self.cured_by = "PASSED", done.by
            return
        self.worked = done.worked
        self.said.append(done.words.said)
        self.answer, words = answer_to(done.words, "GREEN"), done.worked.last_words
        said = f"; {done.by} said: {one_line(words, LENGTH)}" if words else ""
        self.errors.append(f"{one_line(done.reason, 300)}{said}")
        self.tries.append(Try(number, done.judged.verdict, done.judged.reasons, done.diff, words))

    def ends_with(self, words: LastWords) -> str:
        """Return what the last words of the newest attempt mean where a person must act, not another agent: they
        have no answer, or were answered before. ``""`` where another agent is asked."""
        row, again = words.row, self.said.count(words.said) > 1
        if row is None or (row.answer and not again):
            return ""
        return f"the agent {'again ' if again else ''}{row.means}"

    def settle_as(self, record: Fix) -> None:
        """Settle a test as its record says, without a fix."""
        result = record.results[0]
        self.status, self.retry_count, self.errors = result.status, result.retry_count, list(result.errors)

    def result(self) -> FixResult:
        seen = self.failure.diagnosis
        return FixResult(
            test=self.failure.id,
            status=self.status,
            retry_count=self.retry_count,
            agents=self.agents,
            errors=self.errors,
            error_type=str(seen.error_type or ""),
            routing_type=str(seen.routing_type),
            message=one_line(seen.message, 500),
            file=seen.file,
            line=seen.line,
            fingerprint=seen.fingerprint,
            reused=self.reused,
        )


@dataclass(slots=True)
class FixSession:
    """One ``tdd fix`` under way: ``head`` is where the branch stands, or is to stand, with the run of its
    suite."""

    branch: str
    progress: FixProgress
    head: str
    proof: Proof

    def place(self) -> dict[str, Any]:
        """Return the fields that every record of the fix begins with."""
        return {
            "fix_id": self.progress.fix_id,
            "branch": self.branch,
            "base": self.progress.base,
            "tip": self.head,
        }


@dataclass(frozen=True, slots=True)
class FixOutcome:
    """``why`` there was nothing to fix, where there was not."""

    results: tuple[FixResult, ...]
    head: str
    why: str = ""
    worked: Mapping[str, AgentInfo] = field(default_factory=dict)  # by test: its newest attempt

    @property
    def whole(self) -> bool:
        return all(result.status == "PASSED" for result in self.results)


_ATTEMPTS = frozenset({"accepted", "rejected"})


@dataclass(frozen=True, slots=True)
class Taken:
    """The work done on one failing test.

    ``transient`` counts the waits of its next attempt for a provider.
    """

    attempts: tuple[Fix, ...] = ()
    settled: Fix | None = None
    transient: int = 0


@dataclass(frozen=True, slots=True)
class FixProgress:
    """``started`` and the ``records`` after it, oldest first; ``spent`` is their sum."""

    started: Fix
    records: tuple[Fix, ...] = ()
    spent: Spent = Spent()

    @property
    def fix_id(self) -> str:
        return self.started.fix_id

    @property
    def base(self) -> str:
        return self.started.base

    def stands_at(self, branch: str, head: str) -> bool:
        """Whether it can go on here: the branch is where it left it, or where its newest fix is to land."""
        tips = [self.base, *(one.tip for one in self.records if one.status == "accepted")]
        return self.started.branch == branch and head in tips[-2:]

    def of(self, test: str, fingerprint: str) -> Taken:
        """Another error of the same test is counted anew."""
        mine = [one for one in self.records if _about(one) == (test, fingerprint)]
        return Taken(
            tuple(one for one in mine if one.status in _ATTEMPTS),
            next((one for one in mine if one.status == "settled"), None),
            mine[-1].transient if mine and mine[-1].status == "away" else 0,
        )


def broken_off(newest_first: Iterable[Record]) -> Iterable[FixProgress]:
    """Every ``tdd fix`` that has not ended, the newest first. After a sync the records of several may be
    mixed."""
    later: list[Record] = []
    ended: set[str] = set()
    for record in newest_first:
        if record.cycle_id or not isinstance(record, Fix | Landing | Incident | Approval):
            continue
        if (isinstance(record, Approval) and record.decision == "rejected") or (
            isinstance(record, Fix) and record.status == "ended"
        ):
            ended.add(record.fix_id)
        elif isinstance(record, Fix) and record.status == "started" and record.fix_id not in {"", *ended}:
            yield _course(record, later)
        later.append(record)


def _course(started: Fix, later: list[Record]) -> FixProgress:
    mine = [one for one in reversed(later) if not isinstance(one, Fix) or one.fix_id == started.fix_id]
    spent = Spent(minutes=sum(one.wall for one in (started, *mine)) / 60)
    for one in mine:
        spent += of_record(one)
    return FixProgress(started, tuple(one for one in mine if isinstance(one, Fix)), spent)


def _about(record: Fix) -> tuple[str, str]:
    return record.results[0].test if record.results else "", record.fingerprint
