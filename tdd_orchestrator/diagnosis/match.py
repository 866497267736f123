"""Runs rules over zones of text: a literal first, then its regex on that one line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from tdd_orchestrator.diagnosis.rules import RULES, Rule, Zone

_HITS = 12  # places of one word that are looked at
_LINES = 5_000  # lines that a rule without words is tried on
_LONG = 3_000  # characters from which a text's own words are gathered before the rules' are looked for
_RUN = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Hit:
    rule: Rule
    line: str
    at: int  # index of the line in its zone's text
    score: int


class Book:
    """Rules in the order they are asked. Most say nothing to a text, which is seen by their words, all looked for at once."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        words = {word for rule in self.rules for word in rule.words}
        self._ends = {word: _ends(word) for word in words}

    def likely(self, text: str) -> list[Rule]:
        """The rules of which a word stands in the text, and those that have none."""
        there = self._there(text)
        return [rule for rule in self.rules if not rule.words or not there.isdisjoint(rule.words)]

    def _there(self, text: str) -> set[str]:
        """A long text says most of its words again and again: of those, three letters at a time tell what cannot be there."""
        if len(text) <= _LONG:
            return {word for word in self._ends if word in text}
        said = "\n".join(set(_RUN.findall(text)))
        threes = {said[at : at + 3] for at in range(len(said) - 2)} | {""}
        return {
            word
            for word, (first, last) in self._ends.items()
            if first in threes and last in threes and word in text
        }


def _ends(word: str) -> tuple[str, str]:
    """The first and the last three letters of the longest run in it; of a run that is shorter, nothing."""
    run = max(_RUN.findall(word), key=len, default="")
    return (run[:3], run[-3:]) if len(run) >= 3 else ("", "")


@cache
def built_in() -> Book:
    return Book(RULES)


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _line_at(text: str, at: int) -> tuple[str, int]:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : end if end >= 0 else len(text)], start


def first_hit(rule: Rule, text: str) -> tuple[str, int] | None:
    """The first line that satisfies a rule, and where it starts."""
    if not rule.words:
        return _any_line(rule, text)
    best: tuple[str, int] | None = None
    for word in rule.words:
        at = text.find(word)
        for _ in range(_HITS):
            if at < 0:
                break
            line, start = _line_at(text, at)
            if best is not None and start >= best[1]:
                break
            if not rule.pattern or compiled(rule.pattern).search(line[: rule.limit]):
                best = (line, start)
                break
            at = text.find(word, start + len(line))
    return best


def _any_line(rule: Rule, text: str) -> tuple[str, int] | None:
    start = 0
    for line in text.split("\n", _LINES)[:_LINES]:
        if compiled(rule.pattern).search(line[: rule.limit]):
            return line, start
        start += len(line) + 1
    return None


def hits(book: Book, text: str, zone: Zone, *, whole: str = "", only_asserts: bool = False) -> list[Hit]:
    """Every rule that finds something in ``text``, heaviest first, then the earliest. ``whole`` is where ``needs``
    are looked for; ``only_asserts`` leaves the rules that may judge a failed assertion."""
    found = []
    for rule in book.likely(text):
        if rule.zone not in (zone, Zone.ANY) or (only_asserts and not rule.asserts):
            continue
        hit = first_hit(rule, text)
        if hit is None or (rule.needs and not any(word in whole or word in text for word in rule.needs)):
            continue
        found.append(Hit(rule, hit[0], text.count("\n", 0, hit[1]), rule.weight))
    found.sort(key=lambda one: (-one.score, one.at))
    return found
