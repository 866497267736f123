"""Find comments and strings in a source, in linear time even if one is left open."""

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
    """Yield (begin, end) of each comment and closed string. ``comment`` opens one up to the line's end."""
    opener = _opener(comment)
    open_until: dict[str, int] = {}  # an unclosed quote: none of its kind before this place
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


def blank_tokens(source: str, comment: str = "//") -> str:
    """Return the source with comments and strings blanked to the same length, to ignore their brackets."""
    parts, last = [], 0
    for begin, end in tokens(source, comment):
        parts += [source[last:begin], re.sub(r"[^\n]", " ", source[begin:end])]
        last = end
    return "".join([*parts, source[last:]])
