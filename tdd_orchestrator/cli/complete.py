"""Shell completion of what only the repository knows: plan items, agents, cycles, error reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository


def items(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of the plan's items, with their titles."""
    return _from_repository(
        lambda opened: ((item.id, item.title) for item in opened.plan_repository.plan().items), incomplete
    )


def agents(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of agents: the built-in ones, the presets, and the repository's own."""
    from tdd_orchestrator.agents.preset import PRESETS
    from tdd_orchestrator.agents.table import BUILT_IN

    known = [CompletionItem(name) for name in (*PRESETS, *BUILT_IN) if name.startswith(incomplete)]
    return known + _from_repository(
        lambda opened: ((name, "tdd.toml") for name in opened.config.agents.named), incomplete
    )


def cycles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Numbers of cycles, the newest first, with their items."""

    def found(opened: OpenRepository) -> Iterable[tuple[str, str]]:
        for entry in opened.store.trail(newest_first=True):
            if entry.record["kind"] == "cycle_started":
                yield str(entry.record["cycle_number"]), str(entry.record["item"])

    return _from_repository(found, incomplete)


def errors(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of error reports that are not closed, with their items."""
    from tdd_orchestrator.failures.reports import read

    return _from_repository(
        lambda opened: (
            (one.error_id, one.report.item) for one in read(opened.store) if one.status != "closed"
        ),
        incomplete,
    )


def _from_repository(
    rows: Callable[[OpenRepository], Iterable[tuple[str, str]]], incomplete: str
) -> list[CompletionItem]:
    """Words that begin as typed; nothing where there is no repository: a shell shows no errors while one
    types."""
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.model.errors import TddError

    try:
        with OpenRepository(Path.cwd()) as opened:
            return [
                CompletionItem(word, help=text) for word, text in rows(opened) if word.startswith(incomplete)
            ]
    except (TddError, OSError):
        return []
