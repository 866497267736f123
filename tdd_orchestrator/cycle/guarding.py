"""What the comparison of the user's repository before and after an agent is made from."""

from __future__ import annotations

from dataclasses import dataclass

from tdd_orchestrator.workspace.repository_snapshot import Memory


@dataclass(frozen=True, slots=True)
class Before:
    """What the journal holds, and the notes commit to which that belongs; facts of the files that spare
    reading the notes; ``moves``: how many moves of refs were our own until then."""

    memory: Memory
    journal: bytes
    notes: str
    shortcuts: tuple[int, ...]
    moves: int = 0


@dataclass(slots=True)
class Guard:
    """One for all agents at work: what stood there before, and how many of them are watched."""

    before: Before | None = None
    agents: int = 0
