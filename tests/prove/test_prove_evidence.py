"""What the source adds to runs that name only the tests that fail."""

from __future__ import annotations

import pytest

from tdd_orchestrator.cycle.red.test_changes import TestEdits
from tdd_orchestrator.languages.source import compare_tests, find_tests
from tdd_orchestrator.model.report import Counts, Report, RunVerdict
from tdd_orchestrator.prove.evidence import (
    asserts_nothing,
    compares_less,
    compares_with_itself,
    skipped_by_mark,
)
from tdd_orchestrator.workspace.guard import Change

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


PY = "def test_a():\n    assert double(2) {}\n"
JS = "test('a', () => {{\n  assert.{}\n}});\n"
GO = "package calc\n\nfunc TestA(t *testing.T) {{\n\tif {} {{\n\t\tt.Fatal()\n\t}}\n}}\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "less"),
    [
        (PATH, PY.format("== 4"), PY.format("is not None"), True),
        (PATH, PY.format("== 4"), PY.format("== 5"), False),
        (PATH, PY.format("is not None"), PY.format("== 4"), False),
        (PATH, PY.format("is not None"), PY.format("> 0"), False),
        ("a.test.js", JS.format("strictEqual(double(2), 4)"), JS.format("ok(double(2))"), True),
        ("a.test.js", JS.format("strictEqual(double(2), 4)"), JS.format("deepEqual(double(2), 4)"), False),
        ("a_test.go", GO.format("Double(2) != 4"), GO.format("Double(2) == nil"), True),
    ],
)
def test_a_test_that_compares_with_less_is_named(path: str, before: str, after: str, less: bool) -> None:
    """As many assertions, but what they expect is not a value any more."""
    changed = compare_tests(before, after, path).changed
    assert changed
    found = compares_less([Change(path, "changed", before, after)], TestEdits(changed=changed))
    sentence = (
        f"{changed[0].id} compares with 0 values where it compared with 1: read whether it asks for as much"
    )
    assert found == ((sentence,) if less else ())


def test_a_test_that_compares_something_with_itself_is_named() -> None:
    """It shows that nothing stops the call, and not what comes of it."""
    text = PY.format("== double(2)") + "\n\ndef test_b():\n    assert double(2) == 4\n"
    (first, second) = find_tests(text, PATH)
    changes = [Change(PATH, "new", None, text)]
    assert compares_with_itself(changes, TestEdits(added=(first, second))) == (
        f"{PATH}::test_a compares double(2) with itself: it shows only that nothing stops it",
    )
    assert compares_with_itself(changes, TestEdits(added=(second,))) == (), "an old test is not the change's"
