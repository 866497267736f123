"""All runners that speak in one run are read: each is named, and counts and cases join (E1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.model.report import Counts, RunVerdict
from tdd_orchestrator.testlog.read import read

PYTEST = """============================= test session starts ==============================
collected 2 items

test_a.py {letters}                                                             [100%]
{failure}
{end:=^80}
"""
PYTEST_GREEN = PYTEST.format(letters="..", failure="", end=" 2 passed in 0.10s ")
PYTEST_RED = PYTEST.format(
    letters=".F",
    failure="""
=================================== FAILURES ===================================
___________________________________ test_b _____________________________________

    def test_b():
>       assert 1 == 2
E       assert 1 == 2

test_a.py:5: AssertionError
=========================== short test summary info ============================
FAILED test_a.py::test_b - assert 1 == 2""",
    end=" 1 failed, 1 passed in 0.10s ",
)
NODE = """✔ adds (0.5ms)
{more}ℹ tests {tests}
ℹ suites 0
ℹ pass 1
ℹ fail {fail}
ℹ cancelled 0
ℹ skipped 0
ℹ todo 0
ℹ duration_ms 40.1
"""
NODE_GREEN = NODE.format(more="", tests=1, fail=0)
NODE_RED = NODE.format(more="✖ takes (0.4ms)\n", tests=2, fail=1)
BUILD = """> app@1.0.0 build
> tsc -p .

Successfully built in 1.2 s
"""
CARGO = """running 1 test
test adds ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

"""


@pytest.mark.parametrize(
    ("parts", "code", "verdict", "counts"),
    [
        ((PYTEST_GREEN, NODE_GREEN), 0, "passed", Counts(3)),
        ((NODE_GREEN, PYTEST_GREEN), 0, "passed", Counts(3)),
        ((BUILD, PYTEST_GREEN, NODE_GREEN), 0, "passed", Counts(3)),
        ((PYTEST_GREEN, BUILD, NODE_GREEN), 0, "passed", Counts(3)),
        ((PYTEST_RED, NODE_GREEN), 1, "failed", Counts(2, 1)),
        ((PYTEST_GREEN, NODE_RED), 1, "failed", Counts(3, 1)),
        ((PYTEST_RED, NODE_RED), 1, "failed", Counts(2, 2)),
        ((PYTEST_RED, NODE_GREEN), 0, "failed", Counts(2, 1)),
    ],
)
@pytest.mark.parametrize("framework", ["", "pytest", "node-test"])
def test_every_runner_of_a_command_is_read(
    parts: tuple[str, ...], code: int, verdict: str, counts: Counts, framework: str
) -> None:
    found = read("".join(parts).encode(), exit_code=code, framework=framework)
    assert (found.verdict.value, found.counts) == (verdict, counts), found.why
    assert set(found.runners) == {"pytest", "node-test"}


def test_three_runners_are_read_and_named() -> None:
    found = read((PYTEST_GREEN + CARGO + NODE_RED).encode(), exit_code=1)
    assert (found.verdict, found.counts) == (RunVerdict.FAILED, Counts(4, 1))
    assert set(found.runners) == {"pytest", "cargo test", "node-test"}


def junit(path: Path, failing: bool) -> Path:
    red = '<failure message="assert 1 == 2">test_a.py:5: AssertionError</failure>' if failing else ""
    path.write_text(
        f'<testsuites><testsuite name="pytest" tests="2" failures="{int(failing)}" errors="0" skipped="0">'
        '<testcase classname="test_a" name="test_a"/>'
        f'<testcase classname="test_a" name="test_b">{red}</testcase></testsuite></testsuites>'
    )
    return path


@pytest.mark.parametrize(
    ("pytest_text", "node_text", "failing", "verdict", "counts", "names"),
    [
        (PYTEST_GREEN, NODE_GREEN, False, "passed", Counts(3), set()),
        (PYTEST_GREEN, NODE_RED, False, "failed", Counts(3, 1), {"takes"}),
        (PYTEST_GREEN, NODE_GREEN, True, "failed", Counts(2, 1), {"test_a.py::test_b"}),
        (PYTEST_RED, NODE_RED, True, "failed", Counts(2, 2), {"test_a.py::test_b", "takes"}),
        ("", NODE_GREEN, True, "failed", Counts(2, 1), {"test_a.py::test_b"}),
        ("", NODE_RED, False, "failed", Counts(3, 1), {"takes"}),
    ],
)
def test_a_report_stands_for_its_runner_and_the_text_for_the_others(
    pytest_text: str,
    node_text: str,
    failing: bool,
    verdict: str,
    counts: Counts,
    names: set[str],
    tmp_path: Path,
) -> None:
    found = read(
        (pytest_text + node_text).encode(),
        exit_code=int(verdict != "passed"),
        report=junit(tmp_path / "report.xml", failing),
        framework="pytest",
    )
    assert (found.verdict.value, found.counts) == (verdict, counts), found.why
    assert {case.name for case in found.failing} == names
    assert set(found.runners) == {"pytest", "node-test"}


def test_a_report_alone_names_its_runner(tmp_path: Path) -> None:
    found = read(b"", exit_code=0, report=junit(tmp_path / "report.xml", False), framework="pytest")
    assert (found.runners, found.verdict.value) == (("pytest",), "passed")


def test_a_report_of_the_only_runner_is_not_counted_twice(tmp_path: Path) -> None:
    report = junit(tmp_path / "report.xml", False)
    for framework in ("", "pytest"):
        found = read(PYTEST_GREEN.encode(), exit_code=0, report=report, framework=framework)
        assert found.counts == Counts(2)


def test_what_builds_is_no_runner() -> None:
    found = read(b"a.c:1:5: error: expected ';'\nmake: *** [Makefile:2: a.o] Error 1\n", exit_code=2)
    assert found.runners == ()


TEST_UNIT = """Loaded suite run-test
Started
.....
Finished in 0.004160 seconds.
-------------------------------------------------------------------------------
5 tests, 9 assertions, 0 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications
100% passed
-------------------------------------------------------------------------------
1201.92 tests/s, 2163.46 assertions/s
"""


def test_the_runner_that_speaks_is_read_where_another_of_its_language_was_expected() -> None:
    report = read(TEST_UNIT.encode(), exit_code=0, framework="minitest", command="ruby run-test.rb")
    assert (report.verdict, report.counts) == (RunVerdict.PASSED, Counts(passed=5))
    assert report.runners == ("test-unit",)
