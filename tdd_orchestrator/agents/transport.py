"""What follows a provider's fault: wait and ask again, pause, or let the phase deal with it. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import SimpleNamespace
from typing import cast

from tdd_orchestrator.agents.agent import TRANSIENT_FAULTS, Fault, Reply
from tdd_orchestrator.agents.faults import SENTENCES
from tdd_orchestrator.model.policy import RetryPolicy
from tdd_orchestrator.text import capital, one_line

CEILING = 300.0  # seconds; a provider that asks for longer is waited for by pausing
GOES_ON = "it goes on from here"
_STRETCH = 1.5
_STRETCHED = frozenset({Fault.UNREACHABLE, Fault.API_ERROR})
_PERSON = {
    Fault.AUTH: "Log in to the agent, or set its key, and run the same command again.",
    Fault.DENIED: "Check the agent's model and its configuration, and run the same command again.",
    Fault.QUOTA: "Add credit or change the plan, or name another agent, and run the same command again.",
    Fault.MISCONFIGURED: (
        "Set what the client needs (`tdd agents {name}` lists what is passed to it, what is set and "
        "what is missing), and run "
        "the same command again."
    ),
    Fault.NOT_STARTED: (
        "Install it, or name another agent in tdd.toml (`tdd agents` shows which are here; 'human' "
        "needs no program), "
        "and run the same command again."
    ),
}


NOTES = {
    Fault.CONTEXT_FILLED: (
        "Your last run filled the model's context before it was done. Read less: only the files "
        "that you need, and of long "
        "files and long output only the part that you need."
    ),
    Fault.OUTPUT_CUT: (
        "Your last answer was cut off at the model's output limit. Write files in several smaller "
        "edits, and keep the final "
        "answer short."
    ),
}
"""What the next prompt says after such a fault."""

_OF_ITEM = frozenset({Fault.KILLED, Fault.CONTEXT_OVERFLOW})
"""Faults that one item may bring about for ever, while the provider works: they pause once in a phase."""

_SIGKILL = 9
_MARGIN = 30.0  # seconds at most after the end of a limit, so that the provider knows it too


class FaultAction(StrEnum):
    NONE = "none"  # no fault of the transport: the phase's own rules apply
    WAIT = "wait"  # then ask again; the phase's retries are not touched
    PAUSE = "pause"  # exit code 4, resumable


@dataclass(frozen=True, slots=True)
class Decision:
    """``seconds`` to wait (WAIT) or after which another try makes sense (PAUSE, 0 = when a person has
    acted)."""

    move: FaultAction
    seconds: float = 0.0
    stretch: float = 1.0  # for Request.stretch: time limits times this
    shorter: bool = False  # the prompt is to be cut before it is asked again
    note: str = ""  # for the next prompt
    limited: bool = False  # nothing is started on this account for ``seconds``
    what: str = ""  # one sentence on what is wrong
    todo: str = ""  # one sentence on what to do, with when


def decide(
    reply: Reply, tries: int, policy: RetryPolicy, *, shortened: bool = False, after: str = GOES_ON,
    before: Collection[str] = (), paused: Collection[str] = (), now: datetime | None = None,
) -> Decision:  # fmt: skip
    """Decide after a provider's fault.

    ``tries``: waits of this attempt so far; ``shortened``: its prompt was cut already; ``after``: what the
    same command does after a pause; ``before``: faults of earlier attempts of this phase; ``now``: for the
    time of day at which a limit ends.
    """
    fault = reply.fault
    if fault in _OF_ITEM and fault in paused:
        return Decision(FaultAction.NONE)
    if fault is Fault.CONTEXT_OVERFLOW:
        return _too_large(reply, shortened)
    if fault is Fault.CONTEXT_FILLED and fault not in before:
        return Decision(FaultAction.WAIT, what=_reason(reply), todo="Asking again afresh.", note=NOTES[fault])
    if fault is Fault.SESSION_LOST and fault not in before:
        return Decision(FaultAction.WAIT, what=_reason(reply), todo="Asking again in a new session.")
    if fault is Fault.USAGE_LIMIT:
        return _limited(reply, policy, waited=fault in before, after=after, now=now)
    if fault is Fault.KILLED and reply.signal == _SIGKILL and fault in before:
        return Decision(
            FaultAction.PAUSE, what="The agent's process was killed twice (SIGKILL).", todo=_KILLED
        )
    if fault in _PERSON:
        message = one_line(reply.failure_reason, 400) or f"{SENTENCES[fault]}."
        return Decision(
            FaultAction.PAUSE, what=capital(message), todo=_PERSON[fault].replace("{name}", reply.agent)
        )
    if fault not in TRANSIENT_FAULTS:
        return Decision(FaultAction.NONE, note=NOTES.get(fault, ""))
    sentence = _reason(reply).rstrip(".")
    asked = max(0.0, reply.retry_after)
    backoff = _backoff(policy.transient_delay, tries)
    if tries >= policy.transient_retries or asked > CEILING:
        again = max(asked, backoff, 60.0)
        times = f", after {tries} time{'s'[: tries != 1]} of waiting and asking again" if tries else ""
        return Decision(
            FaultAction.PAUSE,
            again,
            what=f"{sentence}{times}.",
            todo=f"Run the same command again in about {duration_text(again)}; {after}.",
        )
    stretched = tries + 1 if fault in _STRETCHED else 0
    wait = max(asked, backoff)
    return Decision(
        FaultAction.WAIT,
        wait,
        min(_STRETCH**stretched, 8.0),
        what=f"{sentence}.",
        todo=f"Asking again in {duration_text(wait)}.",
    )


_KILLED = (
    "The machine or its container may have run out of memory (journalctl -k, or the container's "
    "limits). Free some, and run "
    "the same command again."
)


def _reason(reply: Reply) -> str:
    """The fault's sentence, with the client's own words."""
    error = one_line(reply.error, 300).rstrip(".")
    return f"{capital(SENTENCES[reply.fault])}{f': {error}' if error else ''}."


def _limited(
    reply: Reply, policy: RetryPolicy, *, waited: bool, after: str, now: datetime | None
) -> Decision:
    """An account's limit ends at a time: waited for once, where that is near enough; else paused, with the
    time."""
    what, asked = _reason(reply), max(0.0, reply.retry_after)
    seconds = asked + min(_MARGIN, asked / 10)
    if 0 < asked <= policy.limit_wait and not waited:
        todo = f"Nothing is started on this account; it goes on by itself {_when(seconds, now)}."
        return Decision(FaultAction.WAIT, seconds, what=what, todo=todo, limited=True)
    if not asked:
        return Decision(
            FaultAction.PAUSE,
            what=what,
            todo=f"Run the same command again when the limit has ended; {after}.",
        )
    again = f"Run the same command again {_when(seconds, now)}; {after}."
    return Decision(FaultAction.PAUSE, seconds, what=what, todo=again, limited=True)


def _when(seconds: float, now: datetime | None) -> str:
    if now is None:
        return f"in about {duration_text(seconds)}"
    at = (now + timedelta(seconds=seconds)).astimezone()
    day = "" if at.date() == now.astimezone().date() else f"on {at:%Y-%m-%d} "
    return f"{day}at {at:%H:%M} (in about {duration_text(seconds)})"


def _too_large(reply: Reply, shortened: bool) -> Decision:
    """Decide after a prompt that is too large: cut it once, then ask a person. Waiting would not help."""
    sentence = _reason(reply).rstrip(".")
    if shortened:
        todo = (
            "Name a model with a larger context or another agent, or make the item's text shorter, "
            "and run the same "
            "command again."
        )
        return Decision(
            FaultAction.PAUSE, what=f"{sentence}. This also holds when it is cut to a quarter.", todo=todo
        )
    return Decision(
        FaultAction.WAIT, shorter=True, what=f"{sentence}.", todo="Asking again with a quarter of it."
    )


def _backoff(first: float, tries: int) -> float:
    """Exponential, as the retry library computes it: ``first`` seconds, doubled for each try before, with a
    ceiling. The count lives in the records, since no retrier in memory survives a crash."""
    from tenacity import RetryCallState, wait_exponential

    at = cast(RetryCallState, SimpleNamespace(attempt_number=tries + 1))
    return float(wait_exponential(multiplier=first, max=CEILING)(at))


def duration_text(seconds: float) -> str:
    """Return a length of time in words."""
    for size, unit in ((86_400.0, "day"), (3600.0, "hour"), (60.0, "minute")):
        if seconds >= 1.5 * size or seconds == size:
            number = round(seconds / size)
            return f"{number} {unit}{'' if number == 1 else 's'}"
    number = max(1, round(seconds))
    return f"{number} second{'' if number == 1 else 's'}"
