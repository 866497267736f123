"""The sieve finds what a search for each word finds."""

from __future__ import annotations

import random

import pytest

from tdd_orchestrator.diagnosis.match import WordFilter
from tdd_orchestrator.diagnosis.rules import RULES

WORDS = sorted({word for rule in RULES for word in rule.words})
SIEVE = WordFilter(WORDS)


@pytest.mark.parametrize("before", range(9))
def test_every_word_is_found_wherever_it_begins(before: int) -> None:
    for word in WORDS:
        assert word in SIEVE.over("x" * before + word).those([word]), word


def test_no_more_and_no_less_than_a_search_for_each() -> None:
    draw = random.Random(7)
    halves = [part for word in WORDS for part in (word[:-1], word[1:])]
    for _ in range(20):
        text = "\n".join(
            "".join(draw.choice((*WORDS, *halves, " ", "7", "é")) for _ in range(4)) for _ in range(80)
        )
        assert SIEVE.over(text).those(WORDS) == [word for word in WORDS if word in text]


def test_digits_are_told_apart() -> None:
    words = ["code 42501", "TS2", "9", "relation"]
    sieve = WordFilter(words)
    assert sieve.over("code 42502\nTS1\n8 relation").those(words) == ["relation"]
    assert sieve.over("code 42502\ncode 42501\nTS20\n19").those(words) == ["code 42501", "TS2", "9"]


def test_what_is_no_text_or_empty() -> None:
    words = ["", "a", "\ud800b"]
    assert WordFilter(words).over("").those(words) == [""]
    assert WordFilter(words).over("x\ud800b").those(words) == ["", "\ud800b"]
