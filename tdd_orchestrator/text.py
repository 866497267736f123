"""Text that others wrote, made safe to show and to store: no escapes, no controls, bounded."""

from __future__ import annotations

import re
import unicodedata

_ESCAPE = re.compile(
    r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]"  # CSI
    r"|\x1b[\]PX^_][^\x07\x1b]{0,65536}(?:\x07|\x1b\\|$)"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]{0,4}[0-~]"
    r"|\x9b[0-?]{0,64}[ -/]{0,8}[@-~]"
)
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]"
)


def escaped(text: str) -> str:
    """A line of JSON with what :func:`plain` would strip as JSON's own escapes: it says the same."""
    return _FORBIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain(text: str) -> str:
    """No terminal escapes, no control or bidirectional characters; newline and tab stay; NFC."""
    if text.isascii() and text.isprintable():
        return text
    return unicodedata.normalize("NFC", _FORBIDDEN.sub("", _ESCAPE.sub("", text.replace("\r\n", "\n"))))


def one_line(text: str, limit: int = 280) -> str:
    """The text on one line, cut at ``limit`` characters with an ellipsis."""
    folded = " ".join(plain(text[: limit * 8]).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"


def middle_cut(text: str, limit: int) -> str:
    """At most ``limit`` characters: the beginning and the end, with a line that says how much went."""
    if len(text) <= limit:
        return text
    head = limit // 2
    tail = limit - head
    return f"{text[:head]}\n[... {len(text) - limit} characters cut ...]\n{text[-tail:]}"
