"""Other values for the literals and expressions of a source text."""

from __future__ import annotations

import re

_INTEGER = re.compile(r"(?P<digits>\d[\d_]*)(?P<suffix>[a-zA-Z]\w*)?")
_FLOAT = re.compile(r"(?P<whole>\d[\d_]*)(?P<rest>\.\d[\d_]*(?:[eE][+-]?\d+)?[a-zA-Z]?\w*)")
_RADIX = re.compile(r"(0[xXbBoO][\da-fA-F_]*?)([\da-fA-F])([uUlLn]\w*)?")
_TEXT = re.compile(
    r"""(?P<head>[bBrRuUfL@$]{0,2})(?P<quote>'''|\"\"\"|['"`])(?P<text>.*)(?P=quote)""", re.DOTALL
)
PLAIN = re.compile(r"""\d[\d_]*(\.\d+)?|'[^'\\#$\n]*'|"[^"\\#$\n]*"|true|false|True|False""")
_FLIPPED = {"true": "false", "false": "true", "True": "False", "False": "True"}


def halves(token: str) -> dict[str, str]:
    """Return the token in two halves. Runners print source lines, so a whole token in the source proves
    nothing."""
    middle = len(token) // 2
    return {"a": token[:middle], "b": token[middle:]}


def _step(token: str) -> int:
    return 3 + sum(map(ord, token)) % 5


def other_literal(text: str, token: str) -> str:
    """Return the source of a literal of the same type with another value, drawn from the token."""
    if text in _FLIPPED:
        return _FLIPPED[text]
    if match := _RADIX.fullmatch(text):
        return match[1] + ("1" if match[2] == "0" else "0") + (match[3] or "")
    if match := _FLOAT.fullmatch(text):
        return _other_integer(match["whole"], token) + match["rest"]
    if match := _INTEGER.fullmatch(text):
        return _other_integer(match["digits"], token) + (match["suffix"] or "")
    if match := _TEXT.fullmatch(text):
        if match["quote"] == "'" and len(match["text"]) == 1:
            return f"{match['head']}'{'~' if match['text'] != '~' else '^'}'"
        return f"{match['head']}{match['quote']}{match['text']}~{match['quote']}"
    return text + "~"


def _other_integer(digits: str, token: str) -> str:
    """Return another number that fits every type the first one fits."""
    value, step = int(digits.replace("_", "")), _step(token)
    return str(value - step if value > step else value + step)


def is_plain(text: str) -> bool:
    """Return whether the source is a literal that may be replaced by another literal in any language."""
    return PLAIN.fullmatch(text) is not None
