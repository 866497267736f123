"""Every row of the rules decides its own samples, and is written as a rule must be."""

from __future__ import annotations

import re
import time

import pytest
from pace import within

from tdd_orchestrator.diagnosis.classify import classify
from tdd_orchestrator.diagnosis.rules import RULES, Rule

SAMPLES = [
    pytest.param(rule, text, id=f"{rule.name}-{n}") for rule in RULES for n, text in enumerate(rule.samples)
]


def test_names_are_unique() -> None:
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_row_is_whole(rule: Rule) -> None:
    re.compile(rule.pattern)
    assert rule.words, "a rule without a literal would run its regex on every line"
    assert rule.samples, "a rule is proven by a sample"


@pytest.mark.parametrize(("rule", "text"), SAMPLES)
def test_sample(rule: Rule, text: str) -> None:
    found = classify(text)
    assert found.rule == rule.name
    assert found.error_type == rule.error
    assert found.category == rule.category
    assert found.severity == rule.severity


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_no_pattern_explodes(rule: Rule) -> None:
    pattern = re.compile(rule.pattern)
    start = time.process_time()
    for word in (*rule.words, "a", "a ", "/", "1:", "Error: ", '"', "'", "error line table "):
        pattern.search((word * rule.limit)[: rule.limit])
    assert time.process_time() - start < within(0.25 + 0.01 * len(rule.words))
