"""T55: who is let in, from where, and what a browser is told; records are hostile input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest
from kit import Kata
from starlette.testclient import TestClient

from .conftest import PORT, Window, opened

EVIL = "\x1b[31m\u202e<script>alert(1)</script><img src=x onerror=alert(2)>\"'`{{7*7}}"
PATHS = ("/", "/r/kata", "/api/v1/planned-features", "/static/app.js", "/r/kata/live", "/api/v1/openapi.json")


@pytest.fixture
def stranger(window: Window) -> TestClient:
    """Somebody who can reach the port and knows nothing."""
    client = TestClient(window.app, base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False)
    client.cookies.clear()
    return client


@pytest.mark.parametrize("path", PATHS)
def test_without_the_token_nothing_is_shown(stranger: TestClient, path: str) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": f"tdd_{PORT}=wrong"}):
        answer = stranger.get(path, headers=headers)
        assert answer.status_code == 401
        assert "kata" not in answer.text


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", "", "localhost.evil.example:8000"],
)
def test_another_host_is_refused_even_with_the_token(window: Window, host: str) -> None:
    """What DNS rebinding would send."""
    assert window.get("/r/kata", headers={"Host": host}).status_code == 421


def test_the_address_with_the_token_becomes_a_strict_cookie(stranger: TestClient, window: Window) -> None:
    answer = stranger.get(f"/r/kata?token={window.access.token}&x=1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/r/kata?x=1")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert stranger.get("/r/kata", headers={"Cookie": f"tdd_{PORT}={window.access.token}"}).status_code == 200


def test_the_redirect_stays_here(stranger: TestClient, window: Window) -> None:
    answer = stranger.get(f"//evil.example/x?token={window.access.token}")
    assert answer.headers["location"].startswith("/")
    assert not answer.headers["location"].startswith("//")


def change(client: TestClient, **headers: str) -> int:
    return client.post("/api/v1/planned-features", json={"title": "x"}, headers=headers).status_code


def test_a_change_by_cookie_needs_the_header_and_our_origin(stranger: TestClient, window: Window) -> None:
    cookie = {"Cookie": f"tdd_{PORT}={window.access.token}"}
    csrf = {"X-CSRF-Token": window.access.csrf}
    assert change(stranger, **cookie) == 403
    assert change(stranger, **cookie, **{"X-CSRF-Token": "wrong"}) == 403
    assert change(stranger, **cookie, **csrf, Origin="http://evil.example") == 403
    assert change(stranger, **cookie, **csrf, Origin="null") == 403
    assert change(stranger, **cookie, **csrf, **{"Sec-Fetch-Site": "cross-site"}) == 403
    assert window.api("GET", "/planned-features").json() == {"items": []}
    assert change(stranger, **cookie, **csrf, Origin=f"http://127.0.0.1:{PORT}") == 201


@pytest.mark.parametrize("path", [*PATHS[1:4], "/nothing"])
def test_every_answer_has_the_headers(window: Window, path: str) -> None:
    headers = window.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../render.py",
        "/static/..%2frender.py",
        "/static/%2e%2e/%2e%2e/cli/app.py",
        "/static//etc/passwd",
        "/r/..%2f..%2fetc",
    ],
)
def test_no_path_leads_out(window: Window, path: str) -> None:
    assert window.get(path).status_code == 404


def test_a_transcript_is_only_read_from_its_own_folder(window: Window, tmp_path: Path) -> None:
    runs = window.site.repository.places.runs
    (runs / "c-1" / "red-1").mkdir(parents=True)
    (runs / "c-1" / "red-1" / "transcript.txt").write_text("what it printed")
    (tmp_path / "secret").write_text("secret")
    (runs / "c-1" / "red-2").symlink_to(tmp_path)
    assert window.site.transcript("c-1", "red-1", "transcript.txt") == "what it printed"
    for cycle, attempt, name in (
        ("c-1", "red-2", "secret"), ("../c-1", "red-1", "transcript.txt"), ("c-1", "red-1", "../red-1/transcript.txt"),
        ("c-1", "../../../../secret", "x"), ("c-1", "red-1", str(tmp_path / "secret")), ("c-1", "red-1", ""),
    ):  # fmt: skip
        assert window.site.transcript(cycle, attempt, name) == ""


@pytest.fixture
def closed(kata: Kata) -> Iterator[Window]:
    yield from opened(kata.root, read_only=True)


def test_read_only_shows_and_changes_nothing(closed: Window) -> None:
    assert "Begin the next item" not in closed.page()
    assert change(closed) == 403
    assert closed.post("/r/kata/actions/next").status_code == 403
    assert closed.post("/r/kata/actions/verify").status_code == 200


def test_a_body_beyond_the_bound_is_refused(window: Window) -> None:
    assert window.api("POST", "/planned-features", json={"title": "x" * (1 << 21)}).status_code == 413


class Scripts(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if (tag == "script" and not str(values.get("src", "")).startswith("/static/")) or tag == "img":
            self.found.append(tag)
        self.found += [name for name in values if name.startswith("on") or name == "style"]
        self.found += [
            str(value) for value in values.values() if str(value).strip().lower().startswith("javascript:")
        ]


def hostile(kata: Kata) -> None:
    """Records with a script in every field that is text."""
    names = (
        "item",
        "item_id",
        "branch",
        "phase",
        "verdict",
        "status",
        "outcome",
        "error",
        "summary",
        "diff",
        "error_type",
        "role",
    )
    common = dict.fromkeys(names, EVIL) | {
        "cycle_id": f"c-{EVIL}", "cycle_number": 7, "reasons": [EVIL + "\ud800"], "warnings": [EVIL], "known_failing": [EVIL],
        "agent": {"name": EVIL, "model": EVIL, "transcript": "../../" + EVIL, "tokens": 5, "cost": 0.5, "seconds": 3},
        "tests": {"flaky_tests": [EVIL], "target_tests": [EVIL], "counts": {EVIL: 3, "passed": 1}, "seconds": 1.5},
        "files_changed": {"added": [EVIL] * 3}, "error_details": {"type": EVIL, "message": EVIL}, "fingerprint": EVIL,
        "move": {"why": EVIL, "counts": True}, "questions": {EVIL: {EVIL: EVIL}},
    }  # fmt: skip
    report = {"error_message": EVIL, "root_cause": EVIL + "\ud800", "affected_files": [EVIL], "fix_strategy": EVIL + "\ud800", "item": EVIL,
              "investigation": {EVIL: EVIL, "steps": [EVIL]}, "stack_trace": EVIL, "failed_phase": EVIL, "error_type": EVIL,
              "workflow_id": f"c-{EVIL}", "summary": EVIL, "estimated_fix_hours": 1.0}  # fmt: skip
    records = [
        {**common, "kind": "cycle_started"}, {**common, "kind": "intent"}, {**common, "kind": "error"}, {**common, "kind": "handoff"},
        {**common, "kind": "approval", "decision": "wanted", "gate": EVIL}, {**common, "kind": "incident"},
        {**common, "kind": "error_report", "status": "open", "error_id": f"err_{EVIL}", "report": report},
        {**common, "kind": "error_report", "status": "open", "error_id": "err_1", "report": report},
        {**common, "kind": "cycle_ended", "outcome": "aborted", "error_id": f"err_{EVIL}"},
    ]  # fmt: skip
    lines = [
        json.dumps(
            {
                "at": f"2026-05-01T00:00:0{n}.000Z",
                "id": f"<b>{n}",
                "v": 1,
                **{k: v for k, v in one.items() if k not in ("at", "id")},
            }
        )
        for n, one in enumerate(records)
    ]
    kata.git("notes", "--ref=tdd", "add", "-m", "\n".join(lines), "HEAD")


def test_hostile_records_are_only_text_on_every_page(kata: Kata, window: Window) -> None:
    kata.plan(EVIL)
    hostile(kata)
    seen = 0
    for path in ("", "/cycles", "/cycles/7", "/cycles/7/0/change", "/cycles/7/1/output", "/cycles/7/1/transcript", "/errors",
                 "/audit", "/audit?q=" + quote(EVIL), "/audit/commits?q=" + quote(EVIL) + "&state=" + quote(EVIL), "/analytics", "/flaky", "/agents",
                 "/errors/err_1", "/errors/err_" + quote(EVIL, safe=""), "/audit/%3Cb%3E2"):  # fmt: skip
        answer = window.get(f"/r/kata{path}")
        if "%2F" in path:
            assert answer.status_code in (200, 404)
        else:
            assert answer.status_code == 200, (path, answer.text[:300])
        assert Scripts(answer.text).found == [], path
        assert not {"\x1b", "\u202e"} & set(answer.text), path
        assert "49" not in answer.text.split("{{7*7}}")[0][-20:]
        seen += "&lt;script&gt;alert(1)" in answer.text
    assert seen >= 8


def test_hostile_records_are_json_in_the_api(kata: Kata, window: Window) -> None:
    hostile(kata)
    for path in ("/cycles", "/cycles/7", "/cycles/7/attempts", "/records", "/errors?all=true", "/stats"):
        answer = window.api("GET", path)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "application/json"


def test_what_a_person_types_is_no_option_of_a_command(window: Window) -> None:
    from tdd_orchestrator.model.errors import Refused
    from tdd_orchestrator.web.actions import command_of

    assert command_of("resume", "--json") == ("cycle", "resume", "--hint=--json")
    assert command_of("approve", "-y", "ab12") == ("cycle", "approve", "--comment=-y", "--item=ab12")
    assert command_of("abort", "--all", "c-1") == ("cycle", "abort", "--reason=--all", "c-1")
    for name, about in (("approve", "--all"), ("abort", "--all"), ("resume", "ab12")):
        with pytest.raises(Refused):
            command_of(name, "", about)
    for text in ("--all", "", "err_1; rm -rf /", "last"):
        with pytest.raises(Refused):
            command_of("fix", text)
    with pytest.raises(Refused):
        command_of("gc")
