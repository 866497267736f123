"""RED where nothing loads: what the source says of the new tests decides."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.cycle.gates import Evidence, RedEvidence, answers, green, red, refactor
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


def test_beside_a_file_that_does_not_load_the_old_tests_are_judged_without_it() -> None:
    missing = RedReason(Reason.MISSING_SYMBOL, "double", "double", acceptable=True)
    error = BuildError("No module named 'double'", "tests/test_double.py", 1)
    now = Report(RunVerdict.ERROR, build_errors=(error,))

    def ran(outcome: Outcome) -> Report:
        return Report(RunVerdict.FAILED, cases=(Case("t::old", "old", outcome),), complete=True)

    for before, without, verdict in (
        (Outcome.FAILED, Outcome.FAILED, Verdict.PROVEN),
        (Outcome.PASSED, Outcome.PASSED, Verdict.PROVEN),
        (Outcome.PASSED, Outcome.FAILED, Verdict.BREAKS_EXISTING),
    ):
        more = RedEvidence(
            ("a",), build_reasons=(missing,), unloaded=("a",), old_tests=ran(without), cut=True
        )
        assert red(Evidence(ran(before), now, changed=True), more).verdict is verdict


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


def test_a_file_that_does_not_load_is_no_test_however_its_runner_lists_it() -> None:
    missing = RedReason(Reason.MISSING_SYMBOL, "double", "double", acceptable=True)
    error = BuildError("cannot import name 'double'", "tests/test_more.py", 2)
    old = Case("t::old", "old", Outcome.PASSED)
    before = Report(RunVerdict.PASSED, cases=(old,), complete=True)
    for listed in (
        Case("suite::tests/test_more.py", "tests/test_more.py", Outcome.FAILED),
        Case("tests.test_more (unittest.loader._FailedTest)", "x", Outcome.ERROR, phase="collect"),
    ):
        now = Report(RunVerdict.ERROR, cases=(old, listed), build_errors=(error,), complete=True)
        unloaded = ("tests/test_more.py::test_doubles",)
        more = RedEvidence(unloaded, build_reasons=(missing,), unloaded=unloaded)
        judged = red(Evidence(before, now, changed=True), more)
        assert (judged.verdict, judged.targets) == (Verdict.PROVEN, unloaded)


def test_what_stops_a_file_is_said_once_however_often_its_runner_says_it() -> None:
    """unittest prints an import error for each way on which it came to the file."""
    missing = RedReason(Reason.MISSING_SYMBOL, "double", "no name 'double'", acceptable=True)
    now = Report(RunVerdict.ERROR, build_errors=(BuildError("no name 'double'", "t.py", 1),) * 2)
    new = ("t.py::test_doubles",)
    more = RedEvidence(
        new, build_reasons=(missing,) * 2, unloaded=new, old_tests=Report(RunVerdict.NO_TESTS), cut=True
    )
    judged = red(Evidence(Report(RunVerdict.NO_TESTS), now, changed=True), more)
    assert judged.reasons == ("the tests need what is not there yet: double",)


def test_a_test_that_the_command_leaves_out_is_none_however_its_file_fails_to_load() -> None:
    missing = RedReason(Reason.MISSING_SYMBOL, "double", "double", acceptable=True)
    error = BuildError("cannot import name 'double'", "tests/test_more.py", 2)
    old = Case("t::old", "old", Outcome.PASSED)
    before = Report(RunVerdict.PASSED, cases=(old,), complete=True)
    now = Report(RunVerdict.ERROR, build_errors=(error,), complete=True)
    new = ("tests/test_more.py::test_doubles", "tests/test_more.py::test_slow")
    more = RedEvidence(new, build_reasons=(missing,), unloaded=new, old_tests=before, cut=True)
    some = red(Evidence(before, now, changed=True), replace(more, left_out=new[1:]))
    assert (some.verdict, some.targets) == (Verdict.PROVEN, new[:1])
    assert some.warnings == (f"the test command does not run {new[1]}",)
    none = red(Evidence(before, now, changed=True), replace(more, left_out=new))
    assert (none.verdict, none.targets) == (Verdict.NO_NEW_TEST, ())
    assert none.reasons[0].startswith(f"the test command does not run {new[0]}, {new[1]}")


def test_a_new_test_that_the_command_leaves_out_is_named() -> None:
    old = Case("t::old", "old", Outcome.PASSED)
    before = Report(RunVerdict.PASSED, cases=(old,), complete=True)
    judged = red(Evidence(before, before, changed=True), RedEvidence(("t::new",)))
    assert judged.verdict is Verdict.NO_NEW_TEST
    assert judged.reasons[0].startswith("the test command does not run t::new")


def test_a_new_test_that_is_not_run_beside_one_that_is_gets_a_warning() -> None:
    before = Report(RunVerdict.NO_TESTS, counts=Counts(), complete=True)
    for complete, named, told in (
        (True, "t::a", True),
        (False, "t::a", False),
        (True, "A test of mine", False),
    ):
        now = Report(RunVerdict.FAILED, cases=(Case(named, "a", Outcome.FAILED),), complete=complete)
        more = RedEvidence(
            ("t::a", "checks::b"), sources=frozenset({"t::a", "checks::b"}), test_of={"t::a": "t::a"}
        )
        judged = red(Evidence(before, now, changed=True), more)
        assert judged.warnings == (("the test command does not run checks::b",) if told else ())


def test_a_file_that_dies_as_it_runs_is_red_for_the_tests_that_it_stops() -> None:
    old = Case("t/calc.t::1 adds", "adds", Outcome.PASSED)
    died = Case("t/calc.t", "t/calc.t", Outcome.ERROR, "lib/Calc.pm", 6, "Illegal division by zero")
    before = Report(RunVerdict.PASSED, cases=(old,), complete=True)
    now = Report(RunVerdict.FAILED, cases=(old, died), complete=True)
    stopped = ("t/calc.t::by zero", "t/calc.t::two by zero")
    for reason, verdict in (
        (Reason.PROJECT_EXCEPTION, Verdict.PROVEN),
        (Reason.EXCEPTION, Verdict.INVALID_TEST),
    ):
        why = RedReason(reason, died.message, acceptable=verdict is Verdict.PROVEN)
        more = RedEvidence(stopped, build_reasons=(why,), unloaded=stopped, cut=True)
        judged = red(Evidence(before, now, changed=True), more)
        assert judged.verdict is verdict
        assert judged.targets == (stopped if verdict is Verdict.PROVEN else ())
    still = green(Evidence(before, now, changed=True, targets=stopped))
    assert (still.verdict, still.reasons) == (
        Verdict.STILL_FAILING,
        ("t/calc.t: Illegal division by zero",) * 2,
    )


def test_where_a_runner_only_counts_changed_tests_are_not_counted_twice() -> None:
    before = Report(RunVerdict.PASSED, counts=Counts(passed=10))
    evidence = Evidence(before, None, changed=True, targets=("a", "b"), at_red=Counts(passed=8, failed=2))
    for passed, verdict in ((9, Verdict.TEST_VANISHED), (10, Verdict.PROVEN)):
        now = Report(RunVerdict.PASSED, counts=Counts(passed=passed))
        assert green(replace(evidence, now=now)).verdict is verdict


def test_where_a_file_did_not_load_at_red_its_old_tests_are_no_more_tests() -> None:
    """A new name at the top of a file stops all of its tests: each is a target then, and one alone is new."""
    before = Report(RunVerdict.PASSED, counts=Counts(passed=10))
    evidence = Evidence(before, None, changed=True, targets=("new", "old", "older"), more_tests=1)
    for passed, verdict in ((10, Verdict.TEST_VANISHED), (11, Verdict.PROVEN)):
        now = Report(RunVerdict.PASSED, counts=Counts(passed=passed))
        assert green(replace(evidence, now=now)).verdict is verdict


def test_words_of_a_test_that_passes_elsewhere_may_ask_for_other_code() -> None:
    """The packages of one repository have the same tests; a copy that passes asks for nothing."""
    old, new = "a/test_core.py::test_doubles", "b/test_core.py::test_doubles"
    before = Report(RunVerdict.PASSED, cases=(Case(old, "", Outcome.PASSED),), complete=True)
    asserted = RedReason(Reason.ASSERTION, acceptable=True)
    more = RedEvidence((new,), duplicates=((new, old),), reason_of=lambda _: asserted)
    for outcome, verdict in (
        (Outcome.FAILED, Verdict.PROVEN),
        (Outcome.PASSED, Verdict.DUPLICATE_TEST),
    ):
        cases = (*before.cases, Case(new, "", outcome))
        now = Report(RunVerdict.FAILED, cases=cases, complete=True, exit_code=1)
        assert red(Evidence(before, now, changed=True), more).verdict is verdict


def test_a_command_that_fails_beside_its_tests_says_how_it_ended() -> None:
    passes = (Case("t::old", "old", Outcome.PASSED),)
    before = Report(RunVerdict.PASSED, cases=passes, complete=True, exit_code=0)
    error = BuildError("make: *** [Makefile:3: test] Error 1")
    now = Report(
        RunVerdict.ERROR, cases=passes, build_errors=(error,), complete=True, exit_code=2, ending="lint: TODO"
    )
    said = green(Evidence(before, now, changed=True))
    assert said.verdict is Verdict.BREAKS_EXISTING
    assert said.reasons == (
        "no test failed, and the test command ended with exit code 2; its output ends: lint: TODO",
    )


def test_a_suite_that_was_red_before_may_end_as_it_did_where_its_runner_names_only_failing_tests() -> None:
    def run(passed: int, *failing: str, failed: int = 0, exit_code: int = 1) -> Report:
        cases = tuple(Case(one, "", Outcome.FAILED) for one in failing)
        counts = Counts(passed=passed, failed=failed or len(failing))
        return Report(RunVerdict.FAILED, counts=counts, cases=cases, exit_code=exit_code)

    red_already = run(9, "t::old")
    for now, verdict in (
        (run(10, "t::old"), Verdict.PROVEN),
        (run(10, "t::other"), Verdict.BREAKS_EXISTING),
        (run(9, "t::old", failed=2), Verdict.STILL_FAILING),
        (run(10, "t::old", exit_code=2), Verdict.BREAKS_EXISTING),
        (run(8, "t::old"), Verdict.TEST_VANISHED),
    ):
        evidence = Evidence(red_already, now, changed=True, targets=("t::new",), at_red=Counts(9, 2))
        assert green(evidence).verdict is verdict, now


def test_an_example_of_the_same_last_name_is_not_the_target() -> None:
    unit = Case("unittests src/lib.rs::tests::name", "tests::name", Outcome.FAILED)
    example = Case("lexer::src/lib.rs - Parser::name", "src/lib.rs - Parser::name", Outcome.PASSED)
    assert answers("src/lib.rs::tests::name", (unit, example)) == [unit]


def test_a_command_that_failed_beside_its_tests_before_may_end_as_it_did() -> None:
    """A linter that is red at the baseline is not this change's; a test that fails, or another end, is."""

    def run(*failing: str, exit_code: int = 1, runners: tuple[str, ...] = ("ava",)) -> Report:
        cases = (Case("t::new", "", Outcome.PASSED), *(Case(one, "", Outcome.FAILED) for one in failing))
        return Report(RunVerdict.FAILED, cases=cases, exit_code=exit_code, complete=True, runners=runners)

    before = Report(RunVerdict.FAILED, exit_code=1, complete=True, runners=("ava",))
    for now, verdict in (
        (run(), Verdict.PROVEN),
        (run("t::old"), Verdict.BREAKS_EXISTING),
        (run(exit_code=2), Verdict.BREAKS_EXISTING),
        (run(runners=()), Verdict.BREAKS_EXISTING),
    ):
        assert green(Evidence(before, now, changed=True, targets=("t::new",))).verdict is verdict, now


def test_a_refactoring_whose_runner_only_counts_keeps_the_number_of_tests() -> None:
    for verdict, failed in (
        (RunVerdict.PASSED, ()),
        (RunVerdict.FAILED, (Case("t::old", "", Outcome.FAILED),)),
    ):

        def run(passed: int, verdict: RunVerdict = verdict, failed: tuple[Case, ...] = failed) -> Report:
            return Report(verdict, counts=Counts(passed=passed, failed=len(failed)), cases=failed)

        before = run(10)
        for passed, expected in ((10, Verdict.PROVEN), (9, Verdict.TEST_VANISHED)):
            assert refactor(Evidence(before, run(passed), changed=True), before).verdict is expected
