"""Faults that a scripted model provokes in real clients, and what each client printed: one file a client in
``recorded/``, written by ``python -m real_agents.record CLIENT`` (PYTHONPATH=tests:tests/journeys)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tdd_orchestrator.agents.agent import Fault
from tdd_orchestrator.agents.parsed_output import Output, ParsedOutput
from tdd_orchestrator.agents.preset import PRESETS
from tdd_orchestrator.agents.usage import logged_or
from tdd_orchestrator.agents.validate import Judgement, judge
from tdd_orchestrator.process import Finished

RECORDED = Path(__file__).parent / "recorded"
SIZE = 1500  # characters of each stream that a recording keeps, where fewer are read alike

WRITE = {
    "write": {
        "path": "tests/test_calc.py",
        "content": "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n",
    }
}
LONG = "prompt is too long: 250000 tokens > 200000 maximum"
LARGE = {"fault": {"status": 400, "code": "context_length_exceeded", "message": LONG}}
QUOTA = "You exceeded your current quota, please check your plan and billing details."
LIMIT = "You've hit your usage limit. Try again in 2 hours."
WORDS = "A long text that is going to be cut somewhere in it."
DONE = "RED: done."
DEAD = "http://127.0.0.1:9"


@dataclass(frozen=True)
class Provoked:
    """``steps`` of the model; ``expected``: the faults that a client may show for it. ``limit``: seconds
    after which a client that waits in silence is ended. ``hidden_by``: clients that print nothing of it,
    whose answer is taken as it stands. ``lost_by``: clients that end as if well, without any answer."""

    what: str
    expected: frozenset[Fault]
    steps: tuple[dict[str, Any], ...]
    limit: float = 45.0
    url: str = ""
    hidden_by: tuple[str, ...] = ()
    lost_by: tuple[str, ...] = ()

    def by(self, client: str) -> tuple[frozenset[Fault], str]:
        """The faults that ``client`` may show, and the answer that it prints where it shows none."""
        if client in self.lost_by:
            return frozenset({Fault.NONE}), ""
        once = client in ONE_REQUEST
        shown = client not in self.hidden_by and not (once and len(self.steps) > 1)
        answer = self.steps[0 if once else -1].get("text", "")
        return self.expected if shown else frozenset({Fault.NONE}), answer


def _row(what: str, *expected: Fault, steps: Any, **more: Any) -> Provoked:
    return Provoked(what, frozenset(expected), steps if isinstance(steps, tuple) else (steps,), **more)


WORKS = (
    {"text": "Writing.", "do": [WRITE], "usage": {"input": 1200, "cached": 700, "output": 80}},
    {"text": DONE, "usage": {"input": 1500, "cached": 900, "output": 20}},
)
"""A run that ends well, and what the model counts in it."""
_SILENT = Fault.TIMEOUT_WALL  # a client that prints nothing while it waits for its provider
_UNANSWERED = Fault.UNREACHABLE  # one that prints only that it asks
_STATUS = Fault.RATE_LIMITED  # a client that shows the number of an error, and not its words
ONE_REQUEST = ("aider",)  # a client that asks its model once in a run
PROVOKED = {
    "works": _row("it writes a file, then answers", Fault.NONE, steps=WORKS),
    "wrong key": _row("HTTP 401", Fault.AUTH, steps={"fault": {"status": 401}}),
    "rate limit": _row("HTTP 429 for ever", Fault.RATE_LIMITED, _SILENT, _UNANSWERED, steps={"fault": {"status": 429, "retry_after": 7}}),
    "overloaded": _row("HTTP 529 for ever", Fault.OVERLOADED, _SILENT, _UNANSWERED, steps={"fault": {"status": 529}}),
    "server error": _row("HTTP 500 for ever", Fault.API_ERROR, Fault.OVERLOADED, _SILENT, _UNANSWERED, steps={"fault": {"status": 500}}),
    "quota": _row("HTTP 429, insufficient_quota", Fault.QUOTA, _SILENT, _UNANSWERED, _STATUS,
        steps={"fault": {"status": 429, "type": "insufficient_quota", "code": "insufficient_quota", "message": QUOTA}}),
    "usage limit": _row("HTTP 429, usage_limit_reached", Fault.USAGE_LIMIT, _SILENT, _UNANSWERED, _STATUS,
        steps={"fault": {"status": 429, "type": "usage_limit_reached", "code": "usage_limit_reached", "message": LIMIT}}),
    "unknown model": _row("HTTP 404", Fault.DENIED,
        steps={"fault": {"status": 404, "type": "not_found_error", "code": "model_not_found", "message": "The model `big-9` does not exist"}}),
    "refusal": _row("the answer ends as refused", Fault.REFUSED, steps={"text": "I cannot help with that.", "ends": "refused"},
        hidden_by=("gemini", "qwen", "copilot", "aider")),
    "output cut": _row("the answer ends at its output limit", Fault.OUTPUT_CUT, steps={"text": WORDS, "ends": "cut"},
        hidden_by=("gemini", "qwen", "copilot")),
    "too large": _row("HTTP 400, context_length_exceeded, at once", Fault.CONTEXT_OVERFLOW, steps=LARGE),
    "context filled": _row("HTTP 400, context_length_exceeded, after a turn that worked", Fault.CONTEXT_FILLED,
        steps=({"text": "Writing.", "do": [WRITE], "usage": {"input": 1200, "output": 80}}, LARGE)),
    "cut stream": _row("the connection ends in the answer, always", Fault.NONE, Fault.UNREACHABLE, Fault.API_ERROR, _SILENT,
        steps={"text": WORDS, "fault": {"truncate_after": 2}}, lost_by=("claude-agent-acp",)),
    "unreachable": _row("no server at the address", Fault.UNREACHABLE, Fault.OVERLOADED, Fault.API_ERROR, _SILENT,
        steps={"text": WORDS}, url=DEAD),
    "hang": _row("the provider says nothing", _SILENT, Fault.UNREACHABLE, steps={"fault": {"hang": True}}, limit=12.0),
}  # fmt: skip
"""What a client prints where its model answers so. A client may also get through (it asks in another way)."""


@dataclass(frozen=True)
class Recording:
    """What a client left of one run; long outputs without the lines that change nothing in how it is read."""

    provoked: str
    version: str
    exit_code: int | None
    timed_out: str = ""
    stdout: str = ""
    stderr: str = ""
    file: str = ""
    log: str = ""  # the client's own session log, where its usage is read from it
    fault: str = field(default="", compare=False)  # as judged when it was recorded

    def output(self) -> Output:
        return Output(self.stdout.encode(), self.stderr.encode(), self.file.encode(), self.exit_code)

    def judgement(self, preset: str) -> Judgement:
        out = self.output()
        ended = Finished((preset,), out.exit_code, out.stdout, out.stderr, self.timed_out, seconds=1.0)
        parsed = self.parsed(preset)
        return judge(ended, parsed, completion=PRESETS[preset].completion, required="", size=None)

    def parsed(self, preset: str) -> ParsedOutput:
        row = PRESETS[preset]
        parsed = row.parse(self.output())
        if row.read_log is None or not self.log:
            return parsed
        logged = row.read_log(self.log.encode(), datetime.min.replace(tzinfo=UTC))
        return replace(parsed, usage=logged_or(parsed.usage, logged, first=row.log_first))


def recordings(preset: str) -> list[Recording]:
    path = RECORDED / f"{preset}.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [Recording(**json.loads(line)) for line in lines]


def write(preset: str, rows: list[Recording]) -> None:
    """Keep ``rows``, and those of the client that were recorded before and are not among them."""
    names = {row.provoked for row in rows}
    kept = [row for row in recordings(preset) if row.provoked not in names] + [
        short(preset, row) for row in rows
    ]
    kept.sort(key=lambda row: list(PROVOKED).index(row.provoked))
    RECORDED.mkdir(exist_ok=True)
    lines = [json.dumps({k: v for k, v in asdict(row).items() if v or k == "exit_code"}) for row in kept]
    (RECORDED / f"{preset}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def short(preset: str, row: Recording) -> Recording:
    """The recording without its longest lines, as long as it is large and reads alike without them."""

    def read(one: Recording) -> Any:
        return one.judgement(preset), one.parsed(preset)

    for stream in ("stdout", "stderr", "file", "log"):
        lines = getattr(row, stream).splitlines(keepends=True)
        for line in sorted(lines, key=len, reverse=True):
            if sum(map(len, lines)) <= SIZE:
                break
            fewer = list(lines)
            fewer.remove(line)
            without = replace(row, **{stream: "".join(fewer)})
            if read(without) == read(row):
                row, lines = without, fewer
    return row
