"""Leave rows out of the tables of examples in a test file.

A language's `tables` query finds them:

    @rows         a literal whose members are examples, such as the second argument of pytest's `parametrize`
    @name @rows   a variable and the literal that it holds; a table where a match below uses the variable
    @used         a variable whose members are examples
    @body         the loop over them; without an assertion inside, the members are no examples
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.base import Node
from tdd_orchestrator.languages.parse import Source, apply_edits, parse

_LEAST = 4  # rows of a table from which some are left out
_SHARE = 4  # one row in so many


def without_rows(text: str, before: str, path: str, seed: str, turn: int) -> tuple[str, int]:
    """Return the text without some rows that ``before`` has not, and how many.

    One row in four is left out of each table of at least four, never the first or the last. ``seed`` decides
    which; each ``turn``, from 0, leaves out others, until every row has been.
    """
    language = language_of(path)
    if language is None:
        return text, 0
    source = parse(text, language)
    edits = []
    for table in _tables(source):
        rows = [node for node in table.named_children if node.type not in language.comments]
        if len(rows) < _LEAST:
            continue
        fresh = [(row, after) for row, after in pairwise(rows[1:]) if source.text(row) not in before]
        Random(f"{seed}:{source.text(table)}").shuffle(fresh)
        count = len(rows) // _SHARE
        for row, after in fresh[turn * count : (turn + 1) * count]:
            edits.append((row.start_byte, after.start_byte, ""))
    return apply_edits(source, edits), len(edits)


def _tables(source: Source) -> list[Node]:
    held: list[tuple[str, Node]] = []
    used: set[str] = set()
    found: list[Node] = []
    for match in source.matches(source.language.tables):
        body = match.get("body")
        if body is not None and not source.captures(source.language.assertions, body):
            continue
        if "name" in match:
            held.append((source.text(match["name"]), match["rows"]))
        elif "used" in match:
            used.add(source.text(match["used"]))
        else:
            found.append(match["rows"])
    return [*found, *(rows for name, rows in held if name in used)]
