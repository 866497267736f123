"""A verbose line of unittest speaks of the test that it names, and of no test before it."""

from __future__ import annotations

from tdd_orchestrator.model.report import Outcome
from tdd_orchestrator.testlog.read import read

OUTPUT = """\
test_adds (tests.test_calc.CalcTest.test_adds) ... ok
test_divides (tests.test_calc.CalcTest.test_divides) ... ok
tests.test_more (unittest.loader._FailedTest.tests.test_more) ... ERROR

======================================================================
ERROR: tests.test_more (unittest.loader._FailedTest.tests.test_more)
----------------------------------------------------------------------
ImportError: Failed to import test module: tests.test_more
Traceback (most recent call last):
  File "/kata/tests/test_more.py", line 2, in <module>
    from calc import double
ImportError: cannot import name 'double' from 'calc' (/kata/calc.py)


----------------------------------------------------------------------
Ran 3 tests in 0.000s

FAILED (errors=1)
"""


def test_a_module_that_does_not_load_fails_no_test_before_it() -> None:
    report = read(OUTPUT.encode(), exit_code=1)
    assert {case.name: case.outcome for case in report.cases if "test_calc" in case.name} == {
        "test_adds (tests.test_calc.CalcTest.test_adds)": Outcome.PASSED,
        "test_divides (tests.test_calc.CalcTest.test_divides)": Outcome.PASSED,
    }
