"""Tests whose class runs them itself, and not as unittest does: what the text says of them, but not production code."""

from __future__ import annotations

import pytest
from test_django_runs import COMMAND, PROJECT
from test_django_tampering import refused

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


_YES = "def yes(self, result=None):\n    result.startTest(self), result.addSuccess(self), result.stopTest(self)\n\n\n"
RUN = {
    "for all": "from django.test import SimpleTestCase as S\n\n\n" + _YES + "S.run = yes\n",
    "as if it were wrapped": "from django.test import SimpleTestCase as S\n\n\nplace = {}\nexec(" + repr(_YES) + ", place)\n"
    "S.run, place['yes'].__wrapped__ = place['yes'], S.run\n",
    "as if it were a test's": "from django.test import SimpleTestCase as S\n\n\n" + _YES
    + "yes.__code__ = yes.__code__.replace(co_filename=__file__.replace('kata', 'tests'))\nS.run = yes\n",
    "by no function": "import functools\nfrom django.test import SimpleTestCase as S\n\n\n" + _YES
    + "S.run = functools.partialmethod(yes)\n",
    "by an object": "from django.test import SimpleTestCase as S\n\n\n"
    "class Yes:\n    def __get__(self, test, kind): return self if test is None else lambda result: Yes.say(test, result)\n"
    "    def __call__(self): pass\n" + _YES.replace("def yes", "def say").replace("def", "    @staticmethod\n    def").replace("\n    result", "\n        result")
    + "S.run = Yes()\n",
}  # fmt: skip


@pytest.mark.parametrize("cheat", RUN)
def test_production_code_does_not_run_the_tests(write, drive, cheat):
    tree = write({**PROJECT, "shop/kata.py": RUN[cheat] + "\n\ndef add(a, b):\n    return 0\n"})
    ran = drive(tree, COMMAND, framework="django", near="shop/tests.py")
    assert refused(ran), (ran.report, ran.output)
