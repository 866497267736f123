"""``tdd plan``: the test list, by hand, from an editor, from Markdown, or from a feature text."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tdd_orchestrator.cli import command_context, complete
from tdd_orchestrator.cli.mark_failed import mark_failed
from tdd_orchestrator.cli.render import JSON, clean, columns, emit_json, item_shape, tinted, wrapped

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.model.plan import Item


@click.group()
def plan() -> None:
    """The test list: one behaviour an item."""


plan.add_command(mark_failed)


@plan.command()
@click.argument("title")
@click.option("--description", default="", help="What is meant, for the agent that writes the test.")
@click.option(
    "--type",
    "kind",
    type=click.Choice(["behaviour", "bug", "chore", "acceptance"]),
    default="behaviour",
    help="acceptance: its test is written first, and waits until the items below it (--parent) are done.",
)
@click.option("--priority", type=click.Choice(["high", "medium", "low"]), default="medium")
@click.option(
    "--parent",
    default="",
    metavar="ID",
    shell_complete=complete.items,
    help="The item that this one is part of.",
)
@click.option("--tag", "tags", multiple=True, help="May be given several times.")
@click.option("--hours", type=click.FloatRange(0), default=0.0, help="Estimate.")
@click.option("--issue", type=click.IntRange(0), default=0, help="Number of the issue it belongs to.")
@click.option("--test-file", default="", metavar="PATH", help="Where the test should go.")
@click.option("--impl-file", default="", metavar="PATH", help="Where the code should go.")
@click.option(
    "--before",
    default="",
    metavar="ID",
    shell_complete=complete.items,
    help="Put it before this item instead of at the end.",
)
@click.option(
    "--after", "after", multiple=True, metavar="ID", shell_complete=complete.items,
    help="Begin it only when this item is done. May be given several times.",
)  # fmt: skip
@JSON
@click.pass_context
def add(
    ctx: click.Context,
    title: str,
    description: str,
    kind: str,
    priority: str,
    parent: str,
    tags: tuple[str, ...],
    hours: float,
    issue: int,
    test_file: str,
    impl_file: str,
    before: str,
    after: tuple[str, ...],
    as_json: bool,
) -> None:
    """Add one behaviour to the list."""
    from tdd_orchestrator.model.plan import Item, ItemType, Priority

    title, description, test_file, impl_file, *labels = without_secrets(
        title, description, test_file, impl_file, *tags
    )
    with command_context.opened(ctx) as repository:
        plan_repository = repository.plan_repository
        current = plan_repository.plan()
        item = Item(
            "",
            title,
            description,
            ItemType(kind),
            Priority(priority),
            plan_repository.find(current, parent).id if parent else "",
            tuple(labels),
            hours,
            issue,
            test_file,
            impl_file,
            after=tuple(plan_repository.find(current, one).id for one in after),
        )
        place = plan_repository.find(current, before).id if before else ""
        added = plan_repository.add([item], before=place, plan=current)[0]
        warnings = forecast(repository, added)
    if as_json:
        emit_json("plan-item", item_shape(added))
    else:
        click.echo(f"{added.id}  {clean(added.title)}")
        for sentence in warnings:
            click.echo(f"Forecast: {clean(sentence)}", err=True)


@plan.command("list")
@click.option("--all", "everything", is_flag=True, help="Also what was set aside.")
@JSON
@click.pass_context
def list_(ctx: click.Context, everything: bool, as_json: bool) -> None:
    """Show the list with where each item stands."""
    from tdd_orchestrator.model.plan import Status

    with command_context.opened(ctx) as repository:
        current = repository.plan_repository.plan()
        waiting = repository.plan_repository.waiting()
    # numbered by the place in the whole plan: the number shown is the number that the other commands take
    numbers = {item.id: number for number, item in enumerate(current.items, 1)}
    shown = current.items if as_json else current.nested()
    rows = [(numbers[item.id], item) for item in shown if everything or item.status is not Status.CANCELLED]
    if as_json:
        emit_json("plan", {"items": [item_shape(item) for _, item in rows]})
        return
    if not rows:
        click.echo('The plan is empty. Add a behaviour: tdd plan add "what is to happen".')
    depths = current.depths()
    for number, item in rows:
        pad = "  " * depths.get(item.id, 0)
        facts = [*_facts(item), *(["waits for your answer"] if item.id in waiting else [])]
        extra = f"  ({', '.join(facts)})" if facts else ""
        head = f"{number:3}  {item.id}  {item.status:15}  {pad}"
        for row, line in enumerate(
            wrapped(f"{clean(item.title)}{extra}", columns(), first=head, rest=" " * len(head))
        ):
            click.echo(line if row else tinted(line, line.index(item.status)))


def _facts(item: Item) -> list[str]:
    """What the list says about an item besides its status and title."""
    from tdd_orchestrator.model.plan import ItemType, Status

    waits = item.begun_by_hand and item.status is Status.PLANNED
    facts = (
        "acceptance" if item.type is ItemType.ACCEPTANCE else "",
        item.failure.error_id if item.failure else "",
        "by hand" if waits else "",
    )
    return [fact for fact in facts if fact]


@plan.command()
@click.argument("item", shell_complete=complete.items)
@JSON
@click.pass_context
def show(ctx: click.Context, item: str, as_json: bool) -> None:
    """Everything about one item (its id, a prefix of it, or its number in the list)."""
    with command_context.opened(ctx) as repository:
        found = repository.plan_repository.find(repository.plan_repository.plan(), item)
        warnings = [] if as_json else forecast(repository, found)
    if as_json:
        emit_json("plan-item", item_shape(found))
        return
    for key, value in item_shape(found).items():
        if value not in ("", 0, 0.0, [], None):
            click.echo(f"{key:12} {clean(str(value))}")
    for sentence in warnings:
        click.echo(f"{'forecast':12} {clean(sentence)}")


@plan.command()
@click.argument("item", shell_complete=complete.items)
@click.option(
    "--before", default="", metavar="ID", shell_complete=complete.items, help="Put it before this item."
)
@click.option(
    "--after", default="", metavar="ID", shell_complete=complete.items, help="Put it after this item."
)
@click.option("--first", is_flag=True, help="Put it first.")
@click.option("--last", is_flag=True, help="Put it last.")
@click.pass_context
def move(ctx: click.Context, item: str, before: str, after: str, first: bool, last: bool) -> None:
    """Put an item elsewhere in the list."""
    if sum(map(bool, (before, after, first, last))) != 1:
        raise click.UsageError("Say where to: one of --before ID, --after ID, --first, --last.")
    with command_context.opened(ctx) as repository:
        plan_repository = repository.plan_repository
        current = plan_repository.plan()
        moved = plan_repository.find(current, item)
        others = [other for other in current.items if other.id != moved.id]
        if before or after:
            beside = plan_repository.find(current, before or after)
            if beside.id == moved.id:
                raise click.UsageError("An item cannot be put beside itself.")
            anchor = others.index(beside)
            place = anchor if before else anchor + 1
        else:
            place = 0 if first else len(others)
        low = others[place - 1].order if place else (others[0].order - 2 if others else 0.0)
        high = others[place].order if place < len(others) else low + 2
        plan_repository.change(replace(moved, order=(low + high) / 2))
    click.echo(f"moved: {clean(moved.title)}")


@plan.command()
@click.argument("item", shell_complete=complete.items)
@click.pass_context
def remove(ctx: click.Context, item: str) -> None:
    """Take an item out of the list; what the audit log says of it stays."""
    with command_context.opened(ctx) as repository:
        found = repository.plan_repository.find(repository.plan_repository.plan(), item)
        repository.plan_repository.remove(found)
    click.echo(f"removed: {clean(found.title)}")


@plan.command("import")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path, allow_dash=True))
@click.pass_context
def import_(ctx: click.Context, file: Path) -> None:
    """Add the items of a Markdown list (checkboxes, or plain bullets)."""
    from tdd_orchestrator.cycle.plan import markdown
    from tdd_orchestrator.cycle.plan.markdown import add_nested
    from tdd_orchestrator.model.errors import Refused

    [text] = without_secrets(command_context.read_text(file))
    lines = markdown.read(text)
    if not lines:
        raise Refused(f"{file} has no list.", "Write one item a line: - [ ] what is to happen")
    with command_context.opened(ctx) as repository:
        added = add_nested(
            repository.plan_repository,
            [(replace(item, id=""), depth) for item, depth in markdown.to_items(lines)],
        )
    known = len(lines) - len(added)
    already = f" {known} {'was' if known == 1 else 'were'} planned already." if known else ""
    click.echo(f"{len(added)} item{'s'[: len(added) != 1]} added.{already}")


@plan.command()
@click.pass_context
def edit(ctx: click.Context) -> None:
    """Open the list in your editor as Markdown checkboxes; what you save is what it becomes."""
    from tdd_orchestrator.cycle.plan import markdown
    from tdd_orchestrator.cycle.plan.markdown import take_over

    with command_context.opened(ctx) as repository:
        plan_repository = repository.plan_repository
        current = plan_repository.plan()
        before = markdown.write(current) if current.items else "- [ ] what is to happen\n"
        after = _edited(before)
        if after is None or after == before:
            click.echo("Nothing was changed.")
            return
        [after] = without_secrets(after)
        take_over(plan_repository, current, markdown.read(before), markdown.read(after))
    click.echo("The plan is saved.")


def _edited(text: str) -> str | None:
    """Return the text that the user's editor saved; None where it was not saved."""
    from tdd_orchestrator.model.errors import Refused

    try:
        return click.edit(text, extension=".md", require_save=True)
    except click.ClickException as error:
        raise Refused(
            f"The editor failed, and the plan is as it was ({error.message.rstrip('.')}).",
            "Set EDITOR to one that works, or use `tdd plan add` and `tdd plan import`.",
        ) from error


@plan.command("from")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path, allow_dash=True))
@click.option("--issue", type=click.IntRange(1), help="Take the text of this issue (needs `gh`).")
@JSON
@click.pass_context
def from_(ctx: click.Context, file: Path | None, issue: int | None, as_json: bool) -> None:
    """Let the Test List agent make the list from a feature text (FILE, or - for standard input)."""
    from tdd_orchestrator.cycle.plan.list_agent import plan_from
    from tdd_orchestrator.cycle.plan.markdown import add_nested
    from tdd_orchestrator.model.errors import Refused

    if (file is None) == (issue is None):
        raise Refused("A feature text is needed.", "Name a FILE, - for standard input, or --issue N.")
    with command_context.cycle_context(ctx) as context:
        text = command_context.read_text(file) if file is not None else _issue_text(issue or 0)
        added = add_nested(context.repo.plan, [(item, 0) for item in plan_from(context, text, issue or 0)])
    if as_json:
        emit_json("plan", {"items": [item_shape(item) for item in added]})
    else:
        for item in added:
            click.echo(f"{item.id}  {item.status:15}  {clean(item.title)}")


def _issue_text(number: int) -> str:
    """The text of an issue, asked of ``gh``, which knows how to log in."""
    from tdd_orchestrator import process
    from tdd_orchestrator.model.errors import Refused

    done = process.run(
        ["gh", "issue", "view", str(number), "--json", "title,body"], limits=process.Limits(timeout=60)
    )
    if done.exit_code != 0:
        message = done.stderr.decode("utf-8", "replace").strip() or done.error
        raise Refused(
            f"Issue {number} cannot be read: {message[:200]}.",
            "Install `gh` and log in (`gh auth login`), or give the text as a file.",
        )
    import json

    data = json.loads(done.stdout)
    return f"# {data.get('title', '')}\n\n{data.get('body', '')}"


def without_secrets(*texts: str) -> list[str]:
    """What a person wrote for the plan, which is committed and sent as the audit log is; they are told what
    is missing."""
    from tdd_orchestrator.redaction import redactor

    redact = redactor(os.environ)
    safe = [redact(text) for text in texts]
    if safe != [*texts]:
        click.echo(
            "What looks like a secret was taken out: the plan is committed, and sent by `tdd sync`.", err=True
        )
    return safe


def forecast(repository: OpenRepository, item: Item) -> list[str]:
    """A sentence for each file of the item whose changes were rejected more often than others; asked only
    where it names one."""
    paths = [path for path in (item.impl_file, item.test_file) if path]
    if not paths:
        return []
    from tdd_orchestrator.app.analytics import Analytics
    from tdd_orchestrator.history.metrics import forecast_for

    analytics = Analytics.of(repository)
    try:
        analytics.update()
        return forecast_for(analytics.index, paths)
    finally:
        analytics.close()
