"""Two runs are compared by the names of their tests, which a runner may put into groups."""

from __future__ import annotations

from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict, compare


def report(*names: str, failed: tuple[str, ...] = ()) -> Report:
    cases = (Case(name, name, Outcome.FAILED if name in failed else Outcome.PASSED) for name in names)
    return Report(RunVerdict.PASSED, cases=tuple(cases), complete=True)


def test_tests_stay_the_same_when_a_second_file_puts_the_files_names_before_them() -> None:
    now = report("calc › adds", "calc › first", "double › doubles", failed=("double › doubles",))
    found = compare(report("adds", "first"), now)
    assert (found.vanished, [case.id for case in found.new]) == ((), ["double › doubles"])


def test_such_a_test_that_breaks_is_seen() -> None:
    now = report("calc › adds", "calc › first", "double › doubles", failed=("calc › adds",))
    assert [case.id for case in compare(report("adds", "first"), now).newly_failing] == ["calc › adds"]


def test_a_test_that_is_gone_as_well_is_missed() -> None:
    found = compare(
        report("adds", "first", "last"), report("calc › adds", "calc › first", "double › doubles")
    )
    assert found.vanished == ("last",)


def test_which_of_two_files_had_the_test_is_not_guessed() -> None:
    assert compare(report("adds"), report("calc › adds", "double › adds")).vanished == ("adds",)
