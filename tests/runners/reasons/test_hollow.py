"""Python tests that check nothing, and those that check by the hand of a helper."""

from __future__ import annotations

import pytest

from tdd_orchestrator.runners.sources import defined_tests

HOLLOW = {
    "after a return": "return\n    assert double(2) == 4",
    "after a raise": "raise SystemExit\n    assert double(2) == 4",
    "in a function that nobody calls": "def never():\n        assert double(2) == 4",
    "in what is never so": "if False:\n        assert double(2) == 4",
    "in what is always otherwise": "if 1:\n        double(2)\n    else:\n        assert double(2) == 4",
    "in a loop over nothing": "for n in []:\n        assert double(n) == 4",
    "in a loop that never runs": "while 0:\n        assert double(2) == 4",
    "in a lambda that nobody calls": "check = lambda: self.assertEqual(double(2), 4)",
    "in a generator that nobody asks": "checks = (self.assertEqual(double(n), 4) for n in (2,))",
    "in a generator that is dropped": "(self.assertEqual(double(n), 4) for n in (2,))",
    "suppressed": "with contextlib.suppress(Exception):\n        assert double(2) == 4",
    "suppressed beside others": "with suppress(KeyError, AssertionError):\n        assert double(2) == 4",
    "a call and no more": "double(2)",
    "a subtest and no more": "with self.subTest(n=2):\n        double(2)",
    "a helper that checks nothing": "run(2)",
}
CHECKING = {
    "a helper of the file": "compare(2, 4)",
    "a helper that calls one": "both()",
    "a helper that raises": "refuse(2)",
    "a method of the class": "self.compare(2, 4)",
    "a method that is inherited": "self.run_case(2, 4)",
    "a helper's module": "same(double(2), 4)",
    "a function of a helper's module": "helpers.same(double(2), 4)",
    "raises by itself": "if double(2) != 4:\n        raise AssertionError(2)",
    "in a function that is called": "def check():\n        assert double(2) == 4\n    check()",
    "in a lambda that is called": "check = lambda: self.assertEqual(double(2), 4)\n    check()",
    "in a generator that is asked": "checks = (self.assertEqual(double(n), 4) for n in (2,))\n    list(checks)",
    "in a lambda that is handed on": "call(lambda: self.assertEqual(double(2), 4))",
    "in a function that is handed on": "def check():\n        assert double(2) == 4\n    call(check)",
    "in a branch that returns before": "if skip():\n        return\n    assert double(2) == 4",
    "before it returns": "assert double(2) == 4\n    return",
    "suppressed elsewhere": "with suppress(KeyError):\n        double(0)\n    assert double(2) == 4",
    "raises what it likes": "if double(2) != 4:\n        raise ValueError(2)",
    "ends the program": "if double(2) != 4:\n        sys.exit(1)",
    "a program that must succeed": "subprocess.run(['kata'], check=True)",
    "an answer that must be good": "client().get('/').raise_for_status()",
    "what must come": "page.wait_for_selector('#total')",
    "what must come in time": "WebDriverWait(driver, 3).until(shown)",
    "words of a library": "double(2).should.equal(4)",
    "another thing suppressed": "with suppress(KeyError):\n        assert double(2) == 4",
}
FILE = """\
import contextlib
from contextlib import suppress

import helpers
from kata import double
from tests.support import same


def compare(given, wanted):
    assert double(given) == wanted


def both():
    compare(1, 2)


def refuse(number):
    if double(number) != 4:
        raise AssertionError(number)


def run(number):
    return double(number)


def test_one(self):
    {body}
"""


@pytest.mark.parametrize("name", HOLLOW)
def test_a_test_that_can_never_fail(name):
    assert defined_tests(FILE.replace("{body}", HOLLOW[name]), "tests/test_a.py")[-1].hollow


@pytest.mark.parametrize("name", CHECKING)
def test_a_test_that_checks_something(name):
    assert not defined_tests(FILE.replace("{body}", CHECKING[name]), "tests/test_a.py")[-1].hollow


def test_that_nothing_is_raised_may_be_all_that_is_checked():
    source = FILE.replace("{body}", "double(2)").replace("test_one", "test_double_does_not_raise")
    assert not defined_tests(source, "tests/test_a.py")[-1].hollow
