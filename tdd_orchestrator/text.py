"""Text of others made safe to show and to store, tables in plain text, and patterns that are compiled late."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

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


_MARKUP = re.compile(r"[\\`*_{}\[\]|#!~$]|^(?:[-+=]|\d{1,9}[.)])")
_LINKS = re.compile(r"[@#]|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
_JOINER = "\u2060"  # takes no room; GitHub finds names, numbers and addresses after it has read the markup


def markdown_text(text: str, most: int) -> str:
    """Return the text as one line of Markdown that is only text: no markup, HTML, mention, reference or link."""
    safe = escape(one_line(text, most), quote=False)
    marked = _MARKUP.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", safe)
    return _LINKS.sub(lambda found: found[0] + _JOINER, marked)


def middle_cut(text: str, limit: int) -> str:
    """At most ``limit`` characters: the beginning and the end, with a line that says how much went."""
    if len(text) <= limit:
        return text
    head = limit // 2
    tail = limit - head
    return f"{text[:head]}\n[... {len(text) - limit} characters cut ...]\n{text[-tail:]}"


_TEXTS = ("sample", "words", "needs")  # keys of plain texts; the values of others are expressions
_INDENT = 2
_VALUE = 11  # the column at which each value begins, and goes on in the next lines
_SPACE = "␣"  # a space at an edge, where it would not be seen


class Entry(NamedTuple):
    """One row. ``head``: the words of its first line; ``fields``: pairs of key and value; a key may recur."""

    head: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]

    def get(self, key: str) -> str:
        """Return the key's value; '' if the row has none."""
        return next((value for name, value in self.fields if name == key), "")

    def all(self, key: str) -> tuple[str, ...]:
        return tuple(value for name, value in self.fields if name == key)

    def words(self, key: str) -> tuple[str, ...]:
        r"""Return the parts of a value that ``  |  `` separates."""
        return tuple(word for value in self.all(key)[:1] for word in value.split("  |  "))


def parse_entries(text: str) -> list[Entry]:
    r"""Return the rows of a table.

    A row is a line that begins at the margin, and indented fields: a key, and its value from the twelfth column
    on, also in the lines below. ``␣`` is a space at an edge. In plain texts ``\n`` and ``\t`` are a
    line's end and a tab. A line that begins with ``#`` is a comment.
    """
    entries: list[tuple[tuple[str, ...], list[list[str]]]] = []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        if not line.startswith(" "):
            entries.append((tuple(line.split()), []))
        elif line[_INDENT] != " ":
            entries[-1][1].append([line[_INDENT:_VALUE].strip(), line[_VALUE:]])
        else:
            entries[-1][1][-1][1] += line[_VALUE:]
    return [
        Entry(head, tuple((key, _value(key, value)) for key, value in fields)) for head, fields in entries
    ]


def _value(key: str, value: str) -> str:
    value = value.replace(_SPACE, " ")
    return value.replace("\\n", "\n").replace("\\t", "\t") if key in _TEXTS else value


class LazyRegex:
    """A regular expression that is compiled when it is first asked. A mistake in it is an ``re.error`` there,
    so that a table's tests ask each row."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self.pattern, self._flags = source, flags

    @functools.cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def search(self, text: str) -> re.Match[str] | None:
        return self._compiled.search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._compiled.finditer(text)

    def findall(self, text: str) -> list[str]:
        return self._compiled.findall(text)


def capital(sentence: str) -> str:
    """Return the sentence with a capital letter at its beginning."""
    return sentence[:1].upper() + sentence[1:]
