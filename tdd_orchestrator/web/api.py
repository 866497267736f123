"""The API under ``/api/v1``: a table of operations, the routes made from it, and what goes wrong as JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tdd_orchestrator.failures.mark_failed import FailureReport
from tdd_orchestrator.model.errors import Busy, TddError
from tdd_orchestrator.web import operations as do
from tdd_orchestrator.web import shapes
from tdd_orchestrator.web.feed import Feed
from tdd_orchestrator.web.site import Site

PREFIX = "/api/v1"


@dataclass(frozen=True, slots=True)
class Operation:
    """``answer``: JSON Schema type of each key of what comes back; ``made``: the status of success."""

    method: str
    path: str
    summary: str
    run: Callable[[Site, do.Call], do.Data]
    query: type[shapes.Query] = shapes.Query
    body: type[BaseModel] | None = None
    made: int = 200
    answer: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.run.__name__


_ITEM = ("id", "title", "status", "failure", "retries", "is_fix")
OPERATIONS: tuple[Operation, ...] = (
    Operation("GET", "/planned-features", "All plan items, in order", do.plan_list, answer=("items",)),
    Operation(
        "POST",
        "/planned-features",
        "Add a plan item",
        do.plan_create,
        body=shapes.ItemNew,
        made=201,
        answer=_ITEM,
    ),
    Operation(
        "PUT",
        "/planned-features/order",
        "Put the plan in order",
        do.plan_order,
        body=shapes.Order,
        answer=("ids",),
    ),
    Operation("GET", "/planned-features/{id}", "One plan item", do.plan_get, answer=_ITEM),
    Operation(
        "PATCH",
        "/planned-features/{id}",
        "Change a plan item",
        do.plan_edit,
        body=shapes.ItemEdit,
        answer=_ITEM,
    ),
    Operation(
        "PUT",
        "/planned-features/{id}/mark-failed",
        "Mark an item failed with an error report; a fix item is made",
        do.plan_mark_failed,
        body=FailureReport,
        answer=("original", "fix", "report"),
    ),
    Operation("GET", "/cycles", "Cycles, newest first", do.cycle_list, query=shapes.Page, answer=("cycles",)),
    Operation(
        "GET",
        "/cycles/{id}",
        "One cycle with its attempts and records",
        do.cycle_get,
        answer=("cycle_id", "attempt_list"),
    ),
    Operation(
        "GET", "/cycles/{id}/attempts", "The attempts of a cycle", do.cycle_attempts, answer=("attempts",)
    ),
    Operation(
        "GET",
        "/records",
        "Records, newest first",
        do.record_list,
        query=shapes.RecordQuery,
        answer=("records", "total"),
    ),
    Operation("GET", "/records/{id}", "One record, whole", do.record_get, answer=("id", "at", "kind")),
    Operation(
        "GET",
        "/errors",
        "Error reports that are open, or all",
        do.error_list,
        query=shapes.ErrorQuery,
        answer=("errors",),
    ),
    Operation("GET", "/errors/{id}", "One error report", do.error_get, answer=("error_id", "status")),
    Operation(
        "GET",
        "/errors/{id}/prompt",
        "The fix prompt of a report",
        do.error_prompt,
        answer=("error_id", "prompt"),
    ),
    Operation(
        "POST",
        "/errors/{id}/launch",
        "Run the fix in the background",
        do.error_launch,
        made=202,
        answer=("id", "running"),
    ),
    Operation(
        "GET",
        "/stats",
        "Every table of the analytics",
        do.stats,
        query=shapes.StatsQuery,
        answer=("metrics",),
    ),
    Operation(
        "GET",
        "/stats/{name}",
        "One table of the analytics",
        do.stats_one,
        query=shapes.StatsQuery,
        answer=("name", "rows", "sql"),
    ),
    Operation(
        "POST",
        "/actions/{name}",
        ("Approve, reject, abort, resume, next, fix or verify, in the background"),
        do.action,
        body=shapes.Launch,
        made=202,
        answer=("id", "running"),
    ),
    Operation("GET", "/jobs", "What was started from here", do.job_list, answer=("jobs",)),
    Operation("GET", "/jobs/{id}", "One job with its output", do.job_get, answer=("id", "running", "output")),
)


def routes(sites: Sequence[Site], feed: Feed) -> list[Route]:
    paths: dict[str, dict[str, Operation]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = operation
    found = [
        Route(PREFIX + path, _endpoint(sites, by_method), methods=list(by_method))
        for path, by_method in paths.items()
    ]
    return [*found, Route(PREFIX + "/events", _events(sites, feed))]


def _endpoint(sites: Sequence[Site], by_method: dict[str, Operation]) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        operation = by_method["GET" if request.method == "HEAD" else request.method]
        try:
            query = _query(request, operation.query)
            body = (
                None
                if operation.body is None
                else operation.body.model_validate_json(await request.body() or b"{}")
            )
        except ValidationError as error:
            return problem(422, _first(error))
        except (UnicodeDecodeError, ValueError):
            return problem(422, "The request is no JSON in UTF-8.")
        site = site_named(sites, query.repo)
        if site is None:
            return problem(404, f"There is no repository '{query.repo[:60]}' here.")
        call = do.Call(request.path_params, query, body)
        try:
            data = await asyncio.to_thread(site.ask, lambda: operation.run(site, call))
        except TddError as error:
            return problem(status_of(error), error.what, error.todo)
        return JSONResponse(_clean(data), operation.made)

    return endpoint


def status_of(error: TddError) -> int:
    if isinstance(error, do.NotFound):
        return 404
    return 409 if isinstance(error, Busy) or error.exit_code in (1, 2, 3, 4) else 500


def site_named(sites: Sequence[Site], name: str) -> Site | None:
    return next((site for site in sites if site.name == name or not name), None)


def _events(sites: Sequence[Site], feed: Feed) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        try:
            query = _query(request, shapes.EventQuery)
        except ValidationError as error:
            return problem(422, _first(error))
        site = site_named(sites, query.repo)
        if site is None:
            return problem(404, f"There is no repository '{query.repo[:60]}' here.")
        last = request.headers.get("last-event-id", "")
        seen = int(last) if last.isascii() and last.isdecimal() and len(last) < 19 else query.after
        after = seen if seen >= 0 else await asyncio.to_thread(site.read, site.seq)
        return StreamingResponse(feed.records(site, after), media_type="text/event-stream")

    return endpoint


def _json(body: bytes) -> Any:
    """The value of a body, with text that UTF-8 can hold. ValueError where it is no JSON."""

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is no number")

    try:
        return _clean(json.loads(body.decode() or "null", parse_constant=constant))
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _query(request: Request, model: type[shapes.Query]) -> Any:
    pairs = request.query_params.multi_items()
    return model.model_validate(dict(pairs))


def problem(status: int, what: str, todo: str = "") -> JSONResponse:
    return JSONResponse({"error": {"what": _clean(what), "todo": _clean(todo)}}, status)


def _first(error: ValidationError) -> str:
    found = error.errors(include_url=False)[0]
    place = ".".join(map(str, found["loc"])) or "the request"
    return f"{place}: {found['msg']}"


def _clean(value: Any) -> Any:
    """The same JSON with text that UTF-8 can hold, whatever the records hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_clean(str(key)): _clean(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(one) for one in value]
    return value
