"""What the source adds to runs that name only the tests that fail."""

from __future__ import annotations

from tdd_orchestrator.cycle.red.test_changes import TestEdits
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.model.report import Counts, Report, RunVerdict
from tdd_orchestrator.prove.evidence import asserts_nothing, skipped_by_mark

PATH = "tests/test_calc.py"
SKIPPED = "import pytest\n\n\n@pytest.mark.skip\ndef test_a():\n    assert double(2) == 4\n"
CALLS = "def test_calls():\n    error = double(2)\n"
HELPED = "def test_helped():\n    check_double(2, 4)\n"


def edits(*texts: str) -> TestEdits:
    return TestEdits(added=tuple(test for text in texts for test in find_tests(text, PATH)))


def run(skipped: int, *, complete: bool = False) -> Report:
    return Report(RunVerdict.PASSED, counts=Counts(passed=5, skipped=skipped), complete=complete)


def test_a_marked_test_was_skipped_where_the_counts_say_so() -> None:
    assert skipped_by_mark(edits(SKIPPED), run(1), run(2)) == {f"{PATH}::test_a"}
    assert skipped_by_mark(edits(SKIPPED), run(1), run(1)) == frozenset(), "its condition did not hold"
    assert skipped_by_mark(edits(SKIPPED), run(1), run(2, complete=True)) == frozenset(), "the run names it"


def test_a_test_without_an_assertion_is_named() -> None:
    assert asserts_nothing(edits(CALLS, HELPED, SKIPPED)) == (
        f"{PATH}::test_calls holds no assertion: it shows only that nothing stops it",
    )
