"""Data outside the tests' folders that tests read, a Django application's ``fixtures`` for example: test data
by its use."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tdd_orchestrator.runners.framework import matches

_CODE = ("**/*.{py,js,jsx,ts,tsx,mjs,cjs,mts,cts,rb,php,go,rs,java,kt,cs}",)


def may_be(path: str) -> bool:
    return matches(path, ("**/fixtures/**",)) and not matches(path, _CODE)


def named(paths: Iterable[str], tests: Iterable[str]) -> frozenset[str]:
    """Those of ``paths`` whose name, with its suffix or without, stands in a literal of one of the ``tests``'
    texts."""
    texts = "\n".join(tests)
    quoted = {word.rpartition("/")[2] for word in re.findall(r"['\"`]([^'\"`\n]{1,200})['\"`]", texts)}
    return frozenset(path for path in paths if _names(path) & quoted)


def _names(path: str) -> set[str]:
    name = path.rpartition("/")[2]
    return {name, name.partition(".")[0]}
