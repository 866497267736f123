"""What follows a provider's fault: wait and ask again, pause, or let the phase deal with it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import SimpleNamespace
from typing import cast

from tdd_orchestrator.agents.agent import TRANSIENT_FAULTS, Fault, Reply
from tdd_orchestrator.agents.validate import SENTENCES
from tdd_orchestrator.model.policy import RetryPolicy
from tdd_orchestrator.text import one_line

CEILING = 300.0  # seconds; a provider that asks for longer is waited for by pausing
GOES_ON = "it goes on from here"
_STRETCH = 1.5
_STRETCHED = frozenset({Fault.UNREACHABLE, Fault.API_ERROR})
_PERSON = {
    Fault.AUTH: "Log in to the agent, or set its key, and run the same command again.",
    Fault.DENIED: "Check the agent's model and its configuration, and run the same command again.",
    Fault.QUOTA: "Add credit or change the plan, or name another agent, and run the same command again.",
    Fault.NOT_STARTED: (
        "Install it, or name another agent in tdd.toml (`tdd agents` shows which are here; 'human' needs no program), "
        "and run the same command again."
    ),
}


class Move(StrEnum):
    NONE = "none"  # no fault of the transport: the phase's own rules apply
    WAIT = "wait"  # then ask again; the phase's retries are not touched
    PAUSE = "pause"  # exit code 4, resumable


@dataclass(frozen=True, slots=True)
class Decision:
    """``seconds`` to wait (WAIT) or after which another try makes sense (PAUSE, 0 = when a person has acted)."""

    move: Move
    seconds: float = 0.0
    stretch: float = 1.0  # for Request.stretch: time limits times this
    shorter: bool = False  # the prompt is to be cut before it is asked again
    what: str = ""  # one sentence on what is wrong
    todo: str = ""  # one sentence on what to do, with when


def decide(
    reply: Reply, tries: int, policy: RetryPolicy, *, shortened: bool = False, after: str = GOES_ON
) -> Decision:
    """``tries``: how often this attempt was waited for already because of its provider; ``shortened``: its prompt was
    cut already; ``after``: what the same command does when it is given again after a pause."""
    fault = reply.fault
    if fault is Fault.CONTEXT_OVERFLOW:
        return _too_large(shortened)
    if fault in _PERSON:
        said = one_line(reply.failure_reason, 400) or f"{SENTENCES[fault]}."
        return Decision(Move.PAUSE, what=_capital(said), todo=_PERSON[fault])
    if fault not in TRANSIENT_FAULTS:
        return Decision(Move.NONE)
    sentence = _capital(SENTENCES[fault])
    asked = max(0.0, reply.retry_after)
    backoff = _backoff(policy.transient_delay, tries)
    if tries >= policy.transient_retries or asked > CEILING:
        again = max(asked, backoff, 60.0)
        times = f", after {tries} time{'s'[: tries != 1]} of waiting and asking again" if tries else ""
        return Decision(
            Move.PAUSE,
            again,
            what=f"{sentence}{times}.",
            todo=f"Run the same command again in about {spoken(again)}; {after}.",
        )
    stretched = tries + 1 if fault in _STRETCHED else 0
    wait = max(asked, backoff)
    return Decision(
        Move.WAIT,
        wait,
        min(_STRETCH**stretched, 8.0),
        what=f"{sentence}.",
        todo=f"Asking again in {spoken(wait)}.",
    )


def _too_large(shortened: bool) -> Decision:
    """The same prompt would be refused again, whoever waits: it is cut once, and then a person's."""
    sentence = _capital(SENTENCES[Fault.CONTEXT_OVERFLOW])
    if shortened:
        todo = (
            "Name a model with a larger context or another agent, or make the item's text shorter, and run the same "
            "command again."
        )
        return Decision(Move.PAUSE, what=f"{sentence}, also when it is cut to a quarter.", todo=todo)
    return Decision(Move.WAIT, shorter=True, what=f"{sentence}.", todo="Asking again with a quarter of it.")


def _backoff(first: float, tries: int) -> float:
    """Exponential, as the retry library computes it: ``first`` seconds, doubled for each try before, with a ceiling.
    The count lives in the records, since no retrier in memory survives a crash."""
    from tenacity import RetryCallState, wait_exponential

    at = cast(RetryCallState, SimpleNamespace(attempt_number=tries + 1))
    return float(wait_exponential(multiplier=first, max=CEILING)(at))


def spoken(seconds: float) -> str:
    """A length of time as a person says it."""
    for size, unit in ((3600.0, "hour"), (60.0, "minute")):
        if seconds >= 1.5 * size or seconds == size:
            number = round(seconds / size)
            return f"{number} {unit}{'' if number == 1 else 's'}"
    number = max(1, round(seconds))
    return f"{number} second{'' if number == 1 else 's'}"


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
