"""What follows a refused attempt (R1-R5): one pure decision over verdict, diagnosis, history and policy.

The first rule that fits decides, in the order of ``decide``: answer the agent's last words; back to RED; retries
used up; no progress; ask a person; nothing an agent is permitted to do; follow the investigation; the agent's
time limit; a specialist on top of the candidate; a service that stays away; else the same role again, told what went wrong. Faults of
providers are decided before, in ``agents.transport``.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tdd_orchestrator.agents.last_words import LastWords, answer_to, for_a_person
from tdd_orchestrator.cycle.routes import not_permitted, on_the_machine, specialists_for, waits_for_a_person
from tdd_orchestrator.cycle.state import Attempt
from tdd_orchestrator.model.diagnosis import Action, Category, Diagnosis, Severity
from tdd_orchestrator.model.parts import MoveInfo
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.policy import BreakerPolicy, RetryPolicy, Run


class Kind(StrEnum):
    RETRY = "retry"  # the same role, told what went wrong, from the phase's start
    AFRESH = "roll_back"  # the same in a new session, because what was good broke; the stored name is older
    LONGER = "longer_timeout"
    WAIT = "wait"  # a provider's fault: uncounted
    PAUSE = "pause"  # exit 4, resumable
    SPECIALIST = "specialist"
    OTHER_AGENT = "other_agent"
    MORE_CONTEXT = "more_context"  # the same role, shown more of the code around the failure
    REPLAN = "replan"
    BACK_TO_RED = "back_to_red"  # GREEN cannot fix it: RED writes its test anew, once a cycle
    ASK = "ask"  # approval gate: a person decides
    ESCALATE = "escalate"
    GIVE_UP = "give_up"  # REFACTOR only: the cycle lands without a refactoring


@dataclass(frozen=True, slots=True)
class Situation:
    """One refused attempt, with the earlier ones of the same phase (oldest first, this one not among
    them)."""

    phase: Phase
    verdict: Verdict
    retry: int  # retries used up so far in this phase
    diagnosis: Diagnosis = field(default_factory=Diagnosis)
    role: str = ""
    agent: str = ""
    diff: str = ""
    candidate: bool = False  # there is a candidate commit to go on from
    history: tuple[Attempt, ...] = ()
    fallback: str = ""  # another agent that could be asked
    specialists: frozenset[str] = frozenset()  # roles that can be called
    action: Action | None = None  # what a believed investigation recommends
    advice: str = ""
    timed_out: bool = False
    network: bool = False  # the agent ended by a network time-out or a lost connection, as it said itself
    for_red: str = ""  # what no implementation can fix, in GREEN
    sent_back: bool = False  # this cycle went back to RED already
    person: bool = False  # the agent is a person: what they wrote stays, and no retry is used up
    words: LastWords = LastWords()  # recognized where the attempt brought no work
    note: str = ""  # for the next prompt, after a fault of its own
    language: str = ""
    after_failures: int = 0  # approval gate: consecutive failures after which a person is asked


PHASE_ROLE = {Phase.RED: "red", Phase.GREEN: "green", Phase.REFACTOR: "refactor"}

ROLLS_BACK = frozenset(
    {Verdict.BREAKS_EXISTING, Verdict.TEST_VANISHED, Verdict.TAMPERED, Verdict.FORBIDDEN_CHANGE}
)
"""What such an attempt left is not built upon: the next one starts from the phase's own beginning, by
name."""

FIXABLE = frozenset({Verdict.BUILD_ERROR, Verdict.STILL_FAILING, Verdict.PARTLY_FAILING, Verdict.CRASHED})
"""Where a specialist can go on from the candidate."""

NEEDING = FIXABLE | {Verdict.BREAKS_EXISTING, Verdict.INVALID_TEST}
"""What a run may come to whose tests need something that is not there."""

BLOCKED = frozenset({Verdict.FORBIDDEN_CHANGE, Verdict.TAMPERED})
"""Where not the tests but the review of the change says no: what it touches, and how it gets its result."""

ASKED = "say what the agents lack: tdd cycle resume --hint '...'"
"""R4, LOGIC: what is asked of the person to whom such an error is handed over."""

SAME_DIFF = 0.95
REPEATEDLY = 2  # earlier attempts of a role, after which failing tests are looked into whatever they say


def decide(situation: Situation, policy: RetryPolicy, breaker: BreakerPolicy) -> MoveInfo:
    """The next move. Provider faults are decided before (agents/transport); they never come here."""
    if situation.person:
        return MoveInfo(
            kind=Kind.RETRY, counts=False, role=PHASE_ROLE[situation.phase], on_candidate=situation.candidate,
            why="your files are as you left them; edit them and go on",
        )  # fmt: skip
    for rule in (
        _answer_words,
        _back_to_red,
        _used_up,
        _stuck,
        _ask,
        _not_permitted,
        _follow,
        _out_of_time,
        _specialist,
        _away,
    ):
        move = rule(situation, policy, breaker)
        if move is not None:
            given_up = situation.phase is Phase.REFACTOR and move.kind == Kind.ESCALATE
            return move.model_copy(update={"kind": Kind.GIVE_UP}) if given_up else move
    move = _again(situation, policy)
    return move.model_copy(update={"note": move.note or situation.note})


def wants_analysis(situation: Situation) -> str:
    """Why the Error Analyzer is called now, or nothing (D5). A first transient error goes without it."""
    if situation.person:
        return ""
    earlier = [attempt for attempt in situation.history if attempt.role == situation.role]
    if situation.words.said:
        return ""
    if situation.diagnosis.category is Category.TRANSIENT and not earlier:
        return ""
    if situation.diagnosis.severity is Severity.CRITICAL:
        return "the error is critical"
    if situation.verdict in BLOCKED:
        return "the review of the change blocks it"
    if situation.timed_out:
        return "the agent ran into its time limit"
    if situation.diagnosis.category is Category.DEPENDENCY and situation.verdict is not Verdict.AGENT_FAILED:
        return "a dependency failed"
    if earlier and _same_kind(earlier[-1], situation):
        return "the same kind of error again"
    if len(earlier) >= REPEATEDLY and situation.verdict in FIXABLE | {Verdict.BREAKS_EXISTING}:
        return "the tests fail repeatedly"
    return ""


def no_progress(situation: Situation, limit: int) -> bool:
    """The last ``limit`` attempts, this one included, failed alike or brought near-identical changes (R5)."""
    recent = situation.history[-(limit - 1) :] if limit > 1 else ()
    if len(recent) < limit - 1:
        return False
    fingerprint = situation.diagnosis.fingerprint
    alike = bool(fingerprint) and all(attempt.fingerprint == fingerprint for attempt in recent)
    same = bool(situation.diff) and all(
        attempt.diff and _near(attempt.diff, situation.diff) for attempt in recent
    )
    return alike and same


def breaker_opens(runs: Sequence[Run], breaker: BreakerPolicy) -> Run | None:
    """The newest run of an agent that went in circles in one role (R5); None where none did.

    ``runs``: finished runs since the last landed cycle, oldest first. An accepted phase begins its agent's
    count anew.
    """
    failed: dict[tuple[str, str], int] = {}
    for run in runs[-breaker.window :]:
        key = (run.agent, run.role)
        failed[key] = 0 if run.progress else failed.get(key, 0) + 1
    return next(
        (run for run in reversed(runs) if failed.get((run.agent, run.role), 0) >= breaker.limit), None
    )


def _near(one: str, other: str) -> bool:
    if one == other:
        return True
    matcher = difflib.SequenceMatcher(
        None, one[:4000].splitlines(), other[:4000].splitlines(), autojunk=False
    )
    return matcher.quick_ratio() >= SAME_DIFF and matcher.ratio() >= SAME_DIFF


def _same_kind(earlier: Attempt, now: Situation) -> bool:
    if earlier.fingerprint and earlier.fingerprint == now.diagnosis.fingerprint:
        return True
    kind = str(now.diagnosis.error_type or "")
    return earlier.verdict == now.verdict and str(earlier.error_kind or "") == kind


def _stuck(now: Situation, policy: RetryPolicy, breaker: BreakerPolicy) -> MoveInfo | None:
    # with the usual three retries the retries themselves are the limit; a longer leash is cut short here
    limit = breaker.same_failure + (policy.max_retries <= breaker.same_failure)
    if no_progress(now, limit):
        return MoveInfo(
            kind=Kind.ESCALATE, why="no progress: the same failure and the same change again and again"
        )
    return None


def _back_to_red(now: Situation, _: RetryPolicy, __: BreakerPolicy) -> MoveInfo | None:
    """What only RED can fix goes back to it once (S4); the second time it is a person's."""
    if now.phase is not Phase.GREEN:
        return None
    if now.for_red and not now.sent_back and now.history and now.history[-1].for_red:
        return MoveInfo(kind=Kind.BACK_TO_RED, counts=False, role="red", why=f"back to RED: {now.for_red}")
    if now.verdict is not Verdict.VACUOUS_TEST:
        return None
    if now.sent_back:
        return MoveInfo(
            kind=Kind.ESCALATE, why="the test went back to RED once, and the new one proves nothing either"
        )
    return MoveInfo(
        kind=Kind.BACK_TO_RED, counts=False, role="red", why="back to RED: the test proves nothing"
    )


def _answer_words(now: Situation, policy: RetryPolicy, _: BreakerPolicy) -> MoveInfo | None:
    """The row of the agent's last words (A9): answered once in the next prompt, where the row has an answer;
    then a person."""
    row = now.words.row
    if row is None:
        return None
    answer = answer_to(now.words, now.phase)
    answered = any(attempt.said == row.said for attempt in now.history)
    if answer and not answered and now.retry < policy.max_retries:
        return MoveInfo(
            kind=Kind.RETRY, delay=policy.delay(now.retry + 1), role=PHASE_ROLE[now.phase], note=answer,
            why=f"the agent {row.means}; the next prompt answers it",
        )  # fmt: skip
    again = "again " if answered else ""
    return MoveInfo(
        kind=Kind.ESCALATE, why=f"the agent {again}{row.means}. {for_a_person(now.words, now.language)}"
    )


def _used_up(now: Situation, policy: RetryPolicy, _: BreakerPolicy) -> MoveInfo | None:
    if now.retry < policy.max_retries:
        return None
    times = "once" if now.retry == 1 else f"{now.retry} times"
    handed_over = now.phase is not Phase.REFACTOR  # which is given up, and GREEN lands without it
    asked = f"; {ASKED}" if handed_over and now.diagnosis.category is Category.LOGIC else ""
    return MoveInfo(kind=Kind.ESCALATE, why=f"{now.phase} was retried {times} without being proven{asked}")


def _ask(now: Situation, _: RetryPolicy, __: BreakerPolicy) -> MoveInfo | None:
    failures = 1
    for attempt in reversed(now.history):  # a person's word begins the count anew
        if attempt.move.kind == Kind.ASK:
            break
        failures += 1
    if now.after_failures and failures >= now.after_failures:
        row = "1 failure" if failures == 1 else f"{failures} failures in a row"
        return MoveInfo(kind=Kind.ASK, why=f"{row}: a person is to approve the next attempt")
    return None


def _not_permitted(now: Situation, _: RetryPolicy, __: BreakerPolicy) -> MoveInfo | None:
    if not_permitted(now.diagnosis):
        return MoveInfo(kind=Kind.ESCALATE, why=f"a person has to settle it: {now.diagnosis.checked}")
    return None


def _follow(now: Situation, policy: RetryPolicy, _: BreakerPolicy) -> MoveInfo | None:
    """A believed investigation is followed (R4)."""
    if now.action is Action.ESCALATE:
        cause = now.advice.partition("\n")[0]
        return MoveInfo(kind=Kind.ESCALATE, why=f"the investigation asks for a person: {cause}".rstrip(": "))
    move = MoveInfo(
        kind=Kind.RETRY, delay=policy.delay(now.retry + 1), role=PHASE_ROLE[now.phase], feedback=now.advice
    )
    if now.action is Action.REPLAN:
        return move.model_copy(update={"kind": Kind.REPLAN, "why": "re-planned"})
    if now.action is Action.ROLLBACK:
        back = "back to where it was good, as the investigation says"
        return move.model_copy(update={"kind": Kind.AFRESH, "why": back})
    if now.action is Action.FALLBACK and now.fallback and now.fallback != now.agent:
        return move.model_copy(
            update={"kind": Kind.OTHER_AGENT, "agent": now.fallback, "why": "another agent is asked"}
        )
    return None


def _specialist(now: Situation, policy: RetryPolicy, _: BreakerPolicy) -> MoveInfo | None:
    """A routed error in GREEN is a specialist's, on top of the candidate; uncounted, but bounded (A8, R3)."""
    if now.phase is not Phase.GREEN or now.verdict not in FIXABLE or not now.candidate:
        return None
    if on_the_machine(now.diagnosis):
        return None
    called = [attempt for attempt in now.history if attempt.role in now.specialists]
    fixes = len(called) + (now.role in now.specialists)  # this attempt may have been a specialist's
    roles = specialists_for(now.diagnosis)
    count = {role: sum(one.role == role for one in called) + (now.role == role) for role in roles}
    for role in sorted(
        roles, key=count.__getitem__
    ):  # the first choice has failed: the second one's turn (D1)
        tries = [attempt for attempt in called if attempt.role == role]
        useless = any(attempt.verdict in (Verdict.NO_CHANGE, Verdict.FORBIDDEN_CHANGE) for attempt in tries)
        most = 1 if waits_for_a_person(now.diagnosis) else len(policy.fix_delays)
        if role in now.specialists and not useless and fixes < most:
            return MoveInfo(
                kind=Kind.SPECIALIST, counts=False, delay=policy.fix_delay(fixes + 1), role=role,
                on_candidate=True, feedback=now.diagnosis.checked,
                why=f"{now.diagnosis.routing_type} is for /{role}",
            )  # fmt: skip
    return None


def _away(now: Situation, _: RetryPolicy, __: BreakerPolicy) -> MoveInfo | None:
    """Decide where neither time nor the specialist restored a service that the tests need: no retry is
    spent (R4)."""
    if now.phase is Phase.RED or now.verdict not in NEEDING or not waits_for_a_person(now.diagnosis):
        return None
    return MoveInfo(
        kind=Kind.ESCALATE, why=f"what the tests need is unavailable: {now.diagnosis.message[:200]}"
    )


STOPPED = (
    "Your last run was stopped at its time limit. {} Do the rest in small steps, and leave the "
    "files in a state that counts "
    "after each."
)
_TIMEOUTS = frozenset({"timeout_wall", "timeout_idle"})


def _out_of_time(now: Situation, policy: RetryPolicy, _: BreakerPolicy) -> MoveInfo | None:
    """Decide after a time limit: repeat once with the files that were left; the second time a person
    must change something."""
    if not now.timed_out or now.verdict is Verdict.TIMED_OUT or now.network:
        return None
    if any(attempt.fault in _TIMEOUTS for attempt in now.history):
        why = (
            f"the agent reached its time limit twice: raise agents.{now.agent}.timeout, or split the "
            "item (tdd plan edit)"
        )
        return MoveInfo(kind=Kind.ESCALATE, why=why)
    kept = now.candidate and now.verdict not in ROLLS_BACK
    note = STOPPED.format(
        "What it left is in the files." if kept else "The files are as they were before it."
    )
    return MoveInfo(
        kind=Kind.RETRY,
        delay=policy.delay(now.retry + 1),
        role=PHASE_ROLE[now.phase],
        on_candidate=kept,
        feedback=now.advice,
        note=note,
        why="once more, with what it left" if kept else "once more",
    )


def _again(now: Situation, policy: RetryPolicy) -> MoveInfo:
    delay = policy.delay(now.retry + 1)
    role = PHASE_ROLE[now.phase]
    if now.verdict is Verdict.TIMED_OUT or now.network:
        return MoveInfo(
            kind=Kind.LONGER, delay=delay, role=role, longer=2.0, feedback=now.advice, why="more time"
        )
    if now.verdict in ROLLS_BACK:
        return MoveInfo(
            kind=Kind.AFRESH, delay=delay, role=role, feedback=now.advice, why="back to where it was good"
        )
    if now.diagnosis.category is Category.STATE and now.phase is not Phase.RED:
        return MoveInfo(
            kind=Kind.AFRESH, delay=delay, role=role, feedback=now.advice, why="back to the last proven state"
        )
    mine = [attempt for attempt in now.history if attempt.role == role]
    repeated = bool(mine) and _same_kind(mine[-1], now)
    relieved = now.diagnosis.category is Category.SEMANTIC or now.verdict is Verdict.AGENT_FAILED
    if repeated and relieved and now.fallback not in ("", now.agent):
        return MoveInfo(
            kind=Kind.OTHER_AGENT, delay=delay, role=role, agent=now.fallback, feedback=now.advice,
            why="another agent is asked",
        )  # fmt: skip
    logic = now.diagnosis.category is Category.LOGIC and now.verdict in FIXABLE
    if repeated and logic and now.action is None:
        return MoveInfo(
            kind=Kind.MORE_CONTEXT, delay=delay, role=role, feedback=now.advice,
            why="again, with more of the code around the failure",
        )  # fmt: skip
    return MoveInfo(
        kind=Kind.RETRY, delay=delay, role=role, feedback=now.advice, why="again, told what went wrong"
    )
