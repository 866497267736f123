"""Real runs of nose2, read by its text and exit code: what honest and red trees come to."""

from __future__ import annotations

import pytest
from test_unittest_runs import TEST

from tdd_orchestrator.model.report import Outcome, RunVerdict

pytest.importorskip("nose2", reason="nose2 is not installed here (the extra 'dev')")

COMMAND = ("python", "-m", "nose2")
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
def test_an_honest_suite_is_passed(write, drive, way):
    files, command = WAYS[way]
    tree = write({"test_honest.py": HONEST, "nose2.cfg": LAYERS, **files})
    ran = drive(tree, command, framework="nose2")
    assert ran.report.verdict is RunVerdict.PASSED, ran.output
    assert ran.report.disagreements == ()
    assert ran.report.counts is not None
    assert (ran.report.counts.passed, ran.report.counts.xfailed) == (PASSING, 1), ran.output
    if way == "quiet":
        assert ran.report.passing_ids == frozenset()  # counted, not named
        return
    assert ran.report.passing_ids >= {"test_honest.test_function", "test_honest.test_given:2", "test_p:1"}
    outcomes = {case.name.split()[0]: case.outcome for case in ran.report.cases}
    assert (outcomes["test_skipped"], outcomes["test_expected"]) == (Outcome.SKIPPED, Outcome.XFAILED)


def test_processes_of_nose2s_own_are_read_by_their_text(write, drive):
    more = ("--plugin", "nose2.plugins.mp", "-N", "2")
    tree = write({"kata.py": "def add(a, b):\n    return a + b\n", "test_kata.py": TEST})
    ran = drive(tree, (*COMMAND, *more), framework="nose2")
    assert ran.report.verdict is RunVerdict.PASSED, ran.output


def test_a_red_run_names_each_failure_once(write, drive):
    red = (
        "import unittest\nfrom nose2.tools import params\n\ndef test_fails(): assert 0\n\n@params(0, 1)\ndef test_given(n): assert n\n\n"
        "class A(unittest.TestCase):\n    @params(0, 1)\n    def test_p(self, n): self.assertTrue(n)\n\n"
        "class B(unittest.TestCase):\n    def setUp(self): raise RuntimeError('no')\n    def test_b(self): pass\n"
    )
    ran = drive(write({"test_red.py": red}), COMMAND, framework="nose2")
    assert ran.report.verdict is RunVerdict.FAILED, ran.output
    assert sorted(case.id.split(" ")[0] for case in ran.report.failing) == [
        "test_b", "test_p:1", "test_red.test_fails", "test_red.test_given:1",
    ]  # fmt: skip
    assert ran.report.passing_ids == {"test_p:2", "test_red.test_given:2"}
    assert ran.report.disagreements == ()
