"""Where comments and strings stand in a source, in linear time whatever is left open."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

_INSIDE = {
    '"': re.compile(r"(?:\\.|[^\"\\\n])*+", re.DOTALL),
    "'": re.compile(r"(?:\\.|[^'\\\n])*+", re.DOTALL),
    "`": re.compile(r"(?:\\.|[^`\\])*+", re.DOTALL),
    "/*": re.compile(r"(?:[^*]|\*(?!/))*+"),
}
_CLOSING = {"/*": "*/"}


@functools.cache
def _opener(comment: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(comment)}[^\n]*|[\"'`]" + (r"|/\*" if comment == "//" else ""), re.DOTALL)


def tokens(source: str, comment: str = "//") -> Iterator[tuple[int, int]]:
    """(begin, end) of each comment and each closed string, in order. ``comment`` opens one up to the line's
    end."""
    opener = _opener(comment)
    open_until: dict[str, int] = {}  # where a quote was not closed, none of its kind is before this place
    found = opener.search(source)
    while found:
        kind, begin, end = found[0], found.start(), found.end()
        if kind not in _INSIDE:
            yield begin, end
        elif begin >= open_until.get(kind, 0):
            stop = _INSIDE[kind].match(source, end).end()  # type: ignore[union-attr]  # it matches nothing, too
            closing = _CLOSING.get(kind, kind)
            if source.startswith(closing, stop):
                end = stop + len(closing)
                yield begin, end
            else:
                open_until[kind] = stop
        found = opener.search(source, end)


def blanked(source: str, comment: str = "//") -> str:
    """The source with comments and strings as blanks of the same length, so that brackets in them do not
    count."""
    parts, last = [], 0
    for begin, end in tokens(source, comment):
        parts += [source[last:begin], re.sub(r"[^\n]", " ", source[begin:end])]
        last = end
    return "".join([*parts, source[last:]])
