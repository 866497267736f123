"""``python -m doctest -v`` names what passed; without ``-v`` only what failed."""

from __future__ import annotations

from tdd_orchestrator.model.report import Outcome, RunVerdict
from tdd_orchestrator.testlog.read import read

PASSED = """Trying:
    double(2)
Expecting:
    4
ok
1 items had no tests:
    calc
1 items passed all tests:
   1 tests in calc.double
1 tests in 2 items.
1 passed and 0 failed.
Test passed.
"""
FAILED = """**********************************************************************
File "/repo/calc.py", line ?, in calc.__test__.triple
Failed example:
    triple(2)
Exception raised:
    Traceback (most recent call last):
    NameError: name 'triple' is not defined
{lists}**********************************************************************
1 items had failures:
   1 of   1 in calc.__test__.triple
***Test Failed*** 1 failures.
"""


def test_what_a_verbose_run_lists_is_complete() -> None:
    report = read(PASSED.encode(), exit_code=0, framework="doctest")
    assert [(case.id, case.outcome) for case in report.cases] == [("calc.double", Outcome.PASSED)]
    assert report.complete


def test_an_example_without_a_line_is_named_beside_what_passed() -> None:
    lists = "1 items passed all tests:\n   1 tests in calc.double\n"
    report = read(FAILED.format(lists=lists).encode(), exit_code=1, framework="doctest")
    found = {case.id: (case.outcome, case.exception) for case in report.cases}
    assert found == {
        "calc.__test__.triple": (Outcome.FAILED, "NameError"),
        "calc.double": (Outcome.PASSED, ""),
    }
    assert report.complete


def test_a_run_that_names_failures_alone_is_not_complete() -> None:
    report = read(FAILED.format(lists="").encode(), exit_code=1, framework="doctest")
    assert [case.id for case in report.cases] == ["calc.__test__.triple"]
    assert not report.complete


def test_an_object_that_fails_in_one_of_several_runs_fails() -> None:
    """``python -m doctest -v`` of two modules with one name, one after the other."""
    green = (
        "Trying:\n    add(2, 2)\nExpecting:\n    4\nok\n1 items passed all tests:\n   1 tests in calc.add\n"
    )
    green += "1 tests in 1 items.\n1 passed and 0 failed.\nTest passed.\n"
    red = (
        'File "/home/ada/b/calc.py", line 5, in calc.add\nFailed example:\n    add(2, 2)\nExpected:\n    5\n'
    )
    red += "Got:\n    4\n1 items had failures:\n   1 of   1 in calc.add\n***Test Failed*** 1 failures.\n"
    report = read((green + red + green).encode(), exit_code=0)
    assert report.verdict is RunVerdict.FAILED
    assert [(case.id, case.line) for case in report.failing] == [("calc.add", 5)]
