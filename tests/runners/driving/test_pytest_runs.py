"""Real pytest runs: what a green, a red and a cheating tree come to."""

from __future__ import annotations

import pytest

from tdd_orchestrator.model.report import CHANGED, Case, Outcome, RunVerdict

GREEN = {
    "kata.py": "def add(a, b):\n    return a + b\n",
    "tests/test_kata.py": (
        "import pytest\nfrom kata import add\n\n\n"
        "def test_adds():\n    assert add(1, 2) == 3\n\n\n"
        "@pytest.mark.parametrize('n', [1, 2])\ndef test_each(n):\n    assert add(n, 0) == n\n"
    ),
}
NEAR = "tests/test_kata.py"


def test_green_run_is_passed_and_names_every_test(write, drive):
    ran = drive(write(GREEN), near=NEAR)
    assert ran.report.verdict is RunVerdict.PASSED
    assert ran.control is True
    assert ran.report.complete
    assert ran.report.passing_ids == {f"{NEAR}::test_adds", f"{NEAR}::test_each[1]", f"{NEAR}::test_each[2]"}
    assert ran.report.exit_code == 1  # the control's doing
    assert ran.report.source == "report"


def test_without_a_control_the_same_run_ends_with_zero(write, drive):
    ran = drive(write(GREEN))
    assert (ran.report.verdict, ran.control, ran.report.exit_code) == (RunVerdict.PASSED, None, 0)


def test_control_leaves_nothing_behind(write, drive):
    tree = write(GREEN)
    drive(tree, near=NEAR)
    assert sorted(p.relative_to(tree).as_posix() for p in tree.rglob("*") if p.is_file()) == sorted(GREEN)


def test_failing_test_is_named_with_its_line_and_type(write, drive):
    tree = write(
        {**GREEN, "tests/test_red.py": "from kata import add\n\n\ndef test_r():\n    assert add(1, 1) == 3\n"}
    )
    ran = drive(tree, near=NEAR)
    assert ran.report.verdict is RunVerdict.FAILED
    assert ran.control is True
    (case,) = ran.report.failing
    assert (case.id, case.file, case.line) == ("tests/test_red.py::test_r", "tests/test_red.py", 5)
    assert (case.exception, case.phase) == ("AssertionError", "call")
    assert "assert 2 == 3" in case.message
    assert ran.report.counts is not None
    assert (ran.report.counts.passed, ran.report.counts.failed) == (3, 1)


def test_missing_symbol_is_a_build_error_and_the_others_still_run(write, drive):
    tree = write(
        {**GREEN, "tests/test_new.py": "from kata import sub\n\n\ndef test_s():\n    assert sub(2, 1) == 1\n"}
    )
    ran = drive(tree, near=NEAR)
    assert ran.report.verdict is RunVerdict.ERROR
    (error,) = ran.report.build_errors
    assert (error.file, error.line, error.exception) == ("tests/test_new.py", 1, "ImportError")
    assert "cannot import name 'sub' from 'kata'" in error.message
    assert len(ran.report.passing_ids) == 3


def test_syntax_error_names_file_and_line(write, drive):
    tree = write({**GREEN, "tests/test_bad.py": "def test_x():\n    assert (1\n"})
    (error,) = drive(tree).report.build_errors
    assert (error.file, error.exception) == ("tests/test_bad.py", "SyntaxError")
    assert error.line == 2


def test_fixture_that_is_missing_or_raises_is_an_error_in_setup(write, drive):
    text = (
        "import pytest\n\n@pytest.fixture\ndef broken():\n    raise RuntimeError('no')\n\n"
        "def test_a(nowhere):\n    pass\n\ndef test_b(broken):\n    pass\n"
    )
    ran = drive(write({"test_f.py": text}))
    assert ran.report.verdict is RunVerdict.FAILED
    assert {(c.outcome, c.phase) for c in ran.report.cases} == {(Outcome.ERROR, "setup")}


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("import os\ndef test_exit():\n    os._exit(0)\n", RunVerdict.CRASHED),
        ("import sys\nimport os\nos._exit(0)\n", RunVerdict.CRASHED),
        ("import sys\ndef test_exit():\n    sys.exit(0)\n", RunVerdict.FAILED),
        ("import pytest\ndef test_exit():\n    pytest.exit('done', returncode=0)\n", RunVerdict.CRASHED),
        (
            "import os, signal\ndef test_die():\n    os.kill(os.getpid(), signal.SIGKILL)\n",
            RunVerdict.CRASHED,
        ),
        (
            "import atexit, os\natexit.register(os._exit, 0)\ndef test_bad():\n    assert 0\n",
            RunVerdict.FAILED,
        ),
        ("import pytest\n@pytest.mark.skip\ndef test_s():\n    assert 0\n", RunVerdict.NO_TESTS),
        ("def helper():\n    pass\n", RunVerdict.NO_TESTS),
    ],
)
@pytest.mark.parametrize("near", ["", "test_only.py"])
def test_ways_out_are_never_a_pass(write, drive, body, verdict, near):
    ran = drive(write({"test_only.py": body}), near=near)
    assert ran.report.verdict is verdict, ran.report.why


def test_an_exit_code_of_zero_that_hides_the_control_is_not_believed(write, drive):
    body = "import atexit, os\natexit.register(os._exit, 0)\ndef test_ok():\n    assert 1\n"
    assert drive(write({"test_only.py": body}), near="test_only.py").report.verdict is RunVerdict.CRASHED


CHEATS = {
    "outcome patched": (
        "import _pytest.reports as r\nold = r.TestReport.from_item_and_call.__func__\n"
        "def new(cls, item, call):\n    call.excinfo = None\n    return old(cls, item, call)\n"
        "r.TestReport.from_item_and_call = classmethod(new)\n"
    ),
    "assertions rewritten away": ("import _pytest.python as p\np.Function.runtest = lambda self: None\n"),
    "comparison of ints in the rewriter": (
        "import _pytest.runner as r\nr.call_and_report = r.call_and_report\n"
        "import _pytest.python as p\n"
        "def quiet(pyfuncitem):\n    try:\n        pyfuncitem.obj()\n    except BaseException:\n        pass\n    return True\n"
        "import _pytest.config\n"
        "p.pytest_pyfunc_call = quiet\n"
        "p.Function.runtest = lambda self: quiet(self)\n"
    ),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_patched_runner_is_caught_by_the_control(write, drive, cheat):
    tree = write(
        {
            "kata.py": CHEATS[cheat] + "def add(a, b):\n    return 0\n",
            "test_kata.py": "from kata import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n",
        }
    )
    ran = drive(tree, near="test_kata.py")
    assert ran.control is False or ran.report.verdict is not RunVerdict.PASSED


_UP = (
    "import sys\n\n\ndef up(name):\n    frame = sys._getframe()\n    while name not in frame.f_locals:\n        frame = frame.f_back\n"
    "    return frame.f_locals[name]\n\n\n"
)
AT_CALL = {
    "a plug-in for one test": (
        "class P:\n    @staticmethod\n    def pytest_runtest_makereport(item, call):\n"
        "        if 'adds' in item.name:\n            call.excinfo = None\n\n\n"
        "def add(a, b):\n    item = up('pyfuncitem')\n    item.config.pluginmanager.register(P)\n    return 0\n"
    ),
    "a plug-in for all": (
        "class P:\n    @staticmethod\n    def pytest_runtest_makereport(item, call):\n        call.excinfo = None\n\n\n"
        "def add(a, b):\n    up('pyfuncitem').config.pluginmanager.register(P)\n    return 0\n"
    ),
    "a plug-in taken out": (
        "def add(a, b):\n    config = up('pyfuncitem').config\n"
        "    config.pluginmanager.unregister(name='runner')\n    raise SystemExit(0)\n"
    ),
}


@pytest.mark.parametrize("cheat", AT_CALL)
@pytest.mark.parametrize("turn", range(3))
def test_nobody_gets_a_say_while_the_tests_run(write, drive, cheat, turn):
    """Each time: the control's name is chance, and so was its place among the tests."""
    kata = _UP + AT_CALL[cheat]
    test = "from kata import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n"
    ran = drive(write({"kata.py": kata, "test_kata.py": test}), near="test_kata.py")
    told = any(one.startswith(CHANGED) for one in ran.report.disagreements)
    assert told or ran.report.verdict is not RunVerdict.PASSED


def test_the_control_runs_last(write, drive):
    text = "def test_{0}(request):\n    assert request.session.items[-1].name not in ('test_a', 'test_zz')\n"
    tree = write({f"test_{name}.py": text.format(name) for name in ("a", "zz")})
    ran = drive(tree, near="test_a.py")
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True)


def test_a_hook_that_turns_failures_into_passes_is_seen_through(write, drive):
    hook = (
        "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
        "    out = yield\n    out.get_result().outcome = 'passed'\n"
    )
    ran = drive(write({"conftest.py": hook, "test_a.py": "def test_a():\n    assert 0\n"}))
    assert ran.report.verdict is RunVerdict.FAILED
    assert any("hook" in one for one in ran.report.disagreements)


def test_a_hook_that_sets_the_exit_status_changes_nothing(write, drive):
    hook = "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"
    ran = drive(write({"conftest.py": hook, "test_a.py": "def test_a():\n    assert 0\n"}))
    assert ran.report.verdict is RunVerdict.FAILED


def test_shadowing_the_runner_does_not_work(write, drive):
    fake = "import sys\nprint('1 passed in 0.01s')\nsys.exit(0)\n"
    tree = write(
        {"pytest.py": fake, "json.py": "raise SystemExit(0)\n", "test_a.py": "def test_a():\n    assert 0\n"}
    )
    assert drive(tree).report.verdict is RunVerdict.FAILED


def test_a_run_without_the_witness_is_not_believed(write, drive):
    tree = write(
        {"fake/pytest": "#!/bin/sh\necho '1 passed in 0.01s'\n", "test_a.py": "def test_a():\n    pass\n"}
    )
    (tree / "fake/pytest").chmod(0o755)
    ran = drive(tree, ("./fake/pytest",))
    assert ran.report.verdict is RunVerdict.UNREADABLE
    assert "witness" in ran.report.why


def test_time_out(write, drive):
    ran = drive(write({"test_a.py": "import time\ndef test_a():\n    time.sleep(60)\n"}), timeout=2.0)
    assert ran.report.verdict is RunVerdict.TIMED_OUT
    assert ran.seconds < 15


def test_command_that_does_not_exist(write, drive):
    ran = drive(write(GREEN), ("no-such-runner-anywhere",))
    assert ran.report.verdict is RunVerdict.ERROR
    assert "no such program" in ran.report.why


def test_xdist_writes_from_the_controller_only(write, drive):
    ran = drive(write(GREEN), ("python", "-m", "pytest", "-q", "-p", "xdist", "-n", "2"), near=NEAR)
    assert (ran.report.verdict, ran.control, ran.report.complete) == (RunVerdict.PASSED, True, True)
    assert len(ran.report.cases) == 3


@pytest.mark.parametrize(
    ("makefile", "verdict"),
    [
        ("test:\n\tpython -m pytest -q\n", RunVerdict.PASSED),
        ("test:\n\t-python -m pytest -q\n", RunVerdict.PASSED),
        ("test:\n\tpython -m pytest -q tests && python -m pytest -q tests/test_kata.py\n", RunVerdict.PASSED),
        ("test:\n\tpython -m pytest -q; echo lint; false\n", RunVerdict.FAILED),
        ("test:\n\techo '3 passed in 0.1s'\n", RunVerdict.UNREADABLE),
    ],
)
def test_through_make(write, drive, makefile, verdict):
    ran = drive(write({**GREEN, "Makefile": makefile}), ("make", "test"))
    assert ran.report.verdict is verdict, ran.report.why


def test_control_through_make(write, drive):
    ran = drive(write({**GREEN, "Makefile": "test:\n\tpython -m pytest -q\n"}), ("make", "test"), near=NEAR)
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True)


def test_a_command_that_names_other_files_takes_the_control_along(write, drive):
    tree = write({**GREEN, "other/test_o.py": "def test_o():\n    assert 1\n"})
    ran = drive(tree, ("python", "-m", "pytest", "other/test_o.py"), near=NEAR)
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True)
    assert ran.report.passing_ids == {"other/test_o.py::test_o"}


@pytest.mark.parametrize(
    "command", [("python", "-m", "pytest", "-q"), ("python", "-m", "pytest", "-x", "tests")]
)
def test_only_chosen_tests_run(write, drive, command):
    tree = write({**GREEN, "tests/test_b.py": "def test_b():\n    assert 1\n"})
    wanted = Case(f"{NEAR}::test_each[2]", "", Outcome.PASSED, file=NEAR)
    ran = drive(tree, command, only=[wanted], near=NEAR)
    assert ran.report.passing_ids == {wanted.id}
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True)


def test_chosen_tests_through_make(write, drive):
    tree = write({**GREEN, "Makefile": "test:\n\tpython -m pytest -q\n"})
    ran = drive(tree, ("make", "test"), only=[Case(f"{NEAR}::test_adds", "", Outcome.PASSED, file=NEAR)])
    assert ran.report.passing_ids == {f"{NEAR}::test_adds"}


def test_first_failure_does_not_stop_the_others(write, drive):
    tree = write({"test_a.py": "def test_a():\n    assert 0\n\ndef test_b():\n    assert 1\n"})
    ran = drive(tree, ("python", "-m", "pytest", "-x"))
    assert ran.report.passing_ids == {"test_a.py::test_b"}


def test_what_tests_start_finds_no_trace_of_the_witness(write, drive):
    body = (
        "import os, subprocess, sys\n\ndef test_env():\n"
        "    assert not [k for k in os.environ if k.startswith(('TDD_WITNESS', 'PYTEST_ADDOPTS', 'PYTHONSAFEPATH'))]\n"
        "    subprocess.run([sys.executable, '-m', 'tool'], check=True)\n"
    )
    assert drive(write({"tool.py": "", "test_a.py": body})).report.verdict is RunVerdict.PASSED


def test_suite_in_a_folder_below(write, drive):
    tree = write({f"back/{path}": text for path, text in GREEN.items()})
    ran = drive(tree, cwd="back", near=f"back/{NEAR}")
    assert (ran.report.verdict, ran.control) == (RunVerdict.PASSED, True)
    assert {case.file for case in ran.report.cases} == {f"back/{NEAR}"}


def test_user_options_in_the_configuration_do_not_break_the_witness(write, drive):
    ini = "[pytest]\naddopts = -x --ff -p no:warnings --strict-markers --strict-config -ra --tb=no\n"
    tree = write({**GREEN, "pytest.ini": ini})
    assert drive(tree, near=NEAR).report.verdict is RunVerdict.PASSED
    assert not (tree / ".pytest_cache").exists()


def test_a_threshold_of_another_plugin_that_fails_the_run_is_not_hidden_by_the_control(write, drive):
    hook = "def pytest_runtestloop(session):\n    session.testsfailed += 1\n"
    tree = write({**GREEN, "conftest.py": hook})
    ran = drive(tree, near=NEAR)
    assert ran.report.verdict is not RunVerdict.PASSED


def test_unittest_style_and_subtests(write, drive):
    body = (
        "import unittest\n\nclass A(unittest.TestCase):\n    def test_s(self):\n"
        "        for n in (1, 2, 3):\n            with self.subTest(n=n):\n                self.assertNotEqual(n, 2)\n"
        "    @unittest.expectedFailure\n    def test_x(self):\n        self.fail()\n"
    )
    ran = drive(write({"test_u.py": body}), near="test_u.py")
    assert ran.report.verdict is RunVerdict.FAILED
    assert [case.name for case in ran.report.failing] == ["test_u.py::A::test_s"]


def test_expected_failure_and_unexpected_pass(write, drive):
    body = (
        "import pytest\n\n@pytest.mark.xfail\ndef test_x():\n    assert 0\n\n"
        "@pytest.mark.xfail\ndef test_xp():\n    assert 1\n\n@pytest.mark.xfail(strict=True)\ndef test_strict():\n    assert 1\n"
    )
    outcomes = {
        case.id.split("::")[1]: case.outcome for case in drive(write({"test_x.py": body})).report.cases
    }
    assert outcomes == {"test_x": Outcome.XFAILED, "test_xp": Outcome.XPASSED, "test_strict": Outcome.FAILED}
