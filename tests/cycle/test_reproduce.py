"""A failure of another machine, compared with what happens here."""

from __future__ import annotations

from tdd_orchestrator.cycle.fix.fix_attempt import reproduce
from tdd_orchestrator.model.report import BuildError, Case, Outcome, Report, RunVerdict


def run(*cases: Case, errors: tuple[BuildError, ...] = ()) -> Report:
    return Report(RunVerdict.FAILED, cases=cases, build_errors=errors, complete=True)


def case(identity: str, outcome: Outcome) -> Case:
    return Case(identity, identity, outcome)


def test_a_test_is_found_by_its_id_or_by_its_own_name() -> None:
    seen = run(
        case("tests/a.py::test_one", Outcome.FAILED),
        case("suite.A.test_two", Outcome.FAILED),
        case("tests/a.py::test_three", Outcome.ERROR),
        case("tests/a.py::test_gone", Outcome.FAILED),
        case("tests/a.py::test_fine", Outcome.PASSED),
    )
    here = run(
        case("tests/a.py::test_one", Outcome.FAILED),
        case("tests/a.py::A::test_two", Outcome.ERROR),
        case("tests/a.py::test_three", Outcome.PASSED),
    )
    found = reproduce(seen, here)
    assert found.failing == ("tests/a.py::test_one", "suite.A.test_two")
    assert found.passing == ("tests/a.py::test_three",)
    assert found.absent == ("tests/a.py::test_gone",)
    assert found.reproduced


def test_a_build_that_fails_there_and_here() -> None:
    error = BuildError("No module named 'nowhere'", "tests/a.py", 1)
    assert (
        reproduce(run(errors=(error,)), run(errors=(error,))).build
        == "tests/a.py:1: No module named 'nowhere'"
    )
    assert not reproduce(run(errors=(error,)), run(case("t", Outcome.PASSED))).reproduced
