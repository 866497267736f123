"""Leave redundant parentheses out of a list of tokens: around one whole operand, or around something that is
one already."""

from __future__ import annotations

from collections.abc import Sequence

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
