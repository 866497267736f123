"""The part of GitHub's REST interface that is used, on loopback, with its recorded shapes; it can be told to fail."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

REPO = "/repos/ada/calc"


@dataclass
class Trouble:
    """Answers instead of the real one, for calls whose ``METHOD path`` contains ``on``; ``times`` 0: always."""

    status: int
    message: str = "no"
    headers: dict[str, str] = field(default_factory=dict)
    on: str = ""
    times: int = 0
    sleep: float = 0.0
    body: bytes | None = None
    after: bool = False  # the call is done, and its answer is lost


@dataclass
class GitHubServer:
    address: str = ""
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    authorizations: set[str] = field(default_factory=set)
    trouble: Trouble | None = None

    def open_issue(
        self, number: int, title: str = "wanted", body: str = "", labels: tuple[str, ...] = ()
    ) -> None:
        url = f"{self.address}{REPO}/issues/{number}"
        self.issues[number] = {
            "id": number, "number": number, "title": title, "body": body, "state": "open", "url": url,
            "html_url": f"https://github.invalid/ada/calc/issues/{number}", "comments": 0,
            "labels": [{"id": 1, "name": name, "url": f"{self.address}{REPO}/labels/{name}"} for name in labels],
            "user": {"login": "ada", "id": 1}, "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z",
        }  # fmt: skip
        self.comments[number] = []

    def names(self, number: int) -> set[str]:
        return {label["name"] for label in self.issues[number]["labels"]}

    def answer(self, method: str, path: str, query: dict[str, list[str]], data: Any) -> tuple[int, Any]:
        words = path.removeprefix(f"{REPO}/issues").strip("/").split("/")
        if not path.startswith(f"{REPO}/issues"):
            return 404, {"message": "Not Found"}
        if words == [""]:
            return self._listed(query) if method == "GET" else self._opened(data)
        number = int(words[0])
        if number not in self.issues:
            return 404, {"message": "Not Found"}
        if words[1:] == []:
            return 200, self.issues[number]
        if words[1:] == ["comments"] and method == "GET":
            return 200, self.comments[number]
        if words[1:] == ["comments"]:
            return 201, self.said(number, data["body"])
        if words[1:] == ["labels"] and method == "POST":
            for name in data["labels"] if isinstance(data, dict) else data:
                if name not in self.names(number):
                    self.issues[number]["labels"].append({"id": 1, "name": name})
            return 200, self.issues[number]["labels"]
        return 404, {"message": "Not Found"}

    def said(self, number: int, body: str, by: str = "ada") -> dict[str, Any]:
        identity = 1 + sum(map(len, self.comments.values()))
        comment = {
            "id": identity, "body": body, "user": {"login": by, "id": 1},
            "url": f"{self.address}{REPO}/issues/comments/{identity}",
            "html_url": f"https://github.invalid/ada/calc/issues/{number}#c{identity}",
            "created_at": "2026-01-01T00:00:00Z",
        }  # fmt: skip
        self.comments[number].append(comment)
        return comment

    def _listed(self, query: dict[str, list[str]]) -> tuple[int, Any]:
        wanted = set(query.get("labels", [""])[0].split(",")) - {""}
        return 200, [issue for number, issue in self.issues.items() if wanted <= self.names(number)]

    def _opened(self, data: Any) -> tuple[int, Any]:
        number = max(self.issues, default=0) + 1
        self.open_issue(number, data["title"], data["body"], tuple(data["labels"]))
        return 201, self.issues[number]


@contextmanager
def serving() -> Iterator[GitHubServer]:
    github = GitHubServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            parts = urlsplit(self.path)
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            call = f"{self.command} {parts.path}"
            github.calls.append(call)
            github.authorizations.add(self.headers.get("Authorization", ""))
            trouble = github.trouble
            if trouble is not None and trouble.on in call:
                if trouble.times:
                    trouble.times -= 1
                    github.trouble = trouble if trouble.times else None
                if trouble.after:
                    github.answer(self.command, parts.path, parse_qs(parts.query), json.loads(raw or b"null"))
                time.sleep(trouble.sleep)
                body = (
                    trouble.body
                    if trouble.body is not None
                    else json.dumps({"message": trouble.message}).encode()
                )
                self._send(trouble.status, body, trouble.headers)
                return
            status, data = github.answer(
                self.command, parts.path, parse_qs(parts.query), json.loads(raw or b"null")
            )
            self._send(status, json.dumps(data).encode(), {})

        def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = do_PUT = _handle

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    github.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield github
    finally:
        server.shutdown()
        server.server_close()
