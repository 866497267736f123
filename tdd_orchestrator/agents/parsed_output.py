"""The parsed output of an agent, in one shape for all clients; when a limit that it names ends, and the end of a client that
asks its provider again and again though its limit is reached (A10)."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tdd_orchestrator.agents.agent import Fault, Usage
from tdd_orchestrator.agents.faults import fault_of
from tdd_orchestrator.text import one_line

_UNITS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}
_PART = (
    r"\d{1,6}(?:\.\d{1,6})? ?(?:days?|d|hours?|hrs?|h|minutes?|mins?|min|m(?!s)|seconds?|secs?"
    r"|s)\b,?(?: and)? ?"
)
_PARTS = re.compile(r"(\d{1,6}(?:\.\d{1,6})?) ?([dhms])")
_HEADERS = (
    (re.compile(r"(?i)retry[-_ ]?after[-_ ]?ms[\"':= ]+(\d{1,9})"), 0.001),
    (re.compile(r"(?i)retry[-_ ]?after[\"':= ]+(\d{1,7}(?:\.\d{1,6})?)(?! ?ms)"), 1.0),
    (re.compile(r"(?i)resets?_in_seconds[\"':= ]+(\d{1,8})"), 1.0),
)
_LENGTH = re.compile(
    (
        r"(?i)(?:(?:try|retry|available) (?:again )?|resets? |retryDelay[\"':= ]+|reset )(?:in "
        rf"|after )?((?:{_PART}){{1,4}})"
    ).replace(r"\b,?", r",?")
)
_EPOCH = re.compile(r"(?i)(?:limit reached\||resets?_at[\"':= ]+)(\d{10})\b")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_AT = re.compile(
    r"(?i)(?:resets?|try again|available again) (?:at |on )?"
    r"(?:(?P<weekday>mon|tue|wed|thu|fri|sat|sun)[a-z]*,? (?:at )?)?"
    r"(?:(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (?P<day>\d{1,2})(?:st|nd"
    r"|rd|th)?,? (?:(?P<year>20\d\d),? )?(?:at )?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::\d\d)?)? ?(?P<half>[ap]\.?m\b\.?)?(?: ?\("
    r"(?P<zone>[\w/+-]{1,40})\))?"
)


def reset_seconds(words: str, now: datetime) -> float:
    """Seconds until the limit ends, as ``words`` say it; 0 where they say nothing. ``now`` is aware: its zone
    is the user's."""
    words = words[:200_000]
    for pattern, unit in _HEADERS:
        if hit := pattern.search(words):
            return float(hit[1]) * unit
    if hit := _EPOCH.search(words):
        return max(0.0, float(hit[1]) - now.timestamp())
    if hit := _LENGTH.search(words):
        return sum(float(number) * _UNITS[unit.lower()] for number, unit in _PARTS.findall(hit[1].lower()))
    hit = _AT.search(words)
    return _until_clock(hit, now) if hit and (hit["half"] or hit["minute"]) else 0.0


def _until_clock(hit: re.Match[str], now: datetime) -> float:
    zone = _zone(hit["zone"], now)
    here = now.astimezone(zone)
    hour = int(hit["hour"])
    if hit["half"]:
        hour = hour % 12 + (12 if hit["half"].lower().startswith("p") else 0)
    try:
        at = here.replace(hour=hour, minute=int(hit["minute"] or 0), second=0, microsecond=0)
        if hit["month"]:
            month = _MONTHS.index(hit["month"].lower()) + 1
            at = at.replace(year=int(hit["year"] or at.year), month=month, day=int(hit["day"]))
            if at <= here and not hit["year"]:
                at = at.replace(year=at.year + 1)
    except ValueError:
        return 0.0
    if hit["weekday"] and not hit["month"]:
        ahead = (_DAYS.index(hit["weekday"].lower()) - here.weekday()) % 7
        at += timedelta(days=ahead)
        at += timedelta(days=7 if at <= here else 0)
    elif not hit["month"] and at <= here:
        at += timedelta(days=1)
    return max(0.0, (at - here).total_seconds())


def _zone(name: str | None, now: datetime) -> tzinfo:
    if name:
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError):
            pass
    return now.tzinfo or UTC


_LONGEST_LINE = 16 << 20


@dataclass(frozen=True, slots=True)
class Output:
    """The bytes a run left: both streams, and the file that its row asked for (a trajectory)."""

    stdout: bytes = b""
    stderr: bytes = b""
    file: bytes = b""
    exit_code: int | None = 0


@dataclass(frozen=True, slots=True)
class ParsedOutput:
    """``completed``: the client's completion record was seen.

    ``trouble``: its error message. ``waiting``: its last message was that it tries again, which counts only
    if the run was stopped.
    """

    completed: bool = False
    text: str = ""
    trouble: str = ""
    fault: Fault = Fault.NONE
    retry_after: float = 0.0
    waiting: bool = False
    session: str = ""
    model: str = ""
    version: str = ""
    usage: Usage = field(default_factory=Usage)


Parser = Callable[[Output], ParsedOutput]


def retry_after(words: str) -> float:
    """Seconds to wait as the provider asked for, or 0."""
    return reset_seconds(words, datetime.now().astimezone())


def trouble(words: str, status: int | None = None, **more: Any) -> ParsedOutput:
    """An error in the client's own words; a quota that comes back at a time is a limit until then."""
    fault, after = fault_of(words, status), retry_after(words)
    if fault is Fault.QUOTA and after:
        fault = Fault.USAGE_LIMIT
    return ParsedOutput(trouble=one_line(words), fault=fault, retry_after=after, **more)


def json_lines(data: bytes) -> Iterator[dict[str, Any]]:
    """Return every JSON object on a line of its own; other lines are skipped."""
    for line in data.split(b"\n"):
        line = line.strip()
        if not line.startswith(b"{") or len(line) > _LONGEST_LINE:
            continue
        found = load(line)
        if isinstance(found, dict):
            yield found


def load(data: bytes | str) -> Any:
    """The JSON value, or None where it is none (also one that is nested without end)."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def last_object(data: bytes) -> dict[str, Any]:
    """The last top-level JSON object of a text that has other lines before it (pretty-printed or not)."""
    text = data.decode("utf-8", "replace")
    starts = [hit.start() for hit in re.finditer(r"(?m)^(?:\[ERROR\] )?\{", text)][-20:]
    decoder = json.JSONDecoder()
    for start in reversed(starts):
        try:
            found, _ = decoder.raw_decode(text, text.index("{", start))
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    return {}


def dig(value: Any, *path: str | int) -> Any:
    """``value[path[0]][path[1]]...``, or None where something on the way is missing or of another kind."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def whole(value: Any) -> int:
    """Return a count, or 0 for anything else."""
    return int(value) if isinstance(value, int | float) and 0 <= value < 1e15 else 0


def money(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and 0 <= value < 1e9 else None


def words(value: Any) -> str:
    return value if isinstance(value, str) else ""


def text_of(message: Any) -> str:
    """The text parts of a message's ``content``."""
    parts = dig(message, "content")
    found = [words(dig(part, "text")) for part in parts] if isinstance(parts, list) else []
    return "\n".join(part for part in found if part)


_RETRYING = re.compile(r"(?i)retrying (?:in|after)|reconnecting|attempt \d+ failed")


def stderr_error(output: Output) -> ParsedOutput:
    """Return the error at the end of standard error, as a JSON object or as lines; used where there is
    no completion record."""
    found = last_object(output.stderr)
    error = found.get("error")
    if isinstance(error, dict):
        code = error.get("code")
        message = f"{words(error.get('type'))}: {words(error.get('message'))}"
        status = code if isinstance(code, int) and 400 <= code < 600 else None
        return trouble(message, status, completed=True)
    text = output.stderr[-20_000:].decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if _RETRYING.search(line) or fault_of(line) is not Fault.UNKNOWN]
    if errors:
        parsed = trouble("\n".join(errors[-3:]))
        return replace(parsed, waiting=bool(_RETRYING.search("\n".join(lines[-40:]))))
    return (
        ParsedOutput(trouble=one_line(_last_error(lines))) if lines and output.exit_code else ParsedOutput()
    )


_OF_THE_RUNTIME = re.compile(r"^(?:Bun|Node\.js) v\d|^\s+(?:at \S|(?:path|syscall|errno|code|dest): )")
_ERROR_LINE = re.compile(
    r"(?i)^\s*(?:uncaught )?(?:[\w.]*(?:error|exception)|fatal|E[A-Z]{4,})\b[^:]{0,40}: "
)


def _last_error(lines: list[str]) -> str:
    """The last line that names an error, else the last that is neither a runtime's version nor a frame."""
    own = [line for line in lines if not _OF_THE_RUNTIME.search(line)] or lines
    return next((line for line in reversed(own) if _ERROR_LINE.search(line)), own[-1])


LONGEST_WAIT = 300.0
"""Seconds that a client may wait for a limit by itself; a longer wait is ours."""
_TAIL = 64 << 10  # bytes of each stream that are parsed
_OVERLAP = 16  # bytes before new ones, for a word that comes in pieces
_LIMITS = frozenset({Fault.RATE_LIMITED, Fault.USAGE_LIMIT, Fault.QUOTA})
_SIGNS = (b"limit", b"quota", b"429", b"exhausted", b"credit", b"billing", b"payment", b"too many")
"""Without one of these words no row of such a fault fits; a flood of output is looked through for them alone."""


class LimitWatch:
    """Follow a client's two streams, and set ``stop`` once it waits for a limit that does not end soon.

    Several clients ask again and again for as long as they may run. What they print is parsed by their own row, as it
    is when they end; so no client has a rule of its own here. ``found`` is then what its output said. A quota does not come back by itself; any other limit may end within
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
