"""Find data outside the test folders that tests read, such as a Django application's ``fixtures``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tdd_orchestrator.runners.framework import matches

_CODE = ("**/*.{py,js,jsx,ts,tsx,mjs,cjs,mts,cts,rb,php,go,rs,java,kt,cs}",)


def may_be(path: str) -> bool:
    return matches(path, ("**/fixtures/**",)) and not matches(path, _CODE)


def named(paths: Iterable[str], tests: Iterable[str]) -> frozenset[str]:
    """Return those of ``paths`` whose name, with or without suffix, is in a literal of ``tests``."""
    texts = "\n".join(tests)
    quoted = {word.rpartition("/")[2] for word in re.findall(r"['\"`]([^'\"`\n]{1,200})['\"`]", texts)}
    return frozenset(path for path in paths if _names(path) & quoted)


def _names(path: str) -> set[str]:
    name = path.rpartition("/")[2]
    return {name, name.partition(".")[0]}
