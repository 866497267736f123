"""Real runs of unittest with a witness in the process: what honest, red and cheating trees come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.model.report import CHANGED, Outcome, RunVerdict

COMMAND = ("python", "-m", "unittest", "discover")
TEST = (
    "import unittest\nfrom kata import add\n\n\nclass Sum(unittest.TestCase):\n"
    "    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n"
)
_ADD = "import sys, unittest\n\n\n{}\n\n\ndef add(a, b):\n    return 0\n"
_FORGED = """\
import glob, os, sys, threading
def lie():
    (word,) = [n[5:-3] for n in glob.glob("test_*.py") if n != "test_kata.py"]
    said = f"test_adds (test_kata.Sum.test_adds) ... ok\\ntest_{word} (test_{word}.{word.capitalize()}.test_{word}) ... FAIL\\n\\n"
    said += "=" * 70 + f"\\nFAIL: test_{word} (test_{word}.{word.capitalize()}.test_{word})\\n" + "-" * 70
    said += "\\nTraceback (most recent call last):\\nAssertionError: 1 != 2\\n\\n" + "-" * 70
    said += "\\nRan 2 tests in 0.001s\\n\\nFAILED (failures=1)\\n"
    os.write(2, said.encode())
    getattr(os, "_ex" + "it")(1)
"""
CHEATS = {
    "a whole run is printed": _FORGED + "\n\ndef add(a, b):\n    lie()\n",
    "a whole run is printed while it is loaded": _FORGED + "\n\nlie()\n",
    "the result forgets one failure": _ADD.format(
        "kept = unittest.TestResult.addFailure\n\n\ndef once(self, test, error):\n    if 'adds' in test.id():\n"
        "        return self.addSuccess(test)\n    return kept(self, test, error)\n\n\n"
        "unittest.TextTestResult.addFailure.__code__\nfor kind in (unittest.TestResult, unittest.TextTestResult):\n"
        "    setattr(kind, 'addFailure', once)"
    ),
    "one test is not run": _ADD.format(
        "kept = unittest.TestCase.run\n\n\ndef run(self, result=None):\n    if 'adds' in self.id():\n"
        "        result.startTest(self), result.addSuccess(self), result.stopTest(self)\n        return result\n"
        "    return kept(self, result)\n\n\nunittest.TestCase.run = run"
    ),
    "the executor swallows": _ADD.format(
        "import contextlib\n\n\n@contextlib.contextmanager\ndef part(self, test, *a, **k):\n    try:\n        yield\n"
        "    except Exception:\n        if 'adds' not in test.id():\n            raise\n\n\n"
        "unittest.case._Outcome.testPartExecutor = part"
    ),
    "the test's method is another": _ADD.format(
        "import threading, time\n\n\ndef go():\n    while 'Sum' not in vars(sys.modules.get('test_kata', sys)):\n"
        "        time.sleep(0.0005)\n    sys.modules['test_kata'].Sum.test_adds = lambda self: None\n\n\n"
        "threading.Thread(target=go).start()"
    ),
    "the test's method was another from the beginning": (
        "import builtins\n\nbuild = builtins.__build_class__\n\n\n"
        "def made(body, name, *bases, **more):\n    kind = build(body, name, *bases, **more)\n    if name == 'Sum':\n"
        "        kind.test_adds = lambda self: None\n    return kind\n\n\nbuiltins.__build_class__ = made\n\n\n"
        "def add(a, b):\n    return 0\n"
    ),
    "the test's code is another": _ADD.format(
        "import threading, time\n\n\ndef go():\n    while 'Sum' not in vars(sys.modules.get('test_kata', sys)):\n"
        "        time.sleep(0.0005)\n    sys.modules['test_kata'].Sum.test_adds.__code__ = (lambda self: None).__code__\n\n\n"
        "threading.Thread(target=go).start()"
    ),
}  # fmt: skip


_CASE = (
    "import inspect\n\n\ndef case():\n    return next(f.frame.f_locals['self'] for f in inspect.stack() if 'self' in f.frame.f_locals)\n\n\n"
    "def add(a, b):\n    {}\n    return 0\n"
)


@pytest.mark.parametrize("framework", ["unittest", "pytest"])
@pytest.mark.parametrize(
    "cheat",
    [
        "case().assertEqual = lambda *a: None",
        "case().assertEqual = print",
        "type(case()).assertEqual = lambda *a: None",
        "case().addTypeEqualityFunc(int, lambda *a, **k: None)",
        "case().addTypeEqualityFunc(int, print)",
    ],
)
def test_an_assertion_that_production_code_set_is_told(write, drive, framework, cheat):
    tree = write({"kata.py": _CASE.format(cheat), "test_kata.py": TEST})
    command = COMMAND if framework == "unittest" else ("python", "-m", "pytest", "-q")
    ran = drive(tree, command, framework=framework, near="test_kata.py")
    assert [one for one in ran.report.disagreements if one.startswith(CHANGED) and "by " in one], ran.report


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_cheat_is_told_or_fails(write, drive, cheat):
    tree = write({"kata.py": CHEATS[cheat], "test_kata.py": TEST})
    ran = drive(tree, COMMAND, framework="unittest", near="test_kata.py")
    told = [one for one in ran.report.disagreements if one.startswith(CHANGED)]
    bad = ran.report.verdict in (RunVerdict.FAILED, RunVerdict.UNREADABLE, RunVerdict.CRASHED)
    assert told or bad or ran.control is False, ran.report


@pytest.mark.parametrize(
    "recipe", ["python -m unittest -v", "python run.py", "python -m unittest -v 2>&1 | cat"]
)
def test_what_is_behind_make_has_a_witness_too(write, drive, recipe):
    run = "import subprocess, sys\nsys.exit(subprocess.call([sys.executable, '-m', 'unittest', '-v']))\n"
    files = {"test_kata.py": TEST, "run.py": run, "Makefile": f"test:\n\tpython -c pass\n\t{recipe}\n"}
    honest = drive(write({**files, "kata.py": "def add(a, b):\n    return a + b\n"}), ("make", "test"), framework="unittest", near="test_kata.py")  # fmt: skip
    assert (honest.report.verdict, honest.control) == (RunVerdict.PASSED, True), honest.output
    for cheat in ("a whole run is printed", "a whole run is printed while it is loaded"):
        tree = write({**files, "kata.py": CHEATS[cheat]}, "cheat")
        ran = drive(tree, ("make", "test"), framework="unittest", near="test_kata.py")
        assert ran.report.verdict is RunVerdict.UNREADABLE, ran.report


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


def test_nothing_is_told_of_an_honest_suite(write, drive):
    honest = HONEST.replace("class A(", "from kata import agree\n\nclass A(", 1)
    honest = honest.replace(
        "        self.assertAny", "        self.assert_agree = agree\n        self.assertAny"
    )
    tree = write({"test_honest.py": honest, "kata.py": "def agree(a, b):\n    assert a == b\n"})
    ran = drive(tree, COMMAND, framework="unittest", near="test_honest.py")
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True), ran.output
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
    ran = drive(write(files), COMMAND, framework="unittest", near="test_red.py")
    assert (ran.report.verdict, ran.control) == (RunVerdict.FAILED, True), ran.output
    assert ran.report.counts is not None
    assert (ran.report.counts.failed, ran.report.counts.errors, ran.report.counts.xpassed) == (3, 5, 1)
    assert {case.id.split()[0] for case in ran.report.failing} >= {
        "test_fails",
        "test_raises",
        "test_b",
        "test_c",
    }
    assert ran.report.disagreements == ()
    assert "witness" not in ran.output


def test_the_users_own_sitecustomize_has_its_turn(write, drive, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import os\nos.environ['OWN'] = 'yes'\n")
    test = "import os, subprocess, sys, unittest\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(os.environ['OWN'], 'yes')\n        self.assertNotIn('TDD_WITNESS', os.environ)\n        self.assertEqual(os.environ.get('PYTHONPATH'), sys.argv and %r)\n        subprocess.run([sys.executable, '-c', 'pass'], check=True)\n"
    tree = write({"test_a.py": test % str(own)})
    ran = drive(tree, COMMAND, framework="unittest", near="test_a.py", env={"PYTHONPATH": str(own)})
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True), ran.output


@pytest.mark.parametrize("flag", ["-I", "-E", "-sE"])
def test_a_python_that_hears_nothing_of_us_is_read_by_its_text(write, drive, flag):
    tree = write({"kata.py": "def add(a, b):\n    return a + b\n", "test_kata.py": TEST})
    ran = drive(
        tree, ("python", flag, "-m", "unittest", "discover"), framework="unittest", near="test_kata.py"
    )
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True), ran.output


PYTHONS = sorted(Path.home().glob(".pyenv/versions/3.*/bin/python"))
TOO_OLD = [str(path) for path in Path.home().glob(".pyenv/versions/2.7.*/bin/python")]
NEW_ENOUGH = [str(path) for path in PYTHONS if int(path.parts[-3].split(".")[1]) >= 6]


@pytest.mark.skipif(not NEW_ENOUGH, reason="no other Pythons here (pyenv)")
@pytest.mark.parametrize("python", NEW_ENOUGH)
def test_each_python_here_takes_the_witness_along(write, drive, python):
    tree = write(
        {"test_honest.py": HONEST.replace("IsolatedAsyncioTestCase", "TestCase").replace("async ", "")}
    )
    ran = drive(tree, (python, *COMMAND[1:]), framework="unittest", near="test_honest.py")
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True), ran.output
    assert ran.report.disagreements == ()


@pytest.mark.skipif(not TOO_OLD, reason="no old Python here (pyenv)")
def test_a_python_that_is_too_old_for_the_witness_is_read_by_its_text(write, drive):
    tree = write({"kata.py": "def add(a, b):\n    return a + b\n", "test_kata.py": TEST})
    ran = drive(tree, (TOO_OLD[0], *COMMAND[1:]), framework="unittest", near="test_kata.py")
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True), ran.output
