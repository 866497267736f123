"""The dashboard's application: guard, pages, API and assets, wired together; and the server that runs it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from tdd_orchestrator.events import log
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.web import api, openapi
from tdd_orchestrator.web.feed import Feed
from tdd_orchestrator.web.pages import Pages
from tdd_orchestrator.web.render import STATIC
from tdd_orchestrator.web.security import Access, Guard
from tdd_orchestrator.web.site import Site


def application(sites: Sequence[Site], access: Access) -> Starlette:
    feed = Feed(sites)
    pages = Pages(sites, feed, access)

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(feed.run())
        app.state.feed = feed
        yield
        await feed.close()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    def expected(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        message = "This address leads nowhere." if error.status_code == 404 else str(error.detail)
        return _problem(request, pages, error.status_code, message, error.headers)

    def unexpected(request: Request, error: Exception) -> Response:
        log("page failed", "error", path=request.url.path, exc_info=error)
        return _problem(request, pages, 500, f"A bug of ours stopped this page ({type(error).__name__}).")

    return Starlette(
        routes=[
            *pages.routes(),
            *api.routes(sites, feed),
            openapi.route(),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, access=access)],
        exception_handlers={HTTPException: expected, Exception: unexpected},
        lifespan=running,
    )


def _problem(request: Request, pages: Pages, status: int, what: str, headers: object = None) -> Response:
    machine = request.url.path.startswith(api.PREFIX)
    response = api.problem(status, what) if machine else pages.message(status, what)
    if isinstance(headers, dict):
        response.headers.update(headers)
    return response


def listening(port: int) -> socket.socket:
    """A socket on loopback, port 0 for any. Refused where the port is in use."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(("127.0.0.1", port))
        found.listen(128)
    except OSError as error:
        found.close()
        raise Refused(
            f"Port {port} cannot be used ({error.strerror}).", "Choose another one: tdd dashboard --port 0"
        ) from error
    return found


def serve(sites: Sequence[Site], access: Access, on: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until interrupted; the jobs that run are interrupted too."""
    app = application(sites, access)
    config = uvicorn.Config(
        app, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=3
    )
    server = _Server(config, ready)
    try:
        server.run(sockets=[on])
    finally:
        for site in sites:
            site.close()


class _Server(uvicorn.Server):
    """Says when it is ready, and lets those go who wait for news before it waits for them."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app = self.config.app
        if isinstance(app, Starlette):
            await app.state.feed.close()
        await super().shutdown(sockets)
