"""Recorded work as the agent: files written, edited and deleted as a recording says; or misbehaviour, on
purpose.

A recording is TOML or JSON with a list ``take``. Each take may say for what it is (``item``, ``phase``,
``role``, ``attempt``; what is not said fits all), and what happens: ``write`` and ``output`` {path: content},
``edit`` {path: [[old, new]]}, ``delete`` [path], ``say`` text, ``sleep`` seconds, ``exit`` code. The first
take that fits is played; a take is played as often as it is asked for. The item is found as a word in the
prompt.
"""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from tdd_orchestrator.agents.agent import AgentStatus, Fault, Reply, Request, Usage
from tdd_orchestrator.agents.parsed_output import ParsedOutput
from tdd_orchestrator.agents.validate import judge, new_incident, put, read_left, record
from tdd_orchestrator.model.errors import BadConfig
from tdd_orchestrator.process import Finished
from tdd_orchestrator.text import plain

_KEYS = frozenset(
    {
        "item",
        "phase",
        "role",
        "attempt",
        "write",
        "edit",
        "delete",
        "output",
        "say",
        "sleep",
        "exit",
        "tokens",
    }
)


@dataclass(frozen=True, slots=True)
class Take:
    """One recorded piece of work. Paths are relative to the tree (``output``: to the output folder)."""

    item: str = ""
    phase: str = ""
    role: str = ""
    attempt: int = 0  # 0 = any
    write: dict[str, str] = field(default_factory=dict)
    edit: dict[str, list[list[str]]] = field(default_factory=dict)
    delete: list[str] = field(default_factory=list)
    output: dict[str, str] = field(default_factory=dict)
    say: str = ""
    sleep: float = 0.0
    exit: int = 0
    tokens: int = 0

    def fits(self, request: Request) -> bool:
        return (
            self.item in ("", *_words_of(request.prompt, self.item))
            and self.phase in ("", request.phase)
            and self.role in ("", request.role)
            and self.attempt in (0, request.attempt)
        )


@dataclass(frozen=True, slots=True)
class ReplayAgent:
    """Plays ``takes``. No take that fits is a failure with exit code 1, as an agent that has no idea would
    leave."""

    takes: tuple[Take, ...]
    name: str = "replay"

    def work(self, request: Request, on_output: Callable[[bytes], None] | None = None) -> Reply:
        started = time.monotonic()
        take = next((take for take in self.takes if take.fits(request)), None)
        limit = request.timeout or 300.0
        timed_out = ""
        message = "The recording has nothing for this."
        if take is not None:
            message = take.say
            timed_out = "wall" if take.sleep > limit else ""
            time.sleep(min(take.sleep, limit))
            if not timed_out:
                play(take, request.tree, request.output)
        if on_output and message:
            on_output(message.encode() + b"\n")
        code = 143 if timed_out else (take.exit if take else 1)
        return self._reply(
            request,
            Finished((self.name,), code, timed_out=timed_out, seconds=time.monotonic() - started),
            message,
            take,
        )

    def _reply(self, request: Request, finished: Finished, message: str, take: Take | None) -> Reply:
        content = read_left(request.output / request.requires) if request.requires else None
        size = None if content is None else len(content.strip())
        judgement = judge(
            finished, ParsedOutput(completed=True), completion=True, required=request.requires, size=size
        )
        if content is None:
            content = read_left(request.output / "report.md") or b""
        failed = judgement.status is not AgentStatus.SUCCESS
        reply = Reply(
            agent=self.name,
            status=judgement.status,
            failure_reason=judgement.reason,
            fault=Fault.TIMEOUT_WALL if finished.timed_out else Fault.NONE,
            exit_code=finished.exit_code,
            timed_out=finished.timed_out,
            text=plain(message),
            report=plain(content.decode("utf-8", "replace")),
            model="recorded",
            usage=Usage(output_tokens=take.tokens if take else 0),
            signalled=bool(request.signal) and request.signal in message,
            seconds=finished.seconds,
            incident=new_incident() if failed else "",
        )
        record(reply, request)
        return reply


def play(take: Take, tree: Path, output: Path) -> None:
    """Do what the take says.

    An edit whose old text is missing changes nothing, as a careless agent's would.
    """
    for name, content in take.write.items():
        path = _inside(tree, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    for name, changes in take.edit.items():
        path = _inside(tree, name)
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            for old, new in changes:
                text = text.replace(old, new, 1)
            path.write_text(text, encoding="utf-8")
    for name in take.delete:
        _inside(tree, name).unlink(missing_ok=True)
    for name, content in take.output.items():
        put(_inside(output, name), content)


def read_recording(path: Path) -> tuple[Take, ...]:
    """Load a recording; raises BadConfig with the take and the key that is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise BadConfig(f"{path}: the recording cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise BadConfig(
            f"{path}: the recording is not {'JSON' if path.suffix == '.json' else 'TOML'}: {error}."
        ) from error
    rows = data.get("take") if isinstance(data, dict) else data
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadConfig(f"{path}: a recording is a list of tables named 'take'.")
    return tuple(_take(path, number, row) for number, row in enumerate(rows, 1))


def _take(path: Path, number: int, row: dict[str, Any]) -> Take:
    unknown = set(row) - _KEYS
    if unknown:
        raise BadConfig(
            f"{path}: take {number}: unknown key '{sorted(unknown)[0]}'.",
            f"Known: {', '.join(sorted(_KEYS))}.",
        )
    kinds = {"item": str, "phase": str, "role": str, "say": str, "attempt": int, "exit": int, "tokens": int}
    for key, kind in {**kinds, "write": dict, "edit": dict, "output": dict, "delete": list}.items():
        if key in row and not isinstance(row[key], kind):
            raise BadConfig(
                f"{path}: take {number}: '{key}' must be {kind.__name__}, is {type(row[key]).__name__}."
            )
    return Take(**row)


def _inside(folder: Path, name: str) -> Path:
    parts = PurePosixPath(name)
    if parts.is_absolute() or ".." in parts.parts or not parts.parts:
        raise BadConfig(f"recording: {name!r} is not a path inside the tree.")
    return folder.joinpath(*parts.parts)


def _words_of(prompt: str, item: str) -> tuple[str, ...]:
    """Return the item, if the prompt contains it as a whole word."""
    import re

    return (item,) if item and re.search(rf"(?<![\w-]){re.escape(item)}(?![\w-])", prompt) else ()
