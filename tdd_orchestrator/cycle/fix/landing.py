"""Land a proven fix of ``tdd fix``: ask a person where that is set (R7), and move the branch."""

from __future__ import annotations

import os

from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.cycle.fix.fix_state import FixSession
from tdd_orchestrator.model.errors import Gated, Paused, RefMoved
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.model.records import Approval, Landing
from tdd_orchestrator.repo import refs
from tdd_orchestrator.workspace import landing


def arrived(repo: Repository, branch: str, commit: str) -> bool:
    """Whether it has landed already."""
    head = refs.read(repo.git, f"refs/heads/{branch}") or ""
    return repo.git.holds(head, commit)


def land(context: CycleContext, branch: str, old: str, new: str) -> None:
    """At once, as a finished cycle would."""
    context.agents.tree.release(old)
    checkout = context.repo.checkout(branch)
    landing.refuse_blocked(
        checkout, old, new,
        what="The proven fix cannot land", then=f"run the same command again; it is kept as {new[:12]}.",
    )  # fmt: skip
    context.write(new, Landing(branch=branch, old=old, new=new), f"landing: a fix on {branch}")
    try:
        refs.update(context.repo.git, [(f"refs/heads/{branch}", new, old)], reason="tdd fix")
    except RefMoved as moved:
        raise Paused(
            f"{branch} moved while a fix for it was made.",
            (
                "Run the same command again, which begins on what is there now; the fix is kept: git "
                f"cherry-pick {new[:12]}."
            ),
        ) from moved
    landing.follow(checkout, old, new)


_GATE = "before_landing"


def allow(context: CycleContext, run: FixSession, commit: str) -> None:
    """Return where the fix may land. Raises Gated where no person has answered yet.

    Question and answer stand on the fix's own commit; a rejected fix ends its ``tdd fix``, and is kept.
    """
    if not context.settings.ask_before_landing or _approved(context.repo, commit):
        return
    context.agents.tree.release(run.head)
    asked = waiting(context.repo)
    if asked is None or asked.tip != commit:
        record = Approval(**{**run.place(), "tip": commit}, decision="wanted", gate=_GATE)
        context.write(commit, record, f"approval wanted (before landing): a fix on {run.branch}")
    raise Gated(
        f"The proven fix {commit[:12]} waits for a person (before landing).",
        f"Look at it (git show {commit[:12]}) and answer with `tdd cycle approve` or `tdd cycle reject`.",
    )


def waiting(repo: Repository) -> Approval | None:
    """The question that a fix waits with, where it is the newest one that was asked here, and has no
    answer."""
    trail = (entry.typed for entry in repo.store.mine())
    asked = (one for one in trail if isinstance(one, Approval) and one.gate != "covered")
    newest = next(asked, None)
    return newest if newest and not newest.cycle_id and newest.decision == "wanted" else None


def answer(context: CycleContext, asked: Approval, decision: str, comment: str) -> str:
    """Record a person's decision about a waiting fix; an approved one lands.

    Return a sentence on the result.
    """
    branch, commit = asked.branch, asked.tip
    record = Approval(
        fix_id=asked.fix_id, branch=branch, base=asked.base, tip=commit, decision=decision, gate=_GATE,
        by=os.environ.get("USER", ""), comment=context.redact(comment)[:2000],
    )  # fmt: skip
    context.write(commit, record, f"{decision}: a fix on {branch} (before landing)")
    if decision != "approved":
        return f"Rejected; the fix is kept as {commit[:12]}, and {branch} stands as it was."
    if not arrived(context.repo, branch, commit):
        land(context, branch, context.repo.objects.read_commit(commit).parents[0], commit)
    return (
        f"The fix has landed on {branch} as {commit[:12]}. Go on with the rest: run the same tdd fix again."
    )


def _approved(repo: Repository, commit: str) -> bool:
    return any(
        isinstance(one, Approval) and one.decision == "approved" for one in read_all(repo.store.own(commit))
    )
