"""What an agent's output said, in one shape for all of them; and which words mean which fault."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tdd_orchestrator.agents.agent import Fault, Usage
from tdd_orchestrator.text import one_line

_LONGEST_LINE = 16 << 20


@dataclass(frozen=True, slots=True)
class Output:
    """The bytes a run left: both streams, and the file that its row asked for (a trajectory)."""

    stdout: bytes = b""
    stderr: bytes = b""
    file: bytes = b""
    exit_code: int | None = 0


@dataclass(frozen=True, slots=True)
class Heard:
    """``completed``: the tool's own completion record was seen. ``trouble``: its error, in its own words.

    ``waiting`` is true where the last thing it said was that it tries again: it counts only if the run was stopped.
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


Parser = Callable[[Output], Heard]

_STATUS: dict[int, Fault] = {
    400: Fault.DENIED,
    401: Fault.AUTH,
    402: Fault.QUOTA,
    403: Fault.AUTH,
    404: Fault.DENIED,
    408: Fault.UNREACHABLE,
    413: Fault.CONTEXT_OVERFLOW,
    429: Fault.RATE_LIMITED,
    503: Fault.OVERLOADED,
    529: Fault.OVERLOADED,
}

SIGNS: tuple[tuple[Fault, re.Pattern[str]], ...] = (
    # Most specific first: a quota error comes with status 429, a context error with 400.
    (
        Fault.CONTEXT_OVERFLOW,
        re.compile(
            r"(?i)prompt is too long|context[_ ]?(?:length|window|limit|size)|maximum context|ContextOverflow|rejected the prompt as too long|input token count[^.\n]{0,40}exceeds"
        ),
    ),
    (
        Fault.QUOTA,
        re.compile(
            r"(?i)insufficient_quota|quota exceeded|exceeded your current quota|billing details|credit balance|usage limit reached|payment required"
        ),
    ),
    (
        Fault.AUTH,
        re.compile(
            r"(?i)invalid (?:x-)?api[ -]?key|incorrect api key|unauthorized|unauthenticated|authentication(?: ?(?:failed|error))|not logged in|please (?:run /)?log ?in|permission_denied|invalid bearer|no api key|api key (?:not|is not) (?:set|found)"
        ),
    ),
    (
        Fault.DENIED,
        re.compile(
            r"(?i)model[^.\n]{0,80}(?:not found|does not exist|not supported|is not available)|unknown model|invalid model|not_found_error|no such model"
        ),
    ),
    (Fault.RATE_LIMITED, re.compile(r"(?i)rate[ _-]?limit|too many requests|RESOURCE_EXHAUSTED")),
    (Fault.OVERLOADED, re.compile(r"(?i)overloaded|service unavailable|at capacity|server is busy")),
    (Fault.MAX_TURNS, re.compile(r"(?i)max(?:imum)?[ _]?(?:session )?turns|TurnLimited|LimitsExceeded|turn_limit|step limit")),
    (Fault.MAX_BUDGET, re.compile(r"(?i)max_budget|budget (?:exceeded|reached)|cost limit")),
    (
        Fault.UNREACHABLE,
        re.compile(
            r"(?i)connection (?:error|failed|refused|reset|aborted)|fetch failed|ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|UND_ERR|network (?:error|is unreachable)|timed? ?out|error sending request|other side closed|stream (?:disconnected|closed|ended)|(?:^|\s)terminated\b|name or service not known|getaddrinfo"
        ),
    ),
)  # fmt: skip

_CODE = re.compile(
    r"(?i)(?:\bstatus(?: code)?[\"':= ]+|\bHTTP[ /]|\bcode[\"':= ]+|\berror[:( ]+|^\[?(?:API Error: )?)([45]\d\d)\b"
)
_AFTER = (
    (re.compile(r"(?i)retry[-_ ]?after[-_ ]?ms[\"':= ]+(\d{1,9})"), 0.001),
    (re.compile(r"(?i)retry[-_ ]?after[\"':= ]+(\d{1,7}(?:\.\d{1,6})?)(?! ?ms)"), 1.0),
    (re.compile(r"(?i)(?:try|retry) again in (\d{1,7}(?:\.\d{1,6})?) ?s"), 1.0),
    (re.compile(r"(?i)retryDelay[\"':= ]+(\d{1,7}(?:\.\d{1,6})?)s"), 1.0),
)


def fault_of(words: str, status: int | None = None) -> Fault:
    """The fault that an error message (and an HTTP status, where one is known) speaks of; never NONE."""
    words = " ".join(words[:20_000].split())
    code = status or _code(words)
    for fault, sign in SIGNS:
        if sign.search(words):
            return fault
    if code in _STATUS:
        return _STATUS[code]
    if code and 500 <= code < 600:
        return Fault.OVERLOADED
    return Fault.API_ERROR


def retry_after(words: str) -> float:
    """Seconds to wait as the provider asked for, or 0."""
    for pattern, unit in _AFTER:
        hit = pattern.search(words[:200_000])
        if hit:
            return float(hit[1]) * unit
    return 0.0


def trouble(words: str, status: int | None = None, **more: Any) -> Heard:
    """An error as the tool told it."""
    return Heard(
        trouble=one_line(words), fault=fault_of(words, status), retry_after=retry_after(words), **more
    )


def json_lines(data: bytes) -> Iterator[dict[str, Any]]:
    """Every JSON object that stands on a line of its own; the rest is passed over."""
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
    """A count, or 0 for what is none."""
    return int(value) if isinstance(value, int | float) and 0 <= value < 1e15 else 0


def money(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and 0 <= value < 1e9 else None


def words(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _code(text: str) -> int | None:
    hit = _CODE.search(text)
    return int(hit[1]) if hit else None


def text_of(message: Any) -> str:
    """The text parts of a message's ``content``."""
    parts = dig(message, "content")
    found = [words(dig(part, "text")) for part in parts] if isinstance(parts, list) else []
    return "\n".join(part for part in found if part)


_TRYING = re.compile(r"(?i)retrying (?:in|after)|reconnecting|attempt \d+ failed")


def stderr_error(output: Output) -> Heard:
    """No completion record: what standard error says last, as a JSON error object or as lines."""
    found = last_object(output.stderr)
    error = found.get("error")
    if isinstance(error, dict):
        code = error.get("code")
        message = f"{words(error.get('type'))}: {words(error.get('message'))}"
        status = code if isinstance(code, int) and 400 <= code < 600 else None
        return trouble(message, status, completed=True)
    text = output.stderr[-20_000:].decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if _TRYING.search(line) or fault_of(line) is not Fault.API_ERROR]
    if telling:
        heard = trouble("\n".join(telling[-3:]))
        return replace(heard, waiting=bool(_TRYING.search("\n".join(lines[-40:]))))
    return Heard(trouble=one_line(lines[-1])) if lines and output.exit_code else Heard()
