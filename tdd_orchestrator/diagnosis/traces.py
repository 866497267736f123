"""Read Playwright traces and HAR entries, which have one shape, as Evidence."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tdd_orchestrator.diagnosis.context import Evidence, Exchange

LINES = 20_000  # events read of one log
_MEMBER, _RESOURCE = 16 * 1024 * 1024, 64 * 1024  # bytes of one log, of one body


def exchange(entry: dict[str, Any], bodies: dict[str, str] | None = None) -> Exchange:
    """Return the exchange of a HAR entry, or of a trace's network entry with bodies by hash."""
    request, response = entry.get("request") or {}, entry.get("response") or {}
    posted, content = request.get("postData") or {}, response.get("content") or {}
    stored = bodies or {}
    status = int(response.get("status") or 0)
    failure = str(response.get("_failureText") or response.get("_error") or entry.get("_error") or "")
    return Exchange(
        str(request.get("method", "")),
        str(request.get("url", "")),
        max(status, 0),
        str(posted.get("text") or stored.get(_member(posted), ""))[:_RESOURCE],
        str(content.get("text") or stored.get(_member(content), ""))[:_RESOURCE],
        failure,
    )


def _member(part: dict[str, Any]) -> str:
    """Return a body's name in the trace: newer traces name the member, older ones its hash."""
    return str(part.get("_file") or (f"resources/{part['_sha1']}" if part.get("_sha1") else ""))


def read_trace(path: Path) -> Evidence:
    """Return a trace's console events, failed actions, and network log with bodies."""
    with zipfile.ZipFile(path) as archive:
        sizes = {one.filename: one.file_size for one in archive.infolist()}
        console: list[str] = []
        failed = ""
        entries: list[dict[str, Any]] = []
        calls: dict[str, str] = {}
        for name in sorted(sizes):
            if not name.endswith((".trace", ".network")):
                continue
            for event in _events(archive, name):
                kind = event.get("type")
                if kind == "console":
                    console.append(f"[{event.get('messageType', 'log')}] {event.get('text', '')}")
                elif kind == "event" and event.get("method") == "pageError":
                    console.append(f"[pageerror] {_page_error(event)}")
                elif kind == "before":
                    calls[str(event.get("callId"))] = _step(event)
                elif kind == "after" and event.get("error"):
                    failed = calls.get(str(event.get("callId")), "") or failed
                elif kind == "resource-snapshot":
                    entries.append(event.get("snapshot") or {})
        bodies = _bodies(archive, sizes, entries[-200:])
    return Evidence(
        tuple(console), tuple(exchange(one, bodies) for one in entries[-2_000:]), failed_step=failed
    )


def _events(archive: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
    with archive.open(name) as stream:
        data = stream.read(_MEMBER)
    for line in data.decode("utf-8", "replace").split("\n")[:LINES]:
        try:
            event = json.loads(line) if line.startswith("{") else None
        except ValueError:
            continue  # the last line of a trace that was cut off
        if isinstance(event, dict):
            yield event


def _step(event: dict[str, Any]) -> str:
    name = event.get("title") or event.get("apiName") or f"{event.get('class', '')}.{event.get('method', '')}"
    params = event.get("params") or {}
    target = (
        event.get("subtitle") or params.get("selector") or params.get("locator") or params.get("url") or ""
    )
    return f"{name} {target}".strip()


def _page_error(event: dict[str, Any]) -> str:
    error = ((event.get("params") or {}).get("error") or {}).get("error") or {}
    return str(error.get("stack") or error.get("message") or "")[:2_000]


def _bodies(
    archive: zipfile.ZipFile, sizes: dict[str, int], entries: Sequence[dict[str, Any]]
) -> dict[str, str]:
    """Return the bodies that the entries name by hash, as text, without large ones."""
    found: dict[str, str] = {}
    for entry in entries:
        parts = ((entry.get("request") or {}).get("postData"), (entry.get("response") or {}).get("content"))
        for part in parts:
            member = _member(part or {})
            if member not in found and 0 < sizes.get(member, 0) <= _RESOURCE:
                found[member] = archive.read(member).decode("utf-8", "replace")
    return found
