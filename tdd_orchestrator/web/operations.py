"""The operations of the API, one function each: a site, what was asked, an answer as plain JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from tdd_orchestrator.failures.fixes import fix_of
from tdd_orchestrator.failures.fixes import prompt as fix_prompt
from tdd_orchestrator.failures.mark_failed import FailureReport
from tdd_orchestrator.failures.reports import StoredReport
from tdd_orchestrator.history import board, metrics
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.plan import Item, Status
from tdd_orchestrator.web import queries, shapes
from tdd_orchestrator.web.actions import command_of
from tdd_orchestrator.web.jobs import Job
from tdd_orchestrator.web.site import Site

Data = dict[str, Any]


class NotFound(Refused):
    pass


class Call(NamedTuple):
    """``path``: the parts of the address; ``query`` and ``body``: what was validated."""

    path: dict[str, str]
    query: Any
    body: Any


def plan_list(site: Site, call: Call) -> Data:
    return {"items": [queries.card_data(card) for card in board.board(site.index).cards()]}


def plan_get(site: Site, call: Call) -> Data:
    return queries.card_data(_card(site, call.path["id"]))


def plan_create(site: Site, call: Call) -> Data:
    given: shapes.ItemNew = call.body
    if given.parent and site.plan_repository.plan().get(given.parent) is None:
        raise Refused(f"There is no item '{given.parent[:60]}' to be the parent.")
    item = Item(
        id="",
        **{**given.model_dump(), "type": given.type, "priority": given.priority, "tags": tuple(given.tags)},
    )
    added = site.plan_repository.add([item])[0]
    site.refresh()
    return queries.card_data(_card(site, added.id))


def plan_edit(site: Site, call: Call) -> Data:
    item = _item(site, call.path["id"])
    given: shapes.ItemEdit = call.body
    changes = {key: value for key, value in given.model_dump(exclude_unset=True).items() if value is not None}
    if "tags" in changes:
        changes["tags"] = tuple(changes["tags"])
    if "status" in changes:
        if item.status in (Status.IN_PROGRESS, Status.COMPLETED):
            raise Refused(f"'{item.title}' is {item.status.replace('_', ' ')}; that follows from its cycle.")
        changes["status"] = Status(changes["status"])
    site.plan_repository.change(replace(item, **changes))
    site.refresh()
    return queries.card_data(_card(site, item.id))


def plan_order(site: Site, call: Call) -> Data:
    items = {item.id: item for item in site.plan_repository.plan().items}
    wanted = list(dict.fromkeys(call.body.ids))
    unknown = [one for one in wanted if one not in items]
    if unknown:
        raise Refused(f"There is no item '{unknown[0]}' in the plan.")
    order = [*wanted, *(one for one in items if one not in wanted)]
    site.plan_repository.rewrite(
        [replace(items[one], order=float(place)) for place, one in enumerate(order, 1)]
    )
    site.refresh()
    return {"ids": order}


def plan_mark_failed(site: Site, call: Call) -> Data:
    given: FailureReport = call.body
    done = site.mark_failed(_item(site, call.path["id"]), given)
    site.refresh()
    items = site.plan_repository.plan().items
    return {
        "original": queries.item_data(done.item),
        "fix": queries.item_data(done.fix) if done.fix else None,
        "report": done.report.data(items),
    }


def cycle_list(site: Site, call: Call) -> Data:
    return {"cycles": queries.cycles(site.index, call.query.limit, call.query.offset)}


def cycle_get(site: Site, call: Call) -> Data:
    cycle = site.reader.cycle(call.path["id"])
    if cycle is None:
        raise NotFound(f"There is no cycle '{call.path['id'][:60]}'.")
    attempts = [queries.attempt_data(one) for one in cycle.attempts]
    return {**cycle.row, "attempt_list": attempts, "record_list": list(cycle.records)}


def cycle_attempts(site: Site, call: Call) -> Data:
    return {"attempts": cycle_get(site, call)["attempt_list"]}


def record_list(site: Site, call: Call) -> Data:
    query: shapes.RecordQuery = call.query
    found, total = queries.records(
        site.index, q=query.q, kind=query.kind, cycle=query.cycle, limit=query.limit, offset=query.offset
    )
    return {"records": found, "total": total}


def record_get(site: Site, call: Call) -> Data:
    found = site.reader.records("id = :id", {"id": call.path["id"]}, 1)
    if not found:
        raise NotFound(f"There is no record '{call.path['id'][:60]}'.")
    return dict(found[0])


def error_list(site: Site, call: Call) -> Data:
    items = site.plan_repository.plan().items
    reports = [one for one in site.reports() if call.query.all or one.status != "closed"]
    return {"errors": [one.data(items) for one in reports]}


def error_get(site: Site, call: Call) -> Data:
    return _report(site, call).data(site.plan_repository.plan().items)


def error_prompt(site: Site, call: Call) -> Data:
    one = _report(site, call)
    fix = fix_of(one.report, site.plan_repository.plan().items)
    return {"error_id": one.error_id, "prompt": fix_prompt(one.report, fix=fix, comments=one.comments)}


def error_launch(site: Site, call: Call) -> Data:
    one = _report(site, call)
    if one.status == "closed":
        raise Refused(f"{one.error_id} is closed ({one.reason}).")
    return job_data(site.jobs.start("fix", command_of("fix", one.error_id)))


def action(site: Site, call: Call) -> Data:
    given: shapes.Launch = call.body
    words = command_of(call.path["name"], given.text, given.about)
    return job_data(site.jobs.start(call.path["name"], words))


def job_list(site: Site, call: Call) -> Data:
    return {"jobs": [job_data(job) for job in site.jobs.all()]}


def job_get(site: Site, call: Call) -> Data:
    job = (
        site.jobs.get(int(call.path["id"]))
        if call.path["id"].isascii() and call.path["id"].isdecimal()
        else None
    )
    if job is None:
        raise NotFound(f"There is no job '{call.path['id'][:20]}'.")
    return {**job_data(job), "output": list(job.lines)}


def stats(site: Site, call: Call) -> Data:
    return {
        "metrics": [queries.numbers_data(one) for one in metrics.everything(site.index, call.query.since)]
    }


def stats_one(site: Site, call: Call) -> Data:
    metric = metrics.named(call.path["name"])
    if metric is None:
        raise NotFound(f"There is no table '{call.path['name'][:60]}'.")
    return queries.numbers_data(metrics.compute(site.index, metric, call.query.since))


def job_data(job: Job) -> Data:
    return {"id": job.id, "name": job.name, "command": job.command, "running": job.running,
            "exit_code": job.exit_code, "meaning": job.meaning}  # fmt: skip


def _card(site: Site, item_id: str) -> board.Card:
    shown = board.board(site.index)
    found = shown.plan.get(item_id)
    if found is None:
        raise NotFound(f"There is no item '{item_id[:60]}' in the plan.")
    return shown.card(found)


def _item(site: Site, item_id: str) -> Item:
    found = site.plan_repository.plan().get(item_id)
    if found is None:
        raise NotFound(f"There is no item '{item_id[:60]}' in the plan.")
    return found


def _report(site: Site, call: Call) -> StoredReport:
    found = site.report(call.path["id"])
    if found is None:
        raise NotFound(f"There is no error report '{call.path['id'][:60]}'.")
    return found
