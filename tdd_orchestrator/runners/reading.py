"""What one reader found in the text of a run, and what every reader looks like."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from tdd_orchestrator.model.report import BuildError, Case, Counts


@dataclass(slots=True)
class Reading:
    """Facts from text, before exit code and report are heard. ``finished``: the runner's own closing lines were
    seen; ``claims_ok``: what those lines say of the run as a whole (None: they do not say)."""

    counts: Counts | None = None
    cases: list[Case] = field(default_factory=list)
    build_errors: list[BuildError] = field(default_factory=list)
    finished: bool = False
    claims_ok: bool | None = None
    no_tests: bool = False
    crashed: str = ""  # the line that says that the run died
    timed_out: str = ""  # the line that says that the run as a whole was stopped for time
    complete: bool = False  # every test of the run is named in ``cases``


class LineReader(Protocol):
    """A state machine over plain lines (no escapes, no carriage returns, no newline), linear in their length."""

    def feed(self, line: str) -> None: ...

    def finish(self) -> Reading: ...


@dataclass(frozen=True, slots=True)
class TextRow:
    """One runner's text: how to know it, how to read it. ``signs`` are searched in each line; ``weight`` breaks ties."""

    name: str
    language: str
    reader: Callable[[], LineReader]
    signs: tuple[re.Pattern[str], ...]
    commands: tuple[str, ...] = ()  # words of a command line that name this runner
    weight: int = 1
