"""``tdd errors fix``: the fix item's own cycle, with the same gates as any; then the report is settled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tdd_orchestrator.cycle import loop
from tdd_orchestrator.cycle.start import begin
from tdd_orchestrator.failures import cleanup, fixes, strategy
from tdd_orchestrator.failures.reports import StoredReport, note_work, read, settle
from tdd_orchestrator.failures.stops import close_stops
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.plan import DONE, Item

if TYPE_CHECKING:
    from tdd_orchestrator.cycle.context import CycleContext, Repository
    from tdd_orchestrator.cycle.state import CycleState


def run_fix_cycle(
    context: CycleContext, table: Mapping[str, cleanup.When], one: StoredReport, say: Callable[[str], None]
) -> CycleState | None:
    """Run the cycle of the report's fix item, from where a kill left it. None: it was fixed already. Where
    nothing in the code is to be changed, it is the failed item's own cycle.

    ``table`` is error type -> when its folders go; see :func:`cleanup.table_with`.
    Refused where the report is closed, or the cycle of another item is not over.
    """
    if one.status == "closed":
        raise Refused(f"{one.error_id} is closed ({one.reason}).", "`tdd errors list` shows what is open.")
    item = _fix_item(context.repo, one)
    running = context.state()
    if running is not None and not running.over and running.item_id != item.id:
        raise Refused(
            f"The cycle of '{running.item}' is not over.",
            "Finish it (tdd cycle next) or end it (tdd cycle abort) first.",
        )
    state = None
    if item.status not in DONE:
        if running is None or running.over:
            _started(context.repo, table, one, item, say)
            begin(context, item)
        state = loop.cycle(context)
    for sentence in settle(context.repo.store, context.repo.plan.plan(), context.repo.plan.change):
        say(sentence)
    return state


def settle_landed(repo: Repository, state: CycleState) -> list[str]:
    """Close the reports of what a landed cycle fixed, and of what had stopped it before; return a
    sentence for each."""
    if state.over not in ("landed", "already_covered"):
        return []
    plan = repo.plan.plan()
    stops = close_stops(repo.store, repo.plan, plan, f"cycle {state.number} landed after it")
    return [*stops, *settle(repo.store, plan, repo.plan.change)]


def _fix_item(repo: Repository, one: StoredReport) -> Item:
    if strategy.is_stop(one.report):
        raise Refused("Nothing in the code is to be fixed here.", one.report.recommended_workflow)
    plan = repo.plan.plan()
    found = fixes.fix_of(one.report, plan.items)
    if found is not None:
        return found
    failed = plan.get(one.item_id)
    if failed is None:
        raise Refused(
            f"The item of {one.error_id} is not in the plan any more.",
            f"Close the report: tdd errors close {one.error_id}.",
        )
    if fixes.is_fix(failed) or not strategy.is_in_code(one.report):
        return failed  # it is tried again, not fixed by another one
    return repo.plan.add([fixes.fix_item(one.report, failed)], plan=plan)[0]


def _started(
    repo: Repository,
    table: Mapping[str, cleanup.When],
    one: StoredReport,
    item: Item,
    say: Callable[[str], None],
) -> None:
    """Record that the fix begins, and remove what was kept until now (F8)."""
    note_work(repo.store, one, "fix", "begun", item=item.id)
    now = [
        again
        for again in cleanup.decide(read(repo.store, mine=True), table)
        if again.error_id == one.error_id
    ]
    try:
        removed, _ = cleanup.carry_out(repo.places.runs, now)
    except OSError as error:
        say(f"the clean-up failed ({error.strerror}); the fix goes on")
        note_work(repo.store, one, "clean_up", "failed", str(error.strerror))
        return
    for line in removed:
        say(f"removed the transcripts of {line}")
