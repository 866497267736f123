"""Reports printed on the output: large ones are read whole, and what tests print in between is no part of them."""

from __future__ import annotations

import json
import time

import pytest
from pace import within

from tdd_orchestrator.testlog.read import read

MANY = 20_000  # tests; more than a megabyte of text


def junit(number: int) -> str:
    case = '<testcase classname="a.B" name="test {0}" time="0.001">\n    </testcase>\n'
    return f"<testsuites>\n{''.join(case.format(at) for at in range(number))}</testsuites>\n"


def catch2(number: int) -> str:
    case = (
        '  <TestCase name="test {0}" filename="x.cpp">\n    <OverallResult success="true"/>\n  </TestCase>\n'
    )
    return f"<Catch2TestRun>\n{''.join(case.format(at) for at in range(number))}</Catch2TestRun>\n"


def boost(number: int) -> str:
    case = '<TestCase name="test {0}" result="passed"></TestCase>'
    return f"<TestLog><TestResult>{''.join(case.format(at) for at in range(number))}</TestResult></TestLog>"


def mocha(number: int) -> str:
    tests = [{"title": f"adds {at}", "fullTitle": f"calc adds {at}", "err": {}} for at in range(number)]
    report = {"stats": {"tests": number}, "tests": tests, "pending": [], "failures": [], "passes": []}
    return json.dumps(report, indent=2)


@pytest.mark.parametrize("make", [junit, catch2, boost, mocha])
def test_a_large_document_is_read_whole(make: object) -> None:
    assert callable(make)
    text = make(MANY)
    assert len(text) > 1 << 20
    found = read(text.encode(), exit_code=0)
    assert (found.verdict.value, found.counts and found.counts.passed) == ("passed", MANY)
    assert read(text[: len(text) // 2].encode(), exit_code=0).verdict.value != "passed"


GREEN, RED = (
    {"stats": {"tests": 1, "passes": good, "failures": 1 - good}, "tests": [case], "pending": [], "failures": [case][good:], "passes": [case][:good]}
    for good, case in ((1, {"title": "a", "fullTitle": "a", "err": {}}), (0, {"title": "b", "fullTitle": "b", "err": {"message": "boom"}}))
)  # fmt: skip


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("between", ["", " ", "\n", "[]", "{}\n", "> b test\n"])
def test_reports_without_a_line_s_end_between_them_are_all_heard(indent: int | None, between: str) -> None:
    green, red = json.dumps(GREEN, indent=indent), json.dumps(RED, indent=indent)
    assert read((green + between + green).encode(), exit_code=0).verdict.value == "passed"
    for text in (green + between + red, red + between + green, green + between + green + red):
        assert [case.name for case in read(text.encode(), exit_code=0).failing] == ["b"]


def test_what_stands_behind_a_report_hides_no_other() -> None:
    green, red = json.dumps(GREEN), json.dumps(RED)
    for behind in ("[INFO] done", "[1/2] next", "{done}"):
        assert read(f"{green}{behind}\n".encode(), exit_code=0).verdict.value == "passed"
        assert read(f"{green}{behind}\n{red}\n".encode(), exit_code=0).verdict.value == "failed"


@pytest.mark.parametrize("line", ["}" + "y" * 100, "},", "{},"])
def test_lines_that_may_close_an_object_are_read_in_linear_time(line: str) -> None:
    begun = time.process_time()
    found = read(('{"stats": {\n  "tests": [\n' + f"{line}\n" * MANY).encode(), exit_code=0)
    assert found.verdict.value != "passed"
    assert time.process_time() - begun < within(1)


def test_one_that_failed_within_a_large_document_is_found() -> None:
    text = catch2(MANY).replace('test 77" filename="x.cpp">\n    <OverallResult success="true"/>',
                                'test 77" filename="x.cpp">\n    <OverallResult success="false"/>')  # fmt: skip
    found = read(text.encode(), exit_code=0)
    assert (found.verdict.value, [case.name for case in found.failing]) == ("failed", ["test 77"])


def test_what_a_test_prints_within_a_document_is_no_markup() -> None:
    green = '<testsuites>\n<testsuite name="a">\na < b && List<int> c\n    <testcase name="x"/>\n</testsuite>\n</testsuites>\n'
    red = green.replace('"x"/>', '"x"><failure message="1 is not 2">why</failure></testcase>')
    assert read(green.encode(), exit_code=0).verdict.value == "passed"
    assert [case.message for case in read(red.encode(), exit_code=0).failing] == ["1 is not 2"]


def test_a_log_without_a_report_tells_by_its_closing_line_alone() -> None:
    """Boost.Test's XML log, with the usual report on the same output."""
    red = '<TestLog><Error file="a.cpp" line="6"><![CDATA[check 2 == 5]]></Error>\n\n*** 1 failure is detected in the test module "calc"\n</TestLog>'
    green = "<TestLog>\n*** No errors detected\n</TestLog>"
    assert read(red.encode(), exit_code=0).verdict.value == "failed"
    assert read(green.encode(), exit_code=0).verdict.value == "passed"
    assert read(b"<TestLog>", exit_code=0).verdict.value != "passed"


def test_an_aborted_test_of_junit_5_is_no_failure() -> None:
    text = """Test execution started. Number of static tests: 2
Started:     left() ([engine:junit-jupiter]/[class:ATest]/[method:left()])
Finished:    left() ([engine:junit-jupiter]/[class:ATest]/[method:left()])
             => Exception: org.opentest4j.TestAbortedException: Assumption failed: assumption is not true
Started:     [1] 5 ([engine:junit-jupiter]/[class:ATest]/[test-template:adds(int)]/[test-template-invocation:#1])
Finished:    [1] 5 ([engine:junit-jupiter]/[class:ATest]/[test-template:adds(int)]/[test-template-invocation:#1])
             => Exception: org.opentest4j.AssertionFailedError: expected: <4> but was: <5>
\tat ATest.adds(ATest.java:9)
Test execution finished.

Test run finished after 270 ms
[         2 containers successful ]
[         0 containers failed     ]
[         2 tests found           ]
[         1 tests aborted         ]
[         0 tests successful      ]
[         1 tests failed          ]
"""
    found = read(text.encode(), exit_code=1)
    assert [(case.name, case.file, case.line, case.message) for case in found.failing] == [
        ("[1] 5", "ATest.java", 9, "expected: <4> but was: <5>")
    ]


def test_subunit_has_no_closing_line() -> None:
    green = "test: right\nsuccess: right\ntest: sub\nsuccess: sub\n"
    assert read(green.encode(), exit_code=0).verdict.value == "passed"
    assert read(green.encode(), exit_code=139).verdict.value == "crashed"
    assert read(f"{green}test: third\n".encode(), exit_code=0).verdict.value == "crashed"
    assert read(b"test: a\nsuccess: all is well\nerror: none\n", exit_code=0).verdict.value == "no_tests"


@pytest.mark.parametrize("lost", ["", "output failure: a [\nboom\n]\n", "Segmentation fault\n"])
def test_a_test_of_subunit_without_an_end_is_none_that_passed(lost: str) -> None:
    found = read(f"test: a\n{lost}test: b\nsuccess: b\n".encode(), exit_code=0)
    assert found.verdict.value != "passed"
    assert [case.name for case in found.failing] == ["a"]


def test_what_begins_as_a_test_of_subunit_does_is_none_where_no_test_ends() -> None:
    assert read(b"test: lint\ntest: types\n\n1 passing (2ms)\n\n", exit_code=0).verdict.value == "passed"


@pytest.mark.parametrize("between", ["", "\n", "a line of somebody's\n"])
@pytest.mark.parametrize("indent", [2, None])
def test_a_second_report_that_is_cut_off_is_no_pass(between: str, indent: int | None) -> None:
    stats = {"suites": 1, "tests": 1, "passes": 1, "pending": 0, "failures": 0, "duration": 2}
    case = {"title": "adds", "fullTitle": "sum adds", "file": "/app/a.js", "duration": 1, "err": {}}
    whole = {"stats": stats, "tests": [case], "pending": [], "failures": [], "passes": [case]}
    text = json.dumps(whole, indent=indent, separators=None if indent else (",", ":"))
    assert read(f"{text}\n".encode(), exit_code=0).verdict.value == "passed"
    assert (
        read(f"{text}\n{between}{text[: len(text) - 60]}\n".encode(), exit_code=0).verdict.value == "crashed"
    )


def test_an_object_that_somebody_logs_behind_a_report_is_no_report() -> None:
    stats = {"suites": 1, "tests": 1, "passes": 1, "pending": 0, "failures": 0, "duration": 2}
    case = {"title": "adds", "fullTitle": "sum adds", "file": "/app/a.js", "duration": 1, "err": {}}
    text = json.dumps({"stats": stats, "tests": [case], "pending": [], "failures": [], "passes": [case]})
    logged = json.dumps({"event": "done", "why": "x" * 300}, indent=2)[:-3]
    assert read(f"{text}\n{logged}\n".encode(), exit_code=0).verdict.value == "passed"
