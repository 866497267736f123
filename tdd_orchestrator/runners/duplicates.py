"""Whether a new test is an old one again: the same name for the same thing, or the same body (E5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tdd_orchestrator.runners.source_model import SourceTest

_ALIKE = 0.5  # share of identifiers in common from which two tests of one name are about one thing


@dataclass(frozen=True, slots=True)
class Duplicate:
    """``new`` repeats ``old``; ``why`` is a sentence."""

    new: SourceTest
    old: SourceTest
    why: str


def duplicates(new: Iterable[SourceTest], existing: Iterable[SourceTest]) -> list[Duplicate]:
    """At most one hit for each new test. Two files may hold tests of one name about different things; in one file
    the later hides the earlier."""
    known = list(existing)
    by_body = {test.body: test for test in known if test.assertions}
    found = []
    for test in new:
        twin = by_body.get(test.body)
        if twin is not None and twin.id != test.id:
            found.append(Duplicate(test, twin, f"{test.id} does the same as {twin.id}."))
            continue
        namesake = next((one for one in known if one.title == test.title and _one_thing(test, one)), None)
        if namesake is not None:
            found.append(Duplicate(test, namesake, f"{test.id} has the name of {namesake.id}."))
    return found


def _one_thing(new: SourceTest, old: SourceTest) -> bool:
    if new.path == old.path:
        return True
    together = new.words | old.words
    return bool(together) and len(new.words & old.words) / len(together) >= _ALIKE
