"""The two services of a cycle: a place where an agent works, and a place where a commit is proven.

This machine is the first implementation of both; ``fleet.cluster`` is the second. Whatever a place returns
is judged here: the agent's files are collected from the lane's own tree, and reports go through the gates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from tdd_orchestrator.agents.agent import Agent, Reply, Request
from tdd_orchestrator.model.coverage import Coverage
from tdd_orchestrator.model.report import Case
from tdd_orchestrator.runners.run import Ran, Suite
from tdd_orchestrator.workspace.tree import Tree

T = TypeVar("T")
Selection = Sequence[tuple[Suite, Sequence[Case]]]
"""Suites to run, each with the cases whose files are run; no case means all of them."""


class AgentPlace(Protocol):
    def work(
        self, tree: Tree, agent: Agent, request: Request, on_output: Callable[[bytes], None] | None
    ) -> Reply:
        """Let the agent work on what ``tree`` shows; its files stand in ``tree`` afterwards, its reports in
        ``request.output``."""
        ...

    def stop(self) -> None:
        """End what works here; the run's marker finds programs of this machine."""

    def apart(self) -> AgentPlace:
        """Return the same place, stopped by itself alone."""
        ...


class TestPlace(Protocol):
    def run(
        self, tree: Tree, commit: str, chosen: Selection, texts: Mapping[str, str], watched: Sequence[str]
    ) -> list[Ran]:
        """Run the suites on ``commit`` in a clean tree, with other ``texts`` in some files; ``tree`` shows
        the commit afterwards."""
        ...

    def measure(
        self, tree: Tree, commit: str, suites: Sequence[Suite], limit: float
    ) -> tuple[Coverage, float]:
        """Run the suites once with their coverage tools, for ``limit`` seconds at most; return the lines that were
        executed, and the seconds."""
        ...

    def stop(self) -> None:
        """The command ends: runs under way are given up."""

    def apart(self) -> TestPlace:
        """Return the same place, stopped by itself alone."""
        ...


class Race(Protocol):
    """Several agents at the same phase at once. ``best``: all come to their end."""

    @property
    def best(self) -> bool: ...

    def agents(self, phase: str) -> tuple[str, ...]:
        """Return who races in a phase; nobody where it is not raced for."""
        ...

    def run(
        self, context: Any, tries: Sequence[Callable[[Any], T]], wins: Callable[[T], bool]
    ) -> list[T | None]:
        """Try all at once, each in a context of its own; None for those that were ended because another one
        won."""
        ...


class ThisMachine:
    """An agent place: the agent is started here, in the tree itself."""

    def work(
        self, tree: Tree, agent: Agent, request: Request, on_output: Callable[[bytes], None] | None
    ) -> Reply:
        return agent.work(request, on_output)

    def stop(self) -> None:
        pass

    def apart(self) -> ThisMachine:
        return self
