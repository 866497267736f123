"""Read rows of runners from a table in plain text."""

from __future__ import annotations

import re
from dataclasses import replace

from tdd_orchestrator.testlog.parsers import whole as runs
from tdd_orchestrator.testlog.reading import LineReader, OfRow, TextRow, events, passes, signs, whole
from tdd_orchestrator.text import Entry, parse_entries

_WHOLE = ("begins", "ends", "broken", "apart", "dies", "opens", "closes")
_NAMED = re.compile(r"\{(total|[A-Z_]+)\}")


def text_rows(table: str, *readers: type[LineReader], **forms: str) -> tuple[TextRow, ...]:
    """Return a table's rows.

    A row's head has language, reader, ``weight=`` if it is not 1, and name. Its fields: ``words`` of commands,
    each ``sign``, the row above whose ``signs`` are its too, the kinds of ``Whole``, and for a ``RuledReader`` its
    rules. ``passes`` with ``passed``, ``mark``, ``ended`` and ``numbered=yes``: unit, line, mark and ends of
    ``Passes``. ``event``: how each of its ``Events`` begins. ``{C_BUILD}`` stands for that expression in ``forms``
    or ``whole.py``, ``{total}`` for the row's own.
    """
    known = {reader.__name__: reader for reader in readers}
    rows: dict[str, TextRow] = {}
    for entry in parse_entries(table):
        row = _row(entry, known, forms)
        if above := entry.get("signs"):
            row = replace(row, signs=row.signs + rows[above].signs)
        rows[row.name] = row
    return tuple(rows.values())


def _row(entry: Entry, readers: dict[str, type[LineReader]], forms: dict[str, str]) -> TextRow:
    language, kind, *rest = entry.head
    options = [word.partition("=")[0] for word in rest if word.endswith("=yes")]
    weight = next((int(word[7:]) for word in rest if word.startswith("weight=")), 1)
    name = " ".join(word for word in rest if "=" not in word)
    fields = [
        (key, _expanded(value, entry, forms))
        for key, value in entry.fields
        if key not in ("sign", "words", "event")
    ]
    reader = readers[kind]
    if isinstance(reader, OfRow):
        reader = reader.of_row(fields, [language, *options])
    values = dict(fields)
    kinds = {key: value for key, value in fields if key in _WHOLE}
    part = values.get
    return TextRow(
        name,
        language,
        reader,
        signs(*(_expanded(sign, entry, forms) for sign in entry.all("sign"))),
        entry.words("words"),
        weight,
        passes(
            values["passes"], part("mark", ""), "numbered" in options, part("passed", ""), part("ended", "")
        )
        if "passes" in values
        else None,
        whole=whole(**kinds) if kinds else None,
        events=events(*entry.words("event")) if entry.get("event") else None,
    )


def _expanded(form: str, entry: Entry, forms: dict[str, str]) -> str:
    """Return the expression with those that it names, without their groups' names."""

    def part(match: re.Match[str]) -> str:
        if match[1].isupper():
            return forms.get(match[1]) or str(getattr(runs, match[1]))
        return "(?:" + re.sub(r"\(\?P<\w+>", "(?:", "|".join(entry.all(match[1]))) + ")"

    return _NAMED.sub(part, form)
