"""How a proven fix of ``tdd fix`` reaches the branch, and how a landing that was broken off is brought to its
end."""

from __future__ import annotations

from datetime import datetime

from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.cycle.landing import rollback
from tdd_orchestrator.model.errors import Paused, RefMoved
from tdd_orchestrator.model.records import DeskWork, Incident, Landing
from tdd_orchestrator.repo import refs
from tdd_orchestrator.workspace import landing

_BESIDE = (DeskWork, Incident)
"""Records that may come between a landing and its end; after any other the index is the user's again."""


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


def catch_up(context: CycleContext) -> None:
    """Finish a rollback or a fix's landing that a kill broke off after the branch had moved."""
    for message in (rollback.finish(context), _finish_landing(context.repo)):
        if message:
            context.watch.note(message)


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
