"""Real runs of Django's test runner with a witness in the process: what honest, red and cheating projects come to."""

from __future__ import annotations

import pytest

from tdd_orchestrator.model.report import CHANGED, RunVerdict

pytest.importorskip("django", reason="Django is not installed here (the extra 'dev')")

COMMAND = ("python", "manage.py", "test")
PROJECT = {
    "manage.py": (
        "import os, sys\n\nif __name__ == '__main__':\n    os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'site1.settings')\n"
        "    from django.core.management import execute_from_command_line\n    execute_from_command_line(sys.argv)\n"
    ),
    "site1/__init__.py": "",
    "site1/settings.py": (
        "SECRET_KEY = 'x'\nINSTALLED_APPS = ['shop']\nUSE_TZ = True\nDEFAULT_AUTO_FIELD = 'django.db.models.AutoField'\n"
        "DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': ':memory:'}}\n"
    ),
    "shop/__init__.py": "",
    "shop/models.py": "from django.db import models\n\n\nclass Item(models.Model):\n    name = models.CharField(max_length=9)\n",
    "shop/kata.py": "def add(a, b):\n    return a + b\n",
    "shop/tests.py": (
        "from django.test import SimpleTestCase\nfrom shop.kata import add\n\n\nclass Sum(SimpleTestCase):\n"
        "    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n"
    ),
}  # fmt: skip
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


HONEST = """\
import sys, unittest
from django.test import LiveServerTestCase, SimpleTestCase, TestCase, TransactionTestCase, override_settings, skipIfDBFeature, tag
from shop.models import Item

class A(unittest.TestCase):
    def test_plain(self): print("test_x (m.C.test_x) ... ok"); sys.stderr.write("noise\\n")
    @unittest.skip("later")
    def test_skipped(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i): self.assertLess(i, 3)

class B(SimpleTestCase):
    @override_settings(X=1)
    def test_settings(self):
        from django.conf import settings
        self.assertEqual(settings.X, 1)
    @tag("slow")
    async def test_awaits(self): pass

@override_settings(X=2)
class C(TestCase):
    @classmethod
    def setUpTestData(cls): Item.objects.create(name="a")
    def test_rows(self):
        \"\"\"It has a row.\"\"\"
        self.assertEqual(Item.objects.count(), 1)
    @skipIfDBFeature("supports_transactions")
    def test_other_database(self): self.fail()

class D(TransactionTestCase):
    def test_commits(self): Item.objects.create(name="b")

class E(LiveServerTestCase):
    def test_live(self): self.assertIn("http", self.live_server_url)

class F(TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("no server")
    def test_f(self): self.fail()
"""
PASSING = {"test_plain", "test_parts", "test_settings", "test_awaits", "test_rows", "test_commits", "test_live", "test_adds"}  # fmt: skip
OWN = """\
from django.test.runner import DiscoverRunner

class Timed(DiscoverRunner):
    def run_tests(self, labels, **more):
        self.setup_test_environment()
        suite = self.build_suite(labels)
        old = self.setup_databases()
        result = self.run_suite(suite)
        self.teardown_databases(old)
        print("took no time")
        return self.suite_result(suite, result)
"""
_AGAIN = "import os, sys\nif 'AGAIN' not in os.environ:\n    os.environ['AGAIN'] = '1'\n    {}\n"
WAYS = {
    "as it is": ({}, COMMAND),
    "in processes": ({}, (*COMMAND, "--parallel", "2")),
    "without names": ({}, (*COMMAND, "-v", "0")),
    "by its own runner": (
        {"site1/runner.py": OWN, "site1/settings.py": PROJECT["site1/settings.py"] + "TEST_RUNNER = 'site1.runner.Timed'\n"},
        COMMAND,
    ),
    "as a module": ({}, ("python", "-m", "django", "test", "--settings", "site1.settings")),
    "by django-admin": ({}, ("django-admin", "test", "--settings", "site1.settings", "--pythonpath", ".")),
    "by another program": (
        {"manage.py": _AGAIN.format("os.execv(sys.executable, [sys.executable, *sys.argv])") + PROJECT["manage.py"]},
        COMMAND,
    ),
    "in another program": (
        {"manage.py": _AGAIN.format("import subprocess; sys.exit(subprocess.call([sys.executable, *sys.argv]))") + PROJECT["manage.py"]},
        COMMAND,
    ),
    "behind make": ({"Makefile": "test:\n\tpython -c pass\n\tpython manage.py test -v 2\n"}, ("make", "test")),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_told_of_an_honest_project(write, drive, way):
    files, command = WAYS[way]
    tree = write({**PROJECT, "shop/test_honest.py": HONEST, **files})
    ran = drive(tree, command, framework="django", near="shop/tests.py")
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True), ran.output
    assert ran.report.disagreements == ()
    assert {identity.split()[0] for identity in ran.report.passing_ids} - {
        "test_x",
        "test_expected",
    } == PASSING
    assert "witness" not in ran.output


def test_a_python_that_hears_nothing_of_us_is_read_by_its_text(write, drive):
    manage = PROJECT["manage.py"].replace("\n\n", "; sys.path.insert(0, os.getcwd())\n\n", 1)
    tree = write({**PROJECT, "manage.py": manage})
    ran = drive(tree, ("python", "-I", "manage.py", "test"), framework="django", near="shop/tests.py")
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True), ran.output


def test_a_project_in_a_folder_of_its_own(write, drive):
    tree = write({f"back/{path}": text for path, text in PROJECT.items()})
    for command, cwd in ((("python", "back/manage.py", "test", "back"), ""), (COMMAND, "back")):
        ran = drive(tree, command, framework="django", near="back/shop/tests.py", cwd=cwd)
        assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True), ran.output
        assert len(ran.report.passing_ids) == 1


RED = """\
import unittest
from django.test import SimpleTestCase, TestCase

class A(SimpleTestCase):
    def test_fails(self): self.assertEqual(1, 2)
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i): self.assertEqual(i, 1)
    def test_asks(self):
        from shop.models import Item
        Item.objects.count()

class B(TestCase):
    def setUp(self): raise RuntimeError("no")
    def test_b(self): pass

class C(TestCase):
    @classmethod
    def setUpTestData(cls): raise RuntimeError("no")
    def test_c(self): pass

class D(TestCase):
    @unittest.expectedFailure
    def test_better(self): pass

class E(TestCase):
    def _fixture_teardown(self): super()._fixture_teardown(); raise RuntimeError("after")
    def test_after(self): pass
"""


@pytest.mark.parametrize("more", [(), ("--parallel", "2")])
def test_a_red_run_is_what_the_text_says(write, drive, more):
    tree = write({**PROJECT, "shop/test_red.py": RED, "shop/test_missing.py": "import nothing_of_the_kind\n"})
    ran = drive(tree, (*COMMAND, *more), framework="django", near="shop/tests.py")
    assert (ran.report.verdict, ran.control) == (RunVerdict.FAILED, True), ran.output
    assert ran.report.counts is not None
    assert (ran.report.counts.failed, ran.report.counts.errors, ran.report.counts.xpassed) == (4, 4, 1)
    assert {case.id.split()[0] for case in ran.report.failing} >= {"test_fails", "test_parts", "test_asks", "test_b", "test_after"}  # fmt: skip
    assert {one.split()[0] for one in ran.report.passing_ids} == {"test_adds"}
    assert ran.report.disagreements == ()
    assert "plugin" not in ran.output


@pytest.mark.parametrize(
    ("file", "text", "verdict"),
    [
        ("site1/settings.py", "import nothing_of_the_kind\n", RunVerdict.ERROR),
        ("shop/models.py", "import nothing_of_the_kind\n", RunVerdict.ERROR),
        ("shop/tests.py", "", RunVerdict.NO_TESTS),
    ],
)
def test_a_run_that_never_began_is_what_it_was(write, drive, file, text, verdict):
    ran = drive(write({**PROJECT, file: text}), COMMAND, framework="django")
    assert ran.report.verdict is verdict, ran.output
