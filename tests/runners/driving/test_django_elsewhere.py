"""Scripts and runners of a project's own that run its tests in another way than Django's: what they come to."""

from __future__ import annotations

import pytest
from test_django_runs import COMMAND, PROJECT

from tdd_orchestrator.model.report import RunVerdict

SET_UP = """\
import sys
import unittest
import django
from django.conf import settings
settings.configure(SECRET_KEY="x", INSTALLED_APPS=[], DATABASES={})
django.setup()
"""
BY_PYTEST = SET_UP + "import pytest\nsys.exit(pytest.main(['-p', 'no:cacheprovider', 'shop/tests.py']))\n"
BY_UNITTEST = (
    SET_UP + "suite = unittest.defaultTestLoader.discover('shop', pattern='tests*.py', top_level_dir='.')\n"
    "sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())\n"
)
BY_ANOTHER = "import subprocess, sys, django\nsys.exit(subprocess.call([sys.executable, 'manage.py', 'test', '-v', '2']))\n"
SCRIPTS = {"pytest": BY_PYTEST, "unittest": BY_UNITTEST, "another process": BY_ANOTHER}
MAKE = {"Makefile": "test:\n\tpython runtests.py\n"}
WRONG = {"shop/kata.py": "def add(a, b):\n    return 0\n"}


@pytest.mark.parametrize("command", [("python", "runtests.py"), ("make", "test")])
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_of_the_projects_own_is_what_its_text_says(write, drive, script, command):
    files = {**PROJECT, **MAKE, "runtests.py": SCRIPTS[script]}
    green = drive(write(files), command, framework="django").report
    assert (green.verdict, green.counts.passed, green.disagreements) == (RunVerdict.PASSED, 1, ()), green
    red = drive(write({**files, **WRONG}, "red"), command, framework="django").report
    assert (red.verdict, red.counts.bad, red.disagreements) == (RunVerdict.FAILED, 1, ()), red


HANDS_OVER = """\
class Runner:
    def __init__(self, **options): pass
    @classmethod
    def add_arguments(cls, parser): pass
    def run_tests(self, labels, **more):
        import pytest
        return pytest.main(["-p", "no:cacheprovider", "shop/test_fn.py"])
"""
BY_ITS_RUNNER = {
    "site1/runner.py": HANDS_OVER,
    "site1/settings.py": PROJECT["site1/settings.py"] + "TEST_RUNNER = 'site1.runner.Runner'\n",
}
FUNCTION = "from shop.kata import add\n\ndef test_a():\n    assert add(1, 2) == 3\n\n"
CASE = "import unittest\n\nclass T(unittest.TestCase):\n    def test_b(self): pass\n"


@pytest.mark.parametrize("tests", [FUNCTION + "def test_b(): pass\n", FUNCTION + CASE])
def test_a_runner_that_hands_over_to_pytest_is_what_the_text_says(write, drive, tests):
    files = {**PROJECT, **BY_ITS_RUNNER, "shop/test_fn.py": tests}
    green = drive(write(files), COMMAND, framework="django").report
    assert (green.verdict, green.counts.passed, green.disagreements) == (RunVerdict.PASSED, 2, ()), green
    red = drive(write({**files, **WRONG}, "red"), COMMAND, framework="django").report
    assert (red.verdict, red.counts.bad, red.counts.passed) == (RunVerdict.FAILED, 1, 1), red
