"""Rules of users: checked with sentences, and stronger than the built-in ones."""

from __future__ import annotations

from typing import Any

import pytest

from tdd_orchestrator.diagnosis.classify import classify
from tdd_orchestrator.diagnosis.user_rules import user_rules
from tdd_orchestrator.model.diagnosis import Category, ErrorType, RoutingType, Severity
from tdd_orchestrator.model.errors import BadConfig

GOOD: dict[str, Any] = {
    "name": "ledger-closed",
    "pattern": r"ledger \d+ is closed",
    "routing_type": "database-error",
    "error_type": "integration",
    "category": "STATE",
    "severity": "HIGH",
    "samples": ["ValueError: ledger 12 is closed"],
}


def test_a_users_rule_decides() -> None:
    rules = user_rules([GOOD])
    found = classify(
        'Traceback (most recent call last):\n  File "/repo/a.py", line 3, in f\nValueError: ledger 7 is closed',
        extra_rules=rules,
    )
    assert (found.rule, found.routing_type) == ("ledger-closed", RoutingType.DATABASE)
    assert (found.error_type, found.category, found.severity) == (
        ErrorType.INTEGRATION,
        Category.STATE,
        Severity.HIGH,
    )
    assert (found.file, found.line) == ("a.py", 3)


def test_words_alone_are_enough() -> None:
    (rule,) = user_rules([{"name": "odd", "words": ["flux capacitor"], "routing_type": "network-error"}])
    assert classify("the flux capacitor is empty", extra_rules=[rule]).routing_type is RoutingType.NETWORK


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"routing_type": "databse"}, "routing_type is 'databse'"),
        ({"routing_type": None}, "it needs a routing_type"),
        ({"error_type": "oops"}, "error_type is 'oops'"),
        ({"category": "state"}, "One of TRANSIENT"),
        ({"patern": "x"}, "Did you mean pattern?"),
        ({"pattern": "(a"}, "no regular expression"),
        ({"pattern": "(a+)+$"}, "repeats a repeat"),
        ({"pattern": "(?:a|b*)*c"}, "repeats a repeat"),
        ({"pattern": "(x{2,}y)*"}, "repeats a repeat"),
        ({"pattern": ".*a.*b.*c.*d"}, "4 repeats"),
        ({"pattern": 5}, "pattern is not a text"),
        ({"pattern": ""}, "it needs a pattern"),
        ({"name": ""}, "it has no name"),
        ({"weight": 0}, "weight is 0"),
        ({"samples": "text"}, "samples is not a list"),
        ({"samples": ["nothing of the kind"]}, "its own sample is not its"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadConfig) as caught:
        user_rules([{**GOOD, **change}])
    assert sentence in str(caught.value)


def test_a_name_is_given_once() -> None:
    with pytest.raises(BadConfig, match="two diagnosis rules"):
        user_rules([GOOD, GOOD])


@pytest.mark.parametrize("pattern", [r"(?:ab)+c", r"\(a+\)+", r"[(*+)]+x", r"a{2,3}", r"(a)(b+)"])
def test_harmless_repeats_are_taken(pattern: str) -> None:
    assert user_rules([{**GOOD, "pattern": pattern, "samples": []}])
