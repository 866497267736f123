"""A test with subtests is one test: the text prints each that fails, a complete report has them as one."""

from __future__ import annotations

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.judge import merged_cases
from tdd_orchestrator.testlog.reading import Reading


def test_a_subtest_that_only_the_text_names_hides_no_other_test() -> None:
    failed = Case("t.py::test_a", "t.py::test_a", Outcome.FAILED, "t.py", 7)
    other = Case("t.py::test_b", "t.py::test_b", Outcome.PASSED)
    printed = [
        Case(f"t.py::test_a {row}", f"t.py::test_a {row}", Outcome.FAILED) for row in ("(a=1)", "(a=2)")
    ]
    text = Reading(cases=[*printed, Case("t.py::test_a", "t.py::test_a", Outcome.FAILED)])
    for complete in (True, False):
        report = Reading(cases=[failed, other], complete=complete)
        assert [case.id for case in merged_cases(text, report)] == [failed.id, other.id]
