"""Compute the same key for the same root cause (D6), without what differs between runs."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import PurePosixPath

from tdd_orchestrator.text import plain

_LIMIT = 2_000
_STRIP: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), mark)
    for pattern, mark in (
        (r"(?i)\brequest[ _-]?id\W{1,4}[\w-]{6,80}|\breq_\w{6,80}", "<request>"),
        (r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "<uuid>"),
        (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?", "<time>"),
        (r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?\b", "<time>"),
        (r"\b0x[0-9a-fA-F]{1,16}\b", "<address>"),
        (r"\b(?=[0-9a-f]{0,63}\d)[0-9a-f]{7,64}\b", "<hex>"),
        (r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+", "<mail>"),
        (r"\b\w{1,20}://[^\s'\"<>)\]]{1,400}", "<url>"),
        (r"(?:[A-Za-z]:)?(?:[/\\][\w.@+~-]{1,200}){2,}[/\\]?", "<path>"),
        (r"\b(?:[\w.@+-]{1,200}/)+[\w.@+-]{1,200}", "<path>"),
        (r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b", "<host>"),
        (r"'(?![A-Za-z_][\w.]{0,60}')[^'\n]{0,300}'", "'<value>'"),
        (r'"(?![A-Za-z_][\w.]{0,60}")[^"\n]{0,300}"', '"<value>"'),
        (r"\d+(?:\.\d+)?", "<n>"),
        (r"\s+", " "),
    )
)


def normalised(message: str) -> str:
    """Return a message without paths, numbers, addresses, ids, times, hosts and quoted values.

    Quoted names stay.
    """
    text = plain(message[:_LIMIT])
    for pattern, mark in _STRIP:
        text = pattern.sub(mark, text)
    return text.strip()


def fingerprint(kind: str, exception: str, message: str, file: str = "") -> str:
    """Return 16 hex digits. Of ``file`` only the name counts, so that the root's path does not matter."""
    name = PurePosixPath(file.replace("\\", "/")).name
    short = exception.rsplit(".", 1)[-1]
    return sha256(
        "\x1f".join((kind, short, normalised(message), name)).encode("utf-8", "replace")
    ).hexdigest()[:16]
