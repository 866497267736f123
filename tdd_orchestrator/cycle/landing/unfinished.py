"""Finish what a kill broke off after a branch had moved: a rollback, or the landing of a fix."""

from __future__ import annotations

from datetime import datetime

from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.model.plan import Status
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.model.records import CycleEnded, Incident, ItemReopened, Landing, ReportAction, Rollback
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import ZERO
from tdd_orchestrator.workspace import landing

UNDOING = "refs/tdd/undoing"
"""Where the branch stood, while a rollback of it is under way: found after a kill, the rest is done."""
_BESIDE = (ReportAction, Incident)
"""Records that may come between a landing and its end; after any other the index is the user's again."""


def catch_up(context: CycleContext) -> None:
    """Finish a rollback or a fix's landing that a kill broke off after the branch had moved."""
    for message in (finish_rollback(context), _finish_landing(context.repo)):
        if message:
            context.watch.note(message)


def finish_rollback(context: CycleContext) -> str:
    """Finish a rollback that a kill broke off after its branch had moved: plan its items again and
    update the files. Return one sentence, "" where there was nothing to do."""
    before = refs.read(context.repo.git, UNDOING)
    if before is None:
        return ""
    record = _newest(context.repo)
    branch, new = record.branch, record.new
    head = (refs.read(context.repo.git, f"refs/heads/{branch}") or "") if branch else ""
    message = ""
    moved = head and context.repo.git.holds(head, new) and not context.repo.git.holds(head, before)
    if moved and record.old == before:
        message = _carried_out(context, record, head)
    refs.update(context.repo.git, [(UNDOING, ZERO, before)])
    return message


def _carried_out(context: CycleContext, record: Rollback, head: str) -> str:
    branch, new = record.branch, record.new
    reopened = reopen_items(context, record)
    since = datetime.fromisoformat(record.at).timestamp()
    if head == new and landing.follow_late(context.repo.checkout(branch), branch, record.old, new, since):
        return f"{branch} is back at {new[:12]}; your files have followed it now."
    return f"{branch} is back at {new[:12]}; what was undone is planned again now." if reopened else ""


def _newest(repo: Repository) -> Rollback:
    """The newest record of a branch's rollback here; empty where there is none."""
    trail = (entry.typed for entry in repo.store.mine())
    return next((one for one in trail if isinstance(one, Rollback) and not one.cycle_id), Rollback())


def reopen_items(context: CycleContext, undone: Rollback) -> bool:
    """Plan the items anew whose landed commits the rollback took from the branch; those that are planned
    already stay as they are, so that it can be done again after a kill. Whether there were any."""
    old, new = undone.old, undone.new
    commits = (
        context.repo.git.run("rev-list", "--reverse", "--end-of-options", f"{new}..{old}").decode().split()
    )
    landed = {
        record.item_id: commit
        for commit in commits
        for record in read_all(context.repo.store.of(commit).records)
        if isinstance(record, CycleEnded) and record.outcome == "landed"
    }
    done = [
        item
        for item in context.repo.plan.plan().items
        if item.id in landed and item.status is Status.COMPLETED
    ]
    for item in done:
        record = ItemReopened(item_id=item.id, item=item.title, branch=undone.branch,
                              reason=(
                                      f"rolled back: {landed[item.id][:12]} is "
                                      "no longer on the branch"
                                  ))  # fmt: skip
        context.write(new, record, f"item reopened: {item.title}")
    return bool(done)


def _finish_landing(repo: Repository) -> str:
    trail = (entry.typed for entry in repo.store.mine())
    record = next((one for one in trail if not isinstance(one, _BESIDE)), None)
    if not isinstance(record, Landing) or record.cycle_id:
        return ""
    branch, new = record.branch, record.new
    if refs.read(repo.git, f"refs/heads/{branch}") != new:
        return ""
    since = datetime.fromisoformat(record.at).timestamp()
    if not landing.follow_late(repo.checkout(branch), branch, record.old, new, since):
        return ""
    return f"{branch} is at {new[:12]}; your files have followed it now."
