"""``tdd init``, ``tdd config``, ``tdd gc``."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tdd_orchestrator.cli import here
from tdd_orchestrator.cli.render import emit_json

if TYPE_CHECKING:
    from tdd_orchestrator.app.opened import Opened
    from tdd_orchestrator.runners.detect import Detected


@click.command()
@click.option("--command", default="", help="The test command, where it should not be found out.")
@click.option("--agent", default="", help="Who works by default (see `tdd agents`).")
@click.option("--pyproject", is_flag=True, help="Write [tool.tdd] into pyproject.toml instead of tdd.toml.")
@click.option("--dry-run", is_flag=True, help="Say what would be done; change nothing.")
@click.option("--undo", is_flag=True, help="Take the git settings out again; your notes and tdd.toml stay.")
@click.pass_context
def init(ctx: click.Context, command: str, agent: str, pyproject: bool, dry_run: bool, undo: bool) -> None:
    """Find out how this repository is tested, write tdd.toml, and make git show the trail. Safe to run again."""
    from tdd_orchestrator.notes import setup as notes_setup

    with here.opened(ctx) as repository:
        if undo:
            gone = notes_setup.undo(repository.git, repository.config.notes.ref)
            for setting in gone:
                click.echo(f"taken out: {setting.key} = {setting.value}")
            if not gone:
                click.echo("Nothing of ours is set.")
            return
        _write_config(repository, command, agent, pyproject, dry_run)
        put = notes_setup.plan if dry_run else notes_setup.apply
        planned = put(repository.git, repository.config.notes.ref)
        word = "would set" if dry_run else "set"
        for setting in planned.add:
            click.echo(f"{word} {setting.key} = {setting.value} ({setting.why})")
        for key, why in planned.skipped:
            click.echo(f"left alone: {key}: {why}")
        if not dry_run:
            _fitness(repository)
            _look_around(repository)
            click.echo('Next: tdd plan add "what is to happen", then tdd cycle next.')


def _write_config(repository: Opened, command: str, agent: str, pyproject: bool, dry_run: bool) -> None:
    from tdd_orchestrator.cli.template import tdd_toml
    from tdd_orchestrator.config.load import FILES
    from tdd_orchestrator.model.errors import Refused
    from tdd_orchestrator.runners.detect import detect
    from tdd_orchestrator.workspace.survey import LINKABLE, linkable

    root = repository.found.work_tree
    if repository.loaded.file is not None:
        click.echo(f"{repository.loaded.file.name} is here already; it is left as it is.")
        return
    detected = detect(root, command)
    words = command or _spoken(_runnable(detected, root))
    if not words:
        raise Refused(
            f"No test command was found: {detected.why}", "Name it: tdd init --command 'make test'."
        )
    present = [name for name in LINKABLE if (root / name).exists()]
    raw = (
        repository.git.run("check-ignore", "-z", "--stdin", stdin="\0".join(present).encode(), ok=(0, 1))
        if present
        else b""
    )
    links = linkable(root, frozenset(raw.decode().split("\0")))
    if (root / ".venv" / "bin" / "python").exists() and words.startswith("python ") and ".venv" in links:
        words = words.replace("python ", ".venv/bin/python ", 1)
    text = tdd_toml(
        words,
        detected.framework.name,
        links,
        agent or _first_installed(),
        prefix="tool.tdd." if pyproject else "",
    )
    target = root / ("pyproject.toml" if pyproject else FILES[0])
    click.echo(f"test command: {words}  ({detected.framework.name}: {detected.why})")
    if dry_run:
        click.echo(f"would write {target.name}:\n\n{text}")
        return
    before = target.read_text("utf-8") if target.exists() else ""
    target.write_text(f"{before.rstrip()}\n\n{text}" if before.strip() else text, encoding="utf-8")
    click.echo(f"written: {target.name}")
    del repository.__dict__["loaded"]


def _runnable(detected: Detected, root: Path) -> tuple[str, ...]:
    """The command, without the runner's parallel mode where its interpreter has not what that needs."""
    from tdd_orchestrator.cli.comparison import lacks

    row = detected.framework
    chosen = bool(row.parallel) and detected.command[-len(row.parallel) :] == row.parallel
    if chosen and lacks(root, detected.command, row.parallel_module):
        return detected.command[: -len(row.parallel)]
    return detected.command


def _spoken(command: tuple[str, ...]) -> str:
    import shlex

    return shlex.join(command)


def _first_installed() -> str:
    from tdd_orchestrator.agents.table import installed

    found = [row.name for row in installed(versions=False) if row.path and row.path != "-"]
    return found[0] if found else "human"


def _fitness(repository: Opened) -> None:
    """What `tdd cycle next` would refuse is said here already."""
    from tdd_orchestrator.app.workshop import fit_to_work
    from tdd_orchestrator.model.errors import Refused

    try:
        fit_to_work(repository)
    except Refused as error:
        click.echo(f"note: {error.what} {error.todo}")


def _look_around(repository: Opened) -> None:
    """Run the baseline here and in the proof tree, and say where they differ."""
    from tdd_orchestrator.cli.comparison import compare_trees
    from tdd_orchestrator.cli.doctor import trouble_with_trees
    from tdd_orchestrator.cli.watch import TerminalWatcher

    watch = TerminalWatcher()
    if not repository.state.head or not repository.state.identity:
        return
    watch.doing("running the tests here and in a clean tree, to compare")
    found = trouble_with_trees(repository)
    different, standing = compare_trees(repository)
    watch.close()
    for sentence in (*found, *different):
        click.echo(f"note: {sentence}")
    if not found and standing:
        click.echo(f"The tests say the same here and in a clean tree: {', '.join(standing)}.")


@click.command()
@click.option("--show-origin", is_flag=True, help="Say where each value comes from.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.pass_context
def config(ctx: click.Context, show_origin: bool, as_json: bool) -> None:
    """Every setting, its value and where it comes from."""
    with here.opened(ctx) as repository:
        loaded = repository.loaded
        values = _flat(loaded.config.model_dump(mode="json"))
    origins = {key: _origin(key, loaded.origins) for key in values}
    if as_json:
        rows = {key: {"value": value, "origin": origins[key]} for key, value in values.items()}
        emit_json("config", {"settings": rows})
        return
    for key, value in values.items():
        click.echo(f"{key} = {value!r}" + (f"  ({origins[key]})" if show_origin else ""))


def _origin(key: str, origins: dict[str, str]) -> str:
    return next(
        (where for name, where in origins.items() if key == name or key.startswith(f"{name}.")), "default"
    )


def _flat(data: dict[str, Any], *above: str) -> dict[str, Any]:
    """Every value by the key that a user writes."""
    from tdd_orchestrator.config.load import shown

    found: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict) and value:
            found.update(_flat(value, *above, key))
        elif value != {} or shown([*above, key]) != "agents":
            found[shown([*above, key])] = value
    return found


@click.command()
@click.option("--keep-days", type=click.IntRange(0), default=30, help="Keep what is younger.")
@click.option("--dry-run", is_flag=True, help="Say what would go; change nothing.")
@click.pass_context
def gc(ctx: click.Context, keep_days: int, dry_run: bool) -> None:
    """Prune old transcripts and logs, and what failed cycles left; fold old attempts. The trail itself stays."""
    from tdd_orchestrator.notes.pins import fold

    limit = time.time() - keep_days * 86400
    with here.opened(ctx) as repository:
        repository.lock()
        gone = 0
        for folder in (repository.places.runs, repository.places.root / "logs"):
            for entry in sorted(folder.glob("*")) if folder.is_dir() else ():
                if entry.stat().st_mtime < limit:
                    gone += 1
                    click.echo(f"{'would remove' if dry_run else 'removed'}: {entry.name}")
                    if not dry_run:
                        _remove(entry)
        _after_failures(repository, dry_run)
        folded = 0 if dry_run else fold(repository.git, repository.objects)
    click.echo(f"{gone} folder{'s'[: gone != 1]} of transcripts and logs, {folded} attempts folded.")


def _after_failures(repository: Opened, dry_run: bool) -> None:
    """What failed cycles left, by error type (F8): what may go goes, what is kept is said."""
    from tdd_orchestrator.failures.cleanup import carry_out, decide, table_with
    from tdd_orchestrator.failures.filing import read

    table = table_with(repository.config.cleanup)
    gone, kept = carry_out(
        repository.places.runs, decide(read(repository.store, mine=True), table), dry=dry_run
    )
    for line in gone:
        click.echo(f"{'would remove' if dry_run else 'removed'}: {line}")
    for line in kept:
        click.echo(f"kept: {line}")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
