"""The command to run next, and where the cycle stands as lines for a person."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.cli.render import answers_of, local
from tdd_orchestrator.cli.standing import (
    FIX_PHASE,
    Standing,
    is_configured,
    is_unborn,
    opened_history,
    opened_plan,
    root_of,
)
from tdd_orchestrator.cycle.usage_text import render_agent, render_used, used_in
from tdd_orchestrator.model.summary import (
    RecordSummary,
    ReportSummary,
    next_step,
    summarize,
    summarize_report,
)
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.notes.history import History


def shape(standing: Standing) -> dict[str, Any]:
    """The documented, stable shape of where it stands; ``next`` is the command to run, as for a person."""
    return {**standing._asdict(), "next": next_command(standing)}


def next_command(standing: Standing) -> str:
    """The one best command to run now."""
    if standing.at_work:
        return "tdd status"
    command = _next_here(standing)
    if command.startswith("tdd cycle next") and _is_detached(Path.cwd()):
        return f"git switch {standing.summary.branch if standing.summary else 'BRANCH'}"
    return command


def _is_detached(start: Path) -> bool:
    """Return whether HEAD names a commit: no cycle begins there. False in a linked work tree."""
    try:
        return not (root_of(start) / ".git" / "HEAD").read_bytes().startswith(b"ref:")
    except OSError:
        return False


def _next_here(standing: Standing) -> str:
    if standing.fix is not None:
        return "tdd cycle approve"
    if (stopped := standing.stopped) is not None:
        if stopped.failed_phase == FIX_PHASE:  # several commands, in order
            return one_line(stopped.recommended_workflow.partition(", ")[0], 200) or "tdd fix"
        named = _COMMAND.findall(stopped.recommended_workflow)
        return str(named[-1]) if named else "tdd cycle next"
    record = standing.summary
    if record is None:
        return _after_the_list(Path.cwd(), begun=False)
    if standing.elsewhere:
        return "tdd cycle next"
    if record.kind == "approval" and record.decision == "wanted":
        return "tdd cycle approve"
    if record.kind == "cycle_ended" and standing.beside:
        return "tdd cycle run"
    if record.kind == "cycle_ended" and record.outcome == "aborted":
        if _is_set_aside(Path.cwd(), str((standing.cycle or {}).get("item_id"))):
            return _after_the_list(Path.cwd())
        with opened_history(Path.cwd()) as history:
            return after_failure(history, record.error_id)
    if record.kind == "cycle_ended" and record.outcome == "parked":
        return f"git merge {record.tip[:12]}"
    if record.kind == "cycle_ended" and not record.pending_items:
        return _after_the_list(Path.cwd())
    return "tdd cycle next"


def _is_set_aside(start: Path, item_id: str) -> bool:
    """Return whether an item failed and is no longer wanted: removed, or done since in another way."""
    from tdd_orchestrator.model.plan import Status

    with opened_plan(start) as plan_repository:
        item = plan_repository.plan().get(item_id)
    return item is None or item.status in (Status.CANCELLED, Status.COMPLETED)


def _after_the_list(start: Path, *, begun: bool = True) -> str:
    """The plan is read where the newest cycle left nothing to begin: items may have been added or have failed
    since. ``begun``: a cycle was, so that there is a commit."""
    from tdd_orchestrator.model.plan import Status

    with opened_plan(start) as plan_repository:
        plan = plan_repository.plan()
        waiting = plan_repository.waiting()
    if not is_configured(start):
        return "tdd init"
    if not begun and is_unborn(start):
        return "git commit --allow-empty -m 'chore: begin'"
    if plan.next() is not None:
        return "tdd cycle next"
    if waiting:
        return f"tdd cycle approve --item {next(iter(waiting))}"
    failed = any(item.status is Status.FAILED and not item.begun_by_hand for item in plan.items)
    return "tdd errors list" if failed else 'tdd plan add "what is to happen"'


def after_failure(history: History, error_id: str) -> str:
    """What to do first after a cycle that failed: what its error report says, where nothing in the code is known
    to be wrong; else to resume with a hint."""
    for entry in islice(history.trail(newest_first=True), _NEAR if error_id else 0):
        report = entry.record.get("report")
        if isinstance(report, dict) and report.get("error_id") == error_id:
            said = one_line(next_step(summarize_report(report).recommended_workflow, newest=True), 300)
            return said if said and not report.get("fix_strategy") else TAKE_UP
    return TAKE_UP


_NEAR = 50  # records in which the report of the newest cycle is looked for: it stands right before its end


_COMMAND = re.compile(r"`(tdd [^`]+)`")


TAKE_UP = 'tdd cycle resume --hint "what the agents should know"'
"""After a cycle that failed for good; until another one begins."""


def status_text(standing: Standing) -> str:
    """A few lines for a person."""
    return "\n".join([*_fix_lines(standing.fix), *_cycle_lines(standing)])


def _fix_lines(fix: Mapping[str, Any] | None) -> list[str]:
    if fix is None:
        return []
    asked = summarize(fix)
    return [
        f"A proven fix of `tdd fix` waits for a person: git show {asked.tip[:12]} (for {asked.branch})",
        "  next: tdd cycle approve, or tdd cycle reject",
    ]


def _cycle_lines(standing: Standing) -> list[str]:
    record = standing.summary
    if record is None:
        if standing.fix:
            return []
        return ["No cycle yet.", *_stop_lines(standing.stopped), *_last_lines(standing)]
    head = f"cycle {record.cycle_number}: {one_line(record.item, 100)}"
    lines = [f"{head} (on {record.branch})", f"  {_stands(record)}"]
    lines += [f"  {one_line(record.summary, 460)}"] if record.outcome == "aborted" and record.summary else []
    lines += [f"  {one_line(reason, 200)}" for reason in record.reasons[:1]]
    lines += [f"  {line}" for line in _of_agent(record)]
    if standing.elsewhere:
        return [
            *lines,
            "  begun elsewhere, and gone on with only there; next here: a cycle of its own (tdd cycle next)",
        ]
    if standing.stop:
        lines += _stop_lines(standing.stopped, record.reasons[:1])
    elif record.error_id:
        lines.append(f"  why: tdd errors show {record.error_id}")
    else:
        lines += _pause_lines(standing.cycle or {})
    return [*lines, *_other_lines(standing), *_last_lines(standing)]


def _pause_lines(record: dict[str, Any]) -> list[str]:
    """What to do about a pause whose report was filed for one before it."""
    move = record.get("move")
    if record.get("kind") != "error" or not isinstance(move, dict) or move.get("kind") != "pause":
        return []
    return [f"  {one_line(str(move.get('why', '')), 200)}"]


def _last_lines(standing: Standing) -> list[str]:
    """Return who works here now, and the command to run next."""
    if standing.at_work is None:
        return [f"  next: {next_command(standing)}"]
    process_, since = f"process {standing.at_work['pid']}", local(standing.at_work["started"])
    return [f"  at work: {process_} on {standing.at_work['host']}, since {since}", "  next: tdd status"]


def _stop_lines(report: ReportSummary | None, shown: Sequence[str] = ()) -> list[str]:
    """What stopped the last command, where it is not ``shown`` already, and what to do about it."""
    if report is None:
        return []
    summary = one_line(report.summary, 200)
    what = "tdd fix failed" if report.failed_phase == FIX_PHASE else "stopped"
    known = summary in [one_line(line, 200) for line in shown]
    agent = report.agent
    return [
        *([] if known else [f"  {what}: {summary}"]),
        *([f"  the agent said: {one_line(agent.last_words, 200)}"] if agent.last_words else []),
        f"  {one_line(report.recommended_workflow, 200)}",
        f"  why: tdd errors show {report.error_id}",
    ]


def _other_lines(standing: Standing) -> list[str]:
    """A line for each other cycle that is open."""
    others = [summarize(record) for record in standing.beside]
    return [
        f"cycle {one.cycle_number}: {one_line(one.item, 100)}: {_stands(one)} ({one.cycle_id})"
        for one in others
    ]


def _stands(record: RecordSummary) -> str:
    phase, attempt = record.phase, record.attempt
    if record.kind == "error" and record.agent.fault:
        named = any(reason.startswith(record.error) for reason in record.reasons)
        return f"{phase}: attempt {attempt} stopped" + ("" if named else f": {record.error}")
    rows = {
        "cycle_started": f"{record.next_phase} is next",
        "cycle_ended": f"{record.outcome}, {local(record.at)}",
        "intent": _intent(record),
        "error": f"{phase}: attempt {attempt} refused ({record.verdict}), retry_count {record.retry_count}",
        "handoff": f"{phase}: accepted at attempt {attempt}",
        "approval": f"{phase}: approval {record.decision} ({record.gate})",
    }
    return rows.get(record.kind, f"{phase}: {record.kind}")


def _intent(record: RecordSummary) -> str:
    if record.agent.name == "human":
        return f"{record.phase}: your turn"
    return f"{record.phase}: attempt {record.attempt} was begun ({record.agent.name})"


def _of_agent(record: RecordSummary) -> list[str]:
    """Return what an attempt's agent used, and its last words where no reason holds them, for a person.
    Nothing while it works."""
    if record.kind == "intent":
        return []
    words, used = one_line(record.agent.last_words, 200), render_agent(record.agent)
    said = f"said: {words}" if words and not any(words in reason for reason in record.reasons) else ""
    return [line for line in (used if used != record.agent.name else "", said) if line]


_SHOWN = frozenset(
    {"handoff", "error", "cycle_ended", "approval", "rollback", "rebased", "resumed", "incident"}
)


def warning_lines(stored: Sequence[Mapping[str, Any]]) -> list[str]:
    """One cycle as lines, oldest first."""
    from tdd_orchestrator.model.reading import read_all
    from tdd_orchestrator.model.records import Handoff

    records = read_all(stored)
    lines = []
    for record, seen in zip(records, map(summarize, stored), strict=True):
        if seen.kind == "cycle_started":
            lines.append(f"cycle {seen.cycle_number}: {seen.item} ({seen.cycle_id})")
        elif seen.kind in _SHOWN or (seen.kind == "intent" and record is records[-1]):
            lines.append(
                f"  {local(seen.at)}  {seen.outcome if seen.kind == 'cycle_ended' else _stands(seen)}"
            )
            lines += [f"      {one_line(reason, 200)}" for reason in seen.reasons[:3]]
            answers = answers_of(record.questions) if isinstance(record, Handoff) else []
            lines += [f"      asked {one_line(answer, 200)}" for answer in answers]
            lines += [f"      warning: {one_line(warning, 200)}" for warning in seen.warnings[:5]]
            lines += [f"      {line}" for line in _of_agent(seen)]
    used = render_used(used_in(records))
    lines += [f"  used: {used}"] if used else []
    return lines or ["No cycle yet."]
