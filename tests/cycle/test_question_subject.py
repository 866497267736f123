"""Which tests of which files the counterfactual questions are about."""

from __future__ import annotations

import pytest

from tdd_orchestrator.cycle.attempt.candidate import Candidate
from tdd_orchestrator.cycle.counterfactual.ask import subject_of
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.model.report import Report, RunVerdict

EXUNIT = """
defmodule DoubleTest do
  use ExUnit.Case

  test "doubles" do
    assert Double.double(2) == 4
  end

  test "halves" do
    assert Double.halve(2) == 1
  end
end
"""
PATH = "test/double_test.exs"


@pytest.mark.parametrize(
    ("target", "found"),
    [("DoubleTest::test doubles", [f"{PATH}::DoubleTest::doubles"]), ("OtherTest::test nothing", [])],
)
def test_a_target_that_its_runner_names_only_where_it_fails_is_found(target: str, found: list[str]) -> None:
    """ExUnit names failing tests: RED's run has the name, and GREEN's has none."""
    proof = Proof(Report(RunVerdict.PASSED, exit_code=0), "tree", "key", frozenset())
    subject = subject_of([target], proof, {PATH: EXUNIT}, Candidate("tree"), lambda _: True, lambda _: ())
    assert list(subject.tests) == found
    assert list(subject.unread) == ([] if found else [target])
    assert all(cases == () for cases in subject.cases.values())
