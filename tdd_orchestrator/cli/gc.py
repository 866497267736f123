"""``tdd gc``: prune old files, and those that failed cycles left."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tdd_orchestrator.cli import command_context
from tdd_orchestrator.cli.render import echo_wrapped

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository


@click.command()
@click.option("--keep-days", type=click.IntRange(0), default=30, help="Keep what is younger.")
@click.option("--dry-run", is_flag=True, help="Say what would go; change nothing.")
@click.pass_context
def gc(ctx: click.Context, keep_days: int, dry_run: bool) -> None:
    """Prune old transcripts and logs, and what failed cycles left; fold old attempts; pack objects. The audit
    log stays."""
    from tdd_orchestrator.notes.known_good import fold
    from tdd_orchestrator.repo.packs import pack

    limit = time.time() - keep_days * 86400
    with command_context.opened(ctx) as repository:
        repository.lock()
        removed: set[str] = set()
        for folder in (repository.places.runs, repository.places.root / "logs"):
            for entry in sorted(folder.glob("*")) if folder.is_dir() else ():
                if entry.stat().st_mtime < limit:
                    removed.add(entry.name)
                    echo_wrapped(f"{'would remove' if dry_run else 'removed'}: {entry.name}")
                    if not dry_run:
                        _remove(entry)
        _after_failures(repository, removed, dry_run)
        folded = 0 if dry_run else fold(repository.git, repository.objects)
        packed = not dry_run and pack(repository.git, most_loose=0)
    objects = ", loose objects packed" if packed else ""
    echo_wrapped(
        f"{len(removed)} folder{'s'[: len(removed) != 1]} of transcripts and logs, {folded} attempts folded{objects}."
    )


def _after_failures(repository: OpenRepository, old: set[str], dry_run: bool) -> None:
    """Prune what failed cycles left, by error type (F8), and print what is kept."""
    from tdd_orchestrator.failures.cleanup import carry_out, decide, table_with
    from tdd_orchestrator.failures.reports import read

    table = table_with(repository.config.cleanup)
    decisions = decide(read(repository.store, mine=True), table)
    removed, kept = carry_out(
        repository.places.runs, [one for one in decisions if one.cycle_id not in old], dry=dry_run
    )
    for line in removed:
        echo_wrapped(f"{'would remove' if dry_run else 'removed'}: {line}")
    for line in kept:
        echo_wrapped(f"kept: {line}")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
