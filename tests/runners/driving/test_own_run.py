"""Tests whose class runs them itself, and not as unittest does: they are what the text says."""

from __future__ import annotations

import pytest
from test_django_runs import COMMAND, PROJECT

from tdd_orchestrator.model.report import RunVerdict

WRONG = {"shop/kata.py": "def add(a, b):\n    return 0\n"}
OWN = """\
import unittest
from shop.kata import add

class Own(unittest.TestCase):
    def run(self, result=None):
        result.startTest(self)
        try:
            getattr(self, self._testMethodName)()
            result.addSuccess(self)
        except self.failureException:
            import sys
            result.addFailure(self, sys.exc_info())
        finally:
            result.stopTest(self)

class Sum(Own):
    def test_adds(self): self.assertEqual(add(1, 2), 3)
    def test_is(self): pass
"""


@pytest.mark.parametrize(
    ("command", "framework"), [(COMMAND, "django"), (("python", "-m", "unittest", "shop.tests"), "unittest")]
)
def test_tests_that_run_themselves_are_what_the_text_says(write, drive, command, framework):
    files = {**PROJECT, "shop/tests.py": OWN}
    green = drive(write(files), command, framework=framework).report
    assert (green.verdict, green.counts.passed, green.disagreements) == (RunVerdict.PASSED, 2, ()), green
    red = drive(write({**files, **WRONG}, "red"), command, framework=framework).report
    assert (red.verdict, red.counts.bad, red.counts.passed) == (RunVerdict.FAILED, 1, 1), red
