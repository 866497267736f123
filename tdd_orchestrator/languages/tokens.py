"""Normalized source: equal for two pieces of code that differ only in comments, format and names of locals.

Strings and comments come from the grammar; what stands between them is split into words and signs. Line ends
and indentation count in the languages where they mean something. Redundant parentheses are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tdd_orchestrator.languages.base import Language

_PAIRS = {")": "(", "]": "[", "}": "{"}
_WORDS = frozenset({"assert", "return", "in", "not", "and", "or", "if", "is", "while", "yield", "await"})
"""Words that call nothing, though a parenthesis follows them."""
_CALLED = frozenset(")]}\"'`!.>")
"""Signs behind which parentheses may hold the arguments of a call: ``f()(x)``, ``assert!(x)``, ``f?.(x)``,
``List<T>(x)``."""
_BEFORE = frozenset({"", ";", "->", ",", "(", "[", "{", "assert", "return"})
_AFTER = frozenset({"", ";", "<-", ",", ")", "]", "}"})
"""What stands before and after a whole operand."""


def without_redundant(tokens: Sequence[str]) -> list[str]:
    """Return the tokens without parentheses that change nothing."""
    opened: list[int] = []
    dropped: set[int] = set()
    for at, token in enumerate(tokens):
        if token in ("(", "[", "{"):
            opened.append(at)
        elif token in _PAIRS:
            if not opened or tokens[opened[-1]] != _PAIRS[token]:
                return list(tokens)
            begin = opened.pop()
            if token == ")" and _redundant(tokens, begin, at):
                dropped |= {begin, at}
    return [token for at, token in enumerate(tokens) if at not in dropped]


def _redundant(tokens: Sequence[str], begin: int, end: int) -> bool:
    before = tokens[begin - 1] if begin else ""
    after = tokens[end + 1] if end + 1 < len(tokens) else ""
    if before not in _WORDS and (_is_word(before) or before in _CALLED):
        return False
    inside = tokens[begin + 1 : end]
    if not inside or _has_comma(inside):
        return False  # nothing, or a tuple
    assigned = before == "=" and tokens[begin - 2 : begin - 1] not in (["="], ["!"], ["<"], [">"], ["~"])
    return _is_one(inside) or ((before in _BEFORE or assigned) and after in _AFTER)


def _is_word(token: str) -> bool:
    return token[:1].isalnum() or token[:1] in ("_", "$")


def _has_comma(tokens: Sequence[str]) -> bool:
    depth = 0
    for token in tokens:
        depth += (token in ("(", "[", "{")) - (token in _PAIRS)
        if token == "," and depth == 0:
            return True
    return False


def _is_one(tokens: Sequence[str]) -> bool:
    """Whether these are a name or a literal, with the members, calls and indexes behind it."""
    depth, last = 0, "."
    for token in tokens:
        if depth == 0 and _is_word(token):
            if last != "." or token in _WORDS:
                return False
        elif depth == 0 and (last == "." or token not in ("(", "[", ".")):
            return False
        depth += (token in ("(", "[", "{")) - (token in _PAIRS)
        last = token
    return last != "."


_TOKEN = re.compile(rb"\\\r?\n|[\w\x80-\xff]+|\n[ \t]*|[^\s\w\x80-\xff]")
_NO_END_AFTER = frozenset("{([,;=+-*/%|&?:.<>!")
_NO_END_BEFORE = frozenset("})],;.?:|&+*/=<>") | {"else", "catch", "finally"}
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
Span = tuple[int, int]


@dataclass
class Reader:
    """Reads normalized tokens of parts of one text. ``strings`` and ``comments`` are sorted spans."""

    language: Language
    data: bytes
    strings: list[Span]
    comments: list[Span]
    _opaque: list[tuple[int, int, bool]] = field(init=False)

    def __post_init__(self) -> None:
        both = [(*span, True) for span in self.strings] + [(*span, False) for span in self.comments]
        self._opaque = sorted(both)

    def normalize(
        self, span: Span, without: Iterable[Span] = (), renamed: frozenset[str] = frozenset()
    ) -> str:
        """Return the tokens of a span in one line, without the spans left out, and locals as $1, $2 ..."""
        names: dict[str, str] = {}
        out: list[str] = []
        for token in self._laid_out(span, sorted(without)):
            if token in renamed and (not out or out[-1] != "."):
                token = names.setdefault(token, f"${len(names) + 1}")
            out.append(token)
        return " ".join(_no_last_commas(without_redundant(out), self.language))

    def _raw(self, start: int, end: int, without: list[Span]) -> Iterator[str]:
        at = start
        skips = [(a, b, None) for a, b in without if start <= a and b <= end]
        inside = self._opaque[bisect_left(self._opaque, (start,)) : bisect_left(self._opaque, (end,))]
        for a, b, is_string in sorted([*skips, *inside], key=lambda item: item[:2]):
            if a < at:
                continue
            yield from (token.decode("utf-8", "replace") for token in _TOKEN.findall(self.data, at, a))
            if is_string:
                yield "s" + self.data[a:b].decode("utf-8", "replace")
            at = b
        yield from (token.decode("utf-8", "replace") for token in _TOKEN.findall(self.data, at, end))

    def _laid_out(self, span: Span, without: list[Span]) -> Iterator[str]:
        tokens = self._raw(*span, without)
        if self.language.indentation:
            return _indented(tokens, self._column(span[0]))
        return _line_ends(tokens) if self.language.newlines else _no_lines(tokens)

    def _column(self, at: int) -> int:
        return at - (self.data.rfind(b"\n", 0, at) + 1)


def _depth(token: str) -> int:
    return 1 if token in ("(", "[") else -1 if token in (")", "]") else 0


def _no_lines(tokens: Iterator[str]) -> Iterator[str]:
    return (token for token in tokens if token[0] not in "\n\\")


def _line_ends(tokens: Iterator[str]) -> Iterator[str]:
    """Yield ; for a line end that may end a statement: one that stands directly in braces, or in nothing."""
    around, last, ended = ["{"], ";", False
    for token in tokens:
        if token[0] == "\n":
            ended = ended or around[-1] == "{"
            continue
        if token == ";":
            ended = True
            continue
        if token.startswith("\\") and token.endswith("\n"):
            continue
        if ended and last not in _NO_END_AFTER and token not in _NO_END_BEFORE:
            yield ";"
        ended = False
        if token in _OPENING:
            around.append(token)
        elif token in _CLOSING and len(around) > 1:
            around.pop()
        last = token
        yield token


def _indented(tokens: Iterator[str], column: int) -> Iterator[str]:
    """Yield ; for a line end, and a mark for each block that begins or ends."""
    depth, started, pending = 0, False, -1
    levels = [column]
    for token in tokens:
        if token[0] == "\n":
            if depth <= 0:
                pending = len(token.expandtabs(8)) - 1
            continue
        if token.startswith("\\") and token.endswith("\n"):
            continue
        if pending >= 0 and started:
            yield ";"
            if pending > levels[-1]:
                levels.append(pending)
                yield "->"
            while pending < levels[-1] and len(levels) > 1:
                levels.pop()
                yield "<-"
        pending, started = -1, True
        depth += _depth(token) + (token == "{") - (token == "}")
        yield token


def _no_last_commas(tokens: list[str], language: Language) -> Iterator[str]:
    """Drop a comma before a closing bracket, except that of a tuple with one element. Make quotes equal."""
    stack: list[tuple[bool, int]] = []
    for at, token in enumerate(tokens):
        if token in ("(", "[", "{"):
            called = at > 0 and (tokens[at - 1][-1].isalnum() or tokens[at - 1] in (")", "]", "_"))
            stack.append((token != "(" or called, 0))
        elif token in _CLOSING and stack:
            stack.pop()
        elif token == "," and stack:
            plain, commas = stack[-1]
            if at + 1 < len(tokens) and tokens[at + 1] in _CLOSING and (plain or commas):
                continue
            stack[-1] = (plain, commas + 1)
        yield '"' if token == "'" and language.quotes_equal else token
