"""Read what browser tests leave behind: attachments, Playwright's traces, screenshots, logs, HAR files. All bounded."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tdd_orchestrator.diagnosis.context import Evidence, Exchange
from tdd_orchestrator.model.report import Case

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


FOLDERS = (
    "test-results", "playwright-report", "cypress/screenshots", "cypress/logs", "cypress/results",
    "screenshots", "selenium", "logs", "reports", "har",
)  # fmt: skip
_FILE = 16 * 1024 * 1024  # bytes of one file, or of one member of a trace, that are read
_FILES, _DEPTH = 400, 4
_UPWARDS = 12  # leading parts of an attachment's path that may belong to the report's folder
_PICTURES = (".png", ".jpg", ".jpeg", ".webp")


def gather(root: Path, case: Case, folders: Sequence[str] = FOLDERS, newer_than: float = 0.0) -> Evidence:
    """Return the evidence of one test: attachments, then files in the usual folders named after it.

    ``newer_than``: seconds since the epoch; older files belong to an earlier run. Links are not
    followed; unreadable files are skipped.
    """
    found = Evidence()
    seen: set[Path] = set()
    for attachment in case.attachments:
        path = _inside(root, attachment.path)
        if path is not None:
            seen.add(path)
            found = found.plus(read(path))
    names = _file_names(case)
    reports_first = sorted(_files(root, folders, newer_than), key=lambda path: path.suffix != ".json")
    for path in reports_first:
        if path in seen:
            continue
        shared = path.suffix in (".json", ".har", ".log") and _stem_is_general(path)
        if shared or _names(path.relative_to(root), names):
            found = found.plus(read(path, case, seen))
    return found


def _inside(root: Path, path: str) -> Path | None:
    """Return the attachment's path below the root, None if outside.

    A report in another folder may name it relative to itself.
    """
    home, named = root.resolve(), Path(path)
    below = [part for part in named.parts if part not in ("..", ".")]
    tails = [root.joinpath(*below[start:]) for start in range(min(len(below), _UPWARDS))]
    options = [named] if named.is_absolute() else [root / named, *tails]
    return next((one for one in options if one.exists() and one.resolve().is_relative_to(home)), None)


def _file_names(case: Case) -> tuple[str, ...]:
    """Return the file names that runners derive from the test's name."""
    last = case.name.rsplit("::", 1)[-1].rsplit(" > ", 1)[-1].rsplit(" › ", 1)[-1]
    plain = "".join(char if char.isalnum() else "-" for char in last.lower())
    return tuple(
        name for name in (_squeezed(plain), _squeezed(Path(case.file).stem.lower())) if len(name) > 2
    )


def _squeezed(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def _names(path: Path, names: Sequence[str]) -> bool:
    squeezed = _squeezed(str(path).lower())
    return bool(names) and names[0] in squeezed


def _stem_is_general(path: Path) -> bool:
    return (
        path.stem.lower()
        in ("results", "report", "test-results", "console", "browser", "network", "selenium", "index")
        or path.suffix == ".har"
    )


def _files(root: Path, folders: Sequence[str], newer_than: float) -> Iterator[Path]:
    count = 0
    for folder in folders:
        base = root / folder
        for where, names, files in os.walk(base, followlinks=False):
            if len(Path(where).relative_to(base).parts) >= _DEPTH:
                names.clear()
            names.sort()
            for name in sorted(files):
                path = Path(where) / name
                if path.is_symlink() or not _fresh(path, newer_than):
                    continue
                count += 1
                if count > _FILES:
                    return
                yield path


def _fresh(path: Path, newer_than: float) -> bool:
    try:
        return path.stat().st_mtime >= newer_than
    except OSError:
        return False


def read(path: Path, case: Case | None = None, seen: set[Path] | None = None) -> Evidence:
    """Return the evidence in one file; none if unreadable or of an unknown kind.

    Files that it refers to are added to ``seen``.
    """
    suffix = path.suffix.lower()
    if suffix in _PICTURES:
        return Evidence(screenshot=str(path)) if path.is_file() else Evidence()
    try:
        if suffix == ".zip":
            return read_trace(path)
        if suffix in (".har", ".json"):
            return _json(path, case, set() if seen is None else seen)
        if suffix in (".log", ".txt"):
            return Evidence(console=tuple(_text(path).splitlines()[-200:]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, zipfile.BadZipFile):
        return Evidence()
    return Evidence()


def _text(path: Path) -> str:
    with path.open("rb") as stream:
        return stream.read(_FILE).decode("utf-8", "replace")


def _json(path: Path, case: Case | None, seen: set[Path]) -> Evidence:
    data = json.loads(_text(path))
    if isinstance(data, dict) and isinstance(data.get("log"), dict) and "entries" in data["log"]:
        return Evidence(network=tuple(exchange(one) for one in data["log"]["entries"][-LINES:]))
    if isinstance(data, dict) and "suites" in data and case is not None:
        return _playwright(data["suites"], case, seen)
    if isinstance(data, list):  # Selenium's driver.get_log("browser"): level, message, source
        rows = [one for one in data if isinstance(one, dict) and "message" in one]
        return Evidence(console=tuple(f"[{one.get('level', '')}] {one['message']}" for one in rows))
    return Evidence()


def _playwright(suites: Any, case: Case, seen: set[Path]) -> Evidence:
    """Return the last result of the test with this title from Playwright's JSON report."""
    found = Evidence()
    for spec in _specs(suites):
        title = str(spec.get("title", ""))
        if not title or not (case.name.endswith(title) or case.id.endswith(title)):
            continue
        for test in spec.get("tests", []):
            for result in test.get("results", [])[-1:]:
                found = found.plus(_result(result, seen))
    return found


def _specs(suites: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    waiting = list(suites)
    while waiting:
        suite = waiting.pop()
        yield from suite.get("specs", [])
        waiting.extend(suite.get("suites", []))


def _result(result: dict[str, Any], seen: set[Path]) -> Evidence:
    printed = tuple(
        str(one.get("text", "")).rstrip() for key in ("stdout", "stderr") for one in result.get(key, [])
    )
    step = next((str(one.get("title", "")) for one in result.get("steps", []) if one.get("error")), "")
    found = Evidence(console=printed, failed_step=step)
    for attachment in result.get("attachments", []):
        path = Path(str(attachment.get("path") or ""))
        if path.name and path not in seen:
            seen.add(path)
            found = found.plus(read(path))
    return found
