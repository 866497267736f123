"""Patterns of tables: of hundreds of rows a cycle asks a few, and to compile them all costs more than its
other work."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator


class LazyRegex:
    """A regular expression that is compiled when it is first asked. A mistake in it is an ``re.error`` there,
    so that a table's tests ask each row."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self.pattern, self._flags = source, flags

    @functools.cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def search(self, text: str) -> re.Match[str] | None:
        return self._compiled.search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._compiled.finditer(text)

    def findall(self, text: str) -> list[str]:
        return self._compiled.findall(text)
