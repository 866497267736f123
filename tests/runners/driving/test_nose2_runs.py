"""Real runs of nose2 with a witness in the process: what honest, red and cheating trees come to."""

from __future__ import annotations

import pytest
from test_unittest_runs import CHEATS as OF_UNITTEST
from test_unittest_runs import TEST

from tdd_orchestrator.model.report import CHANGED, RunVerdict

pytest.importorskip("nose2", reason="nose2 is not installed here (the extra 'dev')")

COMMAND = ("python", "-m", "nose2")
_WRONG = "\n\ndef add(a, b):\n    return 0\n"
CHEATS = {
    **OF_UNITTEST,
    "a plug-in says yes": "from nose2.main import PluggableTestProgram as P\n\n\nclass Yes:\n    def setTestOutcome(self, event):\n"
    "        if 'adds' in event.test.id():\n            event.outcome, event.exc_info = 'passed', None\n\n\n"
    "P._currentSession.hooks.register('setTestOutcome', Yes())" + _WRONG,
    "a run of its own, while it is loaded": "import os, sys, unittest\nfrom nose2.main import PluggableTestProgram as P\n\n\n"
    "class Mine(P):\n    def createTests(self):\n        kind = type('Sum', (unittest.TestCase,), {'__module__': 'test_kata',\n"
    "            'test_adds': lambda self: None})\n        self.test = unittest.TestSuite([kind('test_adds')])\n\n\n"
    "Mine(argv=['x', '-v'], exit=False)\ngetattr(os, '_ex' + 'it')(0)" + _WRONG,
}  # fmt: skip


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_cheat_is_told_or_fails(write, drive, cheat):
    tree = write({"kata.py": CHEATS[cheat], "test_kata.py": TEST})
    ran = drive(tree, COMMAND, framework="nose2", near="test_kata.py")
    told = [one for one in ran.report.disagreements if one.startswith(CHANGED)]
    bad = ran.report.verdict in (RunVerdict.FAILED, RunVerdict.UNREADABLE, RunVerdict.CRASHED)
    assert told or bad or ran.control is False, ran.report


def test_a_function_that_was_put_in_a_tests_place_is_told(write, drive):
    swap = (
        "import sys, threading, time\n\n\ndef add(a, b):\n    return 0\n\n\ndef put():\n    pass\n\n\n"
        "def go():\n    while 'test_adds' not in vars(sys.modules.get('test_kata', sys)):\n        time.sleep(0.0005)\n"
        "    put.__name__, put.__module__ = 'test_adds', 'test_kata'\n    sys.modules['test_kata'].test_adds = put\n\n\n"
        "threading.Thread(target=go).start()\n"
    )
    test = "import time\nfrom kata import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n\n\ntime.sleep(0.3)\n"
    ran = drive(write({"kata.py": swap, "test_kata.py": test}), COMMAND, framework="nose2")
    assert any(one.startswith(CHANGED) for one in ran.report.disagreements), ran.report


HONEST = """\
import unittest
from nose2.tools import params, such

def test_function():
    '''It has a word of its own.'''

@params(1, (2,))
def test_given(n): assert n

def test_makes():
    for n in (1, 2):
        yield check, n

def check(n): assert n

class A(unittest.TestCase):
    @params(1, 2)
    def test_p(self, n): self.assertTrue(n)
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i): self.assertLess(i, 3)
    @unittest.skip("x")
    def test_skipped(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()

class Layer:
    @classmethod
    def setUp(cls): cls.x = 1

class B(unittest.TestCase):
    layer = Layer
    def test_layer(self): self.assertEqual(Layer.x, 1)

with such.A("system") as it:
    @it.should("do something")
    def test(case): case.assertTrue(it)
it.createTests(globals())
"""
PASSING = 10
LAYERS = "[unittest]\nplugins = nose2.plugins.layers\n"
WAYS = {
    "as it is": ({}, COMMAND),
    "as a program": ({}, ("nose2",)),
    "quiet": ({}, (*COMMAND, "-q")),
    "with reports": ({}, (*COMMAND, "--plugin", "nose2.plugins.junitxml", "--junit-xml")),
    "layers told": ({"nose2.cfg": LAYERS + "[layer-reporter]\nalways-on = True\n"}, COMMAND),
    "behind make": ({"Makefile": "test:\n\tpython -c pass\n\tpython -m nose2 -v\n"}, ("make", "test")),
}


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_told_of_an_honest_suite(write, drive, way):
    files, command = WAYS[way]
    tree = write({"test_honest.py": HONEST, "nose2.cfg": LAYERS, **files})
    ran = drive(tree, command, framework="nose2", near="test_honest.py")
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True), ran.output
    assert ran.report.disagreements == ()
    assert ran.report.counts is not None
    assert (ran.report.counts.passed, ran.report.counts.xfailed) == (PASSING, 1), ran.output
    assert "test_honest.test_given:2" in ran.report.passing_ids


def test_processes_of_nose2s_own_are_read_by_their_text(write, drive):
    more = ("--plugin", "nose2.plugins.mp", "-N", "2")
    tree = write({"kata.py": "def add(a, b):\n    return a + b\n", "test_kata.py": TEST})
    ran = drive(tree, (*COMMAND, *more), framework="nose2", near="test_kata.py")
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True), ran.output


def test_a_red_run_names_each_failure_once(write, drive):
    red = (
        "import unittest\nfrom nose2.tools import params\n\ndef test_fails(): assert 0\n\n@params(0, 1)\ndef test_given(n): assert n\n\n"
        "class A(unittest.TestCase):\n    @params(0, 1)\n    def test_p(self, n): self.assertTrue(n)\n\n"
        "class B(unittest.TestCase):\n    def setUp(self): raise RuntimeError('no')\n    def test_b(self): pass\n"
    )
    ran = drive(write({"test_red.py": red}), COMMAND, framework="nose2", near="test_red.py")
    assert (ran.report.verdict, ran.control) == (RunVerdict.FAILED, True), ran.output
    assert sorted(case.id.split(" ")[0] for case in ran.report.failing) == [
        "test_b", "test_red.A.test_p:1", "test_red.test_fails", "test_red.test_given:1",
    ]  # fmt: skip
    assert ran.report.passing_ids == {"test_red.A.test_p:2", "test_red.test_given:2"}
    assert ran.report.disagreements == ()
