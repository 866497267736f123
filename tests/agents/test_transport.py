"""Provider faults have a budget of their own, honour Retry-After, and end in a pause that says when."""

from __future__ import annotations

from datetime import datetime

import pytest

from tdd_orchestrator.agents.agent import TRANSIENT_FAULTS, AgentStatus, Fault, Reply
from tdd_orchestrator.agents.faults import SENTENCES
from tdd_orchestrator.agents.transport import CEILING, Decision, FaultAction, decide, duration_text
from tdd_orchestrator.model.policy import RetryPolicy

POLICY = RetryPolicy()
LIMITED = Fault.RATE_LIMITED
FOR_A_PERSON = {Fault.AUTH, Fault.QUOTA, Fault.DENIED, Fault.NOT_STARTED, Fault.MISCONFIGURED}
WITH_ROWS_OF_THEIR_OWN = {
    Fault.CONTEXT_OVERFLOW, Fault.CONTEXT_FILLED, Fault.SESSION_LOST, Fault.USAGE_LIMIT,
}  # fmt: skip


def decided(
    fault: Fault, asked: float = 0.0, waited: int = 0, policy: RetryPolicy = POLICY, said: str = ""
) -> Decision:
    reply = Reply("codex", AgentStatus.AGENT_FAILED, said, fault, retry_after=asked)
    return decide(reply, waited, policy)


def test_backoff_doubles_until_the_budget_is_used_up() -> None:
    waits = [decided(LIMITED, 0, tries) for tries in range(6)]
    assert [one.seconds for one in waits[:5]] == [1, 2, 4, 8, 16]
    assert [one.move for one in waits] == [FaultAction.WAIT] * 5 + [FaultAction.PAUSE]
    assert (
        waits[5].what == "The provider's rate limit was reached, after 5 times of waiting and asking again."
    )
    assert waits[5].todo == "Run the same command again in about 1 minute; it goes on from here."


def test_retry_after_is_honoured() -> None:
    assert decided(LIMITED, 30).seconds == 30
    assert decided(LIMITED, 0.5, 3).seconds == 8
    pause = decided(LIMITED, 3600)
    assert (pause.move, pause.seconds) == (FaultAction.PAUSE, 3600)
    assert "in about 1 hour" in pause.todo
    assert decided(LIMITED, CEILING).move is FaultAction.WAIT
    assert decided(LIMITED, -5).seconds == 1


@pytest.mark.parametrize("fault", sorted(FOR_A_PERSON))
def test_what_waiting_does_not_cure_pauses_at_once(fault: Fault) -> None:
    decision = decided(fault, 30)
    assert (decision.move, decision.seconds) == (FaultAction.PAUSE, 0)
    assert decision.todo.endswith("run the same command again.")


@pytest.mark.parametrize(
    "fault",
    [fault for fault in Fault if fault not in TRANSIENT_FAULTS | FOR_A_PERSON | WITH_ROWS_OF_THEIR_OWN],
)
def test_the_rest_is_the_phases_own(fault: Fault) -> None:
    assert decided(fault, 30).move is FaultAction.NONE


def test_a_prompt_that_is_too_large_is_shortened_once_and_then_a_persons() -> None:
    reply = Reply("codex", AgentStatus.AGENT_FAILED, "exit code 1", Fault.CONTEXT_OVERFLOW)
    first = decide(reply, 0, POLICY)
    assert (first.move, first.seconds, first.shorter) == (FaultAction.WAIT, 0, True)
    again = decide(reply, 1, POLICY, shortened=True)
    assert (again.move, again.shorter) == (FaultAction.PAUSE, False)
    assert (
        again.what
        == "The prompt is larger than the model's context. This also holds when it is cut to a quarter."
    )
    assert "larger context" in again.todo
    assert decide(reply, 9, POLICY).shorter


def test_network_time_outs_are_tried_again_with_longer_ones() -> None:
    stretches = [decided(Fault.UNREACHABLE, waited=tries).stretch for tries in range(3)]
    assert stretches == [1.5, 2.25, 3.375]
    assert decided(LIMITED, waited=1).stretch == 1


def test_a_budget_of_none_pauses_at_once() -> None:
    pause = decided(Fault.OVERLOADED, policy=RetryPolicy(transient_retries=0))
    assert (pause.move, pause.what) == (FaultAction.PAUSE, "The provider is overloaded.")


def test_the_wait_has_a_ceiling() -> None:
    policy = RetryPolicy(transient_retries=1000)
    assert decided(LIMITED, 0, 500, policy).seconds == CEILING


def test_what_a_person_must_cure_is_told_in_the_providers_own_words() -> None:
    said = "exit code 0, but the provider refused the request as it is (model gpt-99 not found)."
    assert decided(Fault.DENIED, said=said).what == "E" + said[1:]
    assert decided(Fault.AUTH).what == "The provider did not accept the key or the login."


def test_every_fault_has_its_sentence() -> None:
    assert set(SENTENCES) == set(Fault) - {Fault.NONE}


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "1 second"),
        (45, "45 seconds"),
        (60, "1 minute"),
        (89, "89 seconds"),
        (90, "2 minutes"),
        (3600, "1 hour"),
        (9000, "2 hours"),
        (3 * 86_400, "3 days"),
    ],
)
def test_time_as_a_person_says_it(seconds: float, words: str) -> None:
    assert duration_text(seconds) == words


def limited(seconds: float) -> Reply:
    said = "You've hit your usage limit"
    return Reply("codex", AgentStatus.AGENT_FAILED, "", Fault.USAGE_LIMIT, said, seconds)


NOW = datetime(2025, 11, 23, 14, 0).astimezone()


def test_a_usage_limit_is_waited_for_once_until_its_time() -> None:
    first = decide(limited(3600), 0, POLICY, now=NOW)
    assert (first.move, first.seconds, first.limited) == (FaultAction.WAIT, 3630, True)
    assert "it goes on by itself at 15:00" in first.todo
    assert "You've hit your usage limit" in first.what
    again = decide(limited(3600), 0, POLICY, before={"usage_limit"}, now=NOW)
    assert (again.move, again.limited) == (FaultAction.PAUSE, True)
    assert "Run the same command again at 15:00 (in about 60 minutes)" in again.todo


def test_a_usage_limit_that_ends_much_later_pauses_and_says_when() -> None:
    pause = decide(limited(3 * 86_400), 0, POLICY, now=NOW)
    assert pause.move is FaultAction.PAUSE
    assert "on 2025-11-26 at 14:00 (in about 3 days)" in pause.todo
    off = decide(limited(60), 0, RetryPolicy(limit_wait=0), now=NOW)
    assert off.move is FaultAction.PAUSE
    unknown = decide(limited(0), 0, POLICY, now=NOW)
    assert (unknown.move, unknown.limited) == (FaultAction.PAUSE, False)


def test_a_context_that_filled_up_is_asked_afresh_once_and_told_to_read_less() -> None:
    reply = Reply("claude", AgentStatus.AGENT_FAILED, "", Fault.CONTEXT_FILLED)
    first = decide(reply, 0, POLICY)
    assert (first.move, first.shorter) == (FaultAction.WAIT, False)
    assert "Read less" in first.note
    assert decide(reply, 1, POLICY, before={"context_filled"}).move is FaultAction.NONE


def test_a_session_that_the_client_does_not_know_is_asked_afresh_once() -> None:
    reply = Reply("pi", AgentStatus.AGENT_FAILED, "", Fault.SESSION_LOST, "No session found matching 's-1'")
    first = decide(reply, 0, POLICY)
    assert (first.move, first.seconds, first.note) == (FaultAction.WAIT, 0, "")
    assert (
        first.what
        == "The client does not know the session of the attempt before: No session found matching 's-1'."
    )
    assert first.todo == "Asking again in a new session."
    assert decide(reply, 1, POLICY, before={"session_lost"}).move is FaultAction.NONE


def test_a_client_that_is_killed_twice_pauses_and_names_memory() -> None:
    reply = Reply(
        "claude", AgentStatus.ERROR, "the agent's process was killed (SIGKILL).", Fault.KILLED, signal=9
    )
    assert decide(reply, 0, POLICY).move is FaultAction.NONE
    again = decide(reply, 0, POLICY, before={"killed"})
    assert again.move is FaultAction.PAUSE
    assert "out of memory" in again.todo
    after = decide(reply, 0, POLICY, before={"killed"}, paused={"killed"})
    assert after.move is FaultAction.NONE, (
        "another item may do: this one is refused, and fails with a report in the end"
    )


def test_nothing_unknown_is_called_transient() -> None:
    assert Fault.UNKNOWN not in TRANSIENT_FAULTS
    assert decide(Reply("x", AgentStatus.AGENT_FAILED, "", Fault.UNKNOWN), 0, POLICY).move is FaultAction.NONE


def test_the_clients_own_sentence_is_shown() -> None:
    reply = Reply("x", AgentStatus.AGENT_FAILED, "", Fault.OVERLOADED, "API Error: 529 Overloaded")
    assert decide(reply, 0, POLICY).what == "The provider is overloaded: API Error: 529 Overloaded."
