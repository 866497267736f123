"""Exit code, report and text are heard together, and the worse one counts (E1, E2)."""

from __future__ import annotations

import pytest

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome, Report, RunVerdict
from tdd_orchestrator.testlog.judge import judge
from tdd_orchestrator.testlog.read import read
from tdd_orchestrator.testlog.reading import Reading, summed

V = RunVerdict
RED = Case("a::b", "b", Outcome.FAILED)


def told(**facts: object) -> Reading:
    values: dict[str, object] = {"started": True, "finished": True, "counts": Counts(passed=2)}
    return Reading(**(values | facts))  # type: ignore[arg-type]


def heard(text: Reading | None, code: int | None, report: Reading | None = None, **more: object) -> Report:
    return judge(framework="x", text=text, structured=report, exit_code=code, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "code", "verdict"),
    [
        (told(), 0, V.PASSED),
        (told(), None, V.PASSED),
        (told(), 1, V.FAILED),
        (told(), 139, V.CRASHED),
        (told(finished=False), 0, V.CRASHED),
        (told(finished=False), 124, V.TIMED_OUT),
        (told(finished=False, counts=None), 1, V.CRASHED),
        (told(counts=Counts(passed=2, failed=1)), 0, V.FAILED),
        (told(counts=Counts(passed=2), cases=[RED]), 0, V.PASSED),
        (told(counts=Counts(passed=2), cases=[RED]), None, V.FAILED),
        (told(counts=Counts(passed=2), cases=[RED]), 1, V.FAILED),
        (told(counts=Counts(passed=2), cases=[RED], claims_ok=False), 0, V.FAILED),
        (told(counts=None, cases=[RED]), 0, V.FAILED),
        (told(counts=Counts(failed=140)), 140, V.FAILED),
        (told(counts=Counts()), 0, V.NO_TESTS),
        (told(counts=None), 0, V.NO_TESTS),
        (told(counts=Counts(skipped=3)), 0, V.NO_TESTS),
        (told(counts=Counts(), no_tests=True), 5, V.NO_TESTS),
        (told(claims_ok=False), 0, V.FAILED),
        (told(crashed="Segmentation fault"), 0, V.CRASHED),
        (told(timed_out="panic: test timed out"), 1, V.TIMED_OUT),
        (told(build_errors=[BuildError("no module")]), 0, V.ERROR),
        (told(build_errors=[BuildError("no module")], counts=Counts(passed=1, errors=1)), 1, V.ERROR),
        (told(build_errors=[BuildError("no module")], cases=[RED]), 1, V.FAILED),
        (told(build_errors=[BuildError("no module")], finished=False), 1, V.ERROR),
        (None, 0, V.NO_TESTS),
        (None, 1, V.UNREADABLE),
        (None, None, V.UNREADABLE),
        (None, 124, V.TIMED_OUT),
        (None, 126, V.ERROR),
        (None, 127, V.ERROR),
        (None, 137, V.CRASHED),
    ],
)
def test_verdict_of_text_and_exit_code(text: Reading | None, code: int | None, verdict: RunVerdict) -> None:
    found = heard(text, code)
    assert found.verdict is verdict
    assert found.why.endswith(".") or verdict in (V.CRASHED, V.TIMED_OUT)


@pytest.mark.parametrize("code", [0, 1, None])
def test_a_worse_report_outweighs_a_better_text_and_the_other_way_round(code: int | None) -> None:
    good, bad = told(), told(counts=Counts(passed=1, failed=1))
    for text, report in ((good, bad), (bad, good)):
        found = heard(text, code, report)
        assert found.verdict is V.FAILED
        assert found.counts == bad.counts
    assert any("report: passed; text: failed" in note for note in heard(bad, 0, good).disagreements)


def test_half_a_report_is_no_pass_even_when_the_text_is_fine() -> None:
    found = heard(told(), 0, told(finished=False))
    assert found.verdict is V.CRASHED
    assert found.disagreements


def test_red_with_exit_code_nought_is_a_disagreement() -> None:
    assert heard(told(counts=Counts(failed=1)), 0).disagreements == ("text: failed; exit code: 0",)


def test_green_with_a_bad_exit_code_is_a_disagreement() -> None:
    assert heard(told(claims_ok=True), 3).disagreements == ("text: passed; exit code: 3",)


def test_a_run_that_was_stopped_is_timed_out_whatever_it_says() -> None:
    assert heard(told(), 0, timed_out=True).verdict is V.TIMED_OUT


def test_unreadable_output_with_exit_code_nought_is_not_called_a_run_without_tests() -> None:
    assert heard(None, 0, readable=False).verdict is V.UNREADABLE


def test_cases_take_the_report_s_id_and_the_text_s_name_and_place() -> None:
    text = told(
        counts=Counts(passed=1, failed=1),
        cases=[Case("t", "calc › adds wrong", Outcome.FAILED, "a.js", 9, "Expected 5")],
    )
    report = told(
        counts=Counts(passed=1, failed=1),
        cases=[
            Case("f::adds", "calc adds", Outcome.PASSED),
            Case("f::adds wrong", "calc adds wrong", Outcome.FAILED, detail="trace"),
        ],
    )
    (red,) = heard(text, 1, report).failing
    assert (red.id, red.name, red.line, red.message, red.detail) == (
        "f::adds wrong",
        "calc › adds wrong",
        9,
        "Expected 5",
        "trace",
    )


def test_runs_in_sequence_are_as_good_as_the_worst() -> None:
    both = summed([told(counts=Counts(passed=2, failed=1)), told(counts=Counts(passed=3), claims_ok=True)])
    assert both.counts == Counts(passed=5, failed=1)
    assert not summed([told(), told(finished=False)]).finished
    assert summed([told(claims_ok=False), told(claims_ok=True)]).claims_ok is False
    assert not summed([told(no_tests=True), told()]).no_tests


def test_a_parallel_django_that_cannot_tell_of_a_failure_says_what_it_lacks() -> None:
    """The test that must fail is the first that fails, so nobody would know why their suite dies here alone."""
    text = (
        "Traceback (most recent call last):\n"
        '  File "/app/manage.py", line 22, in <module>\n    main()\n'
        '  File "/usr/lib/python3.11/multiprocessing/pool.py", line 873, in next\n    raise value\n'
        "TypeError: cannot pickle 'traceback' object\n"
    )
    report = read(text.encode(), exit_code=1)
    assert report.verdict is RunVerdict.CRASHED
    assert "tblib" in report.trouble


def test_a_build_error_has_the_folder_that_the_report_knows() -> None:
    """pytest prints paths from the folder where it was started."""
    printed = told(
        build_errors=[BuildError("no double", "tests/test_core.py", 3), BuildError("make: Error 2")]
    )
    report = told(build_errors=[BuildError("no double", "/tree/packages/b/tests/test_core.py")])
    first, second = heard(printed, 2, report).build_errors
    assert (first.file, first.line, second.file) == ("/tree/packages/b/tests/test_core.py", 3, "")
