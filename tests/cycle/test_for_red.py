"""What only RED can fix: tests that contradict each other, and the way back (S4)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tdd_orchestrator.cycle.recovery import Kind, Situation, decide
from tdd_orchestrator.cycle.red.back_to_red import contradiction
from tdd_orchestrator.cycle.state import Attempt
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.policy import BreakerPolicy, RetryPolicy


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("    assert double(2) == 4\n    assert double(2) == 5\n",), "the tests want double(2) to be 4 and 5"),
        (("assert shop.name('a') == 'x'\n", "assert shop.name('a') == \"y\"\n"), "the tests want shop.name('a') to be \"x\" and \"y\""),
        (("self.assertEqual(add(1, 2), 3)\nself.assertEqual(add(1, 2), 4)\n",), "the tests want add(1, 2) to be 3 and 4"),
        (("self.assertNotEqual(add(1), 3)\nself.assertNotEqual(add(1), 4)\n",), ""),
        (("self.assertAlmostEqual(half(1), 0.5)\nself.assertAlmostEqual(half(1), 0.50000001)\n",), ""),
        (("# assert double(2) == 5\nassert double(2) == 4\n",), ""),
        (("assert f(-1) == -2\nassert f(-1) == -3\n",), "the tests want f(-1) to be -2 and -3"),
        (("expect(add(1, 2)).toBe(3);\nexpect(add(1, 2)).toBe(4);\n",), "the tests want add(1, 2) to be 3 and 4"),
        (("assert double(2) == 4\nassert double(3) == 6\n",), ""),
        (("assert name('a') == 'x'\nassert name(\"a\") == 'x'\n",), ""),
        (("assert double(n) == 4\nassert double(n * 2) == 5\n",), ""),
    ],
)  # fmt: skip
def test_two_assertions_that_no_code_can_satisfy(texts: tuple[str, ...], expected: str) -> None:
    path = "a.test.js" if "expect" in texts[0] else "test_a.py"
    assert contradiction((path, text) for text in texts) == expected


def test_what_no_code_can_mend_goes_back_to_red_once_and_only_when_it_came_again() -> None:
    now = Situation(Phase.GREEN, Verdict.STILL_FAILING, retry=1, for_red="fixture 'two' not found")
    earlier = Attempt(Phase.GREEN, 1, "still_failing", (), "a", "green", "", "", "", for_red=now.for_red)
    policy, breaker = RetryPolicy(), BreakerPolicy()
    assert decide(now, policy, breaker).kind == Kind.RETRY
    again = replace(now, history=(earlier,))
    assert decide(again, policy, breaker).kind == Kind.BACK_TO_RED
    assert decide(replace(again, sent_back=True), policy, breaker).kind != Kind.BACK_TO_RED
    assert decide(replace(again, phase=Phase.REFACTOR), policy, breaker).kind != Kind.BACK_TO_RED
