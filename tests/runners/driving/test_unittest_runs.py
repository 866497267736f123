"""Real runs of unittest, read by its -v text and exit code: what honest, red and broken trees come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.model.report import Case, Outcome, RunVerdict

COMMAND = ("python", "-m", "unittest", "discover")
TEST = (
    "import unittest\nfrom kata import add\n\n\nclass Sum(unittest.TestCase):\n"
    "    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n"
)


@pytest.mark.parametrize(
    "recipe", ["python -m unittest -v", "python run.py", "python -m unittest -v 2>&1 | cat"]
)
def test_a_run_behind_make_is_read_by_its_text(write, drive, recipe):
    run = "import subprocess, sys\nsys.exit(subprocess.call([sys.executable, '-m', 'unittest', '-v']))\n"
    files = {"test_kata.py": TEST, "run.py": run, "Makefile": f"test:\n\tpython -c pass\n\t{recipe}\n"}
    green = drive(
        write({**files, "kata.py": "def add(a, b):\n    return a + b\n"}),
        ("make", "test"),
        framework="unittest",
    )
    assert (green.report.verdict, green.report.counts.passed) == (RunVerdict.PASSED, 1), green.output
    red = drive(
        write({**files, "kata.py": "def add(a, b):\n    return 0\n"}, "red"),
        ("make", "test"),
        framework="unittest",
    )
    assert (red.report.verdict, red.report.counts.failed) == (RunVerdict.FAILED, 1), red.output


@pytest.mark.parametrize(
    "body",
    [
        "import os\nos._exit(0)\n",
        "import sys\nsys.exit(0)\n",
        "import atexit, os\natexit.register(os._exit, 0)\n",
    ],
    ids=["_exit", "sys.exit", "atexit"],
)
@pytest.mark.parametrize("where", ["at import", "in the call"])
def test_ways_out_are_never_a_pass(write, drive, body, where):
    """The code is wrong, and leaves with exit code 0."""
    kata = f"{body}\n\ndef add(a, b):\n    return 0\n"
    if where == "in the call":
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        kata = f"def add(a, b):\n{lines}    return 0\n"
    ran = drive(write({"kata.py": kata, "test_kata.py": TEST}), COMMAND, framework="unittest")
    assert ran.report.verdict is not RunVerdict.PASSED, ran.report


def test_a_make_that_goes_on_to_a_failing_lint_is_not_passed(write, drive):
    files = {
        "kata.py": "def add(a, b):\n    return a + b\n",
        "test_kata.py": TEST,
        "lint.py": "raise SystemExit(1)\n",
    }
    tree = write({**files, "Makefile": "test:\n\tpython -m unittest\n\tpython lint.py\n"})
    ran = drive(tree, ("make", "test"), framework="unittest")
    assert ran.report.verdict is not RunVerdict.PASSED, ran.report


HONEST = """\
import json, os, sys, unittest
from unittest import mock

kept, wrote = json.JSONEncoder.default, os.write
json.JSONEncoder.default = lambda self, value: kept(self, value)
os.write = lambda descriptor, data: wrote(descriptor, data)

def assert_odd(number): assert number % 2

class A(unittest.TestCase):
    assertOdd = staticmethod(assert_odd)
    assertSame = unittest.TestCase.assertEqual
    def test_passes(self): self.addCleanup(lambda: None)
    def setUp(self):
        self.addTypeEqualityFunc(complex, lambda a, b, msg=None: None)
        self.assertAny = mock.Mock()
    @unittest.skip("later")
    def test_skipped(self): pass
    def test_skips(self): self.skipTest("now")
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i): self.assertLess(i, 3)
    def test_prints(self): print("test_x (m.C.test_x) ... ok"); sys.stderr.write("noise\\n")
    def test_replaces(self):
        with mock.patch("builtins.print", autospec=True) as said: print(1)
        said.assert_called_once_with(1)
    def test_runs_others(self):
        class Inner(unittest.TestCase):
            def runTest(self): self.fail()
        result = unittest.TestResult()
        Inner().run(result)
        self.assertEqual(len(result.failures), 1)

@unittest.skip("all of it")
class B(unittest.TestCase):
    def test_b(self): self.fail()

class C(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("no server")
    def test_c(self): self.fail()

class D(unittest.IsolatedAsyncioTestCase):
    async def test_awaits(self): self.assertTrue(True)
"""


def test_an_honest_suite_is_passed(write, drive):
    honest = HONEST.replace("class A(", "from kata import agree\n\nclass A(", 1)
    honest = honest.replace(
        "        self.assertAny", "        self.assert_agree = agree\n        self.assertAny"
    )
    tree = write({"test_honest.py": honest, "kata.py": "def agree(a, b):\n    assert a == b\n"})
    ran = drive(tree, COMMAND, framework="unittest")
    assert ran.report.verdict is RunVerdict.PASSED, ran.output
    assert ran.report.disagreements == ()
    passed = {case.id.split()[0] for case in ran.report.cases if case.outcome is Outcome.PASSED}
    assert passed == {
        "test_passes",
        "test_parts",
        "test_prints",
        "test_replaces",
        "test_runs_others",
        "test_awaits",
    }
    assert ran.report.counts is not None
    assert (ran.report.counts.bad, ran.report.counts.passed, ran.report.counts.xfailed) == (0, 6, 1)


RED = """\
import unittest

class A(unittest.TestCase):
    def test_fails(self): self.assertEqual(1, 2)
    def test_raises(self): {}["x"]
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i): self.assertEqual(i, 1)

class B(unittest.TestCase):
    def setUp(self): raise RuntimeError("no")
    def test_b(self): pass

class C(unittest.TestCase):
    def tearDown(self): raise RuntimeError("no")
    def test_c(self): pass

class D(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise RuntimeError("no")
    def test_d(self): pass

class E(unittest.TestCase):
    @unittest.expectedFailure
    def test_better(self): pass
"""


def test_a_red_run_is_what_the_text_says(write, drive):
    files = {"test_red.py": RED, "test_missing.py": "import nothing_of_the_kind\n"}
    ran = drive(write(files), COMMAND, framework="unittest")
    assert ran.report.verdict is RunVerdict.FAILED, ran.output
    assert ran.report.counts is not None
    assert (ran.report.counts.failed, ran.report.counts.errors, ran.report.counts.xpassed) == (3, 5, 1)
    assert {case.id.split()[0] for case in ran.report.failing} >= {
        "test_fails",
        "test_raises",
        "test_b",
        "test_c",
    }
    assert ran.report.disagreements == ()


@pytest.mark.parametrize("flag", ["-I", "-E", "-sE"])
def test_a_python_that_takes_no_environment_makes_no_difference(write, drive, flag):
    tree = write({"kata.py": "def add(a, b):\n    return a + b\n", "test_kata.py": TEST})
    ran = drive(tree, ("python", flag, "-m", "unittest", "discover"), framework="unittest")
    assert ran.report.verdict is RunVerdict.PASSED, ran.output


PYTHONS = sorted(Path.home().glob(".pyenv/versions/3.*/bin/python"))
TOO_OLD = [str(path) for path in Path.home().glob(".pyenv/versions/2.7.*/bin/python")]
NEW_ENOUGH = [str(path) for path in PYTHONS if int(path.parts[-3].split(".")[1]) >= 6]


@pytest.mark.skipif(not NEW_ENOUGH, reason="no other Pythons here (pyenv)")
@pytest.mark.parametrize("python", NEW_ENOUGH)
def test_each_python_here_is_read(write, drive, python):
    tree = write(
        {"test_honest.py": HONEST.replace("IsolatedAsyncioTestCase", "TestCase").replace("async ", "")}
    )
    ran = drive(tree, (python, *COMMAND[1:]), framework="unittest")
    assert ran.report.verdict is RunVerdict.PASSED, ran.output
    assert ran.report.disagreements == ()


@pytest.mark.skipif(not TOO_OLD, reason="no old Python here (pyenv)")
def test_an_old_python_is_read(write, drive):
    tree = write({"kata.py": "def add(a, b):\n    return a + b\n", "test_kata.py": TEST})
    ran = drive(tree, (TOO_OLD[0], *COMMAND[1:]), framework="unittest")
    assert ran.report.verdict is RunVerdict.PASSED, ran.output


def test_a_run_of_chosen_tests_does_not_end_at_the_first_failure(write, drive):
    two = (
        "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.fail()\n\n"
        "    def test_b(self):\n        self.fail()\n"
    )
    tree, command = write({"test_two.py": two}), ("python", "-m", "unittest", "-f", "test_two")
    assert len(drive(tree, command, framework="unittest").report.failing) == 1, "the user's own run"
    chosen = [Case("test_two.T.test_a", "test_a", Outcome.FAILED, file="test_two.py")]
    assert len(drive(tree, command, framework="unittest", only=chosen).report.failing) == 2
