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
    "a method of a class that nobody uses": "class Never:\n        def check(self):\n            assert double(2) == 4",
    "a lambda asserted": "assert lambda: double(2) == 4",
    "a generator asserted": "assert (double(n) == 4 for n in [2])",
    "a dictionary asserted": "assert {'two': double(2)}",
    "a text asserted": "assert f'two: {double(2)}'",
    "a comparison's text": "assert f'{double(2) == 4}'",
    "a comparison's str": "assert str(double(2) == 4)",
    "in a list of itself": "result = double(2)\n    assert result in [result]",
    "its own name": "one = double(2)\n    other = one\n    assert one == other",
    "its own name, for unittest": "one = double(2)\n    other = one\n    self.assertEqual(one, other)",
    "so or not so": "assert double(2) == 4 or double(2) != 4",
    "so or not": "assert double(2) or not double(2)",
    "not unlike itself": "result = double(2)\n    assert not result != result",
    "asked before": "if double(2) == 4:\n        assert double(2) == 4",
    "left before": "if double(2) != 4:\n        return\n    assert double(2) == 4",
    "asked in the same line": "assert double(2) == 4 if double(2) == 4 else True",
    "never anything else": "so = True\n    double(2)\n    assert so",
    "in a loop over no range": "for n in range(0):\n        assert double(n) == 4",
    "in a loop over an empty name": "cases = []\n    for n in cases:\n        assert double(n) == 4",
    "in a loop over nothing, counted": "for i, n in enumerate(()):\n        assert double(n) == 4",
    "in a loop by a name that is false": "go = False\n    while go:\n        assert double(2) == 4",
    "dropped by a return at the end": "try:\n        assert double(2) == 4\n    finally:\n        return",
    "in a thread": "def look():\n        assert double(2) == 4\n    worker = threading.Thread(target=look)\n    worker.start()",
    "in a thread, by a lambda": "threading.Thread(target=lambda: self.assertEqual(double(2), 4)).start()",
    "in what nobody awaits": "async def look():\n        assert double(2) == 4\n    look()",
    "in a list that nobody reads": "checks = []\n    def look():\n        assert double(2) == 4\n    checks.append(look)\n    assert checks",
    "equal to anything": "assert double(2) == ANY",
    "equal to anything, by its module": "self.assertEqual(double(2), mock.ANY)",
    "what it put there": "with mock.patch('kata.double', return_value=4):\n        assert kata.double(2) == 4",
    "what it put there by hand": "monkeypatch.setattr(kata, 'double', lambda n: 4)\n    assert kata.double(2) == 4",
    "an error of its own": "with pytest.raises(Exception):\n        double(2)\n        raise Exception",
    "an error of its own, or a wrong answer": "with pytest.raises((AssertionError, TypeError)):\n        assert double(2) == 5\n        raise TypeError",
    "a generator": "yield\n    assert double(2) == 4",
    "each by another way": "assert [double(2)]\n    if False:\n        assert double(2) == 4",
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
    "an answer that may be empty": "assert [*double(2)]",
    "a text that may be empty": "assert f'{double(2)}'",
    "an answer's text": "assert str(double(2))",
    "a name given anew": "one = double(2)\n    other = one\n    one = double(3)\n    assert one == other",
    "a name of the round before": "for one in double(2):\n        if one:\n            assert one == other\n        other = one",
    "a name that a loop gives": "before = 0\n    for one in double(2):\n        assert one >= before\n        before = one",
    "in a list of others": "assert double(2) in [3, 4]",
    "one or the other": "assert double(2) == 4 or double(2) == 5",
    "a flag that is set": "done = False\n    def told():\n        nonlocal done\n        done = True\n    call(told)\n    assert done",
    "a list that is filled by another": "seen = []\n    call(seen.append)\n    assert seen",
    "a list that a listener fills": "seen = []\n    def told(n):\n        seen.append(n)\n    call(told)\n    assert seen",
    "a list that a listener fills, gone through": "seen = []\n    call(seen.append)\n    for n in seen:\n        assert n == 4",
    "asked for something else": "if double(2):\n        assert double(2) == 4",
    "asked, or else": "if double(2) == 4:\n        assert double(2) == 4\n    else:\n        raise AssertionError",
    "a loop over a range": "for n in range(1, 3):\n        assert double(n) == n + n",
    "a range of its own size": "for n in range(len(self.cases)):\n        assert double(n) == n + n",
    "a thread that tells": "found = []\n    threading.Thread(target=lambda: found.append(double(2))).start()\n    assert found == [4]",
    "a thread's function called as well": "def look():\n        assert double(2) == 4\n    threading.Thread(target=look).start()\n    look()",
    "what is awaited": "async def look():\n        assert double(2) == 4\n    asyncio.run(look())",
    "in a list that is gone through": "checks = []\n    def look():\n        assert double(2) == 4\n    checks.append(look)\n    for check in checks:\n        check()",
    "a kind of the project's": "assert double(2).kind == Kind.ANY",
    "anything inside": "assert double(2) == {'id': ANY}",
    "what it put there for another": "with mock.patch('kata.factor', return_value=2):\n        assert kata.double(2) == 4",
    "what it put there, as it was": "with mock.patch('kata.double', wraps=double):\n        assert kata.double(2) == 4",
    "the method of the web": "client.patch('/double', {'n': 2})\n    assert client.get('/double') == 4",
    "an error that goes through": "with pytest.raises(ValueError):\n        with double(2):\n            raise ValueError",
    "an error of the project's": "with pytest.raises(ValueError):\n        raise kata.Odd",
    "any error": "with pytest.raises(Exception):\n        double('x')",
    "an answer that comes last": "try:\n        assert double(2) == 4\n    finally:\n        close()",
    "not less than itself": "assert not double(2) < double(2)",
    "a generator that is awaited": "def steps():\n        yield double(2)\n    assert list(steps()) == [4]",
    "the same each time": "assert double(2) is double(2)",
    "the same each time, by its number": "assert id(kata.prices) == id(kata.prices)",
    "a method of a stand-in": "class Wanted:\n        def __call__(self, n):\n            assert n == 4\n    call(Wanted(), double(2))",
    "another thing suppressed": "with suppress(KeyError):\n        assert double(2) == 4",
}
FILE = """\
import contextlib
from contextlib import suppress
from unittest import mock
from unittest.mock import ANY

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


def test_a_generator_that_something_drives_is_run():
    source = FILE.replace("{body}", "yield double(2)\n    assert double(2) == 4").replace(
        "def test_one", "@inlineCallbacks\ndef test_one"
    )
    assert not defined_tests(source, "tests/test_a.py")[-1].hollow


def test_that_nothing_is_raised_may_be_all_that_is_checked():
    source = FILE.replace("{body}", "double(2)").replace("test_one", "test_double_does_not_raise")
    assert not defined_tests(source, "tests/test_a.py")[-1].hollow
