"""Source lines with their syntax marked, as safe HTML: spans of five classes, everything else escaped."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from tdd_orchestrator.text import plain
from tdd_orchestrator.web.diffs import File

_MOST = 60_000  # characters of one file that are coloured
_CLASSES = (("Comment", "c"), ("Literal.String", "s"), ("Literal.Number", "m"), ("Keyword", "k"),
    ("Name.Function", "f"),
            ("Name.Class", "f"), ("Name.Decorator", "f"))  # fmt: skip


def coloured(file: File) -> list[tuple[Markup, Markup]]:
    """For each row of the file its left and right side."""
    left = _lines(file.path, [plain(row.left) for row in file.rows])
    right = _lines(file.path, [plain(row.right) for row in file.rows])
    return list(zip(left, right, strict=True))


def _lines(path: str, lines: Sequence[str]) -> list[Markup]:
    single = [line.replace("\n", " ") for line in lines]
    text = "\n".join(single)
    found = _tokens(path, text) if len(text) <= _MOST else None
    if found is None:
        return [escape(line) for line in single]
    rows: list[list[Markup]] = [[]]
    for name, value in found:
        for number, part in enumerate(value.split("\n")):
            if number:
                rows.append([])
            if part:
                rows[-1].append(
                    Markup('<span class="{}">{}</span>').format(name, part) if name else escape(part)
                )
    joined = [Markup("").join(row) for row in rows]
    return joined if len(joined) == len(single) else [escape(line) for line in single]


def _tokens(path: str, text: str) -> list[tuple[str, str]] | None:
    """(class, text) of each token; None where the language is not known."""
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_for_filename(path.rpartition("/")[2], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return [(_class(str(kind).removeprefix("Token.")), value) for kind, value in lexer.get_tokens(text)]


def _class(kind: str) -> str:
    return next((name for start, name in _CLASSES if kind.startswith(start)), "")
