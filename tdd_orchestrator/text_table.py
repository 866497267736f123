"""Tables in plain text: rows of expressions and samples, without the quotes and brackets of a language."""

from __future__ import annotations

from typing import NamedTuple

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
