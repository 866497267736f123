"""Rollback (R6): to the last known-good commit found from the notes; nothing uncommitted is touched, nothing
lost."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.cycle.landing.unfinished import UNDOING, finish_rollback, reopen_items
from tdd_orchestrator.cycle.start import where_we_stand
from tdd_orchestrator.cycle.state import CycleState, place
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.model.records import Rollback
from tdd_orchestrator.notes import known_good
from tdd_orchestrator.notes.rewritten import refind
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import ZERO
from tdd_orchestrator.workspace import landing

_NAMED = 5  # commits that a refusal names


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


def _of_branch(context: CycleContext, wanted: str, reason: str) -> str:
    finished = finish_rollback(context)
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
    context.write(target, record, f"rolled back: {branch} to {target[:12]}", pins={kept: head, UNDOING: head})
    refs.update(context.repo.git, [(f"refs/heads/{branch}", target, head)], reason="tdd rollback")
    reopen_items(context, record)
    landing.follow(checkout, head, target)
    refs.update(context.repo.git, [(UNDOING, ZERO, head)])
    return (
        f"{branch} is back at {target[:12]}; what was undone is kept as {kept} (git merge {kept} "
        "brings it back)."
    )


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
