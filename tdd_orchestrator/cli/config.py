"""``tdd config``: list, read and change settings."""

from __future__ import annotations

import json
from typing import Any

import click

from tdd_orchestrator.cli import command_context
from tdd_orchestrator.cli.render import JSON, emit_json


@click.group(invoke_without_command=True)
@click.option("--show-origin", is_flag=True, help="Say where each value comes from.")
@JSON
@click.pass_context
def config(ctx: click.Context, show_origin: bool, as_json: bool) -> None:
    """List every setting with its value; `get` reads one, `set` changes one."""
    if ctx.invoked_subcommand is not None:
        return
    from tdd_orchestrator.config.edit import flat

    with command_context.opened(ctx) as repository:
        loaded = repository.loaded
        values = flat(loaded.config.model_dump(mode="json"))
    origins = {key: _origin(key, loaded.origins) for key in values}
    if as_json:
        rows = {key: {"value": value, "origin": origins[key]} for key, value in values.items()}
        emit_json("config", {"settings": rows})
        return
    for key, value in values.items():
        click.echo(
            f"{key} = {json.dumps(value, ensure_ascii=False)}"
            + (f"  ({origins[key]})" if show_origin else "")
        )


@config.command("get")
@click.argument("key")
@JSON
@click.pass_context
def get(ctx: click.Context, key: str, as_json: bool) -> None:
    """Print the value of KEY, for example `tdd config get test.command`."""
    from tdd_orchestrator.config.edit import get_value

    with command_context.opened(ctx) as repository:
        value = get_value(repository.loaded, key)
        origin = _origin(key, repository.loaded.origins)
    if as_json:
        emit_json("config-value", {"key": key, "value": value, "origin": origin})
    else:
        click.echo(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


@config.command("set")
@click.argument("key")
@click.argument("value")
@click.pass_context
def set_(ctx: click.Context, key: str, value: str) -> None:
    """Write KEY = VALUE into the repository's configuration file; its comments stay."""
    with command_context.opened(ctx) as repository:
        written = change(repository, {key: value})
    click.echo(f"Set {key} in {written}.")


def change(repository: Any, values: dict[str, Any]) -> str:
    """Set values in the repository's file and drop the cached copy; return the file's name."""
    from tdd_orchestrator.agents.table import check_name
    from tdd_orchestrator.config.edit import set_values

    for key, value in values.items():
        if key.startswith("agents.") and key.count(".") == 1:
            check_name(str(value), repository.config.agents.named)
    path = set_values(repository.loaded, values)
    repository.reload_config()
    return path.name


def _origin(key: str, origins: dict[str, str]) -> str:
    return next(
        (where for name, where in origins.items() if key == name or key.startswith(f"{name}.")), "default"
    )
