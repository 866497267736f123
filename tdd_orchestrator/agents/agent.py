"""The protocol between the cycle and an agent: a Request goes in, a Reply comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class AgentStatus(StrEnum):
    """A3: four statuses, all distinct."""

    SUCCESS = "success"
    FAILED = "failed"  # it ended with exit code 0, and its result or its work says no
    ERROR = "error"  # the process did not start, or died
    AGENT_FAILED = "agent_failed"  # exit code not 0, or a required report is missing or too small


class Fault(StrEnum):
    """Transport and provider faults, as the agent's own output shows them."""

    NONE = ""
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    USAGE_LIMIT = "usage_limit"  # of the account, until a time that is often known
    QUOTA = "quota"
    MISCONFIGURED = "misconfigured"
    REFUSED = "refused"  # by the model's policy
    OUTPUT_CUT = "output_cut"
    AUTH = "auth"
    CONTEXT_OVERFLOW = "context_overflow"  # the prompt alone
    CONTEXT_FILLED = "context_filled"  # after turns that worked
    SESSION_LOST = "session_lost"  # the one to go on in
    UNREACHABLE = "unreachable"
    API_ERROR = "api_error"
    TIMEOUT_WALL = "timeout_wall"
    TIMEOUT_IDLE = "timeout_idle"
    MAX_TURNS = "max_turns"
    MAX_BUDGET = "max_budget"
    DENIED = "denied"
    KILLED = "killed"
    NOT_STARTED = "not_started"
    PROTOCOL = "protocol_error"
    UNKNOWN = "unknown"


TIMEOUT = 900.0
"""Seconds that an agent may work where its configuration does not say (A6)."""

TRANSIENT_FAULTS = frozenset({Fault.RATE_LIMITED, Fault.OVERLOADED, Fault.UNREACHABLE, Fault.API_ERROR})
"""These wait and try again from a budget of their own; they never use up a phase's retries (R1)."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens by kind; no token is counted in two of them. All are 0 where the client reports nothing."""

    input_tokens: int = 0  # neither read from a cache nor written to one
    cached_tokens: int = 0  # read from a cache
    output_tokens: int = 0  # reasoning included
    cost: float | None = None  # US dollars; None = not known
    turns: int = 0  # requests to the model
    cache_creation_tokens: int = 0  # written to a cache
    cost_from: str = ""  # client | prices

    @property
    def total(self) -> int:
        return self.input_tokens + self.cached_tokens + self.cache_creation_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        costs = [one.cost for one in (self, other) if one.cost is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            sum(costs) if costs else None,
            self.turns + other.turns,
            self.cache_creation_tokens + other.cache_creation_tokens,
            self.cost_from or other.cost_from,
        )


@dataclass(frozen=True, slots=True)
class Request:
    """One piece of work. ``phase`` is test_list, red, green, refactor, analyze or fix (A2)."""

    role: str
    phase: str
    prompt: str
    tree: Path  # cwd: the work tree
    output: Path  # TDD_OUTPUT_DIR, outside the tree, exists and is empty
    cycle_id: str
    attempt: int = 1
    read_only: bool = False
    requires: str = ""  # name of the report that must be in ``output``, e.g. investigation.md
    timeout: float = 0.0  # seconds; 0 = as the agent's settings say
    idle_timeout: float = 0.0  # 0 = as the agent's settings say
    stretch: float = 1.0  # both limits times this: network time-outs are tried again with longer ones (R1)
    failed_phase: str = ""
    port: int = 0
    env: Mapping[str, str] = field(default_factory=dict)  # leads to the services of the tree
    session: str = ""  # to be continued, where the agent can
    run_marker: str = ""
    task: str = ""  # one sentence for a person: what is to be done
    needs: tuple[str, ...] = ()  # what the machine must have, where there are several
    signal: str = ""  # a specialist's completion signal, looked for in its output (A8)


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of an agent's run. It proves nothing; it is recorded, and the tests are run."""

    agent: str
    status: AgentStatus
    failure_reason: str = ""  # a sentence for a human
    fault: Fault = Fault.NONE
    error: str = ""  # the client's own sentence on what went wrong
    retry_after: float = 0.0  # seconds, from the provider
    exit_code: int | None = None
    signal: int = 0
    timed_out: str = ""  # "" | wall | idle | stop: ended by us while it waited for a limit
    text: str = ""  # its final answer, plain, bounded
    report: str = ""  # content of the required report, or report.md, bounded
    model: str = ""
    session: str = ""
    version: str = ""
    usage: Usage = field(default_factory=Usage)
    signalled: bool = False  # the request's completion signal was in the output
    seconds: float = 0.0
    orphans: int = 0
    transcript: Path | None = None
    incident: str = ""  # id of the WARNING that was logged


class Agent(Protocol):
    """Anything that can be asked to work: a command line, a preset, a person, a recording."""

    @property
    def name(self) -> str: ...

    def work(self, request: Request, on_output: Callable[[bytes], None] | None = None) -> Reply: ...
