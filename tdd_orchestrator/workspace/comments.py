"""Source without what only people read: comments, and strings that stand for themselves. Pure; in doubt a line stays.

Python is tokenized. Elsewhere a comment is only taken out of a line that could not be anything else: were it a part of a
literal that began lines before, it would hold nothing that ends that literal or puts code into it, and so be no code.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

_PYTHON = (".py", ".pyi")
_SLASHES = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".go", ".rs", ".java", ".kt", ".scala", ".cs", ".swift", ".php")  # fmt: skip
_HASHES = (".rb", ".rake", ".gemspec", ".ru", ".php", ".sh", ".bash", ".ex", ".nim")
_SPANNING = (".rs", ".kt", ".scala", ".cs", ".swift", ".php", *_HASHES)
"""Languages in which a quoted literal goes on in the next line."""
_OTHER_CODING = re.compile(r"coding[:=]\s*(?!utf-?8|ascii|us-ascii|latin-1)")
_ODD_LITERAL = re.compile(r"%[a-zA-Z]?[:.,!-]")  # Ruby's, between signs that any sentence may hold
_IDLE = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE, tokenize.ENDMARKER})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Marks:
    """``line`` begins a comment; ``closes``: what may end a literal or put code into one, or ends a comment."""

    line: str
    closes: re.Pattern[str]
    blocks: bool


def code_of(path: str, text: str) -> list[str]:
    """The lines of a source, as many as there are, with spaces for what only people read."""
    lines = text.splitlines()
    name = path.rsplit("/", 1)[-1]
    if name.endswith(_PYTHON) or ("." not in name and re.match(r"#!.*\bpython", text)):
        return _of_python(lines)
    for marks in _marks(name, text):
        lines = list(_without(lines, marks))
    return lines


def _of_python(lines: list[str]) -> list[str]:
    if any(_OTHER_CODING.search(line) for line in lines[:2]):
        return lines
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return lines
    if any(token.type == tokenize.ERRORTOKEN and token.string.strip() for token in tokens):
        return lines
    left = list(lines)
    for token in _for_people(tokens):
        (first, begin), (last, end) = token.start, token.end
        for number in range(first, last + 1):
            line = left[number - 1]
            start, stop = begin if number == first else 0, end if number == last else len(line)
            left[number - 1] = line[:start] + " " * (stop - start) + line[stop:]
    return left


def _for_people(tokens: list[tokenize.TokenInfo]) -> Iterator[tokenize.TokenInfo]:
    """Comments, and the strings of lines that are nothing but a string: an f-string runs code, and is none of them."""
    statement: list[tokenize.TokenInfo] = []
    for token in tokens:
        if token.type == tokenize.COMMENT:
            yield token
        elif token.type == tokenize.NEWLINE:
            if all(one.type == tokenize.STRING and "f" not in _prefix(one.string) for one in statement):
                yield from statement
            statement = []
        elif token.type not in _IDLE:
            statement.append(token)


def _prefix(literal: str) -> str:
    return re.split("['\"]", literal, maxsplit=1)[0].lower()


def _marks(name: str, text: str) -> Iterator[_Marks]:
    quotes = "|['\"]" if name.endswith(_SPANNING) else ""
    if name.endswith(_SLASHES):
        yield _Marks("//", re.compile(r"[`{<\\]|\$|\*/|\?>" + quotes), blocks=True)
    if name.endswith(_HASHES) and not _ODD_LITERAL.search(text):
        yield _Marks("#", re.compile(r"[^\w\s:.,!-]"), blocks=False)


def _without(lines: list[str], marks: _Marks) -> Iterator[str]:
    goes_on = False  # a line that a backslash joins to the next
    index = looked = 0
    while index < len(lines):
        line = lines[index]
        told = line.lstrip()
        height = int(told.startswith(marks.line) and not marks.closes.search(told.removeprefix(marks.line)))
        if marks.blocks and told.startswith("/*") and index >= looked:
            height, looked = _block(lines, index, marks)
        if height and not goes_on:
            yield from [""] * height
            index += height
            continue
        yield line if goes_on else _cut(line, marks)
        goes_on = line.endswith("\\")
        index += 1


def _block(lines: list[str], first: int, marks: _Marks) -> tuple[int, int]:
    """How many lines a block comment has that is nothing else; 0 where that is not certain, as it is then of none that
    begins before the second number, so that a text is looked through once."""
    for index in range(first, len(lines)):
        told = lines[index].strip().removeprefix("/*" if index == first else "")
        inside, end, after = told.partition("*/")
        if marks.closes.search(inside) or after:
            return 0, index
        if end:
            return index - first + 1, index + 1
    return 0, len(lines)


def _cut(line: str, marks: _Marks) -> str:
    """The line up to a comment behind plain code."""
    code, mark, told = line.partition(marks.line if marks.line == "//" else " #")
    plain = mark and not re.search(r"['\"`/\\%$<{]", code) and not marks.closes.search(told)
    return code if plain else line
