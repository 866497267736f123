"""Causes of a whole run: grouped, against the baseline, with what brought them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tdd_orchestrator.diagnosis.classify import UNKNOWN_WARNING
from tdd_orchestrator.diagnosis.diagnose import diagnose
from tdd_orchestrator.diagnosis.pieces import fingerprint, normalised
from tdd_orchestrator.model.diagnosis import SPECIALIST_OF, ErrorType, RoutingType
from tdd_orchestrator.model.report import BuildError, Case, Outcome, Report, RunVerdict


def traceback(line: int, message: str = "'NoneType' object has no attribute 'name'") -> str:
    return (
        f'Traceback (most recent call last):\n  File "/w/tests/test_{line}.py", line {line}, in test_x\n    greet()\n'
        f'  File "/w/app/user.py", line 8, in greet\n    return user.name\nAttributeError: {message}'
    )


def case(number: int, **changes: object) -> Case:
    one = Case(
        f"t::{number}", f"t{number}", Outcome.FAILED, message="AttributeError", detail=traceback(number)
    )
    return replace(one, **changes)  # type: ignore[arg-type]


def run(*cases: Case, **changes: object) -> Report:
    return replace(Report(RunVerdict.FAILED, cases=cases), **changes)  # type: ignore[arg-type]


def test_tests_of_one_cause_are_one() -> None:
    found = diagnose(run(case(1), case(2), case(3)), root="/w")
    assert [one.tests for one in found] == [("t::1", "t::2", "t::3")]
    assert (found[0].file, found[0].line) == ("app/user.py", 8)
    assert found[0].history == ""


def test_regression_new_and_before_are_told_apart() -> None:
    baseline = run(case(1, outcome=Outcome.PASSED), case(2))
    found = diagnose(run(case(1), case(2), case(3)), baseline, root="/w")
    assert [(one.history, one.tests) for one in found] == [
        ("regression", ("t::1",)),
        ("new", ("t::3",)),
        ("before", ("t::2",)),
    ]


def test_the_change_that_triggers() -> None:
    found = diagnose(
        run(case(1)), changed_files=["app/user.py", "app/other.py", "tests/test_1.py"], root="/w"
    )
    assert found[0].triggers == ("app/user.py", "tests/test_1.py")


def test_passing_and_skipped_cases_are_no_failures() -> None:
    assert diagnose(run(case(1, outcome=Outcome.PASSED), verdict=RunVerdict.PASSED)) == ()


def test_build_errors() -> None:
    error = BuildError(
        "cannot find name 'total'",
        file="src/a.ts",
        line=3,
        detail="src/a.ts(3,1): error TS2304: Cannot find name 'total'.",
    )
    unknown = BuildError("collection went wrong", file="tests/x.odd")
    found = diagnose(
        run(build_errors=(error, unknown), verdict=RunVerdict.ERROR), run(build_errors=(unknown,))
    )
    assert [(one.file, one.line, one.error_type, one.history) for one in found] == [
        ("src/a.ts", 3, ErrorType.TYPE, "new"),
        ("tests/x.odd", 0, ErrorType.BUILD, "before"),
    ]
    assert all(one.routing_type is RoutingType.BUILD and one.specialist == "build-doctor" for one in found)


def test_a_run_without_names_still_has_a_cause() -> None:
    (found,) = diagnose(run(verdict=RunVerdict.TIMED_OUT, why="No end after 600 seconds."))
    assert found.error_type is ErrorType.TIMEOUT
    assert found.warning == UNKNOWN_WARNING


def test_captured_output_does_not_decide() -> None:
    noisy = case(1, stdout="psycopg.errors.UniqueViolation: duplicate key")
    assert diagnose(run(noisy))[0].routing_type is RoutingType.RUNTIME


def test_a_module_that_does_not_load_is_the_place_and_not_the_test_that_imports_it() -> None:
    detail = (
        'tests/test_order.py:3: in <module>\n    import shop\nE     File "/w/shop.py", line 24\n'
        "E       def place(title:\nE                ^\nE   SyntaxError: '(' was never closed"
    )
    error = BuildError("SyntaxError: '(' was never closed", "tests/test_order.py", 3, "SyntaxError", detail)
    (found,) = diagnose(Report(RunVerdict.ERROR, build_errors=(error,)), root="/w")
    assert (found.file, found.line, found.specialist) == ("shop.py", 24, "build-doctor")


def test_many_failures_are_bounded() -> None:
    found = diagnose(run(*(case(n) for n in range(2_000))), root="/w")
    assert len(found) == 1


def test_every_type_has_a_specialist() -> None:
    assert set(SPECIALIST_OF) == set(RoutingType)


def test_fingerprints_ignore_what_differs_from_run_to_run() -> None:
    first = "cannot open /tmp/pytest-1/x.json at 0x7f45 for user 'a@example.com' after 31 ms, id 6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    second = "cannot open /home/me/y/x.json at 0x99aa for user 'bob@example.org' after 4 ms, id 00000000-9dad-11d1-80b4-00c04fd430c8"
    assert normalised(first) == normalised(second)
    assert fingerprint("k", "a.KeyError", first, "/a/app/x.py") == fingerprint(
        "k", "b.KeyError", second, "/b/app/x.py"
    )


def test_fingerprints_keep_names() -> None:
    assert normalised("no attribute 'name'") != normalised("no attribute 'email'")
    assert fingerprint("k", "KeyError", "x") != fingerprint("k", "ValueError", "x")
    assert fingerprint("k", "E", "x", "a.py") != fingerprint("k", "E", "x", "b.py")


@pytest.mark.parametrize(
    "message", ["429 Too Many Requests, request id: {}", "overloaded (request_id={})", 'x-request-id "{}"']
)
def test_a_provider_s_request_id_is_no_part_of_a_cause(message: str) -> None:
    ids = ("req_d5298c111a474f88", "req_011CXyzAbCdEfGhIjKlMn")
    assert len({fingerprint("k", "E", message.format(one)) for one in ids}) == 1
