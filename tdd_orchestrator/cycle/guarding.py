"""The snapshot of the user's repository that an agent's run is compared with."""

from __future__ import annotations

from dataclasses import dataclass

from tdd_orchestrator.workspace.repository_snapshot import Memory


@dataclass(frozen=True, slots=True)
class Before:
    """A snapshot: the journal's bytes and the notes commit they belong to, facts of files that spare
    reading the notes, and the number of our own ref moves until then."""

    memory: Memory
    journal: bytes
    notes: str
    shortcuts: tuple[int, ...]
    moves: int = 0


@dataclass(slots=True)
class Guard:
    """The snapshot for all agents at work, and how many of them are watched."""

    before: Before | None = None
    agents: int = 0
