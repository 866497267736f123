"""Run rules over zones of text: first a search for thousands of words at once, then the regex on that one
line.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, count, groupby
from typing import NamedTuple

from tdd_orchestrator.diagnosis.rules import RULES, Rule, Zone
from tdd_orchestrator.model.diagnosis import RoutingType

_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_CHUNKS = ((8, 4, "Q"), (4, 2, "I"))
"""A chunk's size in bytes, the distance between two chunks' starts, and the array type for chunks."""
_SPOTS = 200  # places of one chunk; with more, a search of the whole text is cheaper
_LARGE = 8_000  # bytes; in a larger text words are searched on demand
_MARGIN = b"\n" * 8  # before a text, so that no comparison starts before it
_Spots = dict[int, list[int]]  # chunk: its positions


class _Cut(NamedTuple):
    """A word's bytes, its chunks (of its first byte on, of its second on ...), and their row of
    _CHUNKS.

    A word that is too short has no chunks.
    """

    data: bytes
    chunks: tuple[int, ...] = ()
    row: int = 0


class WordFilter:
    """Finds words by chunks of the text: of eight bytes, starting at every fourth byte.

    A word of eleven bytes contains one of them wherever it stands, so the chunks show which few words
    may be there, and where; a word of five bytes contains one of four. Lines that differ only in their
    digits are read once.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._cuts = {word: _cut(_folded(word)) for word in words}
        self._short: dict[bytes, list[str]] = defaultdict(list)
        self._by_chunk: list[dict[int, list[str]]] = [defaultdict(list) for _ in _CHUNKS]
        for word, cut in self._cuts.items():
            if not cut.chunks:
                self._short[cut.data].append(word)
            for chunk in cut.chunks:
                self._by_chunk[cut.row][chunk].append(word)

    def over(self, text: str) -> FilteredWords:
        folded_text = _MARGIN + b"\n".join(set(_folded(text).split(b"\n")))
        spots = [
            _spots(folded_text, *row, by_chunk) for row, by_chunk in zip(_CHUNKS, self._by_chunk, strict=True)
        ]
        near = {
            word
            for data, words in self._short.items()
            if len(folded_text) > _LARGE or data in folded_text
            for word in words
        }
        for by_chunk, there in zip(self._by_chunk, spots, strict=True):
            near.update(*map(by_chunk.__getitem__, there))
        return FilteredWords(text, folded_text, near, self._cuts, spots)


class FilteredWords:
    """A text, and the words of which it contains a chunk.

    In a large text a word itself is searched on demand, since most are never needed.
    """

    def __init__(
        self, text: str, folded_text: bytes, near: set[str], cuts: dict[str, _Cut], spots: list[_Spots]
    ) -> None:
        self._text, self._folded_text, self._cuts, self._spots = text, folded_text, cuts, spots
        self._known: dict[bytes, bool] = {}
        self.near = near if len(folded_text) > _LARGE else {word for word in near if self._holds(word)}

    def those(self, words: Iterable[str]) -> list[str]:
        """Return those of ``words`` that the text contains."""
        return [word for word in words if word in self.near and self._holds(word)]

    def _holds(self, word: str) -> bool:
        cut = self._cuts[word]
        there = self._around(cut) if cut.chunks else self._known.get(cut.data)
        if there is None:
            there = self._known[cut.data] = cut.data in self._folded_text
        return there and (b"0" not in cut.data or word in self._text)

    def _around(self, cut: _Cut) -> bool:
        """Whether the bytes stand at a spot of one of their chunks, or anywhere if there are many spots."""
        data, folded_text, spots = cut.data, self._folded_text, self._spots[cut.row]
        for start, chunk in enumerate(cut.chunks):
            there = spots.get(chunk, ())
            if len(there) > _SPOTS:
                return data in folded_text
            for spot in there:
                if folded_text.startswith(data, spot - start):
                    return True
        return False


def _cut(data: bytes) -> _Cut:
    for row, (size, step, code) in enumerate(_CHUNKS):
        if len(data) >= size + step - 1:
            chunks = (array(code, data[start : start + size])[0] for start in range(step))
            return _Cut(data, tuple(chunks), row)
    return _Cut(data)


def _spots(folded_text: bytes, size: int, step: int, code: str, by_chunk: dict[int, list[str]]) -> _Spots:
    """Return the positions of the chunks that words contain."""
    spots: _Spots = {}
    for shift in range(0, size, step):
        chunks = array(code, folded_text[shift : len(folded_text) - (len(folded_text) - shift) % size])
        for number in compress(count(), map(by_chunk.__contains__, chunks)):
            spots.setdefault(chunks[number], []).append(number * size + shift)
    return spots


def _folded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass").translate(_DIGITS)


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
