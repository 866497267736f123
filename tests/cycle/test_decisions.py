"""The pure parts of a cycle: what follows a refusal, where a cycle stands, what a gate says, how a plan is written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tdd_orchestrator.cycle import gates, recovery
from tdd_orchestrator.cycle.attempt.step import commit_subject
from tdd_orchestrator.cycle.gates import Evidence, RedEvidence
from tdd_orchestrator.cycle.plan import markdown
from tdd_orchestrator.cycle.recovery import Kind, Situation, decide, wants_analysis
from tdd_orchestrator.cycle.routes import runs_for
from tdd_orchestrator.cycle.state import Attempt, CycleState, fold
from tdd_orchestrator.cycle.usage_text import of_record, spent_on
from tdd_orchestrator.cycle.verdict_names import REFUSED
from tdd_orchestrator.model.diagnosis import (
    Action,
    Category,
    Diagnosis,
    ErrorType,
    RoutingType,
    Severity,
    Standing,
)
from tdd_orchestrator.model.parts import MoveInfo
from tdd_orchestrator.model.phase import ACCEPTED, TRANSITIONS, WORKING, Phase, Verdict
from tdd_orchestrator.model.plan import Item, ItemType, Plan, Priority, Status, from_authored
from tdd_orchestrator.model.policy import BreakerPolicy, Budget, RetryPolicy, Run, Spent
from tdd_orchestrator.model.reading import read, read_all
from tdd_orchestrator.model.report import (
    BuildError,
    Case,
    Counts,
    Outcome,
    Reason,
    RedReason,
    Report,
    RunVerdict,
)

POLICY, BREAKER = RetryPolicy(), BreakerPolicy()
SPECIALISTS = frozenset({"build-doctor", "database", "debugger", "code-review"})


def situation(**more: Any) -> Situation:
    plain = Situation(
        Phase.GREEN,
        Verdict.STILL_FAILING,
        0,
        role="green",
        agent="a",
        diff="d",
        candidate=True,
        specialists=SPECIALISTS,
    )
    return replace(plain, **more)


def past(**more: Any) -> Attempt:
    plain = Attempt(Phase.GREEN, 1, "still_failing", (), "a", "green", "f", "d", "c")
    return replace(plain, **more)


def kind(now: Situation, policy: RetryPolicy = POLICY) -> Kind:
    return Kind(decide(now, policy, BREAKER).kind)


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (Verdict.UNEXPECTED_PASS, Kind.RETRY), (Verdict.INVALID_TEST, Kind.RETRY), (Verdict.STILL_FAILING, Kind.RETRY),
        (Verdict.NO_CHANGE, Kind.RETRY), (Verdict.FLAKY, Kind.RETRY), (Verdict.AGENT_FAILED, Kind.RETRY),
        (Verdict.BREAKS_EXISTING, Kind.AFRESH), (Verdict.TEST_VANISHED, Kind.AFRESH),
        (Verdict.TAMPERED, Kind.AFRESH), (Verdict.FORBIDDEN_CHANGE, Kind.AFRESH), (Verdict.TIMED_OUT, Kind.LONGER),
    ],
)  # fmt: skip
def test_a_first_failure(verdict: Verdict, expected: Kind) -> None:
    move = decide(situation(verdict=verdict), POLICY, BREAKER)
    assert (move.kind, move.counts, move.delay, move.role) == (expected, True, 1.0, "green")
    assert not move.on_candidate


def test_waits_grow_and_the_last_retry_is_the_last() -> None:
    assert [decide(situation(retry=n), POLICY, BREAKER).delay for n in range(3)] == [1.0, 2.0, 4.0]
    assert kind(situation(retry=3)) is Kind.ESCALATE
    assert kind(situation(retry=3), RetryPolicy(max_retries=4)) is Kind.RETRY
    assert kind(situation(), RetryPolicy(max_retries=0)) is Kind.ESCALATE


@pytest.mark.parametrize(
    ("routing", "role"),
    [
        (RoutingType.BUILD, "build-doctor"), (RoutingType.DATABASE, "database"), (RoutingType.RUNTIME, "debugger"),
        (RoutingType.UI, "code-review"), (RoutingType.NETWORK, "debugger"),
    ],
)  # fmt: skip
def test_routed_errors_go_to_their_specialist_with_waits_of_their_own(
    routing: RoutingType, role: str
) -> None:
    now = situation(diagnosis=Diagnosis(routing, exception="KeyError"))
    move = decide(now, POLICY, BREAKER)
    assert (move.kind, move.role, move.delay, move.counts, move.on_candidate) == (
        Kind.SPECIALIST,
        role,
        5.0,
        False,
        True,
    )
    again = replace(now, role=role, history=(past(),))
    assert decide(again, POLICY, BREAKER).delay == 10.0
    third = replace(again, history=(past(), past(role=role)))
    assert decide(third, POLICY, BREAKER).delay == 20.0
    assert kind(replace(third, history=(*third.history, past(role=role)))) is Kind.RETRY
    for other in (
        {"candidate": False},
        {"phase": Phase.RED},
        {"verdict": Verdict.BREAKS_EXISTING},
        {"specialists": frozenset()},
    ):
        assert kind(replace(now, **other)) is not Kind.SPECIALIST


@pytest.mark.parametrize(
    ("exception", "message", "called"),
    [
        ("AssertionError", "assert 5 == 4", False), ("java.lang.AssertionError", "", False),
        ("PHPUnit\\Framework\\ExpectationFailedException", "Failed asserting that -1 is identical to 4.", False),
        ("App\\Exceptions\\OutOfStock", "none left", True), ("RSpec::Expectations::ExpectationNotMetError", "", False), ("", "5 != 4", False),
        ("Error", "Expected values to be strictly equal: 5 !== 4", False), ("Error", "connect failed", True),
        ("KeyError", "'factor'", True), ("TypeError", "expected str", True),
    ],
)  # fmt: skip
def test_a_failed_assertion_is_the_phases_own(exception: str, message: str, called: bool) -> None:
    seen = Diagnosis(RoutingType.RUNTIME, exception=exception, message=message)
    assert (kind(situation(diagnosis=seen)) is Kind.SPECIALIST) is called


def test_a_useless_specialist_makes_room_for_the_second_choice() -> None:
    seen = Diagnosis(RoutingType.BUILD, secondary=RoutingType.RUNTIME, exception="SyntaxError")
    idle = past(role="build-doctor", verdict="no_change")
    assert decide(situation(diagnosis=seen, history=(idle,)), POLICY, BREAKER).role == "debugger"


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (Action.RETRY, Kind.RETRY), (Action.REPLAN, Kind.REPLAN), (Action.ROLLBACK, Kind.AFRESH),
        (Action.FALLBACK, Kind.OTHER_AGENT), (Action.ESCALATE, Kind.ESCALATE),
    ],
)  # fmt: skip
def test_an_investigation_is_followed(action: Action, expected: Kind) -> None:
    move = decide(situation(action=action, advice="do this", fallback="b"), POLICY, BREAKER)
    assert move.kind == expected
    assert "do this" in (move.feedback or move.why)
    assert kind(situation(action=Action.FALLBACK, fallback="")) is Kind.RETRY


def test_a_semantic_error_that_comes_again_is_another_agents() -> None:
    seen = Diagnosis(category=Category.SEMANTIC, fingerprint="f")
    assert kind(situation(diagnosis=seen, fallback="b")) is Kind.RETRY
    move = decide(situation(diagnosis=seen, fallback="b", history=(past(),)), POLICY, BREAKER)
    assert (move.kind, move.agent) == (Kind.OTHER_AGENT, "b")


def test_a_logic_error_that_comes_again_is_given_more_context_and_then_a_person_is_asked_for_it() -> None:
    """R4, LOGIC: told what went wrong first; then more of the code around it; in the end a person's own words."""
    seen = Diagnosis(category=Category.LOGIC, error_type=ErrorType.LOGIC, fingerprint="f")
    assert kind(situation(diagnosis=seen)) is Kind.RETRY
    again = situation(diagnosis=seen, history=(past(),))
    assert kind(again) is Kind.MORE_CONTEXT
    assert kind(replace(again, action=Action.RETRY, advice="do this")) is Kind.RETRY
    assert kind(replace(again, action=Action.REPLAN, advice="do this")) is Kind.REPLAN
    idle = replace(again, verdict=Verdict.NO_CHANGE, history=(past(verdict="no_change"),))
    assert kind(idle) is Kind.RETRY, "there is no failure to show the code of"
    ended = decide(replace(again, retry=3), POLICY, BREAKER)
    assert ended.kind == Kind.ESCALATE
    assert "say what the agents lack: tdd cycle resume --hint" in ended.why
    assert "--hint" not in decide(situation(retry=3), POLICY, BREAKER).why
    given_up = decide(replace(again, retry=3, phase=Phase.REFACTOR), POLICY, BREAKER)
    assert given_up.kind == Kind.GIVE_UP
    assert "--hint" not in given_up.why, "GREEN lands without it: nothing is left to resume"


def test_a_person_is_asked_after_so_many_failures_and_the_count_begins_anew() -> None:
    asked = past(move=MoveInfo(kind="ask"))
    assert kind(situation(after_failures=2)) is Kind.RETRY
    assert kind(situation(after_failures=2, history=(past(),))) is Kind.ASK
    assert kind(situation(after_failures=2, history=(past(), asked))) is Kind.RETRY
    assert kind(situation(after_failures=2, history=(past(), asked, past()))) is Kind.ASK
    assert kind(situation(history=(past(),) * 9)) is not Kind.ASK


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({}, False), ({"timed_out": True}, True), ({"diagnosis": Diagnosis(severity=Severity.CRITICAL)}, True),
        ({"diagnosis": Diagnosis(category=Category.DEPENDENCY)}, True),
        ({"verdict": Verdict.FORBIDDEN_CHANGE}, True), ({"verdict": Verdict.TAMPERED}, True), ({"verdict": Verdict.NO_CHANGE}, False),
        ({"diagnosis": Diagnosis(category=Category.TRANSIENT), "timed_out": True}, False),
        ({"diagnosis": Diagnosis(fingerprint="f"), "history": (past(),)}, True),
        ({"diagnosis": Diagnosis(fingerprint="g"), "history": (past(verdict="build_error"),)}, False),
        ({"diagnosis": Diagnosis(fingerprint="g", error_type=ErrorType.TYPE), "history": (past(diagnosis=Diagnosis(error_type=ErrorType.TYPE)),)}, True),
        ({"diagnosis": Diagnosis(fingerprint="g", error_type=ErrorType.TYPE), "history": (past(diagnosis=Diagnosis(error_type=ErrorType.LOGIC)),)}, False),
        ({"diagnosis": Diagnosis(fingerprint="g"), "history": (past(verdict="build_error"), past(verdict="crashed"))}, True),
    ],
)  # fmt: skip
def test_when_the_analyzer_is_called(more: dict[str, Any], wanted: bool) -> None:
    assert bool(wants_analysis(situation(**more))) is wanted


def test_no_progress_needs_the_same_failure_and_the_same_change() -> None:
    now = situation(diagnosis=Diagnosis(fingerprint="f"), history=(past(), past()))
    assert recovery.no_progress(now, 3)
    assert not recovery.no_progress(replace(now, diff="quite\nanother\nthing"), 3)
    assert not recovery.no_progress(replace(now, history=(past(),)), 3)
    assert kind(now, RetryPolicy(max_retries=9)) is Kind.ESCALATE


@pytest.mark.parametrize(("bad", "opens"), [(7, ""), (8, "a")])
def test_the_breaker_opens_at_eight_of_fifteen(bad: int, opens: str) -> None:
    given_up = (Run("a", "red", True), *(Run("a", "green", False),) * 4)
    failed = (*given_up, *given_up)[: bad + 2]
    stuck = recovery.breaker_opens(failed, BREAKER)
    assert (stuck.agent if stuck else "") == opens
    assert recovery.breaker_opens((*failed, *((Run("b", "red", True),) * 15)), BREAKER) is None


def test_an_accepted_phase_of_the_agent_in_that_role_closes_the_breaker() -> None:
    failed = (Run("a", "green", False),) * 7
    assert recovery.breaker_opens((*failed, Run("a", "red", False)), BREAKER) is None
    assert recovery.breaker_opens((*failed, Run("a", "green", True), *failed), BREAKER) is None


def test_the_second_choice_is_called_where_the_first_one_failed() -> None:
    """D1: the other route's specialist, also where the first one changed something."""
    seen = Diagnosis(RoutingType.BUILD, secondary=RoutingType.RUNTIME, exception="SyntaxError")
    first = decide(situation(diagnosis=seen, verdict=Verdict.BUILD_ERROR, candidate=True), POLICY, BREAKER)
    assert first.role == "build-doctor"
    now = situation(diagnosis=seen, verdict=Verdict.BUILD_ERROR, candidate=True, role="build-doctor")
    assert decide(now, POLICY, BREAKER).role == "debugger"


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (Budget(minutes=2), "2.5 of 2.0 minutes"), (Budget(attempts=4), "4 of 4 attempts"), (Budget(tokens=10), "99 of 10 tokens"),
        (Budget(minutes=0.01), "2.5 of 0.01 minutes"), (Budget(cost=1.5), "1.50 of 1.50 dollars"), (Budget(), ""), (Budget(3, 5, 100, 2.0), ""),
    ],
)  # fmt: skip
def test_budgets(budget: Budget, words: str) -> None:
    said = Spent(minutes=2.5, attempts=4, tokens=99, cost=1.5).over(budget)
    assert said.startswith(words)
    assert bool(said) is bool(words)


def test_what_a_record_says_was_spent() -> None:
    """Whoever worked, and whoever was only asked on the way; a provider that was away is no attempt."""
    paid = {"name": "a", "tokens": 100, "cost": 0.5}
    asked = {"name": "b", "tokens": 10, "cost": None}
    rows = [
        ({"kind": "handoff", "agent": paid}, Spent(attempts=1, tokens=100, cost=0.5)),
        ({"kind": "fix", "agent": paid, "consulted": [asked]}, Spent(attempts=1, tokens=110, cost=0.5)),
        ({"kind": "error", "agent": paid, "move": {"kind": "wait", "counts": False}}, Spent(tokens=100, cost=0.5)),
        ({"kind": "error", "agent": paid, "move": {"kind": "retry"}}, Spent(attempts=1, tokens=100, cost=0.5)),
        ({"kind": "intent", "agent": {"name": "a"}}, Spent()),
        ({"kind": "cycle_ended", "consulted": [asked, asked]}, Spent(tokens=20)),
        ({"kind": "fix", "agent": {}}, Spent()),
    ]  # fmt: skip
    for record_, spent in rows:
        assert of_record(read(record_)) == spent
    assert Spent(1, 2, 3, 4.0) + Spent(1, 1, 1, 0.5) == Spent(2, 3, 4, 4.5)


def test_the_budget_of_a_run_is_its_own() -> None:
    budget = Budget(cost=9.0, run_minutes=5, run_attempts=4, run_tokens=3, run_cost=2.0)
    assert budget.of_run == Budget(minutes=5, attempts=4, tokens=3, cost=2.0)


# where a cycle stands -----------------------------------------------------------------------------------------

STARTED = {
    "kind": "cycle_started",
    "cycle_id": "c",
    "cycle_number": 1,
    "item_id": "i",
    "item": "x",
    "branch": "main",
    "base": "B",
}


def fold_all(trail: list[dict[str, Any]]) -> CycleState | None:
    return fold(read_all(trail))


def record(kind: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "cycle_id": "c", **more}


def refused(phase: str, retry: int, counts: bool = True, **more: Any) -> dict[str, Any]:
    return record(
        "error",
        phase=phase,
        retry_count=retry,
        move={"kind": "retry", "counts": counts},
        agent={"name": "a", "role": phase.lower()},
        **more,
    )


def accepted(phase: str, following: str, tip: str, **more: Any) -> dict[str, Any]:
    return record(
        "handoff", phase=phase, next_phase=following, tip=tip, agent={}, tests={"target_tests": ["t"]}, **more
    )


def test_the_state_follows_from_the_records() -> None:
    assert fold_all([]) is None
    trail = [
        STARTED,
        record("intent", attempt=1, agent={"name": "a"}),
        accepted("RED", "GREEN", "R"),
        refused("GREEN", 0),
        refused("GREEN", 1, counts=False),
    ]
    state = fold_all(trail)
    assert state is not None
    assert (state.phase, state.tip, state.red, state.targets, state.retry) == (
        Phase.GREEN,
        "R",
        "R",
        ("t",),
        1,
    )
    begun = fold_all([*trail, record("intent", attempt=3, agent={"name": "h"}, transient=2)])
    assert begun is not None
    assert (begun.interrupted, begun.interrupted_agent, begun.transient, begun.retry) == (True, "h", 2, 1)
    done = fold_all(
        [
            *trail,
            accepted("GREEN", "REFACTOR", "G"),
            accepted("REFACTOR", "COMPLETE", "G"),
            record("cycle_ended", outcome="landed"),
        ]
    )
    assert done is not None
    assert (done.over, done.phase, done.green) == ("landed", Phase.COMPLETE, "G")
    other = fold_all([*trail, {**accepted("GREEN", "REFACTOR", "G"), "cycle_id": "other"}])
    assert other == state


def test_a_person_resets_the_count_and_a_rollback_the_phase() -> None:
    trail = [
        STARTED,
        accepted("RED", "GREEN", "R"),
        *(refused("GREEN", n) for n in range(4)),
        record("cycle_ended", outcome="aborted"),
    ]
    state = fold_all([*trail, record("resumed", next_phase="GREEN", hint="try")])
    assert state is not None
    assert (state.over, state.phase, state.retry, state.hint, state.of_phase()) == (
        "",
        Phase.GREEN,
        0,
        "try",
        (),
    )
    assert len(state.of_phase(everything=True)) == 4
    back = fold_all([*trail[:2], record("rollback", new="B")])
    assert back is not None
    assert (back.phase, back.tip) == (Phase.RED, "B")


def test_neither_a_resume_nor_a_rollback_leaves_an_approval() -> None:
    def answer(decision: str) -> dict[str, Any]:
        return record("approval", gate="after_failures", decision=decision)

    trail = [
        STARTED,
        accepted("RED", "GREEN", "R"),
        refused("GREEN", 0),
        answer("wanted"),
        answer("approved"),
    ]
    approved = fold_all(trail)
    assert approved is not None
    assert approved.approved == {"after_failures", "after_failures:GREEN:1"}
    for after in (
        [record("cycle_ended", outcome="aborted"), record("resumed", next_phase="GREEN")],
        [record("rollback", new="B")],
        [answer("wanted"), record("rollback", new="B")],
    ):
        state = fold_all([*trail, *after])
        assert state is not None
        assert (state.approved, state.waiting) == (frozenset(), "")


def test_a_provider_that_is_away_is_recorded_and_counts_for_nothing() -> None:
    def away(kind: str) -> dict[str, Any]:
        return {**refused("GREEN", 0), "move": {"kind": kind, "counts": False, "delay": 3.0}}

    trail = [STARTED, accepted("RED", "GREEN", "R")]
    trail += [away("wait"), away("pause"), away("other_agent"), refused("GREEN", 0, counts=False)]
    state = fold_all(trail)
    assert state is not None
    assert [len(state.of_phase()), len(state.refused())] == [4, 1]
    assert spent_on(state).attempts == 2
    asked = {**refused("GREEN", 0), "move": {"kind": "other_agent", "counts": True}}
    called = {**refused("GREEN", 0), "move": {"kind": "specialist", "counts": False}}
    for real in (asked, called):
        state = fold_all([*trail, real])
        assert state is not None
        assert len(state.refused()) == 2


# what the gates say -------------------------------------------------------------------------------------------


def case(name: str, outcome: Outcome = Outcome.PASSED, **more: Any) -> Case:
    return Case(name, name, outcome, **more)


def report(*cases: Case, verdict: RunVerdict = RunVerdict.PASSED, **more: Any) -> Report:
    return Report(verdict, cases=cases, complete=True, counts=Counts(passed=len(cases)), **more)


BASE = report(case("old"))
ASSERTED = RedEvidence(("new",), reason_of=lambda _: RedReason(Reason.ASSERTION, acceptable=True))
FAILED = RunVerdict.FAILED


def test_red() -> None:
    now = report(case("old"), case("new", Outcome.FAILED), verdict=FAILED)
    good = Evidence(BASE, now, True)
    assert gates.red(good, ASSERTED).verdict is Verdict.PROVEN
    assert gates.red(good, ASSERTED).targets == ("new",)
    rows = [
        (replace(good, changed=False), ASSERTED, Verdict.NO_CHANGE),
        (replace(good, changed=False, agent_failed="died"), ASSERTED, Verdict.AGENT_FAILED),
        (replace(good, violations=(("x.py", "not a test"),)), ASSERTED, Verdict.FORBIDDEN_CHANGE),
        (replace(good, flaky=frozenset({"new"})), ASSERTED, Verdict.FLAKY),
        (replace(good, now=BASE), ASSERTED, Verdict.NO_NEW_TEST),
        (replace(good, now=report(case("old"), case("new"))), ASSERTED, Verdict.UNEXPECTED_PASS),
        (replace(good, now=report(case("old"), case("new"))), replace(ASSERTED, passed_before=1), Verdict.ALREADY_COVERED),
        (replace(good, now=report(case("new", Outcome.FAILED), verdict=FAILED)), ASSERTED, Verdict.BREAKS_EXISTING),
        (replace(good, now=report(case("old", Outcome.FAILED), case("new", Outcome.FAILED), verdict=FAILED)), ASSERTED, Verdict.BREAKS_EXISTING),
        (replace(good, now=report(verdict=RunVerdict.CRASHED)), ASSERTED, Verdict.CRASHED),
        (replace(good, now=report(verdict=RunVerdict.TIMED_OUT)), ASSERTED, Verdict.TIMED_OUT),
        (replace(good, now=report(verdict=RunVerdict.NO_TESTS)), ASSERTED, Verdict.UNREADABLE),
        (replace(good, now=report(case("old"), case("new"))), replace(ASSERTED, cosmetic=frozenset({"new"})), Verdict.NO_NEW_TEST),
        (replace(good, now=BASE), replace(ASSERTED, changed=("old",)), Verdict.WEAKENED_TEST),
        (replace(good, now=report(verdict=RunVerdict.PASSED)), replace(ASSERTED, changed=("old",), test_of={"old": "old"}), Verdict.WEAKENED_TEST),
        (good, replace(ASSERTED, vacuous=("new",)), Verdict.VACUOUS_TEST),
        (good, replace(ASSERTED, removed=("gone",), may_remove=False), Verdict.FORBIDDEN_CHANGE),
        (good, replace(ASSERTED, duplicates=(("new", "old"),)), Verdict.DUPLICATE_TEST),
        (good, replace(ASSERTED, reason_of=lambda _: RedReason(Reason.FIXTURE)), Verdict.INVALID_TEST),
    ]  # fmt: skip
    for evidence, more, verdict in rows:
        assert gates.red(evidence, more).verdict is verdict, verdict


def test_red_that_does_not_load() -> None:
    """The runner may or may not list the file as a failing test beside its build error."""
    missing = RedReason(Reason.MISSING_SYMBOL, symbol="double", acceptable=True)
    new = "test_new::new"
    more = RedEvidence((new,), build_reasons=(missing,), unloaded=(new,), cut=True)
    error = BuildError("no module named double", "test_new")
    for cases in ((), (case("old"), case("test_new", Outcome.ERROR))):
        now = report(*cases, verdict=RunVerdict.ERROR, build_errors=(error,))
        judged = gates.red(Evidence(BASE, now, True), more)
        assert (judged.verdict, judged.targets) == (Verdict.PROVEN, (new,))
        wrong = replace(more, build_reasons=(missing, RedReason(Reason.SYNTAX)))
        assert gates.red(Evidence(BASE, now, True), wrong).verdict is Verdict.INVALID_TEST
    passing = report(case("other"), verdict=RunVerdict.ERROR, build_errors=(error,))
    assert gates.red(Evidence(BASE, passing, True), more).verdict is Verdict.UNEXPECTED_PASS


def test_red_of_a_changed_test() -> None:
    """It fails now; that its cases passed before, or are gone, breaks nothing."""
    rows = report(case("t[1]"), case("t[2]"), case("other"))
    now = report(case("t[1]"), case("t[3]", Outcome.FAILED), case("other"), verdict=FAILED)
    tests = {"t[1]": "t", "t[2]": "t", "t[3]": "t"}
    more = replace(ASSERTED, changed=("t",), test_of=tests, replaced=frozenset({"t[1]", "t[2]"}))
    judged = gates.red(Evidence(rows, now, True), more)
    assert (judged.verdict, judged.targets, judged.failing) == (Verdict.PROVEN, ("t[1]", "t[3]"), ("t[3]",))
    assert judged.reasons[-1] == "t: 1 of 2 rows pass already"
    broken = replace(now, cases=(*now.cases[:2], case("other", Outcome.FAILED)))
    assert gates.red(Evidence(rows, broken, True), more).verdict is Verdict.BREAKS_EXISTING
    untouched = replace(ASSERTED, test_of=tests)
    assert gates.red(Evidence(rows, now, True), untouched).verdict is Verdict.BREAKS_EXISTING


def test_red_says_which_of_two_tests_to_drop() -> None:
    now = report(case("old"), case("new", Outcome.FAILED), case("more"), verdict=FAILED)
    judged = gates.red(Evidence(BASE, now, True), ASSERTED)
    assert judged.reasons == ("every new test must fail, but more passes already: drop it, and keep new",)


def test_red_names_every_test_to_drop() -> None:
    more = [case(f"test_a.py::more_{number}") for number in range(12)]
    now = report(case("old"), case("new", Outcome.FAILED), *more, verdict=FAILED)
    first, *others = gates.red(Evidence(BASE, now, True), ASSERTED).reasons
    assert "test_a.py::more_4 and 7 more passes already" in first
    assert others[0].startswith("drop as well: more_5, more_6")
    assert others[1].endswith("more_10, more_11")


def test_the_old_tests_are_judged_without_a_new_one_that_ends_the_run() -> None:
    panics = report(case("new", Outcome.FAILED), verdict=FAILED)
    reason = RedReason(Reason.PROJECT_EXCEPTION, "panic", acceptable=True)
    more = replace(ASSERTED, reason_of=lambda _: reason, cut=True)
    evidence = Evidence(BASE, panics, True)
    assert gates.red(evidence, more).verdict is Verdict.PROVEN, (
        "without the new test the tree is the baseline's"
    )
    assert gates.red(evidence, replace(more, old_tests=BASE)).verdict is Verdict.PROVEN
    worse = report(case("old", Outcome.FAILED), verdict=FAILED)
    assert gates.red(evidence, replace(more, old_tests=worse)).verdict is Verdict.BREAKS_EXISTING
    unrun = replace(more, added=("new", "after"))
    assert gates.red(evidence, unrun).verdict is Verdict.INVALID_TEST
    alone = replace(unrun, alone=(case("after", Outcome.FAILED),))
    assert gates.red(evidence, alone).targets == ("after", "new")
    passes = replace(unrun, alone=(case("after"),))
    assert gates.red(evidence, passes).verdict is Verdict.UNEXPECTED_PASS


def test_a_new_test_that_fails_and_then_ends_the_process_is_red() -> None:
    died = report(case("new", Outcome.FAILED), verdict=RunVerdict.CRASHED)
    evidence = Evidence(BASE, died, True)
    cut = replace(ASSERTED, cut=True, test_of={"new": "new"})
    assert gates.red(evidence, cut).verdict is Verdict.PROVEN
    assert gates.red(evidence, replace(cut, cut=False)).verdict is Verdict.CRASHED
    assert gates.red(evidence, replace(cut, test_of={})).verdict is Verdict.CRASHED
    wrong = RedReason(Reason.EXCEPTION, "KeyError", acceptable=False)
    assert gates.red(evidence, replace(cut, reason_of=lambda _: wrong)).verdict is Verdict.CRASHED


def test_green() -> None:
    good = Evidence(BASE, report(case("old"), case("new")), True, targets=("new",))
    failing = case("new", Outcome.FAILED)
    rows = [
        (good, Verdict.PROVEN),
        (replace(good, now=report(case("old"), failing, verdict=FAILED)), Verdict.STILL_FAILING),
        (replace(good, targets=("new", "more"), now=report(case("old"), case("more"), failing, verdict=FAILED)), Verdict.PARTLY_FAILING),
        (replace(good, now=report(case("old"), case("new", Outcome.SKIPPED))), Verdict.STILL_FAILING),
        (replace(good, now=report(case("old"))), Verdict.TEST_VANISHED),
        (replace(good, now=report(case("new"))), Verdict.TEST_VANISHED),
        (replace(good, now=report(case("old", Outcome.FAILED), case("new"), verdict=FAILED)), Verdict.BREAKS_EXISTING),
        (replace(good, now=report(case("old", Outcome.FAILED), case("new"), verdict=FAILED), flaky=frozenset({"old"})), Verdict.FLAKY),
        (replace(good, flaky=frozenset({"old"})), Verdict.PROVEN),
        (replace(good, now=report(case("old", Outcome.FAILED), case("new"), verdict=FAILED), ignore=frozenset({"old"})), Verdict.BREAKS_EXISTING),
        (replace(good, now=report(case("old"), case("new"), verdict=FAILED)), Verdict.BREAKS_EXISTING),
        (replace(good, now=report(case("old"), case("new"), source="text"), baseline=replace(BASE, source="report")), Verdict.UNREADABLE),
        (replace(good, flaky=frozenset({"new"})), Verdict.FLAKY),
        (replace(good, now=report(verdict=RunVerdict.ERROR, build_errors=(BuildError("x"),))), Verdict.BUILD_ERROR),
    ]  # fmt: skip
    for evidence, verdict in rows:
        assert gates.green(evidence).verdict is verdict, verdict


def test_a_suite_that_was_red_before_ends_as_it_did() -> None:
    """E1: the same exit code, no other failing test, and every runner that was read before is read again."""
    red = {"verdict": FAILED, "exit_code": 1, "runners": ("pytest", "node-test")}
    base = report(case("old"), case("known", Outcome.FAILED), **red)
    cases = (case("old"), case("known", Outcome.FAILED), case("new"))
    now = report(*cases, **red)
    good = Evidence(base, now, True, targets=("new",), ignore=frozenset({"known"}))
    worse = (case("old"), case("known", Outcome.FAILED), case("new"), case("other", Outcome.FAILED))
    rows = [
        (now, Verdict.PROVEN),
        (report(case("old"), case("known"), case("new")), Verdict.PROVEN),
        (replace(now, exit_code=2), Verdict.BREAKS_EXISTING),
        (replace(now, runners=("pytest",)), Verdict.BREAKS_EXISTING),
        (replace(now, runners=("pytest", "node-test", "jest")), Verdict.PROVEN),
        (replace(now, complete=False), Verdict.BREAKS_EXISTING),
        (report(case("old"), case("known"), case("new"), **red), Verdict.BREAKS_EXISTING),
        (report(*worse, **red), Verdict.BREAKS_EXISTING),
    ]
    for report_now, verdict in rows:
        assert gates.green(replace(good, now=report_now)).verdict is verdict, report_now


@pytest.mark.parametrize(
    ("target", "identity"),
    [
        ("t.py::test_a", "t.py::test_a[1-2]"), ("tests/t.py::Old::test_a", "test_a (tests.t.Old.test_a)"),
        ("t.test.js::doubles", "suite > doubles"), ("T::test_a", "pkg.T.test_a"), ("T::test_a", "T#test_a"),
    ],
)  # fmt: skip
def test_a_target_from_the_source_is_found_under_the_runners_name(target: str, identity: str) -> None:
    assert [one.id for one in gates.answers(target, (case(identity), case("other")))] == [identity]


def test_every_refusal_has_its_words_and_every_acceptance_its_place() -> None:
    assert set(REFUSED) == set(Verdict) - ACCEPTED
    for (phase, verdict), following in TRANSITIONS.items():
        assert verdict in ACCEPTED
        assert phase in WORKING
        assert following is not phase


# the plan -----------------------------------------------------------------------------------------------------


def test_a_plan_survives_the_editor() -> None:
    plan = Plan(
        (
            Item("a", "adds", "two lines\nof text", priority=Priority.HIGH),
            Item("b", "mends", type=ItemType.BUG, parent="a", status=Status.COMPLETED),
        )
    )
    lines = markdown.read(markdown.write(plan))
    assert [(line.id, line.title, line.depth, line.mark) for line in lines] == [
        ("a", "adds", 0, " "),
        ("b", "mends", 1, "x"),
    ]
    assert (lines[0].description, lines[0].priority, lines[1].type) == (
        "two lines\nof text",
        Priority.HIGH,
        ItemType.BUG,
    )


def test_bullets_serve_where_there_is_no_checkbox_and_fences_hide() -> None:
    assert [line.title for line in markdown.read("1. one\n* two\n```\n- three\n```\n")] == ["one", "two"]
    assert [line.title for line in markdown.read("- no box\n- [ ] box\n- [ ] <!-- ab12 -->\n")] == ["box"]


def test_what_is_stored_of_an_item_reads_back() -> None:
    item = Item("a", "adds", tags=("x",), hours=1.5, status=Status.CANCELLED)
    assert from_authored({**item.authored(), "of_a_later_version": 1}) == item
    assert "status" not in replace(item, status=Status.FAILED).authored()


@pytest.mark.parametrize(
    ("phase", "title", "type_", "subject"),
    [
        (Phase.RED, "Doubles a number.", ItemType.BEHAVIOUR, "test: doubles a number"),
        (Phase.GREEN, "HTTP works", ItemType.BUG, "fix: HTTP works"),
        (Phase.GREEN, "adds", ItemType.BEHAVIOUR, "feat: adds"),
        (Phase.RED, "Fix: one - logic", ItemType.BUG, "test: one - logic"),
        (Phase.GREEN, "Fix: one - logic", ItemType.BUG, "fix: one - logic"),
        (Phase.REFACTOR, "fix:  Adds", ItemType.BUG, "refactor: adds"),
        (Phase.GREEN, "Fix: ", ItemType.BUG, "fix: fix:"),
        (Phase.GREEN, "Fixes: a thing", ItemType.BUG, "fix: fixes: a thing"),
        (Phase.REFACTOR, "x" * 90, ItemType.CHORE, "refactor: " + "x" * 61 + "…"),
    ],
)  # fmt: skip
def test_subjects(phase: Phase, title: str, type_: ItemType, subject: str) -> None:
    assert commit_subject(phase, title, type_) == subject
    assert len(subject) <= 72


@pytest.mark.parametrize(
    ("rule", "standing", "runs"),
    [
        ("input-output", None, 1),
        ("descriptors", Standing.OPEN, 1),
        ("disk-full", Standing.REFUTED, 1),
        ("disk-full", Standing.CONFIRMED, 0),
        ("memory", Standing.REFUTED, 0),
    ],
)
def test_a_disk_that_failed_beneath_the_tests_is_given_another_run(
    rule: str, standing: Standing | None, runs: int
) -> None:
    """Once, and not where it is seen to fail still; memory is the code's own affair more often than not."""
    assert runs_for(Diagnosis(category=Category.STATE, rule=rule, standing=standing)) == runs


def test_an_acceptance_item_comes_first_and_then_after_its_children() -> None:
    outer = Item("o", "pays", type=ItemType.ACCEPTANCE)
    child, other = Item("c", "charges", parent="o"), Item("x", "greets")

    def begin(outer_status: Status, child_status: Status) -> list[str | None]:
        plan = Plan((replace(child, status=child_status), replace(outer, status=outer_status), other))
        nexts = (plan.next(), plan.next_beside({"c"}), plan.next_beside({"x"}))
        return [one.id if one else None for one in nexts]

    assert begin(Status.PLANNED, Status.PLANNED) == ["o", "x", "o"]
    assert begin(Status.IN_PROGRESS, Status.PLANNED) == ["c", "x", "c"]
    assert begin(Status.IN_PROGRESS, Status.FAILED) == ["x", "x", None]
    assert begin(Status.IN_PROGRESS, Status.COMPLETED) == ["o", "x", "o"]


def test_an_item_that_waits_for_a_failed_one_is_not_left_to_a_run() -> None:
    outer = Item("o", "outer", type=ItemType.ACCEPTANCE, status=Status.IN_PROGRESS)
    failed = Item("f", "failed", parent="o", status=Status.FAILED)
    after, last = Item("a", "after", after=("o",)), Item("l", "last", after=("a",))
    free = Item("n", "now")
    assert Plan((outer, failed, after, last, free)).left() == ((free,), (outer, after, last))
    assert Plan((outer, replace(failed, status=Status.PLANNED), after, last, free)).left()[1] == ()
