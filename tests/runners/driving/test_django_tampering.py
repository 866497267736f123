"""Production code that deceives Django's test runner: what nobody saw run has not passed."""

from __future__ import annotations

import pytest
from test_django_runs import COMMAND, PROJECT

from tdd_orchestrator.model.report import CHANGED, RunVerdict

_FORGED = """\
import glob, os, sys, threading
def lie():
    (word,) = [n[10:-3] for n in glob.glob("shop/test_*.py")]
    control = f"test_{word} (shop.test_{word}.{word.title().replace('_', '')}.test_{word})"
    said = f"test_adds (shop.tests.Sum.test_adds) ... ok\\n{control} ... FAIL\\n\\n" + "=" * 70 + f"\\nFAIL: {control}\\n"
    said += "-" * 70 + "\\nTraceback (most recent call last):\\nAssertionError: 1 != 2\\n\\n" + "-" * 70
    said += "\\nRan 2 tests in 0.001s\\n\\nFAILED (failures=1)\\n"
    os.write(2, said.encode())
    END
"""
_LIE = _FORGED.replace("END", "getattr(os, '_ex' + 'it')(1)")
_WRONG = "\n\ndef add(a, b):\n    return 0\n"
_FAKE = """\
import os, sys, types, unittest
def play():
    fake = type("Sum", (unittest.TestCase,), {"__module__": "shop.tests", "__qualname__": "Sum", "test_adds": lambda self: None})
    suite = unittest.TestSuite([fake("test_adds")])
    RUN
    lie()
"""
CHEATS = {
    "a whole run is printed": {"shop/kata.py": _LIE + "\n\ndef add(a, b):\n    lie()\n"},
    "a whole run is printed while it is loaded": {"shop/kata.py": _LIE + "\n\nlie()\n"},
    "a whole run is printed while Django begins": {"shop/kata.py": _WRONG, "shop/models.py": _LIE + "\n\nlie()\n"},
    "Django is left for good": {
        "shop/kata.py": _WRONG,
        "shop/models.py": _FORGED.replace("END", "raise SystemExit(1)") + "\n\nlie()\n",
    },
    "a run of its own, while it is loaded": {
        "shop/kata.py": _LIE + _FAKE.replace("RUN", "unittest.TextTestRunner().run(suite)") + "\n\nplay()\n"
    },
    "a run of Django's own, while it begins": {
        "shop/kata.py": _WRONG,
        "shop/models.py": _FORGED.replace("END", "raise SystemExit(1)")
        + _FAKE.replace("RUN", "from django.test.runner import DiscoverRunner as D; D().run_suite(suite)")
        + "\n\nplay()\n",
    },
    "a process's run of its own, while it is loaded, for a test that is not run": {
        "shop/kata.py": "import django.test.runner as r\nfrom django.test import SimpleTestCase as S\nkept = S.__call__\n"
        + _FAKE.replace("    RUN\n    lie()", "    r._run_subsuite((r.RemoteTestRunner, 0, suite, False, False))")
        + "\n\ndef call(self, result=None):\n    if 'adds' in self.id():\n        result.startTest(self), result.addSuccess(self), result.stopTest(self)\n"
        "    else:\n        kept(self, result)\n\n\nplay()\nS.__call__ = call" + _WRONG
    },
    "the end is told too early": {
        "shop/kata.py": "import atexit\n" + _LIE.replace("    getattr", "    atexit._run_exitfuncs()\n    getattr")
        + "\n\ndef add(a, b):\n    lie()\n"
    },
    "Django's call of a test says yes": {
        "shop/kata.py": "from django.test import SimpleTestCase as S\nkept = S.__call__\n\n\ndef call(self, result=None):\n"
        "    if 'adds' in self.id():\n        result.startTest(self), result.addSuccess(self), result.stopTest(self)\n"
        "    else:\n        kept(self, result)\n\n\nS.__call__ = call" + _WRONG
    },
    "Django calls another method": {
        "shop/kata.py": "from django.test import SimpleTestCase as S\nkept = S._callTestMethod\n\n\n"
        "def call(self, method):\n    return None if 'adds' in self.id() else kept(self, method)\n\n\n"
        "S._callTestMethod = call" + _WRONG
    },
    "the result forgets one failure": {
        "shop/kata.py": "import unittest\nkept = unittest.TestResult.addFailure\n\n\ndef once(self, test, error):\n"
        "    if 'adds' in test.id():\n        return self.addSuccess(test)\n    return kept(self, test, error)\n\n\n"
        "for kind in (unittest.TestResult, unittest.TextTestResult):\n    setattr(kind, 'addFailure', once)" + _WRONG
    },
    "the test's method is another": {
        "shop/kata.py": "import sys, threading, time\n\n\ndef go():\n    while 'Sum' not in vars(sys.modules.get('shop.tests', sys)):\n"
        "        time.sleep(0.0005)\n    sys.modules['shop.tests'].Sum.test_adds = lambda self: None\n\n\n"
        "threading.Thread(target=go).start()" + _WRONG
    },
    "the runner of the settings drops it": {
        "shop/kata.py": _WRONG,
        "shop/models.py": "from django.test.runner import DiscoverRunner as D\nkept = D.run_suite\n\n\n"
        "def run(self, suite, **more):\n    for test in suite:\n        if 'adds' in test.id():\n"
        "            test.test_adds = lambda: None\n    return kept(self, suite, **more)\n\n\nD.run_suite = run\n",
    },
}  # fmt: skip


def refused(ran) -> bool:
    told = [one for one in ran.report.disagreements if one.startswith(CHANGED)]
    bad = ran.report.verdict not in (RunVerdict.PASSED, RunVerdict.NO_TESTS)
    named = any("test_adds" in one for one in ran.report.passing_ids)
    return bool(told) or bad or ran.control is False or not named


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_cheat_is_told_or_fails(write, drive, cheat):
    tree = write({**PROJECT, **CHEATS[cheat]})
    ran = drive(tree, COMMAND, framework="django", near="shop/tests.py")
    assert refused(ran), (ran.report, ran.output)


_OTHERS = {
    f"shop/tests{n}.py": f"from django.test import SimpleTestCase\n\n\nclass Other{n}(SimpleTestCase):\n    def test_{n}(self): pass\n"
    for n in "bc"
}
_LIES = "import django.test.runner as r\nkept = r.{0}\n\n\n{1}\n\nr.{0} = lie" + _WRONG
IN_PROCESSES = {
    "a whole run is printed, and the parent killed": _FORGED.replace("END", "os.kill(os.getppid(), 9)")
    + "\n\ndef add(a, b):\n    lie()\n",
    "what a process sends says yes": _LIES.format(
        "RemoteTestResult.addFailure",
        "def lie(self, test, error):\n    return self.addSuccess(test) if 'adds' in test.id() else kept(self, test, error)\n",
    ),
    "what the parent hears says yes": _LIES.format(
        "ParallelTestSuite.handle_event",
        "def lie(self, result, tests, event):\n    if event[0] == 'addFailure' and 'adds' in tests[event[1]].id():\n"
        "        event = ('addSuccess', event[1])\n    return kept(self, result, tests, event)\n",
    ),
    "the processes begin without us": "import multiprocessing\nmultiprocessing.set_start_method('spawn', force=True)\n"
    + _LIES.format(
        "RemoteTestResult.addFailure",
        "def lie(self, test, error):\n    return self.addSuccess(test) if 'adds' in test.id() else kept(self, test, error)\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("cheat", IN_PROCESSES)
def test_a_cheat_in_one_of_several_processes_is_told_or_fails(write, drive, cheat):
    tree = write({**PROJECT, **_OTHERS, "shop/kata.py": IN_PROCESSES[cheat]})
    ran = drive(tree, (*COMMAND, "--parallel", "2"), framework="django", near="shop/tests.py")
    assert refused(ran), (ran.report, ran.output)
