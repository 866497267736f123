"""A test that is known from its source only is found in a run under the name that its runner gives it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tdd_orchestrator.cycle.gates import Evidence
from tdd_orchestrator.cycle.gates.evidence import answers, targets_pass
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict


@pytest.mark.parametrize(
    ("target", "identity", "name"),
    [
        ("tests/double.rs::doubles", "acme-kata::double::doubles", "acme-kata::double doubles"),
        ("spec/double_spec.lua::doubling::doubles", "spec/double_spec.lua::doubling doubles", "doubling doubles"),
        ("spec/double_spec.lua::a::b::doubles", "spec/double_spec.lua::a b doubles", "a b doubles"),
        ("test/double_test.exs::DoubleTest::doubles", "DoubleTest::test doubles", "test doubles"),
        ("test/double_test.exs::DoubleTest::by two::doubles", "test by two doubles", "test by two doubles"),
        ("test/double.bats::doubles a.b", "doubles a.b", "doubles a.b"),
        ("t/double.t::doubles", "t/double.t::1 doubles", "doubles"),
        ("src/test/java/com/acme/TwiceTest.java::TwiceTest::doubles", "com.acme.TwiceTest.doubles", "com.acme.TwiceTest.doubles"),
        ("src/test/java/com/acme/TwiceTest.java::TwiceTest::doubles", "com.acme.TwiceTest::doubles", "doubles()"),
        ("tests/test_double.py::TestTwo", "tests/test_double.py::TestTwo::test_sum", "tests/test_double.py::TestTwo::test_sum"),
        ("tests/test_double.py::TestTwo", "test_sum (test_double.TestTwo.test_sum)", "test_sum"),
    ],
)  # fmt: skip
def test_found_under_the_runners_name(target: str, identity: str, name: str) -> None:
    cases = (Case(identity, name, Outcome.PASSED), Case("x::other", "other", Outcome.PASSED))
    assert [case.id for case in answers(target, cases)] == [identity]


@pytest.mark.parametrize("name", ["undoubles", "doubles not", "twice doubles them", "old doubles"])
def test_another_name_is_another_test(name: str) -> None:
    assert answers("spec/double_spec.lua::doubling::doubles", (Case(name, name, Outcome.PASSED),)) == []


def test_a_test_that_was_there_before_is_no_new_one_by_its_name() -> None:
    """The new file skips itself while it is loaded, and an old test of the same name passes."""
    target, old = "tests/test_double.py::test_adds", "tests/test_sum.py::test_adds"
    passed = Case(old, "test_adds", Outcome.PASSED)
    skipped = Case("tests/test_double.py", "tests/test_double.py", Outcome.SKIPPED)
    before = Report(RunVerdict.PASSED, cases=(passed,), complete=True)
    now = replace(before, cases=(passed, skipped))
    judged = targets_pass(now, Evidence(before, now, True, targets=(target,)))
    assert judged is not None
    assert judged.verdict is Verdict.TEST_VANISHED
    exact = replace(now, cases=(Case(old, "test_adds", Outcome.FAILED),))
    again = targets_pass(exact, Evidence(before, exact, True, targets=(old,)))
    assert again is not None
    assert again.verdict is Verdict.STILL_FAILING, "by its own id a test is known, whenever it came"
