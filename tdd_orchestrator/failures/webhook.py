"""Post a notification to a webhook."""

from __future__ import annotations

import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

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
