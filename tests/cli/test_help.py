"""Every command's help ends with examples that the command line accepts, and the manual page is made from it."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tdd_orchestrator.cli.app import tdd
from tdd_orchestrator.cli.examples import EXAMPLES
from tdd_orchestrator.cli.man import commands

assert isinstance(tdd, click.Group)
ALL = {path: command for path, command, _ in commands(tdd)}


def test_every_command_has_examples_and_every_example_a_command() -> None:
    assert set(EXAMPLES) == {"", *ALL}


@pytest.mark.parametrize("path", ["", "init", "plan show", "cycle approve", "errors fix"])
def test_help_ends_with_the_examples(path: str) -> None:
    said = CliRunner().invoke(tdd, [*path.split(), "-h"]).output
    assert said.rstrip().endswith("\n".join(f"    {line}" for line in EXAMPLES[path]))


@pytest.mark.parametrize("line", sorted({line for lines in EXAMPLES.values() for line in lines}))
def test_the_command_line_accepts_each_example(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ci.log").touch()
    words = shlex.split(line.partition("#")[0].partition(" | ")[0].partition(" > ")[0].partition(" < ")[0])
    while "=" in words[0]:
        words = words[1:]
    words = [word.replace("~", str(tmp_path)).replace("/shop", "").replace("/blog", "") for word in words]
    command: click.Command = tdd
    context = tdd.make_context("tdd", words[1:])
    while isinstance(command, click.Group):
        rest = [*context._protected_args, *context.args]
        if not rest:
            return
        name, found, args = command.resolve_command(context, rest)
        assert found is not None
        command, context = found, found.make_context(name, args, parent=context)


def test_the_manual_page_has_every_command_and_option() -> None:
    said = CliRunner().invoke(tdd, ["man"]).output
    assert said.startswith(".TH TDD 1")
    for path in ALL:
        assert f'.SS "tdd {path}"' in said
    assert "\\-\\-max\\-cycles" in said
    assert ".SH EXIT STATUS" in said
