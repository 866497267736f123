"""tape names its assertions and writes each test's name as a comment above them: the test is the case."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome, Report
from tdd_orchestrator.testlog.read import read

FAILURE = """\
not ok {number} {name}
  ---
    operator: equal
    expected: 5
    actual:   4
    at: Test.<anonymous> (/repo/test/sum.js:{line}:9)
    stack: |-
      Error: {name}
          at Test.assert [as _assert] (/repo/node_modules/tape/lib/test.js:548:48)
          at Test.<anonymous> (/repo/test/sum.js:{line}:9)
  ...
"""


def tape(body: str, assertions: int, failed: int, stderr: str = "") -> Report:
    end = f"\n1..{assertions}\n# tests {assertions}\n# pass  {assertions - failed}\n"
    end += f"# fail  {failed}\n\n" if failed else "\n# ok\n\n"
    return read(f"TAP version 13\n{body}{end}{stderr}".encode(), exit_code=int(failed > 0))


def outcomes(report: Report) -> dict[str, Outcome]:
    return {case.name: case.outcome for case in report.cases}


def named(report: Report, name: str) -> Case:
    (found,) = (case for case in report.cases if case.name == name)
    return found


def test_a_test_is_the_case_and_its_assertions_are_inside() -> None:
    body = "# adds\nok 1 should be equal\nok 2 should be equal\n# adds wrong\nok 3 should be equal\n"
    found = tape(body + FAILURE.format(number=4, name="should be equal", line=7), 4, 1)
    assert outcomes(found) == {"adds": Outcome.PASSED, "adds wrong": Outcome.FAILED}
    assert found.counts is not None
    assert (found.counts.passed, found.counts.bad, found.complete) == (1, 1, True)


def test_the_first_failing_assertion_says_why() -> None:
    body = FAILURE.format(number=1, name="the sum", line=7) + FAILURE.format(number=2, name="more", line=8)
    (case,) = tape(f"# adds wrong\n{body}", 2, 2).failing
    assert (case.message, case.file, case.line) == (
        "the sum: expected: 5 actual: 4",
        "/repo/test/sum.js",
        7,
    )


def test_skipped_and_todo_tests_are_skipped() -> None:
    todo = FAILURE.format(number=2, name="should be equal # TODO", line=7)
    body = f"# SKIP later\n# adds\nok 1 should be equal\n# TODO some day\n{todo}# lazy\nok 3 not now # SKIP\n"
    assert outcomes(tape(body, 3, 0)) == {
        "later": Outcome.SKIPPED,
        "adds": Outcome.PASSED,
        "some day": Outcome.SKIPPED,
        "lazy": Outcome.SKIPPED,
    }


def test_a_test_that_throws_fails_by_what_was_thrown_and_those_behind_it_did_not_run() -> None:
    ended = (
        "not ok {} test exited without ending: {}\n  ---\n    operator: fail\n"
        "    at: process.<anonymous> (/repo/node_modules/tape/index.js:197:8)\n  ...\n"
    )
    thrown = (
        "/repo/lib/sum.js:3\n    return null.x;\n\n"
        "TypeError: Cannot read properties of null (reading 'x')\n"
        "    at sum (/repo/lib/sum.js:3:17)\n    at Test.<anonymous> (/repo/test/sum.js:9:4)\n"
    )
    body = "# adds\nok 1 should be equal\n# throws\n" + ended.format(2, "throws") + ended.format(3, "last")
    found = tape(body, 3, 2, stderr=thrown)
    assert outcomes(found) == {"adds": Outcome.PASSED, "throws": Outcome.FAILED}
    case = named(found, "throws")
    assert (case.exception, case.file, case.line) == ("TypeError", "/repo/lib/sum.js", 3)
    assert "Cannot read properties of null" in case.message


def test_a_group_without_assertions_of_its_own_is_no_test() -> None:
    found = tape("# sums\n# of two\nok 1 should be equal\n# of none\nok 2 should be equal\n", 2, 0)
    assert outcomes(found) == {"of two": Outcome.PASSED, "of none": Outcome.PASSED}


def test_a_run_that_is_cut_short_is_no_pass() -> None:
    text = b"TAP version 13\n# adds\nok 1 should be equal\n# more\nok 2 should be equal\n"
    assert read(text, exit_code=0).verdict.value != "passed"


def test_where_points_are_tests_comments_name_none() -> None:
    bats = b"1..2\n# a note\nok 1 adds\n# another\nok 2 subtracts\n"
    node = b"TAP version 13\n# printed by a test\n# Subtest: adds\nok 1 - adds\n  ---\n  duration_ms: 1.2\n  ...\n1..1\n# tests 1\n# pass 1\n# fail 0\n"
    perl = b"# connecting\nok 1 - connects\n# sending\nok 2 - sends\n1..2\n"
    names = [[case.name for case in read(text, exit_code=0).cases] for text in (bats, node, perl)]
    assert names == [["adds", "subtracts"], ["adds"], ["connects", "sends"]]


def test_no_test_is_lost_among_very_many_assertions() -> None:
    fine = "".join(f"ok {number} should be equal\n" for number in range(1, 10))
    wrong = FAILURE.format(number=10, name="should be equal", line=7)
    body = "".join(f"# test {number}\n{fine}{wrong if number % 9 == 0 else ''}" for number in range(2_700))
    found = tape(_renumbered(body), 24_600, 300)
    assert found.counts is not None
    assert (found.counts.passed, found.counts.bad, found.complete) == (2_400, 300, True)


def _renumbered(text: str) -> str:
    numbers = iter(range(1, 200_000))
    return re.sub(r"(?m)^((?:not )?ok) \d+", lambda match: f"{match[1]} {next(numbers)}", text)
