"""pytest runs with other plug-ins and with pytest inside pytest: each test is reported once, with its worst outcome."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from test_pytest_runs import GREEN, TESTS

from tdd_orchestrator.model.report import Outcome, RunVerdict

XDIST = ("python", "-m", "pytest", "-q", "-p", "xdist", "-n", "2")


def outcomes(report) -> dict[str, Outcome]:
    return {case.id.split("::", 1)[-1]: case.outcome for case in report.cases}


def test_xdist_reports_each_test_once(write, drive):
    report = drive(write(GREEN), XDIST).report
    assert (report.verdict, report.complete, len(report.cases)) == (RunVerdict.PASSED, True, 3)


def test_failures_and_frames_come_through_xdist(write, drive):
    kata = "def add(a, b):\n    return {}[a]\n"
    report = drive(write({**GREEN, "kata.py": kata}), XDIST).report
    case = next(case for case in report.failing if case.id == f"{TESTS}::test_adds")
    assert (report.verdict, case.exception, case.line) == (RunVerdict.FAILED, "KeyError", 6)
    assert case.frames[-2:] == (f"{TESTS}:6", "kata.py:2")


def test_a_file_that_xdist_cannot_load_is_one_error(write, drive):
    report = drive(write({**GREEN, "tests/test_new.py": "from kata import sub\n"}), XDIST).report
    assert report.verdict is RunVerdict.ERROR
    (error,) = report.build_errors
    assert (error.file, error.line, error.exception) == ("tests/test_new.py", 1, "ImportError")


@pytest.mark.parametrize("body", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_worker_that_dies_is_no_pass(write, drive, body):
    tree = write({**GREEN, "tests/test_die.py": f"import os\n\ndef test_dies():\n    {body}\n"})
    report = drive(tree, XDIST).report
    assert report.verdict in (RunVerdict.FAILED, RunVerdict.CRASHED), report


SUBTESTS = """
import unittest
import pytest

class A(unittest.TestCase):
    def test_all(self):
        for n in (1, 3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 2)

    def test_one(self):
        for n in (1, 2, 3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 2)

    def test_skips(self):
        for n in (1, 2):
            with self.subTest(n=n):
                if n == 2:
                    self.skipTest("not this one")

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    def test_after(self):
        with self.subTest(n=1):
            pass
        self.fail("behind the subtests")
"""


@pytest.mark.parametrize("command", [("python", "-m", "pytest", "-q"), XDIST], ids=["alone", "xdist"])
def test_subtests_of_unittest_count_for_their_test(write, drive, command):
    report = drive(write({"test_u.py": SUBTESTS}), command).report
    assert (report.verdict, report.disagreements) == (RunVerdict.FAILED, ())
    assert outcomes(report) == {
        "A::test_all": Outcome.PASSED,
        "A::test_one": Outcome.FAILED,
        "A::test_skips": Outcome.PASSED,
        "A::test_expected": Outcome.XFAILED,
        "A::test_after": Outcome.FAILED,
    }


def test_subtests_of_pytest_count_for_their_test(write, drive):
    body = (
        "def test_rows(subtests):\n    for n in (1, 2, 3):\n        with subtests.test(n=n):\n            assert n != 2\n\n"
        "def test_good(subtests):\n    for n in (1, 3):\n        with subtests.test(n=n):\n            assert n != 2\n"
    )
    report = drive(write({"test_s.py": body})).report
    assert report.verdict is RunVerdict.FAILED
    assert outcomes(report) == {"test_rows": Outcome.FAILED, "test_good": Outcome.PASSED}
    assert drive(write({"test_s.py": body.replace("!= 2", "!= 4")})).report.verdict is RunVerdict.PASSED


UNITTEST = """
import unittest

class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise RuntimeError("no")
    def test_a(self): pass

class Before(unittest.TestCase):
    def setUp(self): raise RuntimeError("no")
    def test_b(self): pass

class After(unittest.TestCase):
    def tearDown(self): raise RuntimeError("no")
    def test_c(self): pass

class Fine(unittest.IsolatedAsyncioTestCase):
    async def test_d(self): pass
    @unittest.skip("later")
    def test_e(self): pass
    @unittest.expectedFailure
    def test_f(self): pass
"""


def test_unittest_under_pytest(write, drive):
    report = drive(write({"test_u.py": UNITTEST})).report
    assert report.verdict is RunVerdict.FAILED
    assert outcomes(report) == {
        "Broken::test_a": Outcome.ERROR,
        "Before::test_b": Outcome.FAILED,
        "After::test_c": Outcome.FAILED,
        "Fine::test_d": Outcome.PASSED,
        "Fine::test_e": Outcome.SKIPPED,
        "Fine::test_f": Outcome.FAILED,
    }


NESTED = """
pytest_plugins = "pytester"

def test_inner(pytester):
    pytester.makepyfile("def test_a(): assert 0\\ndef test_b(): pass")
    result = pytester.{how}("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
"""


@pytest.mark.parametrize("how", ["runpytest_inprocess", "runpytest_subprocess"])
def test_a_run_inside_a_test_is_the_tests_own_affair(write, drive, how):
    """Its failing tests are none of this run's, and its session ends no session of ours."""
    report = drive(write({"test_n.py": NESTED.format(how=how)})).report
    assert (report.verdict, report.complete) == (RunVerdict.PASSED, True), report
    assert [case.id for case in report.cases] == ["test_n.py::test_inner"]


def test_a_script_that_calls_pytest_twice(write, drive):
    """Both sessions are reported, and the process that dies in the second one is no pass."""
    script = "import pytest, sys\nsys.exit(max(pytest.main(['-q', 'tests']), pytest.main(['-q', 'other'])))\n"
    files = {
        **GREEN,
        "run.py": script,
        "other/test_o.py": "def test_o():\n    assert 1\n",
        "Makefile": "test:\n\tpython run.py\n",
    }
    green = drive(write(files), ("make", "test")).report
    assert green.verdict is RunVerdict.PASSED, green
    for name, text in (
        ("other", "def test_o():\n    assert 0\n"),
        ("died", "import os\ndef test_o():\n    os._exit(0)\n"),
    ):
        report = drive(write({**files, "other/test_o.py": text}, name), ("make", "test")).report
        assert report.verdict is not RunVerdict.PASSED, (name, report)


RERUNS = """
import pathlib
import pytest

def test_second():
    seen = pathlib.Path("seen")
    first = not seen.exists()
    seen.touch()
    assert not first

def test_never():
    assert 0

def test_fine():
    pass
"""

PYTHONS = sorted(
    str(path)
    for path in Path.home().glob(".pyenv/versions/3.*/bin/python")
    if int(path.parts[-3].split(".")[1]) >= 7
)
OLD = {"3.7": ("pytest==7.4.4", "pytest-subtests==0.11.0", "pytest-rerunfailures==13.0"),
       "3.8": ("pytest==6.2.5", "pytest-subtests==0.5.0", "pytest-rerunfailures==10.2"),
       "3.9": ("pytest==8.3.5", "pytest-subtests==0.14.1", "pytest-rerunfailures==15.0", "pytest-xdist")}  # fmt: skip
NEW = ("pytest", "pytest-rerunfailures", "pytest-xdist")


@pytest.fixture(scope="module", params=PYTHONS)
def python(request, tmp_path_factory) -> str:
    """An older or newer Python with a pytest of its time, and with plug-ins."""
    home = tmp_path_factory.mktemp("python")
    version = ".".join(Path(request.param).parts[-3].split(".")[:2])
    made = subprocess.run([request.param, "-m", "venv", home], capture_output=True, text=True, check=False)
    own = str(home / "bin" / "python")
    words = [own, "-m", "pip", "install", "-q", "--disable-pip-version-check", *OLD.get(version, NEW)]
    done = subprocess.run(words, capture_output=True, text=True, check=False) if not made.returncode else made
    if done.returncode:
        pytest.skip(f"no pytest for {version} here: {done.stderr[-200:]}")
    return own


@pytest.mark.slow
@pytest.mark.skipif(not PYTHONS, reason="no other Pythons here (pyenv)")
class TestOtherPythons:
    def test_a_green_and_a_red_run(self, write, drive, python):
        command = (python, "-m", "pytest", "-q")
        green = drive(write(GREEN), command).report
        assert (green.verdict, green.source, green.complete) == (RunVerdict.PASSED, "report", True)
        files = {
            **GREEN,
            "kata.py": "def add(a, b):\n    return {}[a]\n",
            "test_new.py": "from kata import sub\n",
        }
        red = drive(write(files, "red"), (*command, "--continue-on-collection-errors")).report
        assert (red.verdict, len(red.failing)) == (RunVerdict.FAILED, 4), red
        (error,) = red.build_errors
        assert (error.file, error.line, error.exception) == ("test_new.py", 1, "ImportError")
        case = next(case for case in red.failing if case.id.endswith("test_adds"))
        assert (case.line, case.exception, case.frames[-2:]) == (6, "KeyError", (f"{TESTS}:6", "kata.py:2"))

    def test_reruns_and_subtests(self, write, drive, python):
        env = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": ""}
        report = drive(
            write({"test_r.py": RERUNS}), (python, "-m", "pytest", "-q", "--reruns", "1"), env=env
        ).report
        assert report.verdict is RunVerdict.FAILED, report
        assert outcomes(report) == {
            "test_second": Outcome.PASSED,
            "test_never": Outcome.FAILED,
            "test_fine": Outcome.PASSED,
        }
        assert report.complete
        report = drive(write({"test_u.py": SUBTESTS}, "sub"), (python, "-m", "pytest", "-q"), env=env).report
        assert report.verdict is RunVerdict.FAILED, report
        assert outcomes(report)["A::test_one"] is Outcome.FAILED
        assert outcomes(report)["A::test_all"] is Outcome.PASSED
        assert outcomes(report)["A::test_after"] is Outcome.FAILED
