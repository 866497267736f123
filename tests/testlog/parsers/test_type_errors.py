"""Where compilers and checkers of types found an error, alone or inside a runner that compiles as it loads."""

from __future__ import annotations

import pytest

from tdd_orchestrator.model.report import Reason, RunVerdict
from tdd_orchestrator.runners.reasons import Project, red_reason
from tdd_orchestrator.testlog.parsers.traces import JsTrace
from tdd_orchestrator.testlog.read import read

TS_JEST = "test/a.test.ts:5:45 - error TS2345: Argument of type 'string' is not assignable"
TS_NODE = "TSError: ⨯ Unable to compile TypeScript:\ntest/a.test.ts(5,45): error TS2345: Argument of type"


@pytest.mark.parametrize("text", [TS_JEST, TS_NODE])
def test_the_line_stands_in_the_message(text: str) -> None:
    trace = JsTrace()
    for line in text.splitlines():
        trace.feed(line)
    error = trace.build_error("test/a.test.ts")
    assert (error.file, error.line) == ("test/a.test.ts", 5)


def test_a_test_that_quotes_the_compiler_failed_where_its_stack_says() -> None:
    trace = JsTrace()
    for line in (
        "Error: Command failed: tsc",
        "b.ts(1,2): error TS2304: no x",
        "    at check (/p/a.test.ts:7:3)",
    ):
        trace.feed(line)
    assert (trace.file, trace.line) == ("/p/a.test.ts", 7)


def test_the_compilers_own_colours_and_form_are_read() -> None:
    """`tsc` with "pretty": true, as it prints without a terminal as well."""
    text = "\x1b[96mtest/a.test.ts\x1b[0m:\x1b[93m6\x1b[0m:\x1b[93m48\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2554: \x1b[0mExpected 1 arguments, but got 2.\n\n\nFound 1 error in test/a.test.ts\x1b[90m:6\x1b[0m\n"
    report = read(text.encode(), exit_code=2, command="npm test")
    assert report.verdict is RunVerdict.ERROR
    (error,) = report.build_errors
    assert (error.file, error.line, error.exception) == ("test/a.test.ts", 6, "TS2554")


PYRIGHT = (
    "/p/tests/test_a.py\n"
    '  /p/tests/test_a.py:9:22 - error: "half" is unknown import symbol (reportAttributeAccessIssue)\n'
    "1 error, 0 warnings, 0 informations\n"
)
PYLINT = (
    "************* Module tests.test_a\n"
    "tests/test_a.py:9:4: E0611: No name 'half' in module 'calc' (no-name-in-module)\n"
)
MYPY = 'tests/test_a.py:9: error: Module "calc" has no attribute "half"  [attr-defined]\nFound 1 error in 1 file\n'


@pytest.mark.parametrize("text", [PYRIGHT, PYLINT, MYPY])
def test_what_checkers_of_python_say_before_the_tests_run(text: str) -> None:
    """`make test` that checks types first stops there while the code of a new test is missing."""
    report = read(text.encode(), exit_code=1, command="make test")
    (error,) = report.build_errors
    assert (error.file.endswith("tests/test_a.py"), error.line) == (True, 9)
    project = Project(frozenset({"calc"}))
    assert red_reason(None, language="python", project=project, error=error).reason is Reason.MISSING_SYMBOL


RUFF = "F401 [*] `os` imported but unused\n --> tests/test_a.py:9:8\n  |\n9 | import os\n  |        ^^\n  |\nhelp: Remove it\n\n"
FLAKE8 = "tests/test_a.py:9:8: F401 'os' imported but unused\n"
MAKE = "make: *** [Makefile:2: test] Error 1\n"
GREEN = "==== test session starts ====\ncollected 1 item\n\ntests/test_b.py .   [100%]\n\n==== 1 passed in 0.01s ====\n"


@pytest.mark.parametrize("text", [RUFF, FLAKE8])
def test_what_a_linter_says_is_named_where_it_stops_the_command(text: str) -> None:
    report = read((text + "Found 1 error.\n" + MAKE).encode(), exit_code=2, command="make test")
    (error,) = report.build_errors
    assert (error.file, error.line) == ("tests/test_a.py", 9)
    assert error.message.startswith("F401 ")
    shown = read((text + GREEN).encode(), exit_code=0, command="make test")
    assert (shown.verdict, shown.runners) == (RunVerdict.PASSED, ("pytest",)), (
        "a linter whose findings stop nothing"
    )


def test_what_linters_of_go_say_before_the_tests_run() -> None:
    text = (
        "a_test.go:9:6: undefined: Half (typecheck)\n\tif Half(4) != 2 {\n\t   ^\n1 issues:\n* typecheck: 1\n"
    )
    (error,) = read((text + MAKE).encode(), exit_code=2, command="make test").build_errors
    assert (error.file, error.line, error.message) == ("a_test.go", 9, "undefined: Half")
    found = red_reason(None, language="go", project=Project(frozenset({"calc"})), error=error)
    assert found.reason is Reason.MISSING_SYMBOL


def test_the_last_line_of_unreadable_output_is_the_tools_own() -> None:
    text = "src/a.js\n  3:7  error  'x' is never used\n\n✖ 1 problem (1 error, 0 warnings)\n\nnpm error Lifecycle script failed\n"
    report = read(text.encode(), exit_code=1, command="npm test")
    assert "it ends with: ✖ 1 problem" in report.trouble
    assert "it ends with: make: *** no rule" in read(b"make: *** no rule\n", exit_code=2).trouble
