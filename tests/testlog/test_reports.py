"""Report files of every format: cases, places, types, attachments, and what is not a test but failed all the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.model.report import Attachment, Counts, Outcome
from tdd_orchestrator.testlog.read import read_report
from tdd_orchestrator.testlog.reading import Reading


def reading_of(tmp_path: Path, text: str, name: str = "report.xml") -> Reading:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    found, remarks = read_report(file, 0.0)
    assert found is not None, remarks
    return found


PYTEST = """<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1"
 failures="1" skipped="2" tests="6"><testcase classname="tests.test_a.TestA" name="test_x[1]" time="0.01" />
<testcase classname="tests.test_a" name="test_bad" time="0.2"><failure message="AssertionError: assert 1 == 2">def f():
&gt;   assert 1 == 2
tests/test_a.py:9: AssertionError</failure><system-out>said
[[ATTACHMENT|shots/bad.png]] [[ATTACHMENT|net/log.har]]</system-out></testcase>
<testcase classname="tests.test_a" name="test_xf"><skipped type="pytest.xfail" message="bug"/></testcase>
<testcase classname="tests.test_a" name="test_skip"><skipped type="pytest.skip" message="later"/></testcase>
<testcase classname="" name="tests.test_b"><error message="collection failure">tests/test_b.py:1: in &lt;module&gt;
E   ModuleNotFoundError: No module named 'x'</error></testcase>
<testcase classname="tests.test_a" name="test_ok"/></testsuite></testsuites>"""


def test_pytest_s_junit_xml(tmp_path: Path) -> None:
    found = reading_of(tmp_path, PYTEST)
    assert found.counts == Counts(passed=2, failed=1, errors=1, skipped=1, xfailed=1)
    by_id = {case.id: case for case in found.cases}
    assert "tests/test_a.py::TestA::test_x[1]" in by_id
    bad = by_id["tests/test_a.py::test_bad"]
    assert (bad.file, bad.line, bad.exception) == ("tests/test_a.py", 9, "AssertionError")
    assert bad.message == "AssertionError: assert 1 == 2"
    assert bad.attachments == (
        Attachment("screenshot", "shots/bad.png"),
        Attachment("network", "net/log.har"),
    )
    assert bad.stdout.startswith("said")
    assert by_id["tests/test_b.py"].phase == "collect"
    assert len(found.build_errors) == 1


PEST = """<testsuites>
  <testsuite name="Tests\\Unit\\CalcTest" file="tests/Unit/CalcTest.php" tests="2" failures="1" errors="1">
    <testcase name="`calc` → it adds" file="tests/Unit/CalcTest.php::`calc` → it adds" class="Tests\\Unit\\CalcTest" classname="Tests.Unit.CalcTest">
      <failure type="PHPUnit\\Framework\\ExpectationFailedException">`calc` → it addsFailed asserting that 3 is identical to 4.
at tests/Unit/CalcTest.php:6</failure>
    </testcase>
    <testcase name="Fails" file="A (Tests\\Unit\\A)::Fails" class="Tests\\Unit\\ATest" classname="Tests.Unit.ATest">
      <error type="LogicException">FailsLogicException: boom
at tests/Unit/ATest.php:7</error>
    </testcase>
  </testsuite>
</testsuites>
"""


def test_the_junit_xml_of_pest(tmp_path: Path) -> None:
    own, other = reading_of(tmp_path, PEST).cases
    assert (own.file, own.line) == ("tests/Unit/CalcTest.php", 6)
    assert own.id == "tests/Unit/CalcTest.php::Tests.Unit.CalcTest.`calc` → it adds"
    assert own.message == "Failed asserting that 3 is identical to 4."
    assert (other.file, other.line) == ("tests/Unit/ATest.php", 7)
    assert other.message == "LogicException: boom"


def test_a_suite_that_failed_without_a_case_counts(tmp_path: Path) -> None:
    found = reading_of(
        tmp_path, '<testsuites errors="2"><testsuite><testcase name="a"/></testsuite></testsuites>'
    )
    assert found.counts == Counts(passed=1, errors=2)


@pytest.mark.parametrize(
    ("attributes", "outcome"),
    [
        ('status="run" result="completed"', Outcome.PASSED),
        ('status="notrun" result="suppressed"', Outcome.SKIPPED),
        ('status="skipped"', Outcome.SKIPPED),
        ('status="failed"', Outcome.FAILED),
        ("", Outcome.PASSED),
    ],
)
def test_status_attributes_of_junit_xml(tmp_path: Path, attributes: str, outcome: Outcome) -> None:
    found = reading_of(tmp_path, f'<testsuite><testcase classname="C" name="t" {attributes}/></testsuite>')
    assert found.cases[0].outcome is outcome


TRX = """<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>
<UnitTestResult testName="N.T.Adds" outcome="Passed"/><UnitTestResult testName="N.T.Later" outcome="NotExecuted"/>
<UnitTestResult testName="N.T.Wrong" outcome="Failed"><Output><StdOut>hi</StdOut><ErrorInfo>
<Message>System.DivideByZeroException : by zero</Message>
<StackTrace>   at N.T.Wrong() in /repo/T.cs:line 12</StackTrace></ErrorInfo></Output></UnitTestResult></Results>
<ResultSummary outcome="Failed"><Counters total="3"/><RunInfos><RunInfo outcome="Error"><Text>host crashed</Text></RunInfo>
</RunInfos></ResultSummary></TestRun>"""
NUNIT3 = """<test-run result="Failed"><test-suite><test-case fullname="N.T.Adds" result="Passed"/>
<test-case fullname="N.T.Wrong" result="Failed"><failure><message>Expected 5</message><stack-trace>
at N.T.Wrong() in /repo/T.cs:line 12</stack-trace></failure></test-case>
<test-case fullname="N.T.Later" result="Skipped" label="Ignored"/></test-suite></test-run>"""
NUNIT2 = """<test-results total="2"><test-suite><results><test-case name="N.T.Adds" executed="True" result="Success"/>
<test-case name="N.T.Wrong" executed="True" result="Failure"><failure><message>Expected 5</message>
<stack-trace>at N.T.Wrong() in /repo/T.cs:line 12</stack-trace></failure></test-case></results></test-suite></test-results>"""
XUNIT = """<assemblies><assembly><errors/><collection><test name="N.T.Adds" result="Pass"/>
<test name="N.T.Wrong" result="Fail"><failure exception-type="Xunit.Sdk.EqualException"><message>Expected 5</message>
<stack-trace>at N.T.Wrong() in /repo/T.cs:line 12</stack-trace></failure></test></collection></assembly></assemblies>"""


@pytest.mark.parametrize(
    ("text", "counts", "exception"),
    [
        (TRX, Counts(passed=1, failed=1, skipped=1), "System.DivideByZeroException"),
        (NUNIT3, Counts(passed=1, failed=1, skipped=1), ""),
        (NUNIT2, Counts(passed=1, failed=1), ""),
        (XUNIT, Counts(passed=1, failed=1), "Xunit.Sdk.EqualException"),
    ],
    ids=["trx", "nunit3", "nunit2", "xunit"],
)
def test_reports_of_dotnet(tmp_path: Path, text: str, counts: Counts, exception: str) -> None:
    found = reading_of(tmp_path, text)
    (red,) = [case for case in found.cases if case.outcome is Outcome.FAILED]
    assert found.counts == counts
    assert (red.name, red.file, red.line, red.exception) == ("N.T.Wrong", "/repo/T.cs", 12, exception)
    assert [error.message for error in found.build_errors] == (["host crashed"] if text is TRX else [])


_TRX = (
    '<TestRun><Results>{results}</Results><TestDefinitions><UnitTest id="1"><TestMethod className="{owner}" name="{method}"/>'
    '</UnitTest></TestDefinitions><ResultSummary outcome="Failed"><RunInfos>{infos}</RunInfos></ResultSummary></TestRun>'
)


def trx(results: str, owner: str = "N.T", method: str = "Wrong", infos: str = "") -> str:
    return _TRX.format(results=results, owner=owner, method=method, infos=infos)


@pytest.mark.parametrize(
    ("owner", "method", "said", "named"),
    [
        ("N.T", "Wrong", "N.T.Wrong", "N.T.Wrong"),  # xUnit
        ("N.T", "Wrong", "N.T.Wrong(n: 2)", "N.T.Wrong(n: 2)"),
        ("N.T+In", "Gen", "N.T+In.Gen&lt;Int32&gt;(x: 1)", "N.T+In.Gen(<Int32>(x: 1))"),
        ("N.T", "Wrong", "adds (two), at once", "N.T.Wrong(adds (two), at once)"),
        ("N.T+In", "Wrong", "Wrong", "N.T+In.Wrong"),  # NUnit and MSTest
        ("N.Box&lt;Int32&gt;", "Wrong(2)", "Wrong(2)", "N.Box<Int32>.Wrong(2)"),
        ("N.T", "Wrong", "Wrong (2,b)", "N.T.Wrong(Wrong (2,b))"),
    ],
)
def test_a_result_of_trx_gets_the_class_from_its_definition(
    tmp_path: Path, owner: str, method: str, said: str, named: str
) -> None:
    result = f'<UnitTestResult testId="1" testName="{said}" outcome="Failed"/>'
    found = reading_of(tmp_path, trx(result, owner, method))
    assert [case.id for case in found.cases] == [named]


def test_the_news_of_a_failed_test_is_no_error_of_the_run(tmp_path: Path) -> None:
    """xUnit's adapter logs every failed test as an error of the run too."""
    news = '<RunInfo outcome="Error"><Text>[xUnit.net 00:00:01.13]     N.T.Wrong [FAIL]</Text></RunInfo>'
    red = '<UnitTestResult testId="1" testName="N.T.Wrong" outcome="Failed"/>'
    assert reading_of(tmp_path, trx(red, infos=news)).build_errors == []
    green = red.replace("Failed", "Passed")
    assert len(reading_of(tmp_path, trx(green, infos=news)).build_errors) == 1


@pytest.mark.parametrize(
    ("whole", "rows", "expected"),
    [
        ("Failed", ("Passed", "Failed"), ["Wrong (0)", "Wrong (1)"]),
        ("Failed", ("Passed", "Passed"), ["N.T.Wrong"]),
        ("Passed", ("Passed", "Passed"), ["Wrong (0)", "Wrong (1)"]),
    ],
)
def test_the_rows_of_a_test_with_data_stand_in_its_place(
    tmp_path: Path, whole: str, rows: tuple[str, ...], expected: list[str]
) -> None:
    inner = "".join(f'<UnitTestResult testName="Wrong ({n})" outcome="{row}"/>' for n, row in enumerate(rows))
    result = f'<UnitTestResult testId="1" testName="Wrong" outcome="{whole}"><InnerResults>{inner}</InnerResults></UnitTestResult>'
    found = reading_of(tmp_path, trx(result))
    assert [case.name for case in found.cases] == expected


def test_an_outcome_that_is_not_known_is_no_pass(tmp_path: Path) -> None:
    found = reading_of(
        tmp_path, '<assemblies><assembly><test name="a" result="Odd"/></assembly></assemblies>'
    )
    assert found.cases[0].outcome is Outcome.ERROR


CTRF = {
    "results": {
        "tool": {"name": "x"},
        "summary": {"passed": 1, "failed": 1},
        "tests": [
            {"name": "adds", "status": "passed", "duration": 5},
            {
                "name": "bad",
                "status": "failed",
                "message": "no",
                "filePath": "a.js",
                "line": 3,
                "suite": "calc",
            },
            {"name": "later", "status": "pending"},
        ],
    }
}
JEST = {
    "numTotalTests": 2,
    "success": False,
    "testResults": [
        {
            "name": "/repo/a.test.js",
            "status": "failed",
            "assertionResults": [
                {"ancestorTitles": ["calc"], "title": "adds", "status": "passed"},
                {
                    "ancestorTitles": ["calc"],
                    "title": "bad",
                    "status": "failed",
                    "failureMessages": ["TypeError: no\n    at Object.<anonymous> (/repo/a.test.js:3:5)"],
                },
                {"ancestorTitles": [], "title": "later", "status": "todo"},
            ],
        }
    ],
}
PLAYWRIGHT = {
    "config": {},
    "errors": [],
    "suites": [
        {
            "title": "a.spec.js",
            "suites": [
                {
                    "title": "calc",
                    "specs": [
                        {"title": "adds", "file": "a.spec.js", "line": 1, "tests": [{"status": "expected"}]},
                        {"title": "later", "file": "a.spec.js", "line": 2, "tests": [{"status": "skipped"}]},
                        {
                            "title": "bad",
                            "file": "a.js",
                            "line": 3,
                            "tests": [
                                {
                                    "status": "unexpected",
                                    "projectName": "chromium",
                                    "results": [
                                        {
                                            "error": {
                                                "message": "Error: \x1b[31mno\x1b[39m",
                                                "stack": "Error: no\n    at /repo/a.js:3:5",
                                            },
                                            "attachments": [
                                                {"name": "screenshot", "path": "r/test-failed-1.png"},
                                                {"name": "trace", "path": "r/trace.zip"},
                                            ],
                                            "stdout": [{"text": "hello"}],
                                        }
                                    ],
                                }
                            ],
                        },
                    ],
                }
            ],
        }
    ],
}
MOCHA = {
    "stats": {},
    "tests": [
        {"fullTitle": "calc adds", "title": "adds"},
        {
            "fullTitle": "calc bad",
            "title": "bad",
            "file": "/repo/a.js",
            "err": {"message": "no", "stack": "at x (a.js:3:5)"},
        },
        {"fullTitle": "calc later", "title": "later"},
    ],
    "failures": [{"fullTitle": "calc bad", "title": "bad"}],
    "pending": [{"fullTitle": "calc later", "title": "later"}],
}


@pytest.mark.parametrize(
    ("data", "name"),
    [(CTRF, "bad"), (JEST, "calc › bad"), (PLAYWRIGHT, "calc › bad"), (MOCHA, "calc bad")],
    ids=["ctrf", "jest", "playwright", "mocha"],
)
def test_json_reports(tmp_path: Path, data: dict[str, Any], name: str) -> None:
    found = reading_of(tmp_path, json.dumps(data), "report.json")
    (red,) = [case for case in found.cases if case.outcome is Outcome.FAILED]
    assert found.counts == Counts(passed=1, failed=1, skipped=1)
    assert (red.name, red.line, red.message) == (name, 3, "no")
    assert red.file.endswith("a.js") or red.file == "/repo/a.test.js"


def test_playwright_attachments_and_output(tmp_path: Path) -> None:
    found = reading_of(tmp_path, json.dumps(PLAYWRIGHT), "report.json")
    (red,) = [case for case in found.cases if case.outcome is Outcome.FAILED]
    assert [one.kind for one in red.attachments] == ["screenshot", "trace"]
    assert red.stdout == "hello"


def test_a_jest_suite_that_could_not_be_loaded_is_a_build_error(tmp_path: Path) -> None:
    suite = {
        "name": "a.test.js",
        "status": "failed",
        "message": "SyntaxError: Unexpected",
        "assertionResults": [],
    }
    found = reading_of(tmp_path, json.dumps({"numTotalTests": 0, "testResults": [suite]}), "report.json")
    assert [(error.file, error.exception) for error in found.build_errors] == [("a.test.js", "SyntaxError")]
    assert not found.no_tests


@pytest.mark.parametrize("version", ["TAP version 13\n", "TAP version 14\n", ""])
def test_tap_files(tmp_path: Path, version: str) -> None:
    text = f"{version}1..4\nok 1 - a\nnot ok 2 - b\n  ---\n  message: no\n  ...\nok 3 - c # SKIP x\nnot ok 4 # TODO d\n"
    found = reading_of(tmp_path, text, "report.tap")
    assert found.counts == Counts(passed=1, failed=1, skipped=2)
    assert [case.message for case in found.cases if case.outcome is Outcome.FAILED] == ["no"]


def test_a_tap_plan_that_is_not_met_is_a_crash(tmp_path: Path) -> None:
    assert "2 of 5" in reading_of(tmp_path, "1..5\nok 1 - a\nok 2 - b\n", "report.tap").crashed


def test_a_tap_bail_out_is_a_crash(tmp_path: Path) -> None:
    assert reading_of(tmp_path, "1..1\nok 1\nBail out! no disk\n", "r.tap").crashed == "Bail out! no disk"


def test_a_number_that_comes_twice_brings_no_second_pass(tmp_path: Path) -> None:
    found = reading_of(tmp_path, "ok 1 - fake\nnot ok 1 - real\nok 1 - fake\n1..1\n", "report.tap")
    assert found.counts == Counts(passed=1, failed=1)


def test_a_large_report_is_read_in_bounded_memory(tmp_path: Path) -> None:
    import tracemalloc

    file = tmp_path / "report.xml"
    with file.open("w", encoding="utf-8") as out:
        out.write('<testsuite name="s">')
        for number in range(4_000):
            out.write(
                f'<testcase classname="C" name="t{number}"><system-out>{"x" * 4_000}</system-out></testcase>'
            )
        out.write('<testcase classname="C" name="bad"><failure message="no"/></testcase></testsuite>')
    tracemalloc.start()
    found, _ = read_report(file, 0.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None
    assert found.counts == Counts(passed=4_000, failed=1)
    assert peak < 8 << 20


def test_cases_without_names_are_counted_and_compared_by_nobody(tmp_path: Path) -> None:
    named = '<testsuite tests="2"><testcase name="a"/><testcase name="{}"><failure message="x"/></testcase></testsuite>'
    assert reading_of(tmp_path, named.format("b")).complete
    nameless = reading_of(tmp_path, named.format(""))
    assert not nameless.complete
    assert nameless.counts == Counts(passed=1, failed=1)


def test_a_long_failure_keeps_its_last_lines_and_no_half_of_one(tmp_path: Path) -> None:
    """pytest shows the source of every frame before it says what was raised."""
    source = "".join(f"    line {number} of a long function\n" for number in range(400))
    said = "E   PermissionError: [Errno 13] Permission denied: '/srv/tool'"
    for shift in range(60):
        text = f"{'x' * shift}\n{source}{said}\n\nlib.py:7: PermissionError"
        case = f'<testcase classname="a" name="t"><failure message="m">{text}</failure></testcase>'
        detail = reading_of(tmp_path, f"<testsuite>{case}</testsuite>").cases[0].detail
        assert said in detail
        assert set(detail.split("\n")) <= {*text.split("\n"), "[...]"}
        assert len(detail) < 4_100
