"""``docs/agents.md`` as the tables say it; written anew by: python tests/agents/agents_document.py (PYTHONPATH=tests)."""

from __future__ import annotations

from pathlib import Path

from tdd_orchestrator.agents.agent import AgentStatus, Fault, Reply
from tdd_orchestrator.agents.describe import INHERITED
from tdd_orchestrator.agents.faults import FAULTS, SENTENCES
from tdd_orchestrator.agents.last_words import ROWS
from tdd_orchestrator.agents.preset import PRESETS
from tdd_orchestrator.agents.transport import FaultAction, decide
from tdd_orchestrator.model.policy import RetryPolicy

from .provoked import PROVOKED

DOCUMENT = Path(__file__).parents[2] / "docs" / "agents.md"

HEAD = """# Agents: what is known of each, and what follows when one fails

Written from the tables in `tdd_orchestrator/agents/` by `tests/agents/agents_document.py`; a test keeps it current.
How to use an agent or add one: [add-an-agent.md](add-an-agent.md).

`tdd init --agent NAME` (or `agents.default` in tdd.toml) sets the agent that is used. `tdd agents` lists the installed ones, `tdd agents NAME` what is passed to one, which of it is set, and what is missing.
"""

_OUTCOME = {FaultAction.WAIT: "waits", FaultAction.PAUSE: "pauses", FaultAction.NONE: "phase"}
_MEANS = """
**waits**: waited for and asked again; no retry is used up. **pauses**: exit code 4, with what to do; the same command goes
on. **phase**: the tests are run all the same and the attempt is judged; a retry is used up. **person**: the cycle ends and a
person is asked.
"""


def outcome_of(fault: Fault) -> str:
    """What follows a fault the first time, in one word."""
    if fault is Fault.REFUSED:
        return "person"
    reply = Reply(
        "x", AgentStatus.AGENT_FAILED, "", fault, retry_after=60.0 if fault is Fault.USAGE_LIMIT else 0.0
    )
    return _OUTCOME[decide(reply, 0, RetryPolicy()).move]


THEN = {
    Fault.USAGE_LIMIT: "until the time that the client names, once, where that is within `retry.limit_wait`; else pauses and says when. "
    "Nothing is started on the account before. A client that asks again by itself is ended",
    Fault.QUOTA: "a client that asks again by itself is ended",
    Fault.RATE_LIMITED: "a client that asks again by itself is ended after five minutes",
    Fault.CONTEXT_OVERFLOW: "asked again with a quarter of the prompt, once; then pauses; after the pause it is a refused attempt",
    Fault.CONTEXT_FILLED: "asked afresh in a new session and told to read less, once; then phase",
    Fault.SESSION_LOST: "asked again in a new session, once; then phase",
    Fault.OUTPUT_CUT: "the next prompt asks for smaller edits",
    Fault.KILLED: "a second SIGKILL in the phase pauses and names memory; after the pause it is a refused attempt",
    Fault.TIMEOUT_WALL: "repeated once with what it left; then a person",
    Fault.TIMEOUT_IDLE: "repeated once with what it left; then a person",
    Fault.REFUSED: "the words are in the report",
    Fault.UNREACHABLE: "with a longer time limit each time",
}


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _presets() -> str:
    lines = ["## Presets", "", "| agent | observed with | read-only | goes on in its session | usage from | other providers | `inherit = false` leaves out |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    for row in PRESETS.values():
        usage = "its output and its own session log" if row.read_log else "its output"
        cells = (
            row.name,
            row.observed or "not run here: from its documents",
            "its own mode" if row.read_only is not None else "the sandbox and a check of the tree",
            "yes" if row.session else "no",
            usage,
            ", ".join(row.providers) or "none",
            INHERITED.get(row.name, "nothing: it has no such option that is known"),
        )
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    return "\n".join(lines)


def _faults() -> str:
    lines = ["## Faults", _MEANS, "| fault | what is said | outcome | then |", "|---|---|---|---|"]
    lines += [
        f"| `{fault}` | {sentence} | {outcome_of(fault)} | {THEN.get(fault, '')} |"
        for fault, sentence in SENTENCES.items()
    ]
    return "\n".join(lines)


def _matrix(seen: set[tuple[str, Fault]]) -> str:
    hidden = {(name, fault) for row in PROVOKED.values() for name in row.hidden_by for fault in row.expected}
    shown = [row.fault for row in FAULTS if any(fault is row.fault for _, fault in seen)]
    lines = [
        "## Agent, fault, outcome",
        "",
        "A word stands where the client's own output for that fault is a sample in `tests/agents/` (Vibe's: by the",
        "outcomes that its source names); a dash where none was observed;",
        "*hidden* where the client prints nothing of it and ends as if all were well: its answer is judged by the tests, and read",
        "as below. The faults without a column (a kill, a program that does not start, a silence) are seen from outside, alike for each client.",
        "",
        "| agent | " + " | ".join(f"`{fault}`" for fault in shown) + " |",
        "|---|" + "---|" * len(shown),
    ]
    for name in PRESETS:
        cells = [
            outcome_of(fault) if (name, fault) in seen else "*hidden*" if (name, fault) in hidden else "-"
            for fault in shown
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _words() -> str:
    lines = [
        "## Last words",
        "",
        "Where an attempt brings no work, the end of the agent's answer is read. It stands in the record, on the screen, in the retry's",
        "prompt, in the analyzer's, in the error report and in the fix prompt: 500 characters at most, without secrets.",
        "",
        "| the agent | for example | what follows |",
        "|---|---|---|",
    ]
    for row in ROWS:
        follows = (
            f"answered once in the next prompt ({row.answer}); then a person: {row.person}"
            if row.answer
            else f"a person: {row.person}"
        )
        follows += f" In `tdd fix`: {row.fixing}" if row.fixing != row.person else ""
        lines.append(
            f"| {row.means} | {_cell(row.samples[0])} | {_cell(follows.replace('{command}', 'the command is named'))} |"
        )
    return "\n".join(lines)


def document(seen: set[tuple[str, Fault]]) -> str:
    """The whole text; ``seen`` are the (preset, fault) pairs that have a sample."""
    return "\n\n".join((HEAD.rstrip(), _presets(), _faults(), _matrix(seen), _words())) + "\n"


if __name__ == "__main__":
    from agents.test_agents_document import seen_faults

    DOCUMENT.write_text(document(seen_faults()), encoding="utf-8")
