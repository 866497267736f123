"""Real pytest runs: what a green, a red and a broken tree come to, with nothing planted and nothing watched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tdd_orchestrator.model.report import Case, Outcome, RunVerdict

GREEN = {
    "kata.py": "def add(a, b):\n    return a + b\n",
    "tests/test_kata.py": (
        "import pytest\nfrom kata import add\n\n\n"
        "def test_adds():\n    assert add(1, 2) == 3\n\n\n"
        "@pytest.mark.parametrize('n', [1, 2])\ndef test_each(n):\n    assert add(n, 0) == n\n"
    ),
}
TESTS = "tests/test_kata.py"


def test_green_run_is_passed_and_names_every_test(write, drive):
    report = drive(write(GREEN)).report
    assert (report.verdict, report.exit_code, report.source) == (RunVerdict.PASSED, 0, "report")
    assert (report.complete, report.disagreements) == (True, ())
    assert report.passing_ids == {f"{TESTS}::test_adds", f"{TESTS}::test_each[1]", f"{TESTS}::test_each[2]"}


def test_a_run_leaves_nothing_in_the_tree_but_what_pytest_writes(write, drive):
    tree = write(GREEN)
    drive(tree)
    left = [path for path in tree.rglob("*") if path.is_file() and ".pytest_cache" not in path.parts]
    assert sorted(path.relative_to(tree).as_posix() for path in left) == sorted(GREEN)


def test_failing_test_is_named_with_its_line_type_and_frames(write, drive):
    red = "from kata import add\n\n\ndef test_r():\n    assert add(1, 1) == 3\n"
    report = drive(write({**GREEN, "tests/test_red.py": red})).report
    assert (report.verdict, report.exit_code) == (RunVerdict.FAILED, 1)
    (case,) = report.failing
    assert (case.id, case.file, case.line) == ("tests/test_red.py::test_r", "tests/test_red.py", 5)
    assert (case.exception, case.phase) == ("AssertionError", "call")
    assert "assert 2 == 3" in case.message
    assert case.frames[-1] == "tests/test_red.py:5"
    assert report.counts is not None
    assert (report.counts.passed, report.counts.failed) == (3, 1)


def test_an_exception_of_the_projects_code_has_its_frames(write, drive):
    kata = "def add(a, b):\n    return {}[a]\n"
    report = drive(write({**GREEN, "kata.py": kata})).report
    case = next(case for case in report.failing if case.id.endswith("test_adds"))
    assert (case.exception, case.file, case.line) == ("KeyError", TESTS, 6)
    assert case.frames[-2:] == (f"{TESTS}:6", "kata.py:2")


def test_missing_symbol_is_a_build_error_and_the_others_are_named(write, drive):
    new = "from kata import sub\n\n\ndef test_s():\n    assert sub(2, 1) == 1\n"
    command = ("python", "-m", "pytest", "-q", "--continue-on-collection-errors")
    report = drive(write({**GREEN, "tests/test_new.py": new}), command).report
    assert report.verdict is RunVerdict.ERROR
    (error,) = report.build_errors
    assert (error.file, error.line, error.exception) == ("tests/test_new.py", 1, "ImportError")
    assert "cannot import name 'sub' from 'kata'" in error.message
    assert len(report.passing_ids) == 3


def test_syntax_error_names_file_and_line(write, drive):
    (error,) = drive(write({"tests/test_bad.py": "def test_x():\n    assert (1\n"})).report.build_errors
    assert (error.file, error.line, error.exception) == ("tests/test_bad.py", 2, "SyntaxError")


def test_conftest_that_does_not_load_is_an_error(write, drive):
    report = drive(write({**GREEN, "tests/conftest.py": "import nothing_of_the_kind\n"})).report
    assert report.verdict is RunVerdict.ERROR
    assert "nothing_of_the_kind" in report.trouble


def test_fixture_that_is_missing_or_raises_is_an_error_in_setup(write, drive):
    text = (
        "import pytest\n\n@pytest.fixture\ndef broken():\n    raise RuntimeError('no')\n\n"
        "def test_a(nowhere):\n    pass\n\ndef test_b(broken):\n    pass\n"
    )
    report = drive(write({"test_f.py": text})).report
    assert report.verdict is RunVerdict.FAILED
    assert {(c.outcome, c.phase) for c in report.cases} == {(Outcome.ERROR, "setup")}
    assert {c.message for c in report.cases} == {"fixture 'nowhere' not found", "no"}


def test_teardown_that_raises_is_an_error_of_its_test(write, drive):
    text = (
        "import pytest\n\n@pytest.fixture\ndef after():\n    yield\n    raise RuntimeError('no')\n\n"
        "def test_a(after):\n    pass\n"
    )
    report = drive(write({"test_f.py": text})).report
    assert report.verdict is RunVerdict.FAILED
    assert [(c.outcome, c.phase) for c in report.cases] == [(Outcome.ERROR, "teardown")]


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("import os\ndef test_exit():\n    os._exit(0)\n", RunVerdict.CRASHED),
        ("import os\nos._exit(0)\n", RunVerdict.CRASHED),
        ("import sys\ndef test_exit():\n    sys.exit(0)\n", RunVerdict.FAILED),
        ("import pytest\ndef test_exit():\n    pytest.exit('done', returncode=0)\n", RunVerdict.CRASHED),
        ("import os, signal\ndef test_die():\n    os.kill(os.getpid(), signal.SIGKILL)\n", RunVerdict.CRASHED),
        ("import atexit, os\natexit.register(os._exit, 0)\ndef test_bad():\n    assert 0\n", RunVerdict.FAILED),
        ("def test_a():\n    pass\ndef test_out():\n    raise KeyboardInterrupt\n", RunVerdict.CRASHED),
        ("import pytest\n@pytest.mark.skip\ndef test_s():\n    assert 0\n", RunVerdict.NO_TESTS),
        ("def helper():\n    pass\n", RunVerdict.NO_TESTS),
    ],
)  # fmt: skip
def test_ways_out_are_never_a_pass(write, drive, body, verdict):
    report = drive(write({"test_only.py": body})).report
    assert report.verdict is verdict, report.why


def test_a_run_that_prints_its_own_summary_and_leaves_is_not_a_pass(write, drive):
    lie = "import os, sys\nos.write(1, b'.\\n1 passed in 0.01s\\n')\nos._exit(0)\n"
    report = drive(write({"test_only.py": lie})).report
    assert report.verdict is not RunVerdict.PASSED, report


@pytest.mark.parametrize(
    "hook",
    [
        "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n",
        "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
        "    out = yield\n    if call.when == 'call':\n        out.get_result().nodeid += ' of mine'\n",
    ],
    ids=["exit status", "names"],
)
def test_a_hook_of_the_projects_own_hides_no_failure(write, drive, hook):
    """What a plug-in reports is its own affair; a failing test that it reports is a failing test."""
    report = drive(write({"conftest.py": hook, "test_a.py": "def test_a():\n    assert 0\n"})).report
    assert report.verdict is RunVerdict.FAILED


def test_files_of_the_tree_cannot_stand_in_for_the_runner(write, drive):
    fake = "import sys\nprint('1 passed in 0.01s')\nsys.exit(0)\n"
    tree = write(
        {
            "pytest.py": fake,
            "tdd_reporter.py": "raise SystemExit(0)\n",
            "json.py": "raise SystemExit(0)\n",
            "test_a.py": "def test_a():\n    assert 0\n",
        }
    )
    assert drive(tree).report.verdict is not RunVerdict.PASSED


def test_a_pass_without_the_report_that_was_asked_for_is_not_believed(write, drive):
    tree = write(
        {"fake/pytest": "#!/bin/sh\necho '1 passed in 0.01s'\n", "test_a.py": "def test_a():\n    pass\n"}
    )
    (tree / "fake/pytest").chmod(0o755)
    report = drive(tree, ("./fake/pytest",)).report
    assert report.verdict is RunVerdict.UNREADABLE
    assert "report" in report.why


def test_time_out(write, drive):
    ran = drive(write({"test_a.py": "import time\ndef test_a():\n    time.sleep(60)\n"}), timeout=2.0)
    assert ran.report.verdict is RunVerdict.TIMED_OUT
    assert ran.seconds < 15


def test_command_that_does_not_exist(write, drive):
    report = drive(write(GREEN), ("no-such-runner-anywhere",)).report
    assert report.verdict is RunVerdict.ERROR
    assert "no such program" in report.why


@pytest.mark.parametrize(
    "command", [("python", "-m", "pytest", "-q"), ("python", "-m", "pytest", "-x", "tests")]
)
def test_only_the_files_of_chosen_tests_run(write, drive, command):
    tree = write({**GREEN, "tests/test_b.py": "def test_b():\n    assert 1\n"})
    wanted = Case("tests/test_b.py::test_b", "", Outcome.PASSED, file="tests/test_b.py")
    report = drive(tree, command, only=[wanted]).report
    assert (report.verdict, report.passing_ids) == (RunVerdict.PASSED, {wanted.id})


TWO = {**GREEN, "tests/unit/test_b.py": "def test_b():\n    assert 1\n", "tests/unit/conftest.py": "X = 1\n"}
WANTED = Case("tests/unit/test_b.py::test_b", "", Outcome.PASSED, file="tests/unit/test_b.py")


@pytest.mark.parametrize(
    "lines",
    [
        ["python -m pytest -q"],
        ["PYTHONPATH=. python -m pytest -q tests"],
        ["python -m pytest -q tests/test_kata.py && python -m pytest -q tests/unit"],
        ["python -m pytest -q tests --doctest-modules"],
        ["sh -c 'python -m pytest -q; echo done'"],
    ],
)
def test_chosen_tests_are_said_through_make_by_a_variable(write, drive, lines):
    tree = write({**TWO, "Makefile": "test:\n" + "".join(f"\t{line}\n" for line in lines)})
    report = drive(tree, ("make", "test"), only=[WANTED]).report
    named_by_the_user = {case.id for case in report.cases if "tests/test_kata.py" in lines[0]}
    assert WANTED.id in report.passing_ids
    assert report.exit_code == 0
    assert report.passing_ids - named_by_the_user <= {WANTED.id}


@pytest.mark.parametrize("start", ["", "PYTHONPATH=. "])
def test_a_part_of_the_command_without_chosen_tests_does_not_hide_the_next(write, drive, start):
    """pytest fails where it collects nothing; then everything is run."""
    parts = "python -m pytest -q tests/old && python -m pytest -q tests/unit"
    tree = write(
        {**TWO, "tests/old/test_o.py": "def test_o():\n    pass\n", "Makefile": f"test:\n\t{start}{parts}\n"}
    )
    report = drive(tree, ("make", "test"), only=[WANTED]).report
    assert (report.verdict, WANTED.id in report.passing_ids) == (RunVerdict.PASSED, True)


@pytest.mark.parametrize("start", ["", "PYTHONPATH=. "])
def test_what_a_chosen_test_raises_is_read_from_a_short_traceback(write, drive, start):
    """pytest parses a whole file for each failure in its long form, which a question to 200 tests waits for."""
    body = "\n".join(
        f"def test_{n}():\n    assert True\n    raise type('Poison', (BaseException,), {{}})('0123{n:04}')\n"
        for n in range(3)
    )
    tree = write({"tests/test_p.py": body, "Makefile": f"test:\n\t{start}python -m pytest -q\n"})
    wanted = Case("tests/test_p.py::test_1", "", Outcome.PASSED, file="tests/test_p.py")
    ran = drive(tree, ("make", "test"), only=[wanted])
    assert "Traceback (most recent call last)" in ran.output
    assert len(ran.report.failing) == 3
    for number, case in enumerate(ran.report.failing):
        assert f"0123{number:04}" in case.message, case
        assert (case.file, case.line) == ("tests/test_p.py", 4 * number + 3)


def test_chosen_tests_through_make_in_a_folder_of_its_own(write, drive):
    tree = write(
        {"app/Makefile": "test:\n\tpython -m pytest -q\n", **{f"app/{k}": v for k, v in TWO.items()}}
    )
    chosen = [replace(WANTED, file="app/tests/unit/test_b.py")]
    report = drive(tree, ("make", "test"), only=chosen, cwd="app").report
    assert report.passing_ids == {WANTED.id}, report


def test_the_users_options_are_left_as_they_are(write, drive):
    """With ``-x`` pytest stops at the first failure, as it does for the user."""
    tree = write({"test_a.py": "def test_a():\n    assert 0\n\ndef test_b():\n    assert 1\n"})
    report = drive(tree, ("python", "-m", "pytest", "-x")).report
    assert (report.verdict, report.complete) == (RunVerdict.FAILED, False)
    assert [case.id for case in report.cases] == ["test_a.py::test_a"]


@pytest.mark.parametrize(
    "command", [("python", "-m", "pytest", "-x"), ("python", "-m", "pytest", "--stepwise"), ("make", "test")]
)
def test_each_of_the_chosen_tests_runs_where_the_users_options_stop_at_the_first_failure(
    write, drive, command
):
    """A question is put to each of them, also through `make`."""
    makefile = "test:\n\tpython -m pytest --maxfail 1\n"
    tests = "def test_a():\n    assert 0\n\ndef test_b():\n    assert 0\n"
    tree = write({"test_a.py": tests, "Makefile": makefile})
    report = drive(
        tree, command, only=[Case("test_a.py::test_a", "", Outcome.FAILED, file="test_a.py")]
    ).report
    assert [case.id for case in report.failing] == ["test_a.py::test_a", "test_a.py::test_b"]


@pytest.mark.parametrize("variable", ["", "-W error"])
def test_what_tests_start_finds_no_trace_of_the_reporter(write, drive, variable):
    body = (
        "import os, subprocess, sys\n\ndef test_env():\n"
        "    assert not [k for k in os.environ if k.startswith(('TDD_EVENTS', 'TDD_BEFORE'))]\n"
        f"    assert os.environ.get('PYTEST_ADDOPTS', '') == {variable!r}\n"
        "    assert 'PYTHONPATH' not in os.environ\n"
        "    subprocess.run([sys.executable, '-m', 'tool'], check=True)\n"
    )
    tree = write({"tool.py": "", "test_a.py": body})
    report = drive(tree, env={"PYTEST_ADDOPTS": variable} if variable else {}).report
    assert report.verdict is RunVerdict.PASSED, report.failing


def test_the_users_own_python_path_stays(write, drive, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "of_ours.py").write_text("X = 1\n")
    body = "import os\nimport of_ours\n\ndef test_env():\n    assert os.environ['PYTHONPATH'] == {!r}\n"
    tree = write({"test_a.py": body.format(str(tmp_path / "own"))})
    report = drive(tree, env={"PYTHONPATH": str(tmp_path / "own")}).report
    assert report.verdict is RunVerdict.PASSED, report


def test_readers_are_loaded_while_the_tests_run(write, drive, monkeypatch):
    tree = write({"test_kata.py": "import pathlib\n\n\ndef test_reads():\n    assert pathlib.Path('loaded').exists()\n",
                  "conftest.py": "import pathlib, time\nuntil = time.time() + 20\n"
                  "while not pathlib.Path('loaded').exists() and time.time() < until:\n    time.sleep(0.05)\n"})  # fmt: skip
    monkeypatch.setattr("tdd_orchestrator.runners.run.rows", (tree / "loaded").touch)
    assert drive(tree).report.verdict is RunVerdict.PASSED


def test_suite_in_a_folder_below(write, drive):
    report = drive(write({f"back/{path}": text for path, text in GREEN.items()}), cwd="back").report
    assert report.verdict is RunVerdict.PASSED
    assert {case.file for case in report.cases} == {f"back/{TESTS}"}


def test_options_in_the_configuration_do_not_break_the_reporter(write, drive):
    ini = "[pytest]\naddopts = -x --ff -p no:warnings --strict-markers --strict-config -ra --tb=no\n"
    assert drive(write({**GREEN, "pytest.ini": ini})).report.verdict is RunVerdict.PASSED


def test_a_plugin_that_fails_the_run_is_heard(write, drive):
    """A coverage threshold, or anything else that makes pytest's exit code other than 0."""
    hook = "def pytest_runtestloop(session):\n    session.testsfailed += 1\n"
    report = drive(write({**GREEN, "conftest.py": hook})).report
    assert report.verdict is not RunVerdict.PASSED
    hook = "def pytest_sessionfinish(session):\n    session.exitstatus = 1\n"
    report = drive(write({**GREEN, "conftest.py": hook}, "late")).report
    assert report.verdict is not RunVerdict.PASSED


def test_expected_failure_and_unexpected_pass(write, drive):
    body = (
        "import pytest\n\n@pytest.mark.xfail\ndef test_x():\n    assert 0\n\n"
        "@pytest.mark.xfail\ndef test_xp():\n    assert 1\n\n@pytest.mark.xfail(strict=True)\ndef test_strict():\n    assert 1\n"
    )
    cases = drive(write({"test_x.py": body})).report.cases
    outcomes = {case.id.split("::")[1]: case.outcome for case in cases}
    assert outcomes == {"test_x": Outcome.XFAILED, "test_xp": Outcome.XPASSED, "test_strict": Outcome.FAILED}


def test_an_exception_in_an_example_has_its_own_place(write, drive):
    text = 'def half(n):\n    """\n    >>> half("a")\n    2\n    """\n    return n / 2\n'
    tree = write({"calc.py": text, "pytest.ini": "[pytest]\naddopts = --doctest-modules\n"})
    (case,) = drive(tree).report.failing
    assert case.frames[-1] == "calc.py:6"
