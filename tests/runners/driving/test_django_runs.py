"""Real runs of Django's test runner, read by its text and exit code: what honest and red projects come to."""

from __future__ import annotations

import pytest

from tdd_orchestrator.model.report import RunVerdict

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
ONE_BY_ONE = """\
import unittest
from django.test.runner import DiscoverRunner

class Runner(unittest.TextTestRunner):
    def run(self, suite):
        class Each(unittest.TestSuite):
            def __call__(self, result):
                for test in suite:
                    test(result)
        return super().run(Each())

class Single(DiscoverRunner):
    test_runner = Runner
"""
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
def test_an_honest_project_is_passed(write, drive, way):
    files, command = WAYS[way]
    tree = write({**PROJECT, "shop/test_honest.py": HONEST, **files})
    ran = drive(tree, command, framework="django")
    assert ran.report.verdict is RunVerdict.PASSED, ran.output
    assert ran.report.disagreements == ()
    named = {identity.split()[0] for identity in ran.report.passing_ids} - {"test_x"}  # what a test printed
    assert named == (set() if way == "without names" else PASSING)


def test_a_python_that_takes_no_environment_makes_no_difference(write, drive):
    manage = PROJECT["manage.py"].replace("\n\n", "; sys.path.insert(0, os.getcwd())\n\n", 1)
    tree = write({**PROJECT, "manage.py": manage})
    ran = drive(tree, ("python", "-I", "manage.py", "test"), framework="django")
    assert ran.report.verdict is RunVerdict.PASSED, ran.output


def test_tests_that_a_runner_runs_one_by_one(write, drive):
    settings = PROJECT["site1/settings.py"] + "TEST_RUNNER = 'site1.runner.Single'\n"
    tree = write({**PROJECT, "site1/runner.py": ONE_BY_ONE, "site1/settings.py": settings})
    ran = drive(tree, COMMAND, framework="django")
    assert ran.report.verdict is RunVerdict.PASSED, ran.output
    assert ran.report.disagreements == ()
    assert len(ran.report.passing_ids) == 1


def test_a_project_in_a_folder_of_its_own(write, drive):
    tree = write({f"back/{path}": text for path, text in PROJECT.items()})
    for command, cwd in ((("python", "back/manage.py", "test", "back"), ""), (COMMAND, "back")):
        ran = drive(tree, command, framework="django", cwd=cwd)
        assert ran.report.verdict is RunVerdict.PASSED, ran.output
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
    ran = drive(tree, (*COMMAND, *more), framework="django")
    assert ran.report.verdict is RunVerdict.FAILED, ran.output
    assert ran.report.counts is not None
    assert (ran.report.counts.failed, ran.report.counts.errors, ran.report.counts.xpassed) == (4, 4, 1)
    assert {case.id.split()[0] for case in ran.report.failing} >= {"test_fails", "test_parts", "test_asks", "test_b", "test_after"}  # fmt: skip
    assert {one.split()[0] for one in ran.report.passing_ids} == {"test_adds"}
    assert ran.report.disagreements == ()


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
