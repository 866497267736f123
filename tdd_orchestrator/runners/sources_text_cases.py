"""Lists of cases on one line of a JavaScript test file: whether one only got more of them."""

from __future__ import annotations

import re

from tdd_orchestrator.runners.sources_tokens import blanked

_EACH = re.compile(r"\b(?:test|it|describe|fit|fdescribe)(?:\.\w+)*\.each\(\s*(?=\[)")
_NAMED = re.compile(r"^\s*(?:export\s+)?(?:const|let|var)\s+(\w+)\s*=\s*(?=\[)")
_LINE = 4_000


def only_grew(old: str, new: str, before: str) -> bool:
    """Whether a line is another one with elements at the end of its list. A list by a name counts where the file does
    nothing with it but to make tests: what a test looks something up in allows more when it grows."""
    named = _NAMED.search(old)
    head = named or _EACH.search(old)
    if head is None or max(len(old), len(new)) > _LINE:
        return False
    if named and not _only_feeds(named[1], before):
        return False
    at = _closing(blanked(old), head.end())
    rest = old[at:]
    if at < 0 or not new.startswith(old[:at]) or not new.endswith(rest):
        return False
    more = new[at : len(new) - len(rest)]
    return (
        more.lstrip().startswith(",")
        and _closing(f"[{blanked(new)[at : len(new) - len(rest)]}]", 0) == len(more) + 1
    )


def _closing(blank: str, opening: int) -> int:
    """Where the bracket at ``opening`` is closed, or -1."""
    depth = 0
    for at in range(opening, len(blank)):
        depth += (blank[at] in "([{") - (blank[at] in ")]}")
        if depth == 0:
            return at
    return -1


def _only_feeds(name: str, before: str) -> bool:
    uses = re.findall(rf"\b{name}\b", before)
    feeding = re.findall(rf"\.each\(\s*(?:Object\.\w+\(\s*)?{name}\b(?!\s*\[)", before)
    return 0 < len(feeding) == len(uses) - 1
