"""Notify the user in a way of their choice (F11): a command that gets the report as JSON, or a webhook."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from typing import Any, TypeVar
from urllib.parse import urlsplit

from tdd_orchestrator import process
from tdd_orchestrator.model.error_report import ErrorReport
from tdd_orchestrator.text import one_line

UNAVAILABLE = (OSError, HTTPException, ValueError)
"""What a webhook that does not answer ends with."""


def status_of(webhook: str, data: bytes, seconds: float) -> int:
    """Post the data and return the answer's status. An answer that points elsewhere is not followed, since the
    report was not sent there."""
    request = urllib.request.Request(
        webhook, data, {"Content-Type": "application/json; charset=utf-8", "User-Agent": "tdd"}, method="POST"
    )
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(request, timeout=seconds) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


SECONDS = 5.0  # for either way: a failure is shown in the plan within ten seconds


class NotNotified(Exception):
    """The message says why no notification was sent; it holds no address, which may contain a secret."""


def message(report: ErrorReport) -> bytes:
    """Return the notification: the report, and what to do next."""
    return json.dumps(
        {
            "schema": "tdd/error-report",
            "v": 1,
            "next": [f"tdd errors show {report.error_id}", report.recommended_workflow],
            **report.data(),
        },
        ensure_ascii=False,
    ).encode("utf-8", "backslashreplace")


def tell(report: ErrorReport, command: tuple[str, ...], webhook: str, seconds: float = SECONDS) -> None:
    """Send a report, as ``send`` does."""
    send(message(report), command, webhook, seconds)


def send(data: bytes, command: tuple[str, ...], webhook: str, seconds: float = SECONDS) -> None:
    """Run the command, and post to the webhook. NotTold where one of them failed; the other is done all the
    same."""
    problems = []
    if command:
        problems.append(_run(command, data, seconds))
    if webhook:
        problems.append(_post(webhook, data, seconds))
    if any(problems):
        raise NotNotified("; ".join(filter(None, problems)))


def _run(command: tuple[str, ...], data: bytes, seconds: float) -> str:
    done = process.run(command, stdin=data, merge=True, limits=process.Limits(timeout=seconds))
    if done.error:
        return f"notify.command did not start: {one_line(done.error, 200)}"
    if done.timed_out:
        return f"notify.command did not end within {seconds:g} s"
    if done.exit_code:
        output = one_line(done.stdout.decode("utf-8", "replace"), 160)
        return f"notify.command ended with exit code {done.exit_code}" + (f": {output}" if output else "")
    return ""


def _post(webhook: str, data: bytes, seconds: float) -> str:
    from tdd_orchestrator.failures.notify import (
        UNAVAILABLE,
        status_of,
    )  # an HTTP client takes a while to load

    parts = urlsplit(webhook)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "notify.webhook is no http or https address"
    try:
        status = within(seconds, lambda: status_of(webhook, data, seconds))
    except UNAVAILABLE as error:
        reason = getattr(error, "reason", None) or error
        return f"notify.webhook: {parts.hostname} is unavailable ({one_line(str(reason), 160)})"
    return "" if 200 <= status < 300 else f"notify.webhook: {parts.hostname} answered with HTTP {status}"


T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """The call's value or its exception; TimeoutError after ``seconds``, however slowly the other side drips.

    A call that is given up ends with its own time limits, in a thread that does not keep the program alive.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            results.append(call())
        except BaseException as error:  # noqa: BLE001  handed to the caller, who waits for it
            errors.append(error)

    thread = threading.Thread(target=body, daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"no answer within {seconds:g} s")
    return results[0]
