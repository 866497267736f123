"""A build error that is gone is fixed only where the tests that it hid run."""

from __future__ import annotations

import pytest

from tdd_orchestrator.cycle.fix.fix_attempt import judge_build_fix
from tdd_orchestrator.cycle.gates import Evidence
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import BuildError, Case, Outcome, Report, RunVerdict


def unloaded(name: str) -> Case:
    return Case(name, name, Outcome.ERROR, name, phase="collect")


def report(*cases: Case) -> Report:
    errors = tuple(BuildError("no", case.file) for case in cases if case.phase == "collect")
    verdict = RunVerdict.ERROR if errors else RunVerdict.PASSED
    return Report(verdict, cases=cases, build_errors=errors, complete=True)


def judged(before: Report, after: Report) -> Verdict:
    evidence = Evidence(before, after, changed=True)
    return judge_build_fix(evidence, Proof(after, "tree", "key", frozenset())).verdict


OTHER = Case("tests/test_other.py::test_other", "test_other", Outcome.PASSED, "tests/test_other.py")


@pytest.mark.parametrize(
    ("hidden", "now", "verdict"),
    [
        ("tests/test_names.py", (OTHER,), Verdict.TEST_VANISHED),
        ("tests/test_names.py", (OTHER, Case("tests/test_names.py", "", Outcome.SKIPPED)), Verdict.TEST_VANISHED),
        ("tests/test_names.py", (OTHER, Case("tests/test_names.py::test_a", "", Outcome.FAILED)), Verdict.PROVEN),
        ("tests/test_names.py::TestA", (OTHER, Case("tests/test_names.py::TestA::test_a", "", Outcome.PASSED)), Verdict.PROVEN),
        ("tests/unit/__init__.py", (OTHER, Case("tests/unit/test_b.py::test_b", "", Outcome.PASSED)), Verdict.PROVEN),
        ("tests/test_names.py", (OTHER, Case("tests/test_names.py2::test_b", "", Outcome.PASSED)), Verdict.TEST_VANISHED),
    ],
)  # fmt: skip
def test_the_tests_that_did_not_load_have_to_run(
    hidden: str, now: tuple[Case, ...], verdict: Verdict
) -> None:
    """The whole run was cut short, so every other test is new now as well, and says nothing of the hidden ones."""
    assert judged(report(unloaded(hidden)), report(*now)) is verdict


def test_another_file_that_still_does_not_load_is_another_failure() -> None:
    before = report(unloaded("tests/test_a.py"), unloaded("tests/test_b.py"))
    after = report(unloaded("tests/test_b.py"), Case("tests/test_a.py::test_a", "", Outcome.PASSED))
    assert judged(before, after) is Verdict.PROVEN
