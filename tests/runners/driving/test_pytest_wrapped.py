"""pytest behind make, scripts and other Pythons: the exit code of the user's command is the first word (E1)."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_pytest_runs import GREEN, TESTS

from tdd_orchestrator.model.report import RunVerdict

RED = {**GREEN, "kata.py": "def add(a, b):\n    return 0\n"}
MAKE = ("make", "test")


def makefile(*lines: str) -> dict[str, str]:
    return {"Makefile": "test:\n" + "".join(f"\t{line}\n" for line in lines)}


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        (["python -m pytest -q"], RunVerdict.PASSED),
        (["-python -m pytest -q"], RunVerdict.PASSED),
        (["python -m pytest -q", "python lint.py"], RunVerdict.PASSED),
        (["python build.py", "python -m pytest -q"], RunVerdict.PASSED),
        (["python -m pytest -q tests && python -m pytest -q tests/test_kata.py"], RunVerdict.PASSED),
        (["sh -c 'python -m pytest -q; echo done'"], RunVerdict.PASSED),
    ],
)
def test_a_command_that_ends_well_is_passed(write, drive, lines, verdict):
    tree = write(
        {**GREEN, "lint.py": "print('0 errors')\n", "build.py": "print('built')\n", **makefile(*lines)}
    )
    report = drive(tree, MAKE).report
    assert report.verdict is verdict, report
    assert report.passing_ids >= {f"{TESTS}::test_adds"}
    assert report.exit_code == 0


@pytest.mark.parametrize(
    "lines",
    [
        ["python -m pytest -q", "python lint.py"],
        ["python -m pytest -q; python lint.py"],
        ["python -m pytest -q && python lint.py"],
        ["python -m pytest -q; echo '3 passed in 0.01s'; false"],
        ["python lint.py", "python -m pytest -q"],
        ["python -m pytest -q", "python -m pytest -q no/such/folder"],
        ["python both.py"],
    ],
)
def test_a_command_that_ends_in_failure_is_never_passed(write, drive, lines):
    """Every test passes; what comes after (or before) the tests fails."""
    both = (
        "import subprocess, sys\ncodes = [subprocess.call([sys.executable, '-m', 'pytest', '-q']),\n"
        "         subprocess.call([sys.executable, 'lint.py'])]\nsys.exit(max(codes))\n"
    )
    tree = write(
        {**GREEN, "lint.py": "raise SystemExit('lint: 1 error')\n", "both.py": both, **makefile(*lines)}
    )
    report = drive(tree, MAKE).report
    assert report.verdict is not RunVerdict.PASSED, report
    assert report.exit_code != 0


@pytest.mark.parametrize(
    "lines",
    [
        ["-python -m pytest -q"],
        ["python -m pytest -q || true"],
        ["python -m pytest -q | cat"],
        ["python -m pytest -q tests; python -m pytest -q other"],
        ["python swallow.py"],
    ],
)
def test_a_failure_that_the_command_swallows_is_seen(write, drive, lines):
    """Exit code 0, and pytest reported failing tests: the worse reading counts."""
    swallow = "import subprocess, sys\nsubprocess.call([sys.executable, '-m', 'pytest', '-q'])\n"
    more = {"other/test_o.py": "def test_o():\n    assert 1\n", "swallow.py": swallow}
    report = drive(write({**RED, **more, **makefile(*lines)}), MAKE).report
    assert report.verdict is RunVerdict.FAILED, report
    assert {case.id for case in report.failing} >= {f"{TESTS}::test_adds"}


def test_text_without_a_report_names_no_tests(write, drive):
    """The gate refuses it where the baseline's run left a report (E2)."""
    report = drive(write({**GREEN, **makefile("echo '3 passed in 0.1s'")}), MAKE).report
    assert (report.source, report.complete, report.cases) == ("text", False, ())


def test_several_sessions_of_one_command_are_all_read(write, drive):
    other = {"other/test_o.py": "def test_o():\n    assert 0\n"}
    lines = ["python -m pytest -q tests", "python -m pytest -q other"]
    report = drive(write({**GREEN, **other, **makefile(*lines)}), MAKE).report
    assert report.verdict is RunVerdict.FAILED
    assert [case.id for case in report.failing] == ["other/test_o.py::test_o"]
    assert len(report.passing_ids) == 3


def test_sessions_side_by_side_are_all_read(write, drive):
    files = {
        f"s{n}/test_{n}.py": f"import time\n\ndef test_{n}():\n    time.sleep(0.3)\n    assert {n}\n"
        for n in range(3)
    }
    make = "test: a b c\na:\n\tpython -m pytest -q s0\nb:\n\tpython -m pytest -q s1\nc:\n\tpython -m pytest -q s2\n"
    report = drive(write({**files, "Makefile": make}), ("make", "-k", "-j3", "test")).report
    assert report.verdict is RunVerdict.FAILED, report
    assert [case.id for case in report.failing] == ["s0/test_0.py::test_0"]
    assert report.passing_ids == {"s1/test_1.py::test_1", "s2/test_2.py::test_2"}


def test_a_session_that_dies_among_others_is_no_pass(write, drive):
    more = {"other/test_o.py": "import os\n\ndef test_o():\n    os._exit(0)\n"}
    for lines in (["tests", "other"], ["other", "tests"]):
        make = makefile(*(f"python -m pytest -q {folder}" for folder in lines))
        report = drive(write({**GREEN, **more, **make}, lines[0]), MAKE).report
        assert report.verdict is not RunVerdict.PASSED, report


@pytest.mark.parametrize("flags", ["-I", "-E", "-sE"])
def test_a_python_that_takes_no_environment_is_read_by_its_text(write, drive, flags):
    """The plug-in cannot be loaded; pytest's own text and exit code speak."""
    ini = {"pytest.ini": "[pytest]\npythonpath = .\n"}
    command = ("python", flags, "-m", "pytest", "-v")
    green = drive(write({**GREEN, **ini}), command).report
    assert (green.verdict, green.counts.passed) == (RunVerdict.PASSED, 3), green
    red = drive(write({**RED, **ini}, "red"), command).report
    assert (red.verdict, red.counts.failed) == (RunVerdict.FAILED, 3), red
    assert len(red.failing) == 3


def test_such_a_python_behind_make_is_read_by_its_text(write, drive):
    ini = {"pytest.ini": "[pytest]\npythonpath = .\n"}
    make = makefile("python -I -m pytest -q")
    green = drive(write({**GREEN, **ini, **make}), MAKE).report
    assert (green.verdict, green.counts.passed) == (RunVerdict.PASSED, 3), green
    red = drive(write({**RED, **ini, **make}, "red"), MAKE).report
    assert red.verdict is RunVerdict.FAILED, red


PYTHONS = sorted(
    str(path)
    for path in Path.home().glob(".pyenv/versions/3.*/bin/python")
    if int(path.parts[-3].split(".")[1]) >= 7
)


@pytest.mark.skipif(not PYTHONS, reason="no other Pythons here (pyenv)")
@pytest.mark.parametrize("python", PYTHONS)
def test_each_python_here_loads_the_reporter(write, drive, python):
    if not any(Path(python).parents[1].glob("lib/python3.*/site-packages/pytest/__init__.py")):
        pytest.skip("this Python has no pytest")
    report = drive(
        write({**GREEN, "tests/test_red.py": "def test_r():\n    assert [1] == [2]\n"}),
        (python, "-m", "pytest", "-q"),
    ).report
    assert (report.verdict, report.source) == (RunVerdict.FAILED, "report"), report
    (case,) = report.failing
    assert (case.line, case.exception, case.frames[-1]) == (2, "AssertionError", "tests/test_red.py:2")


@pytest.mark.parametrize(
    "lines", [["PYTHONPATH=src python -m pytest -q"], ["cd src/.. && PYTHONPATH=src python -m pytest"]]
)
def test_a_command_with_a_python_path_of_its_own_names_its_tests(write, drive, lines):
    """No plug-in can be loaded: pytest itself prints each test. What is skipped is counted without a name."""
    more = {
        "setup.cfg": "[tool:pytest]\naddopts = -ra\n",
        "tests/test_more.py": "import pytest\n\n@pytest.mark.skip\ndef test_s():\n    pass\n\n"
        "@pytest.mark.parametrize('n', ['a b', 'c - d'])\ndef test_n(n):\n    assert n\n\n"
        "@pytest.mark.xfail\ndef test_x():\n    assert 0\n",
    }
    green = drive(write({**GREEN, **more, **makefile(*lines)}), MAKE).report
    rows = {"tests/test_more.py::test_n[a b]", "tests/test_more.py::test_n[c - d]"}
    assert (green.verdict, green.complete, green.exit_code) == (RunVerdict.PASSED, True, 0), green
    assert green.passing_ids >= {f"{TESTS}::test_adds", *rows}
    red = drive(write({**RED, **more, **makefile(*lines)}, "red"), MAKE).report
    assert red.verdict is RunVerdict.FAILED
    assert red.complete
    assert {case.id for case in red.failing} == {
        f"{TESTS}::{name}" for name in ("test_adds", "test_each[1]", "test_each[2]")
    }
    assert rows <= red.passing_ids


def test_what_a_command_does_before_its_tests_is_done_again_in_the_first_run_alone(write, drive):
    lines = ["echo linted >> ../linted", "PYTHONPATH=src python -m pytest -q"]
    tree = write({**GREEN, **makefile(*lines)})
    for runs in (2, 3, 4):
        assert drive(tree, MAKE).report.verdict is RunVerdict.PASSED
        assert (tree.parent / "linted").read_text().count("linted") == runs


def test_where_all_is_skipped_no_test_was_named(write, drive):
    tree = write(
        {
            "tests/test_a.py": "import pytest\n\n@pytest.mark.skip\ndef test_s():\n    pass\n",
            **makefile("PYTHONPATH=src python -m pytest -q"),
        }
    )
    report = drive(tree, MAKE).report
    assert (report.counts.skipped, report.complete, report.cases) == (1, False, ())
