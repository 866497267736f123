"""Error reports as GitHub comments, also those that could not be posted when they were made (F7)."""

from __future__ import annotations

from collections.abc import Callable

from tdd_orchestrator.config.schema import GitHubConfig
from tdd_orchestrator.failures import fixes
from tdd_orchestrator.failures.github import CannotPost, GitHub, Post, Posted
from tdd_orchestrator.failures.notify import within
from tdd_orchestrator.failures.reports import StoredReport, note_work, read
from tdd_orchestrator.model.error_report import ErrorReport
from tdd_orchestrator.model.plan import Item, Plan
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.text import one_line, plain

SECONDS = 4.0  # for all calls at escalation; later there is more time
LATER_SECONDS = 60.0
_PER_CALL = 20  # seconds


def marker(error_id: str) -> str:
    """Return the hidden marker of our comment, by which a second visit finds it."""
    return f"<!-- tdd:{error_id} -->"


def as_post(report: ErrorReport, fix: Item | None) -> Post:
    """Return a report as a comment. Quoted text stands in code, where it mentions and closes nothing."""
    error_id, kind = report.error_id, report.error_type
    mark = marker(error_id)
    title = fix.title if fix else f"Fix: {report.item} - {kind}"
    return Post(
        marker=mark,
        since=report.failed_at,
        issue=report.issue_number or 0,
        comment=f"{mark}\n{_comment(report)}",
        labels=("workflow-failed", f"error:{kind}"),
        fix_title=one_line(title, 240),
        fix_body=f"{mark}\n{fixes.prompt(report, fix=fix)}",
        fix_labels=("error-fix", f"error:{kind}"),
    )


def _comment(report: ErrorReport) -> str:
    files = "\n".join(f"- `{one_line(place, 200).replace('`', '')}`" for place in report.affected_files)
    return "\n\n".join(
        filter(
            None,
            (
                f"A test-driven cycle failed for good in **{report.failed_phase}** "
                f"({report.error_type}, "
                f"`{report.error_id}`). The branch stands as it was.",
                fixes.fenced(f"{plain(report.item)}\n\n{report.error_message}"),
                f"Probable cause:\n\n{fixes.fenced(report.root_cause)}",
                f"Affected files:\n\n{files}" if files else "",
                f"Proposed: {report.fix_strategy}, about {report.estimated_fix_hours:g} h, confidence "
                f"{report.confidence}. Next: `{report.recommended_workflow}`",
            ),
        )
    )


def post_one(
    store: Store,
    config: GitHubConfig,
    token: str,
    one: StoredReport,
    fix: Item | None,
    seconds: float = SECONDS,
) -> str:
    """Post what of a report is not posted yet, and record how it went. A sentence where something is left,
    else ""."""
    before = one.done("post")
    details = before.details
    try:
        forge = GitHub(config.repository, config.api, token, int(min(seconds, _PER_CALL)))
        found = within(seconds, lambda: forge.post(as_post(one.report, fix), details.get("done") or {}))
    except CannotPost as error:
        found = Posted(details.get("done") or {}, {"all": str(error)})
    except TimeoutError:
        found = Posted(details.get("done") or {}, {"all": f"GitHub did not answer within {seconds:g} s"})
    why = "; ".join(f"{step}: {words}" for step, words in found.problems.items() if words != "not tried")
    status = "failed" if found.problems else "done"
    if (before.status, before.why) != (status, one_line(why, 400)):
        note_work(store, one, "post", status, why, done=dict(found.done),
                  comments=[dict(comment) for comment in found.comments] or list(
                      details.get("comments") or ()))  # fmt: skip
    return why


def pending(store: Store) -> list[StoredReport]:
    """Reports that should stand on the forge and do not yet, oldest first."""
    return [
        one for one in read(store)
        if "post" in one.outside and one.done("post").status != "done"
    ]  # fmt: skip


def post_pending(
    store: Store, plan: Plan, config: GitHubConfig, token: str, say: Callable[[str], None]
) -> tuple[int, int]:
    """Post what could not be posted when it happened: (posted, still left). Nothing is posted twice."""
    posted, left = 0, 0
    for one in pending(store):
        why = post_one(store, config, token, one, fixes.fix_of(one.report, plan.items), LATER_SECONDS)
        posted, left = (posted, left + 1) if why else (posted + 1, left)
        say(f"{one.error_id}: {f'not posted: {why}' if why else 'posted'}")
    return posted, left
