"""Combine very many signs into one fast check: whether a line has any of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from tdd_orchestrator.lazy_regex import LazyRegex

_ESCAPED = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
_GROUP = re.compile(r"\([^()]*\)")
_NEVER = "(?!)"


def any_of(signs: Iterable[LazyRegex]) -> Callable[[str], bool]:
    """Return a function that says whether a line matches one of ``signs``, which refer to no groups."""
    return _any_of(tuple(signs))


@cache
def _any_of(signs: tuple[LazyRegex, ...]) -> Callable[[str], bool]:
    begins = [sign for sign in signs if _at_the_beginning(sign)]
    others = [_text(sign) for sign in signs if not _at_the_beginning(sign)]
    begins_so = re.compile("|".join(_text(sign)[1:] for sign in begins) or _NEVER).match
    has = re.compile("|".join(others) or _NEVER).search
    return lambda line: begins_so(line) is not None or has(line) is not None


def _at_the_beginning(sign: LazyRegex) -> bool:
    """Whether all of the sign stands behind one ``^``."""
    bare = _ESCAPED.sub("", sign.pattern)
    while "(" in bare:
        bare = _GROUP.sub("", bare)
    return sign.pattern.startswith("^") and "|" not in bare


def _text(sign: LazyRegex) -> str:
    bare = sign.pattern.removeprefix("(?i)")
    return f"(?i:{bare})" if bare != sign.pattern else bare
