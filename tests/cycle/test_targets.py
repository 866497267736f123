"""A test that is known from its source only is found in a run under the name that its runner gives it."""

from __future__ import annotations

import pytest

from tdd_orchestrator.cycle.gates.targets import answers
from tdd_orchestrator.model.report import Case, Outcome


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
    ],
)  # fmt: skip
def test_found_under_the_runners_name(target: str, identity: str, name: str) -> None:
    cases = (Case(identity, name, Outcome.PASSED), Case("x::other", "other", Outcome.PASSED))
    assert [case.id for case in answers(target, cases)] == [identity]


@pytest.mark.parametrize("name", ["undoubles", "doubles not", "twice doubles them", "old doubles"])
def test_another_name_is_another_test(name: str) -> None:
    assert answers("spec/double_spec.lua::doubling::doubles", (Case(name, name, Outcome.PASSED),)) == []
