"""Notify the user in a way of their choice (F11): a command that gets the report as JSON, or a webhook."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

from tdd_orchestrator import process
from tdd_orchestrator.config.load import words
from tdd_orchestrator.config.schema import NotifyConfig
from tdd_orchestrator.model.error_report import ErrorReport
from tdd_orchestrator.text import one_line

SECONDS = 5.0  # for either way: a failure is shown in the plan within ten seconds


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


def send(config: NotifyConfig, data: bytes, seconds: float = SECONDS) -> str:
    """Run the command, and post to the webhook, whether or not the command succeeds. Return why one did not get
    it, else ""; no address is in it, which may contain a secret."""
    problems = []
    if config.command:
        problems.append(_run(words(config.command), data, seconds))
    if config.webhook:
        problems.append(_post(config.webhook, data, seconds))
    return "; ".join(filter(None, problems))


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
    # an HTTP client takes a while to load
    from tdd_orchestrator.failures.webhook import UNAVAILABLE, status_of

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
