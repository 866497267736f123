"""Run rules over zones of text: first a literal search, then the regex on that one line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, groupby

from tdd_orchestrator.diagnosis.rules import RULES, Rule, Zone
from tdd_orchestrator.diagnosis.word_filter import WordFilter
from tdd_orchestrator.model.diagnosis import RoutingType

_HITS = 12  # places of one word that are searched
_LINES = 5_000  # lines searched by a rule without words


@dataclass(frozen=True, slots=True)
class Hit:
    rule: Rule
    line: str
    at: int  # index of the line in its zone's text
    score: int


class RuleIndex:
    """Rules in the order of their weight, of equal ones the user's first.

    Most rules do not apply to a text; one search for all their words finds those that may.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(sorted(rules, key=lambda rule: -rule.weight))
        self._always = [at for at, rule in enumerate(self.rules) if not rule.words]
        self._of: dict[str, list[int]] = defaultdict(list)
        for at, rule in enumerate(self.rules):
            for word in rule.words:
                self._of[word].append(at)
        self._words = WordFilter(self._of)

    def likely(self, text: str) -> Iterator[tuple[Rule, list[str]]]:
        """Yield the rules with a word in the text, with those words, and the rules without words."""
        seen = self._words.over(text)
        for at in sorted({*self._always, *(at for word in seen.near for at in self._of[word])}):
            rule = self.rules[at]
            words = seen.those(rule.words)
            if words or not rule.words:
                yield rule, words


@lru_cache(maxsize=8)
def rule_index(extra: tuple[Rule, ...] = ()) -> RuleIndex:
    """Return all rules, the user's before the others."""
    return RuleIndex((*extra, *RULES))


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _line_at(text: str, at: int) -> tuple[str, int]:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : end if end >= 0 else len(text)], start


def first_hit(rule: Rule, text: str, words: Iterable[str]) -> tuple[str, int] | None:
    """Return the first line that satisfies a rule, and its position.

    ``words``: the rule's words that the text contains.
    """
    if not rule.words:
        return _any_line(rule, text)
    best: tuple[str, int] | None = None
    end = len(text)
    for word in words:
        at = text.find(word, 0, end)
        for _ in range(_HITS):
            if at < 0:
                break
            line, start = _line_at(text, at)
            if not rule.pattern or compiled(rule.pattern).search(line[: rule.limit]):
                best, end = (line, start), start
                break
            at = text.find(word, start + len(line), end)
    return best


def _any_line(rule: Rule, text: str) -> tuple[str, int] | None:
    start = 0
    for line in text.split("\n", _LINES)[:_LINES]:
        if compiled(rule.pattern).search(line[: rule.limit]):
            return line, start
        start += len(line) + 1
    return None


class Hits(Iterable[Hit]):
    """Every rule that matches ``text``, by weight, then position; evaluated lazily.

    ``whole`` is searched for ``needs``; ``only_asserts`` keeps the rules for failed assertions;
    ``excluded`` routes do not apply.
    """

    def __init__(
        self,
        asked: RuleIndex,
        text: str,
        zone: Zone,
        *,
        whole: str = "",
        only_asserts: bool = False,
        excluded: Container[RoutingType] = (),
    ) -> None:
        likely = (
            (rule, words)
            for rule, words in asked.likely(text)
            if rule.zone in (zone, Zone.ANY)
            and (rule.asserts or not only_asserts)
            and rule.routing not in excluded
        )
        self._rest = _by_weight(likely, text, whole)
        self._known: list[Hit] = []

    def __iter__(self) -> Iterator[Hit]:
        for number in count():
            if number == len(self._known):
                following = next(self._rest, None)
                if following is None:
                    return
                self._known.append(following)
            yield self._known[number]


def _by_weight(likely: Iterable[tuple[Rule, list[str]]], text: str, whole: str) -> Iterator[Hit]:
    for weight, rules in groupby(likely, key=lambda one: one[0].weight):
        found = []
        for rule, words in rules:
            hit = first_hit(rule, text, words)
            if hit and (not rule.needs or any(word in whole or word in text for word in rule.needs)):
                found.append((hit[1], rule, hit[0]))
        found.sort(key=lambda one: one[0])
        for start, rule, line in found:
            yield Hit(rule, line, text.count("\n", 0, start), weight)
