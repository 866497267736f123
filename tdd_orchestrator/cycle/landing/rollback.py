"""Rollback (R6): to the last known-good commit found from the notes; nothing uncommitted is touched, nothing
lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.cycle.start import where_we_stand
from tdd_orchestrator.cycle.state import CycleState, place
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.plan import Status
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.model.records import CycleEnded, ItemReopened, Rollback
from tdd_orchestrator.notes import known_good
from tdd_orchestrator.notes.rewritten import refind
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import ZERO
from tdd_orchestrator.workspace import landing

_UNDOING = "refs/tdd/undoing"
_NAMED = 5  # commits that a refusal names
"""Where the branch stood, while a rollback of it is under way: found after a kill, the rest is done (see
`finish`)."""


def rollback(context: CycleContext, wanted: str = "", reason: str = "") -> str:
    """Roll back: a running cycle within itself, else the branch. Return one sentence on what was done."""
    state = context.state()
    if state is not None and not state.over and state.tip != state.base and not wanted:
        return _in_cycle(context, state, reason)
    return _of_branch(context, wanted, reason)


def _in_cycle(context: CycleContext, state: CycleState, reason: str) -> str:
    found = known_good.find(context.repo.git, context.repo.objects, context.repo.store, state.tip).strictly()
    inside = (
        context.repo.git.run("rev-list", "--end-of-options", f"{state.base}..{state.tip}").decode().split()
    )
    target = found.commit if found.commit in inside else state.base
    if target == state.tip:
        return f"The cycle stands on {target[:12]}, which is known to be good; nothing to undo."
    kept = f"refs/tdd/undone/{state.cycle_id}-{state.tip[:12]}"
    record = Rollback(
        **place(state, state.phase), old=state.tip, new=target, kept=kept,
        reasons=[reason] if reason else [],
    )  # fmt: skip
    move = (f"refs/tdd/cycles/{state.cycle_id}", target, None)
    context.write(
        target, record, f"rolled back: {state.item} to {target[:12]}", moves=[move], pins={kept: state.tip}
    )
    return f"The cycle is back at {target[:12]}; what was undone is kept as {kept}."


def finish(context: CycleContext) -> str:
    """Finish a rollback that a kill broke off after its branch had moved: plan its items again and
    update the files. Return one sentence, "" where there was nothing to do."""
    before = refs.read(context.repo.git, _UNDOING)
    if before is None:
        return ""
    record = _newest(context.repo)
    branch, new = record.branch, record.new
    head = (refs.read(context.repo.git, f"refs/heads/{branch}") or "") if branch else ""
    message = ""
    moved = head and context.repo.git.holds(head, new) and not context.repo.git.holds(head, before)
    if moved and record.old == before:
        message = _carried_out(context, record, head)
    refs.update(context.repo.git, [(_UNDOING, ZERO, before)])
    return message


def _carried_out(context: CycleContext, record: Rollback, head: str) -> str:
    branch, new = record.branch, record.new
    reopened = _reopen(context, record)
    since = datetime.fromisoformat(record.at).timestamp()
    if head == new and landing.follow_late(context.repo.checkout(branch), branch, record.old, new, since):
        return f"{branch} is back at {new[:12]}; your files have followed it now."
    return f"{branch} is back at {new[:12]}; what was undone is planned again now." if reopened else ""


def _newest(repo: Repository) -> Rollback:
    """The newest record of a branch's rollback here; empty where there is none."""
    trail = (entry.typed for entry in repo.store.mine())
    return next((one for one in trail if isinstance(one, Rollback) and not one.cycle_id), Rollback())


def _of_branch(context: CycleContext, wanted: str, reason: str) -> str:
    finished = finish(context)
    branch, head = where_we_stand(context)
    if finished and wanted in ("", head):
        return finished
    if finished:
        context.watch.note(finished)
    target = wanted or _last_good(context.repo, head)
    if target == head:
        good = "" if wanted else ", which is known to be good"
        return f"{branch} stands on {head[:12]}{good}; nothing to undo."
    if not context.repo.git.holds(head, target):
        raise Refused(
            f"{target[:12]} is not an ancestor of {branch}.", "Name a commit that the branch contains."
        )
    checkout = context.repo.checkout(branch)
    landing.refuse_blocked(
        checkout, head, target, what="Your files stand in the way", then="run the same command again."
    )
    kept = f"refs/tdd/undone/{branch.replace('/', '-')}-{head[:12]}"
    record = Rollback(branch=branch, old=head, new=target, kept=kept, reasons=[reason] if reason else [])
    context.write(
        target, record, f"rolled back: {branch} to {target[:12]}", pins={kept: head, _UNDOING: head}
    )
    refs.update(context.repo.git, [(f"refs/heads/{branch}", target, head)], reason="tdd rollback")
    _reopen(context, record)
    landing.follow(checkout, head, target)
    refs.update(context.repo.git, [(_UNDOING, ZERO, head)])
    return (
        f"{branch} is back at {target[:12]}; what was undone is kept as {kept} (git merge {kept} "
        "brings it back)."
    )


def _reopen(context: CycleContext, undone: Rollback) -> bool:
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


def _last_good(repo: Repository, head: str) -> str:
    """Return the newest known-good ancestor of ``head``; Refused where commits that no record knows stand
    above it."""
    found = known_good.find(repo.git, repo.objects, repo.store, head).strictly()
    if not found.commit:
        raise Refused(
            "No ancestor of HEAD is known to be good.",
            "Name a commit: tdd rollback COMMIT; `tdd log` shows the audit log.",
        )
    above = (
        repo.git.run("rev-list", "--first-parent", "--end-of-options", f"{found.commit}..{head}")
        .decode()
        .split()
    )
    again = refind(repo.git, repo.objects, repo.store, above, by_patch=False)
    for commit in above:
        sources = again[commit].commits if again[commit].how == "tree" else ()
        if any(record.known_good for one in sources for record in read_all(repo.store.of(one).records)):
            above = above[: above.index(commit)]
            found = replace(found, commit=commit)
            break
    unknown = [commit for commit in above if not again[commit].commits]
    if unknown:
        named = ", ".join(commit[:12] for commit in unknown[:_NAMED])
        raise Refused(
            (
                f"{found.commit[:12]} is known to be good, and above it stands work that no record "
                f"knows: {named}."
            ),
            f"To undo it all the same, name the commit: tdd rollback {found.commit[:12]}",
        )
    return found.commit
