"""Telling the user: a real command, a real HTTP server, and both at their worst."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.config.schema import NotifyConfig
from tdd_orchestrator.failures.notify import message, send, within
from tdd_orchestrator.model.error_report import ErrorReport

REPORT = ErrorReport(
    error_id="err_20260102_030405",
    recommended_workflow="tdd errors fix err_20260102_030405",
    error_message="größer \ud800 als",
)


@dataclass
class Hook:
    address: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    drip: float = 0.0  # seconds between the bytes of the answer
    heard: list[tuple[str, str, bytes]] = field(default_factory=list)


@pytest.fixture
def hook() -> Iterator[Hook]:
    known = Hook()

    class Handler(BaseHTTPRequestHandler):
        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            known.heard.append((f"{self.command} {self.path}", self.headers.get("Content-Type", ""), body))
            if known.drip:
                for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 500:
                    try:
                        self.wfile.write(bytes([byte]))
                        self.wfile.flush()
                    except OSError:
                        return
                    time.sleep(known.drip)
            self.send_response(known.status)
            for name, value in known.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_POST = do_GET = _handle

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    known.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield known
    server.shutdown()
    server.server_close()


def tell(*, seconds: float = 5, **config: Any) -> str:
    return send(NotifyConfig(**config), message(REPORT), seconds)


def test_nothing_is_loaded_that_speaks_http_before_a_webhook_is_called() -> None:
    asked = "import sys, tdd_orchestrator.failures.escalation; print('http.client' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_webhook_gets_the_report(hook: Hook) -> None:
    assert not tell(webhook=f"{hook.address}/hook?key=1")
    [(call, kind, body)] = hook.heard
    assert call == "POST /hook?key=1"
    assert kind.startswith("application/json")
    told = json.loads(body)
    assert told["error_id"] == REPORT.error_id
    assert told["next"] == ["tdd errors show err_20260102_030405", "tdd errors fix err_20260102_030405"]


@pytest.mark.parametrize("status", [301, 307, 400, 404, 500, 503])
def test_webhook_that_refuses_is_told_and_not_followed(hook: Hook, status: int) -> None:
    hook.status, hook.headers = status, {"Location": f"{hook.address}/elsewhere"}
    assert f"HTTP {status}" in tell(webhook=f"{hook.address}/hook")
    assert len(hook.heard) == 1


def test_webhook_that_drips_is_given_up(hook: Hook) -> None:
    hook.drip = 0.05
    begun = time.monotonic()
    assert "within 0.5 s" in tell(webhook=hook.address, seconds=0.5)
    assert time.monotonic() - begun < 3


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "ftp://localhost/x", "javascript:alert(1)", "http://", "no"]
)
def test_webhook_is_http_or_https(address: str) -> None:
    assert "no http or https address" in tell(webhook=address)


def test_address_of_the_webhook_is_not_told(hook: Hook) -> None:
    hook.status = 500
    why = tell(webhook=f"{hook.address}/services/T0/very-secret")
    assert why
    assert "very-secret" not in why


def test_command_that_does_not_end_is_ended() -> None:
    begun = time.monotonic()
    why = tell(command=[sys.executable, "-c", "import time; time.sleep(60)"], seconds=0.5)
    assert "did not end within 0.5 s" in why
    assert time.monotonic() - begun < 10


def test_command_that_does_not_read_is_no_failure(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    touch = f"open({str(ran)!r}, 'w')"
    long = REPORT.model_copy(update={"stack_trace": "x" * 300_000})
    assert not send(NotifyConfig(command=[sys.executable, "-c", touch]), message(long))
    assert ran.exists()


def test_one_way_that_fails_leaves_the_other(hook: Hook, tmp_path: Path) -> None:
    assert "did not start" in tell(command=[str(tmp_path / "none")], webhook=hook.address)
    assert len(hook.heard) == 1


def test_within_hands_on_what_the_call_gives_or_raises() -> None:
    assert within(1, lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        within(1, lambda: 1 // 0)
