"""The pages: a site and a request in, a template filled. Every page is whole without scripts; htmx only keeps
it fresh."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from tdd_orchestrator.model.errors import TddError
from tdd_orchestrator.web import views
from tdd_orchestrator.web.actions import command_of
from tdd_orchestrator.web.api import status_of
from tdd_orchestrator.web.feed import Feed
from tdd_orchestrator.web.operations import NotFound
from tdd_orchestrator.web.render import render
from tdd_orchestrator.web.security import Access
from tdd_orchestrator.web.site import Site

View = Callable[[Site, Request], tuple[str, dict[str, Any]]]

VIEWS: Mapping[str, View] = {
    "": views.plan,
    "/cycles": views.cycles,
    "/cycles/{id}": views.cycle,
    "/cycles/{id}/{number:int}/{part}": views.attempt_part,
    "/audit": views.audit,
    "/audit/commits": views.commits,
    "/audit/{id}": views.record,
    "/errors": views.errors,
    "/errors/{id}": views.error,
    "/errors/{id}/launch": views.launch,
    "/analytics": views.analytics,
    "/flaky": views.flaky,
    "/agents": views.agents,
    "/jobs": views.jobs,
}


class Pages:
    def __init__(self, sites: Sequence[Site], feed: Feed, access: Access) -> None:
        self._sites, self._feed, self._access = sites, feed, access

    def routes(self) -> list[Route]:
        found = [Route("/r/{repo}" + path, self._page(view), methods=["GET"]) for path, view in VIEWS.items()]
        return [
            Route("/", self._front),
            *found,
            Route("/r/{repo}/live", self._live),
            Route("/r/{repo}/actions/{name}", self._act, methods=["POST"]),
            Route("/r/{repo}/items", self._add, methods=["POST"]),
        ]

    def values(self, site: Site | None, path: str, query: str = "") -> dict[str, Any]:
        """What every page has: where it is, and what may be done. ``address`` is asked again when something is new."""
        return {
            "site": site,
            "sites": self._sites,
            "root": f"/r/{site.name}" if site else "",
            "path": path,
            "address": f"{path}?{query}" if query else path,
            "csrf": self._access.csrf,
            "read_only": self._access.read_only,
            "problems": site.problems if site else (),
        }

    async def _front(self, request: Request) -> Response:
        if len(self._sites) == 1:
            return RedirectResponse(f"/r/{self._sites[0].name}", 303)
        rows = [
            await asyncio.to_thread(site.read, lambda site=site: views.overview(site)) for site in self._sites
        ]
        return HTMLResponse(render("overview.html", {**self.values(None, "/"), "rows": rows}))

    def _page(self, view: View) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            site = self._site(request)
            if site is None:
                return self.message(404, "There is no such repository here.")

            def answer() -> str:
                template, values = view(site, request)
                return render(template, {**self.values(site, request.url.path, request.url.query), **values})

            try:
                return HTMLResponse(await asyncio.to_thread(site.read, answer))
            except TddError as error:
                status = 404 if isinstance(error, NotFound) else status_of(error)
                return self.message(status, error.what, error.todo, site)

        return endpoint

    def message(self, status: int, what: str, todo: str = "", site: Site | None = None) -> Response:
        """A page with one sentence."""
        values = {**self.values(site, ""), "what": what, "todo": todo}
        return HTMLResponse(render("message.html", values), status)

    async def _live(self, request: Request) -> Response:
        site = self._site(request)
        if site is None:
            return self.message(404, "There is no such repository here.")
        return StreamingResponse(self._feed.pages(site), media_type="text/event-stream")

    async def _act(self, request: Request) -> Response:
        """Start an action; the jobs of the page come back, or the sentence that refuses it."""
        site, form = self._site(request), await _form(request)
        if site is None:
            return self.message(404, "There is no such repository here.")
        name = request.path_params["name"]
        refused = ""
        try:
            await asyncio.to_thread(
                site.jobs.start, name, command_of(name, form.get("text", ""), form.get("about", ""))
            )
        except TddError as error:
            refused = str(error)
        return HTMLResponse(self._jobs(site, refused))

    async def _add(self, request: Request) -> Response:
        """Add an item from the page's form."""
        site, form = self._site(request), await _form(request)
        if site is None:
            return self.message(404, "There is no such repository here.")
        refused = ""
        try:
            await asyncio.to_thread(site.ask, lambda: views.add_item(site, form.get("title", "")))
        except TddError as error:
            refused = str(error)
        return HTMLResponse(self._jobs(site, refused))

    def _jobs(self, site: Site, refused: str) -> str:
        values = {**self.values(site, ""), "jobs": site.jobs.all()[:1], "refused": refused}
        return render("_jobs.html", values)

    def _site(self, request: Request) -> Site | None:
        return next((site for site in self._sites if site.name == request.path_params["repo"]), None)


async def _form(request: Request) -> dict[str, str]:
    body = (await request.body()).decode("utf-8", "replace")
    return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=50))
