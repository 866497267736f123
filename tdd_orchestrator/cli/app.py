"""The command group, loaded late, and the one place where errors become exit codes."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click

from tdd_orchestrator import __version__
from tdd_orchestrator.cli.examples import EXAMPLES
from tdd_orchestrator.model.errors import GitFailed, RefMoved, TddError

COMMANDS: dict[str, tuple[str, str]] = {
    # name: (module:attribute, one line of help shown by `tdd --help` without importing the module)
    "init": ("tdd_orchestrator.cli.init:init", "Find out how this repository is tested, and write tdd.toml."),
    "plan": ("tdd_orchestrator.cli.plan:plan", "The test list: one behaviour an item."),
    "status": ("tdd_orchestrator.cli.inspect_tree:status", "Where the cycle stands, and what to run next."),
    "cycle": ("tdd_orchestrator.cli.cycle:cycle", "RED, GREEN, REFACTOR: the next step, proven."),
    "fix": ("tdd_orchestrator.cli.fix:fix", "Fix a red suite outside a cycle."),
    "errors": ("tdd_orchestrator.cli.errors:errors", "Failures: reports, fix prompts, classification."),
    "log": ("tdd_orchestrator.cli.log:log", "The audit log, newest first."),
    "diff": ("tdd_orchestrator.cli.inspect_tree:diff", "What an attempt changed."),
    "test": (
        "tdd_orchestrator.cli.inspect_tree:test",
        "The tests as the referee runs them, where the agent works.",
    ),
    "show": ("tdd_orchestrator.cli.log:show", "The records of one commit."),
    "rollback": ("tdd_orchestrator.cli.log:rollback", "Back to the last known-good commit; nothing is lost."),
    "verify": ("tdd_orchestrator.cli.verify:verify", "Prove the recorded cycles again in clean trees."),
    "prove": ("tdd_orchestrator.cli.prove:prove", "Prove a change that has no records."),
    "sync": ("tdd_orchestrator.cli.log:sync", "Fetch, merge and push the audit log."),
    "stats": (
        "tdd_orchestrator.cli.stats:stats",
        "Failures, retries, fixes, cost and trends, from the notes.",
    ),
    "dashboard": (
        "tdd_orchestrator.cli.dashboard:dashboard",
        "The plan, cycles, audit and analytics in your browser.",
    ),
    "report": ("tdd_orchestrator.cli.report:report", "Read a test run's output as the referee reads it."),
    "agents": ("tdd_orchestrator.cli.agents:agents", "Which agents are installed, and what is missing."),
    "prompts": ("tdd_orchestrator.cli.agents:prompts", "Show what an agent would be told."),
    "config": ("tdd_orchestrator.cli.config:config", "Every setting, its value and where it comes from."),
    "doctor": ("tdd_orchestrator.cli.doctor:doctor", "What is wrong here, one sentence each."),
    "hooks": ("tdd_orchestrator.cli.verify:hooks", "Install the pre-push hook that verifies the audit log."),
    "mcp": ("tdd_orchestrator.cli.mcp:mcp", "MCP server for editors, on standard input and output."),
    "demo": (
        "tdd_orchestrator.cli.demo:demo",
        "Three behaviours, with failures on purpose; no model, no key.",
    ),
    "worker": ("tdd_orchestrator.cli.worker:worker", "A place where attempts and proofs run, for a cluster."),
    "gc": ("tdd_orchestrator.cli.gc:gc", "Prune old transcripts and logs, and fold old attempts."),
    "man": ("tdd_orchestrator.cli.man:man", "Print the manual page, for `man`."),
}


_ELSEWHERE = {
    "next": "cycle next", "run": "cycle run", "resume": "cycle resume", "abort": "cycle abort",
    "add": "plan add",
    "approve": "cycle approve", "reject": "cycle reject", "list": "plan list", "import": "plan import",
    "edit": "plan edit", "undo": "init --undo", "setup": "init", "start": "cycle next",
    "continue": "cycle resume",
}  # fmt: skip
"""Words that people try as commands, and the command that does it."""


_FLAGS = ("--quiet", "--verbose", "--no-input", "--yes")  # taken before a command and behind it


def _examples_of(path: str) -> str:
    """The end of a command's help; ``path``: its words, without ``tdd``. "" where there are none."""
    lines = EXAMPLES.get(path, ())
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines))) if lines else ""


def _complete(command: click.Command, path: str) -> None:
    """End the help of a command, and of those below it, with its examples, and let it take the flags of every
    command; not one that hands on what follows it to the tests."""
    command.epilog = _examples_of(path)
    handing_on = command.context_settings.get("ignore_unknown_options", False)
    taken = {word for param in command.params for word in param.opts}
    command.params += [
        click.Option([flag], is_flag=True, hidden=True, expose_value=False, callback=_set_flag)
        for flag in _FLAGS
        if flag not in taken and not handing_on
    ]
    for name, below in (command.commands if isinstance(command, click.Group) else {}).items():
        _complete(below, f"{path} {name}")


def _set_flag(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and param.name:
        ctx.ensure_object(dict)[param.name] = True
        if param.name == "verbose":
            os.environ["TDD_VERBOSE"] = "1"


class LazyGroup(click.Group):
    """A group whose commands are imported only when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        _complete(command, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; an unknown command names the nearest one, also a subcommand that was meant."""
        name = args[0] if args else ""
        if name and name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            near = get_close_matches(name, [*COMMANDS, *_ELSEWHERE], 1, 0.6)
            meant = _ELSEWHERE.get(near[0], near[0]) if near else ""
            ctx.fail(f"No such command '{name}'." + (f" Did you mean 'tdd {meant}'?" if meant else ""))
        return super().resolve_command(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.epilog = _examples_of("")
        super().format_epilog(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tdd")
@click.option(
    "-C", "directory", metavar="DIR", type=click.Path(path_type=Path), help="Run as if started in DIR."
)
@click.option("--quiet", is_flag=True, help="Say only what went wrong.")
@click.option("--verbose", is_flag=True, help="Write what happens inside to standard error (a log).")
@click.option("--no-input", is_flag=True, help="Never ask; leave with exit code 3 where a person is needed.")
@click.option("--yes", is_flag=True, help="Answer every question with its safe yes.")
@click.pass_context
def tdd(
    ctx: click.Context, directory: Path | None, quiet: bool, verbose: bool, no_input: bool, yes: bool
) -> None:
    """Makes AI coding agents do real test-driven development, and proves that they did."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False
    if verbose:
        os.environ["TDD_VERBOSE"] = "1"
    if os.environ.get("TDD_LOG", "") not in ("", "console", "json"):
        raise click.UsageError(f"TDD_LOG is '{os.environ['TDD_LOG']}'; it may be console or json.")
    ctx.obj = {"quiet": quiet, "verbose": verbose, "no_input": no_input, "yes": yes}
    if directory is not None:
        try:
            os.chdir(directory)
        except OSError as error:
            raise click.UsageError(f"cannot enter {directory}: {error.strerror}.") from error
    if ctx.invoked_subcommand in ("diff", "status", "test"):
        from tdd_orchestrator.workspace.folders import repository_of_tree

        os.chdir(repository_of_tree(Path.cwd()) or ".")


def main() -> NoReturn:
    """Console entry: exit codes as the contract says (0, 1, 2, 3, 4, 5, 70, 130)."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for them costs a third of a start
    _hold_the_streams()
    _end_as_by_ctrl_c()
    try:
        outcome = tdd.main(standalone_mode=False)
        code = outcome if isinstance(outcome, int) else 0
    except click.exceptions.Exit as leaving:
        code = leaving.exit_code
    except click.ClickException as error:
        error.show()
        if isinstance(error, click.NoSuchOption) and any(error.option_name in one.opts for one in tdd.params):
            click.echo(f"It goes before the command: tdd {error.option_name} COMMAND.", err=True)
        code = 2
    except (KeyboardInterrupt, click.Abort):
        with suppress(OSError):  # the terminal may be what went away
            click.echo("Interrupted. The same command goes on from here.", err=True)
        code = 130
    except TddError as error:
        code = _say(error)
    except SystemExit:  # click's way out where nobody reads on, and nobody else's
        code = 0
    except BrokenPipeError:
        sys.stderr.close()
        code = 0
    except Exception as error:  # noqa: BLE001  the one boundary: a bug of ours is saved and said
        from tdd_orchestrator.cli.boundary import fault, report_bug

        known = fault(error)
        code = _say(known) if known else report_bug(error)
    gc.freeze()  # what is left needs no looking for cycles, which would take a fifth of a second
    sys.exit(code)


def _hold_the_streams() -> None:
    """A daemon's or a cron job's closed streams lead to nothing: else the next file opened would be one of
    them."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _say(error: TddError) -> int:
    """Print one sentence on what is wrong and one on what to do; return the exit code."""
    from tdd_orchestrator.cli.render import echo_wrapped

    if isinstance(error, GitFailed | RefMoved):
        from tdd_orchestrator.cli.boundary import fault

        error = fault(error) or error
    for lead, text in (("tdd: ", error.what), ("     ", error.todo)):
        if text:
            echo_wrapped(f"{lead}{text}", rest="" if lead.isspace() else "     ", err=True)
    return error.exit_code


def _end_as_by_ctrl_c() -> None:
    """Let SIGTERM and SIGHUP interrupt as Ctrl-C does, unless they are ignored (nohup)."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
