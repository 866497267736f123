"""RED where nothing loads: what the source says of the new tests decides."""

from __future__ import annotations

from tdd_orchestrator.cycle.gates import Evidence, RedEvidence, red
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import BuildError, Reason, RedReason, Report, RunVerdict


def test_a_hollow_test_beside_one_that_does_not_load_is_not_red() -> None:
    before = Report(RunVerdict.NO_TESTS, complete=True)
    now = Report(
        RunVerdict.ERROR, build_errors=(BuildError("No module named 'double'", "tests/test_double.py", 1),)
    )
    missing = RedReason(Reason.MISSING_SYMBOL, "double", "double", acceptable=True)
    more = RedEvidence(new_in_source=("a", "b"), build_reasons=(missing,))
    evidence = Evidence(before, now, changed=True)
    assert red(evidence, more).verdict is Verdict.PROVEN
    hollow = RedEvidence(new_in_source=("a", "b"), build_reasons=(missing,), hollow=("b: it asserts True",))
    assert red(evidence, hollow).verdict is Verdict.INVALID_TEST
