"""Who may ask, and what a browser may do with the answer (T55): host, token, origin, and headers, before any
route."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tdd_orchestrator.web.actions import ACTIONS

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
READS = tuple(f"/actions/{action.name}" for action in ACTIONS.values() if action.reads)
_BODY = 1 << 20  # bytes of a request
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True, slots=True)
class Access:
    """The secrets of one run of the dashboard."""

    token: str
    port: int
    read_only: bool = False

    @classmethod
    def new(cls, port: int, *, read_only: bool = False) -> Access:
        return cls(secrets.token_urlsafe(32), port, read_only)

    @property
    def cookie(self) -> str:
        """Cookies are shared by all ports of a host, so the name has ours."""
        return f"tdd_{self.port}"

    @property
    def csrf(self) -> str:
        return hmac.new(self.token.encode(), b"csrf", hashlib.sha256).hexdigest()

    @property
    def hosts(self) -> frozenset[str]:
        return frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    @property
    def origins(self) -> frozenset[str]:
        return frozenset(f"http://{host}" for host in self.hosts)


class Guard:
    """Refuses, in this order: another host, no token, a change when read-only, another origin, no CSRF
    header."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refused = self._refused(scope, Headers(scope=scope))
        await (refused or self._app)(scope, _bounded(receive), guarded)

    def _refused(self, scope: Scope, headers: Headers) -> Response | None:
        access = self._access
        if headers.get("host", "") not in access.hosts:
            return _no(scope, 421, "This server answers only to 127.0.0.1 and localhost.")
        by_header = _same(headers.get("authorization", "").removeprefix("Bearer "), access.token)
        cookies = cookie_parser(headers.get("cookie", ""))
        if not by_header and not _same(cookies.get(access.cookie, ""), access.token):
            return self._entered(scope) or _no(
                scope, 401, "Open the address that `tdd dashboard` printed: it holds the token of this run."
            )
        if scope["method"] in SAFE:
            return None
        if access.read_only and not scope["path"].endswith(READS):
            return _no(scope, 403, "This dashboard is read-only.")
        if headers.get("origin", next(iter(access.origins))) not in access.origins:
            return _no(scope, 403, "This request came from another site.")
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return _no(scope, 403, "This request came from another site.")
        if not by_header and not _same(headers.get("x-csrf-token", ""), access.csrf):
            return _no(scope, 403, "The page is of an earlier run of the dashboard; load it again.")
        if int(headers.get("content-length", "0") or 0) > _BODY:
            return _no(scope, 413, "The request is too large.")
        return None

    def _entered(self, scope: Scope) -> Response | None:
        """A page that was opened with the token: kept as a cookie, and taken out of the address."""
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        given = dict(query).get("token", "")
        if scope["method"] != "GET" or not _same(given, self._access.token):
            return None
        rest = urlencode([(key, value) for key, value in query if key != "token"])
        path = "/" + scope["path"].lstrip("/")
        response = RedirectResponse(path + (f"?{rest}" if rest else ""), status_code=303)
        response.set_cookie(
            self._access.cookie, self._access.token, httponly=True, samesite="strict", path="/"
        )
        return response


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())


def _no(scope: Scope, status: int, what: str) -> Response:
    if scope["path"].startswith("/api/"):
        headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
        return JSONResponse({"error": {"what": what, "todo": ""}}, status, headers=headers)
    return PlainTextResponse(what + "\n", status)


def _bounded(receive: Receive) -> Receive:
    """A body that is larger than it says ends early: what is read of it is no JSON then."""
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        return message if seen <= _BODY else {"type": "http.request", "body": b"", "more_body": False}

    return limited
