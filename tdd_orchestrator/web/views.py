"""What each page shows: the template's name and its values, from a site."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request

from tdd_orchestrator import __version__
from tdd_orchestrator.agents.command import PROMPT
from tdd_orchestrator.config.schema import AgentsConfig
from tdd_orchestrator.failures.fixes import fix_of
from tdd_orchestrator.failures.fixes import prompt as fix_prompt
from tdd_orchestrator.failures.reports import StoredReport
from tdd_orchestrator.failures.strategy import kind_of
from tdd_orchestrator.history import board, metrics
from tdd_orchestrator.history.cycles import Attempt, Cycle
from tdd_orchestrator.history.metrics import Numbers
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.redaction import redactor
from tdd_orchestrator.web import diffs, queries, render
from tdd_orchestrator.web.actions import GATES
from tdd_orchestrator.web.operations import NotFound
from tdd_orchestrator.web.render import coloured
from tdd_orchestrator.web.site import Site

_PAGE = 50
_CARDS = 60  # of a column
_WIDE = 7  # columns of a table that takes the page's whole width, as does one with a long text
_LONG = frozenset({"error", "test", "path"})
_BEHIND = 5  # cycles that are named beside a row
Page = tuple[str, dict[str, Any]]


def plan(site: Site, request: Request) -> Page:
    shown = board.board(site.index)
    items = shown.columns()
    columns = [
        {"name": name, "title": title, "count": len(items[name]), "cards": cards}
        for name, title, _ in board.COLUMNS
        for cards in [[shown.card(item) for item in items[name][:_CARDS]]]
    ]
    return "plan.html", {
        "columns": columns,
        "most": _CARDS,
        "empty": not shown.plan.items,
        "kinds": {one.error_id: kind_of(one.report) for one in site.reports()},
        "at_work": site.at_work,
    }


def overview(site: Site) -> dict[str, Any]:
    """One repository among several."""
    shown = board.board(site.index)
    counts = {name: len(items) for name, items in shown.columns().items()}
    newest = site.index.one("SELECT * FROM cycles ORDER BY last_at DESC LIMIT 1")
    [numbers] = metrics.everything(site.index, metrics=[metrics.METRICS[0]])
    summary = numbers.rows[0] if numbers.rows else {}
    return {
        "site": site,
        "counts": counts,
        "waiting": len(shown.waiting),
        "newest": newest,
        "summary": summary,
        "problems": site.problems,
    }


def add_item(site: Site, title: str) -> None:
    site.plan_repository.add([Item("", redactor({})(title))])


def cycles(site: Site, request: Request) -> Page:
    offset = _number(request, "offset")
    rows = queries.cycles(site.index, _PAGE + 1, offset)
    return "cycles.html", {"rows": rows[:_PAGE], "offset": offset, "more": len(rows) > _PAGE, "step": _PAGE}


def cycle(site: Site, request: Request) -> Page:
    found = _cycle(site, request)
    newest = site.index.one("SELECT cycle_id FROM cycles ORDER BY started DESC LIMIT 1")
    gate = found.row["waiting"]
    if found.row["outcome"] == "already_covered":
        about = {"cycle": found.row["cycle_id"]}
        asks = site.index.one("SELECT 1 FROM item_states WHERE cycle_id = :cycle AND asks", about)
        gate = "covered" if asks else ""
    removed = [name for record in found.records for name in record.get("removed_tests") or ()]
    return "cycle.html", {
        "cycle": found,
        "row": found.row,
        "gate": gate,
        "answers": GATES.get(gate, ("May it go on?", "Approve", "Reject")),
        "removed": removed if gate == "removed_tests" else (),
        "about": found.row["item_id"] if gate else "",
        "merge": found.records[-1].get("tip", "") if found.row["outcome"] == "parked" else "",
        "is_newest": newest.get("cycle_id") == found.row["cycle_id"],
        "at_work": site.at_work and any(one.open for one in found.attempts),
        "numbers": {id(one): place for place, one in enumerate(found.attempts)},
    }


def attempt_part(site: Site, request: Request) -> Page:
    """A part of an attempt that is fetched when somebody looks: its change, output, or transcript."""
    found, number, part = _cycle(site, request), request.path_params["number"], request.path_params["part"]
    if number >= len(found.attempts) or part not in ("change", "output", "prompt", "transcript"):
        raise NotFound("There is no such part of this cycle.")
    attempt = found.attempts[number]
    if part == "change":
        files = diffs.files(site.reader.change(attempt))
        return "_change.html", {"files": [(file, coloured(file)) for file in files]}
    if part == "output":
        return "_output.html", {"text": _output(site, found, attempt)}
    name = PROMPT if part == "prompt" else attempt.agent.transcript
    text = site.transcript(str(found.row["cycle_id"]), attempt.folder, name)
    return "_output.html", {"text": text or f"This machine has no {part} of it."}


def _output(site: Site, found: Cycle, attempt: Attempt) -> str:
    return site.reader.failing_output(attempt) or "No test failed, or the run's cases were not kept."


def audit(site: Site, request: Request) -> Page:
    offset, q, kind = _number(request, "offset"), _word(request, "q"), _word(request, "kind")
    rows, total = queries.records(site.index, q=q, kind=kind, limit=_PAGE, offset=offset)
    return "audit.html", {
        "rows": rows, "total": total, "offset": offset, "step": _PAGE, "q": q, "kind": kind,
        "kinds": queries.kinds(site.index), "last": site.verdicts.last(),
    }  # fmt: skip


def commits(site: Site, request: Request) -> Page:
    """The commits that landed, each with what `tdd verify` last found."""
    offset, q, state = _number(request, "offset"), _word(request, "q"), _word(request, "state")
    verdicts = site.verified()
    key = ("commits", site.verdicts.stamp, q, state, offset)
    rows, counts = site.index.memo(
        key, lambda: queries.commits(site.index, verdicts, q=q, state=state, limit=_PAGE, offset=offset)
    )
    total = sum(count for name, count in counts.items() if state in ("", name))
    return "commits.html", {
        "rows": rows, "total": total, "offset": offset, "step": _PAGE, "q": q, "state": state,
        "verdicts": verdicts, "counts": counts, "last": site.verdicts.last(),
    }  # fmt: skip


def record(site: Site, request: Request) -> Page:
    where = "id = :id"
    found = site.reader.records(where, {"id": request.path_params["id"]}, 1)
    if not found:
        raise NotFound("There is no such record.")
    row = site.index.one(f"SELECT * FROM records WHERE {where}", {"id": found[0]["id"]})
    return "record.html", {"row": row, "text": json.dumps(found[0], indent=2, ensure_ascii=False)}


def errors(site: Site, request: Request) -> Page:
    everything = request.query_params.get("all") == "1"
    reports = [one for one in site.reports() if everything or one.status != "closed"]
    return "errors.html", {"reports": reports, "everything": everything}


def error(site: Site, request: Request) -> Page:
    one = _report(site, request)
    items = site.plan_repository.plan().items
    found = site.reader.cycle(one.cycle_id) if one.cycle_id else None
    moves = [attempt for attempt in found.attempts if attempt.move] if found else []
    return "error.html", {
        "one": one,
        "report": one.report,
        "fix": fix_of(one.report, items),
        "cycle": found,
        "moves": moves,
        "parked": found is not None and found.row["outcome"] == "parked",
    }


def launch(site: Site, request: Request) -> Page:
    """The dialog that launches a fix: its prompt, to be copied, or to be run here."""
    one = _report(site, request)
    fix = fix_of(one.report, site.plan_repository.plan().items)
    issue, repository = one.report.issue_number, site.repository.config.github.repository
    address = f"https://github.com/{repository}/issues/{issue}" if issue and repository else ""
    return "_launch.html", {
        "one": one,
        "prompt": fix_prompt(one.report, fix=fix, comments=one.comments),
        "issue": address,
    }


def analytics(site: Site, request: Request) -> Page:
    tables = [_table(site, one) for one in metrics.everything(site.index)]
    return "analytics.html", {"tables": sorted(tables, key=lambda table: not table["wide"])}


def flaky(site: Site, request: Request) -> Page:
    return "flaky.html", {"table": _named(site, "flaky"), "time": _named(site, "suite_time")}


def agents(site: Site, request: Request) -> Page:
    config = site.repository.config
    seen = site.index.select("SELECT agent, max(at) AS at FROM attempts GROUP BY agent")
    rows = (
        ("tdd", __version__),
        ("Python", sys.version.split()[0]),
        ("git", site.repository.git.line("version").removeprefix("git version ")),
        ("Test command", _command_text(config.test.command)),
        ("Notes", site.repository.store.ref),
        ("Folder", str(site.folder)),
    )
    return "agents.html", {
        "rows": rows,
        "agents": site.agents,
        "roles": {agent.name: _roles(config.agents, agent.name) for agent in site.agents},
        "seen": {row["agent"]: row["at"] for row in seen},
        "table": _named(site, "agents"),
    }


def _roles(agents: AgentsConfig, name: str) -> str:
    """The roles that an agent plays, in words."""
    own = [role for role, one in agents.roles.items() if one == name]
    rest = "every other role" if agents.roles else "every role"
    return ", ".join([*([rest] if name == agents.default else []), *own])


def jobs(site: Site, request: Request) -> Page:
    return "_jobs.html", {"jobs": site.jobs.all()[:1], "refused": ""}


def _command_text(command: Any) -> str:
    return command if isinstance(command, str) else " ".join(map(str, command or ()))


def _named(site: Site, name: str) -> dict[str, Any]:
    metric = metrics.named(name)
    assert metric is not None
    return _table(site, metrics.compute(site.index, metric))


def _table(site: Site, one: Numbers) -> dict[str, Any]:
    """A metric for its template: rows with the numbers of a few cycles, and its chart."""
    metric = one.metric
    return site.index.memo(("table", metric.name, one.since), lambda: _tabled(site, one), metric.of)


def _tabled(site: Site, one: Numbers) -> dict[str, Any]:
    rows = [
        {"values": list(row.items()), "cycles": _newest(site, cycles), "more": max(0, len(cycles) - _BEHIND)}
        for row, cycles in zip(one.rows, one.cycles, strict=True)
    ]
    if one.metric.plot.startswith("week "):
        rows.reverse()  # the newest on top; the plot has them in their order
    wide = len(one.columns) >= _WIDE or not _LONG.isdisjoint(one.columns)
    return {"numbers": one, "metric": one.metric, "rows": rows, "chart": render.chart_of(one), "wide": wide}


def _newest(site: Site, cycles: Sequence[str]) -> list[dict[str, Any]]:
    """Number and id of the newest of these cycles; their ids begin with the time."""
    newest = json.dumps(sorted(cycles, reverse=True)[:_BEHIND])
    sql = "SELECT number, cycle_id FROM cycles WHERE cycle_id IN (SELECT value FROM json_each(:ids)) ORDER BY number DESC"
    return site.index.select(sql, {"ids": newest})


def _cycle(site: Site, request: Request) -> Cycle:
    found = site.reader.cycle(request.path_params["id"])
    if found is None:
        raise NotFound("There is no such cycle here.")
    return found


def _report(site: Site, request: Request) -> StoredReport:
    found = site.report(request.path_params["id"])
    if found is None:
        raise NotFound("There is no such error report here.")
    return found


def _number(request: Request, name: str) -> int:
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _word(request: Request, name: str) -> str:
    return request.query_params.get(name, "")[:200].encode("utf-8", "replace").decode()
