"""RED where nothing loads: what the source says of the new tests decides."""

from __future__ import annotations

from tdd_orchestrator.cycle.gates import Evidence, RedEvidence, red
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import (
    BuildError,
    Case,
    Counts,
    Outcome,
    Reason,
    RedReason,
    Report,
    RunVerdict,
)


def test_a_hollow_test_beside_one_that_does_not_load_is_not_red() -> None:
    before = Report(RunVerdict.NO_TESTS, complete=True)
    now = Report(
        RunVerdict.ERROR, build_errors=(BuildError("No module named 'double'", "tests/test_double.py", 1),)
    )
    said = "cannot import name 'double' from 'numbers'"
    missing = RedReason(Reason.MISSING_SYMBOL, said, "numbers", acceptable=True)
    more = RedEvidence(new_in_source=("a", "b"), build_reasons=(missing,))
    evidence = Evidence(before, now, changed=True)
    proven = red(evidence, more)
    assert (proven.verdict, proven.reasons) == (
        Verdict.PROVEN, (f"the tests need what is not there yet: {said}",)
    )  # fmt: skip
    hollow = RedEvidence(new_in_source=("a", "b"), build_reasons=(missing,), hollow=("b: it asserts True",))
    assert red(evidence, hollow).verdict is Verdict.INVALID_TEST


def test_a_test_that_is_known_to_fail_is_not_in_the_way_of_one_that_does_not_load() -> None:
    def ran(verdict: RunVerdict, now: Outcome, **more: BuildError) -> Report:
        return Report(verdict, cases=(Case("t::bad", "bad", now),), build_errors=tuple(more.values()))

    missing = RedReason(Reason.MISSING_SYMBOL, "double", "double", acceptable=True)
    more = RedEvidence(new_in_source=("a",), build_reasons=(missing,))
    error = BuildError("No module named 'double'", "tests/test_double.py", 1)
    now = ran(RunVerdict.ERROR, Outcome.FAILED, error=error)
    for before, verdict in ((Outcome.FAILED, Verdict.PROVEN), (Outcome.PASSED, Verdict.INVALID_TEST)):
        evidence = Evidence(
            ran(RunVerdict.FAILED, before),
            now,
            changed=True,
            ignore=frozenset({"t::bad"} if before is Outcome.FAILED else ()),
        )
        assert red(evidence, more).verdict is verdict


def test_a_new_test_that_is_skipped_covers_nothing_however_often_it_comes() -> None:
    before = Report(RunVerdict.NO_TESTS, counts=Counts(), complete=True)
    for outcome, verdict in (
        (Outcome.SKIPPED, Verdict.UNEXPECTED_PASS),
        (Outcome.PASSED, Verdict.ALREADY_COVERED),
    ):
        now = Report(RunVerdict.PASSED, cases=(Case("t::doubles", "doubles", outcome),), complete=True)
        said = red(Evidence(before, now, changed=True), RedEvidence(("t::doubles",), passed_before=3))
        assert said.verdict is verdict


def test_a_new_test_that_is_only_counted_as_skipped_covers_nothing() -> None:
    before = Report(RunVerdict.PASSED, counts=Counts(passed=1))
    for counts, verdict in (
        (Counts(passed=1, skipped=1), Verdict.UNEXPECTED_PASS),
        (Counts(passed=2), Verdict.ALREADY_COVERED),
    ):
        now = Report(RunVerdict.PASSED, counts=counts)
        more = RedEvidence(("t::doubles",), passed_before=3)
        assert red(Evidence(before, now, changed=True), more).verdict is verdict
