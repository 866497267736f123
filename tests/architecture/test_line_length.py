"""Lines of the product have at most 110 columns, outside of text in other languages (queries, SQL, shell, Markdown)."""

from __future__ import annotations

import io
import re
import tokenize

from test_floors import PACKAGE

LIMIT = 110


def long_lines(text: str) -> list[int]:
    """Return the numbers of the lines that are too long and neither in a longer string nor a string by themselves."""
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and (
            token.start[0] < token.end[0] or len(token.string) > LIMIT // 2
        ):
            inside.update(range(token.start[0], token.end[0] + 1))
    lines = [
        (number, re.sub(r"  # (?:type|fmt): .*", "", line))
        for number, line in enumerate(text.splitlines(), 1)
    ]
    return [number for number, line in lines if len(line) > LIMIT and number not in inside]


def test_a_long_line_is_found() -> None:
    assert long_lines(f"x = [{'1, ' * 60}]\ny = 1\n") == [1]
    assert long_lines(f'x = """\n{"a" * 200}\n"""\n') == []


def test_lines_of_the_product_are_short() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix(): long_lines(path.read_text("utf-8"))
        for path in PACKAGE.rglob("*.py")
    }
    assert {name: lines for name, lines in found.items() if lines} == {}
