"""Read rows of runners from a table in plain text."""

from __future__ import annotations

import re

from tdd_orchestrator.testlog.parsers import whole as runs
from tdd_orchestrator.testlog.reading import LineReader, OfRow, TextRow, signs, whole
from tdd_orchestrator.text_table import Entry, parse_entries

_WHOLE = ("begins", "ends", "broken", "apart", "dies", "opens", "closes")
_NAMED = re.compile(r"\{(total|[A-Z_]+)\}")


def text_rows(table: str, *readers: type[LineReader]) -> tuple[TextRow, ...]:
    """Return a table's rows.

    A row's head has language, reader, ``weight=`` if it is not 1, and name. Its fields: ``words`` of commands,
    each ``sign``, the kinds of ``Whole``, and for a ``RuledReader`` its rules. ``{C_BUILD}`` stands for that
    expression of ``whole.py``, ``{total}`` for the row's own.
    """
    known = {reader.__name__: reader for reader in readers}
    return tuple(_row(entry, known) for entry in parse_entries(table))


def _row(entry: Entry, readers: dict[str, type[LineReader]]) -> TextRow:
    language, kind, *rest = entry.head
    options = [word.partition("=")[0] for word in rest if word.endswith("=yes")]
    weight = next((int(word[7:]) for word in rest if word.startswith("weight=")), 1)
    name = " ".join(word for word in rest if "=" not in word)
    fields = [(key, _expanded(value, entry)) for key, value in entry.fields if key not in ("sign", "words")]
    reader = readers[kind]
    if isinstance(reader, OfRow):
        reader = reader.of_row(fields, [language, *options])
    kinds = {key: value for key, value in fields if key in _WHOLE}
    return TextRow(
        name,
        language,
        reader,
        signs(*(_expanded(sign, entry) for sign in entry.all("sign"))),
        entry.words("words"),
        weight,
        whole=whole(**kinds) if kinds else None,
    )


def _expanded(form: str, entry: Entry) -> str:
    """Return the expression with those that it names, without their groups' names."""

    def part(match: re.Match[str]) -> str:
        if match[1].isupper():
            return str(getattr(runs, match[1]))
        return "(?:" + re.sub(r"\(\?P<\w+>", "(?:", "|".join(entry.all(match[1]))) + ")"

    return _NAMED.sub(part, form)
