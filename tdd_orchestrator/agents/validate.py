"""Check that a run did what a run must (A3, A4): one pure judgement, and its record."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tdd_orchestrator.agents.agent import AgentStatus, Fault, Reply, Request
from tdd_orchestrator.agents.faults import SENTENCES
from tdd_orchestrator.agents.parsed_output import ParsedOutput
from tdd_orchestrator.events import log
from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.process import Finished
from tdd_orchestrator.text import one_line, plain

SMALLEST_REPORT = 100  # bytes (A3)
LARGEST_REPORT = 1 << 20
_FEW = 3  # lines on standard error of what could not start
_SCRUBBED = 1 << 20  # bytes of one file in the output folder
_BEYOND = 8192  # bytes that are read on, so that no part of a secret is left at the cut
RESULT = "result.json"

CALLED = {"investigation.md": "investigation report", "report.md": "report"}
"""What a required file is called in a sentence; a test list is held to its own rules, not to a size."""

_DEADLY = frozenset(
    getattr(signal, name)
    for name in ("SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGSEGV",
        "SIGPIPE", "SIGTERM", "SIGXCPU", "SIGXFSZ", "SIGSYS")
)  # fmt: skip
"""An exit code of 128+n is a death for these only: one client exits with the HTTP status modulo 256 (145 for
401)."""


@dataclass(frozen=True, slots=True)
class Judgement:
    status: AgentStatus
    reason: str = ""
    fault: Fault = Fault.NONE
    signal: int = 0


def judge(
    finished: Finished, parsed: ParsedOutput, *, completion: bool, required: str, size: int | None
) -> Judgement:
    """One run, judged. ``size`` is the required file's, in bytes; None where it is missing."""
    if finished.exit_code is None:
        return Judgement(AgentStatus.ERROR, f"did not start: {finished.error}.", Fault.NOT_STARTED)
    if finished.timed_out:
        return _stopped(finished, parsed)
    missing = _not_started(finished)
    if missing:
        return Judgement(AgentStatus.ERROR, f"did not start: {missing}.", Fault.NOT_STARTED)
    fault = Fault.NONE if parsed.waiting and finished.exit_code == 0 and parsed.completed else parsed.fault
    if fault is Fault.CONTEXT_OVERFLOW and parsed.usage.output_tokens:
        fault = Fault.CONTEXT_FILLED  # the prompt was answered before: it is not too large
        parsed = replace(parsed, fault=fault)
    if fault in (Fault.NONE, Fault.UNKNOWN) and finished.signal in _DEADLY:
        name = signal.Signals(finished.signal).name
        return Judgement(
            AgentStatus.ERROR, f"the agent's process was killed ({name}).", Fault.KILLED, finished.signal
        )
    if finished.exit_code != 0:
        reason = _reason(parsed) if parsed.fault else f"exit code {finished.exit_code}"
        if parsed.trouble and not parsed.fault:
            reason += f" ({parsed.trouble.rstrip('.')})"
        return Judgement(AgentStatus.AGENT_FAILED, f"{reason}.", fault)
    if parsed.trouble:
        return Judgement(AgentStatus.FAILED, f"exit code 0, but {_reason(parsed)}.", fault)
    if completion and not parsed.completed:
        return Judgement(AgentStatus.FAILED, f"exit code 0, but {SENTENCES[Fault.PROTOCOL]}.", Fault.PROTOCOL)
    return _report(required, size)


_NO_PROGRAM = re.compile(
    r"(?i)^bwrap: (?:execvp|Can't (?:find|open|mount|create|bind)|setting up|No permissions)\b.*"
    "|(?:command )?not found$|no such file or directory$|cannot execute.*|exec format error$"
    "|permission denied$"
)


def _not_started(finished: Finished) -> str:
    """Return why the program did not start, from the shell's, loader's or sandbox's message; ``""``
    where it did."""
    lines = finished.stderr[-2000:].decode("utf-8", "replace").strip().splitlines()
    if finished.stdout.strip() or not 1 <= len(lines) <= _FEW:
        return ""
    sandbox = finished.exit_code == 1 and lines[-1].startswith("bwrap: ")
    if (sandbox or finished.exit_code in (126, 127)) and _NO_PROGRAM.search(lines[-1].strip()):
        return one_line(lines[-1], 300).rstrip(".")
    return ""


def _reason(parsed: ParsedOutput) -> str:
    sentence = SENTENCES.get(parsed.fault, "it reported an error")
    return f"{sentence} ({parsed.trouble.rstrip('.')})"


def _stopped(finished: Finished, parsed: ParsedOutput) -> Judgement:
    """A6. Where the agent was waiting for its provider when it was stopped, the provider is the fault."""
    if finished.timed_out == "stop":
        waited = "while it asked its provider again and again"
        reason = f"ended after {finished.seconds:.0f} s, {waited}; {_reason(parsed)}."
        return Judgement(AgentStatus.AGENT_FAILED, reason, parsed.fault)
    fault = Fault.TIMEOUT_WALL if finished.timed_out == "wall" else Fault.TIMEOUT_IDLE
    reason = f"timed out: {SENTENCES[fault]} ({finished.seconds:.0f} s)"
    if parsed.waiting and parsed.trouble:
        return Judgement(AgentStatus.AGENT_FAILED, f"{reason}; {_reason(parsed)}.", parsed.fault)
    question = _question(finished)
    asked = f"; it waited for an answer to: {question}" if question else ""
    return Judgement(AgentStatus.AGENT_FAILED, f"{reason}{asked}.", fault)


_QUESTION = re.compile(
    r"(?i)(?:\?|[\[(]y(?:es)?/no?[\])]|(?:password|passphrase):|press (?:enter|return|any key)[^.]{0,40})$"
)


def _question(finished: Finished) -> str:
    """Return the last line of a stopped run, where it asks something that nobody could answer."""
    for stream in (finished.stdout, finished.stderr):
        last = plain(stream[-2000:].decode("utf-8", "replace")).rstrip().rpartition("\n")[2].strip()
        if _QUESTION.search(last):
            return one_line(last, 200)
    return ""


def _report(required: str, size: int | None) -> Judgement:
    if not required:
        return Judgement(AgentStatus.SUCCESS)
    name = CALLED.get(required, required)
    if size is None:
        return Judgement(AgentStatus.AGENT_FAILED, f"{name} missing")
    if required in CALLED and size < SMALLEST_REPORT:
        return Judgement(AgentStatus.AGENT_FAILED, f"{name} too small")
    return Judgement(AgentStatus.SUCCESS)


def read_left(path: Path, limit: int = LARGEST_REPORT) -> bytes | None:
    """A file that an agent left: a plain file, no link followed, at most ``limit`` bytes; None for anything
    else.

    OSError where the machine failed: it would be the agent's to have left nothing.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise_if_of_machine(error)
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with open(descriptor, "rb") as file:
        return file.read(limit)


def hold(folder: Path) -> None:
    """The output folder as ours again, whatever the agent made of it: a link, a file, nothing, one without
    rights."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        folder.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)


def put(path: Path, text: str) -> None:
    """Write a file of ours into a folder where the agent may have created that name."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    with suppress(FileNotFoundError):
        path.unlink()
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    fresh.write_text(text, encoding="utf-8", errors="replace")
    fresh.replace(path)


def scrub(folder: Path, redact: Callable[[str], str], *, besides: str = "") -> None:
    """The text files that an agent left in its output folder, without secrets and capped; links and others
    stay unread."""
    for above, _, names in os.walk(folder, onerror=raise_if_of_machine):
        for name in names:
            path = Path(above, name)
            data = read_left(path, _SCRUBBED + _BEYOND) if name != besides else None
            if data is None or b"\0" in data[:8000]:
                continue
            text = data.decode("utf-8", "replace")
            safe = redact(text)[:_SCRUBBED]
            if safe != text:
                put(path, safe)


def new_incident() -> str:
    return f"inc_{datetime.now(UTC):%Y%m%d_%H%M%S}_{secrets.token_hex(3)}"


def failed(reply: Reply, request: Request, reason: str) -> Reply:
    """The same run as one that failed, where only its work shows it (A5): recorded anew."""
    reply = replace(reply, status=AgentStatus.FAILED, failure_reason=reason, incident=new_incident())
    record(reply, request)
    return reply


def record(reply: Reply, request: Request) -> None:
    """A4: ``result.json`` for every run; a WARNING with the incident's id for one that failed validation."""
    data: dict[str, Any] = {
        "status": reply.status.value,
        "agent": reply.agent,
        "role": request.role,
        "phase": request.phase,
        "cycle_id": request.cycle_id,
        "attempt": request.attempt,
        "exit_code": reply.exit_code,
        "seconds": round(reply.seconds, 3),
    }
    for name in ("failure_reason", "timed_out", "model", "session", "version", "signalled"):
        if getattr(reply, name):
            data[name] = getattr(reply, name)
    if reply.fault:
        data["fault"] = reply.fault.value
    if reply.incident:
        data["incident_id"] = reply.incident
    put(request.output / RESULT, json.dumps(data, indent=2) + "\n")
    if reply.incident:
        log(
            "agent run failed",
            "warning",
            incident_id=reply.incident,
            reason=reply.failure_reason,
            status=reply.status.value,
            agent=reply.agent,
            role=request.role,
            cycle=request.cycle_id,
        )
