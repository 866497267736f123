"""End a client that asks its provider again and again though its limit is reached (A10).

Several clients do so for as long as they may run. What they print is parsed by their own row, as it is when they
end; so no client has a rule of its own here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from tdd_orchestrator.agents.agent import Fault
from tdd_orchestrator.agents.parsed_output import Output, ParsedOutput, Parser

LONGEST_WAIT = 300.0
"""Seconds that a client may wait for a limit by itself; a longer wait is ours."""
_TAIL = 64 << 10  # bytes of each stream that are parsed
_OVERLAP = 16  # bytes before new ones, for a word that comes in pieces
_LIMITS = frozenset({Fault.RATE_LIMITED, Fault.USAGE_LIMIT, Fault.QUOTA})
_SIGNS = (b"limit", b"quota", b"429", b"exhausted", b"credit", b"billing", b"payment", b"too many")
"""Without one of these words no row of such a fault fits; a flood of output is looked through for them alone."""


class LimitWatch:
    """Follow a client's two streams, and set ``stop`` once it waits for a limit that does not end soon.

    ``found`` is then what its output said. A quota does not come back by itself; any other limit may end within
    :data:`LONGEST_WAIT`, by the provider's own word or by the time that the client has waited already. Where it has
    waited longer, ``retry_after`` is at least as long again.
    """

    def __init__(self, parse: Parser, clock: Callable[[], float] = time.monotonic) -> None:
        self.stop = threading.Event()
        self.found: ParsedOutput | None = None
        self._parse, self._clock = parse, clock
        self._out, self._err = bytearray(), bytearray()
        self._since: float | None = None

    def feed_stdout(self, data: bytes) -> None:
        """Read what the client prints; an error that stood on the other stream before is over."""
        self._err.clear()
        self._feed(self._out, data)

    def feed_stderr(self, data: bytes) -> None:
        self._feed(self._err, data)

    def _feed(self, stream: bytearray, data: bytes) -> None:
        stream += data
        if len(stream) > _TAIL:
            del stream[: len(stream) - _TAIL]
            del stream[: stream.find(b"\n") + 1]
        newest = bytes(stream[-len(data) - _OVERLAP :]).lower()
        if self._since is not None or any(sign in newest for sign in _SIGNS):
            self._check()

    def _check(self) -> None:
        parsed = self._parse(Output(bytes(self._out), bytes(self._err), exit_code=None))
        if not parsed.waiting or parsed.fault not in _LIMITS:
            self._since = None
            return
        now = self._clock()
        self._since = now if self._since is None else self._since
        longest = max(now - self._since, parsed.retry_after)
        if parsed.fault is Fault.QUOTA:
            self.found = parsed
        elif longest > LONGEST_WAIT:
            self.found = replace(parsed, retry_after=longest)
        if self.found:
            self.stop.set()
