"""``tdd man``: the manual page, from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from tdd_orchestrator import __version__
from tdd_orchestrator.cli.examples import EXAMPLES

_EXITS = (
    ("0", "done: the cycle is complete, or the command did what it says"),
    ("1", "not proven: the cycle was aborted and escalated; what stands is known-good"),
    ("2", "refused: usage, configuration, or a repository state that it will not touch"),
    ("3", "waiting for a person"),
    ("4", "paused: provider unavailable, budget reached or circuit breaker open; run the same command later"),
    ("5", "another orchestrator works in this repository"),
    ("70", "a bug of tdd; the log is saved, its path shown"),
    ("130", "interrupted, resumable"),
)


@click.command()
@click.pass_context
def man(ctx: click.Context) -> None:
    """Print the manual page, for `man`."""
    root = ctx.find_root()
    assert isinstance(root.command, click.Group)
    click.echo("\n".join(page(root.command)))


def page(root: click.Group) -> Iterator[str]:
    """Yield the page's lines in the language of man pages (roff)."""
    yield f'.TH TDD 1 "" "tdd {__version__}" "User commands"'
    yield from (
        ".SH NAME",
        "tdd \\- " + _plain(root.help or "").lower()[:1] + _plain(root.help or "")[1:].rstrip("."),
    )
    yield from (".SH SYNOPSIS", ".B tdd", _plain("[OPTIONS] COMMAND [ARGS]..."))
    yield ".SH OPTIONS"
    yield from _options(root, click.Context(root, info_name="tdd", **root.context_settings))
    yield ".SH COMMANDS"
    for path, command, context in commands(root):
        yield from _section(path, command, context)
    yield ".SH EXIT STATUS"
    for code, means in _EXITS:
        yield from (".TP", f".B {code}", _plain(means))
    yield from (".SH EXAMPLES", ".nf", *map(_plain, EXAMPLES[""]), ".fi")


def commands(
    group: click.Group, above: click.Context | None = None
) -> Iterator[tuple[str, click.Command, click.Context]]:
    """Yield every command below a group, each after the group that it is in: (its words, it, its context)."""
    parent = above or click.Context(group, info_name="tdd", **group.context_settings)
    for name in group.list_commands(parent):
        command = group.get_command(parent, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=parent)
        if not command.hidden:
            yield context.command_path.removeprefix("tdd "), command, context
        if isinstance(command, click.Group):
            yield from commands(command, context)


def _section(path: str, command: click.Command, context: click.Context) -> Iterator[str]:
    words = " ".join(command.collect_usage_pieces(context))
    yield from (f'.SS "tdd {path}"', ".PP", f".B tdd {path}", _plain(words), ".PP")
    yield from map(_plain, inspect.cleandoc(command.help or "").replace("\b\n", "").splitlines())
    yield from _options(command, context)
    if path in EXAMPLES:
        yield from (".PP", "Examples:", ".nf", *(_plain(f"  {line}") for line in EXAMPLES[path]), ".fi")


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            yield from (".TP", f".B {_plain(record[0])}", _plain(record[1]))


def _plain(text: str) -> str:
    """Text as roff takes it literally; an empty line is a paragraph."""
    line = text.replace("\\", "\\e").replace("-", "\\-").replace("\n", " ")
    if not line.strip():
        return ".PP"
    return f"\\&{line}" if line[:1] in ".'" else line
