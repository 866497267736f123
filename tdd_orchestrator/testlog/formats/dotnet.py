"""Read the XML reports of .NET: TRX (Visual Studio), NUnit 2 and 3, xUnit 2."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.report import BAD, BuildError, Case, Outcome, count
from tdd_orchestrator.testlog.formats.xml import Document, Node, elements
from tdd_orchestrator.testlog.reading import CASE_LIMIT, DETAIL_LIMIT, Reading

_PLACE = re.compile(r" in (\S.{0,300}?):line (\d+)")
_TYPE = re.compile(r"^([A-Z]\w{0,60}(?:\.\w{1,60}){0,10}Exception)\s?: ")
_OUTCOMES = {
    "passed": Outcome.PASSED, "pass": Outcome.PASSED, "success": Outcome.PASSED,
    "passedbutrunaborted": Outcome.ERROR, "failed": Outcome.FAILED, "fail": Outcome.FAILED,
    "failure": Outcome.FAILED, "error": Outcome.ERROR, "timeout": Outcome.FAILED, "aborted": Outcome.ERROR,
    "notexecuted": Outcome.SKIPPED, "skipped": Outcome.SKIPPED, "skip": Outcome.SKIPPED,
    "ignored": Outcome.SKIPPED, "notrunnable": Outcome.ERROR, "inconclusive": Outcome.SKIPPED,
    "warning": Outcome.PASSED,
}  # fmt: skip


def _made(name: str, state: str, message: str, stack: str, output: str, exception: str = "") -> Case:
    """Build a case. An unknown outcome becomes an error, never a pass."""
    place = _PLACE.search(stack)
    kind = _TYPE.match(message)
    return Case(
        name,
        name,
        _OUTCOMES.get(state.lower(), Outcome.ERROR),
        place[1] if place else "",
        int(place[2]) if place else 0,
        message[:2_000],
        exception or (kind[1] if kind else ""),
        detail=stack[:DETAIL_LIMIT],
        stdout=output[:DETAIL_LIMIT],
    )


_FAIL_LINE = re.compile(r"\[xUnit\.net [\d:.]{1,20}\] +\S.* \[FAIL\]$")
"""A run error that xUnit's adapter logs for every failed test, which also has a result of its own."""


def _trx(node: Node) -> Case:
    return _made(
        node.get("testName"),
        node.get("outcome") or "Error",
        node.inner("Output", "ErrorInfo", "Message"),
        node.inner("Output", "ErrorInfo", "StackTrace"),
        node.inner("Output", "StdOut"),
    )


def _nunit(node: Node) -> Case:
    state = "error" if node.get("label") == "Error" else node.get("result")
    return _made(
        node.get("fullname") or node.get("name"),
        state,
        node.inner("failure", "message"),
        node.inner("failure", "stack-trace"),
        node.inner("output"),
    )


def _xunit(node: Node) -> Case:
    failure = node.child("failure")
    return _made(
        node.get("name"),
        node.get("result"),
        node.inner("failure", "message"),
        node.inner("failure", "stack-trace"),
        node.inner("output"),
        failure.get("exception-type") if failure else "",
    )


# root: (element of one test, how to read it)
FORMATS: dict[str, tuple[str, Callable[[Node], Case]]] = {
    "TestRun": ("UnitTestResult", _trx), "test-run": ("test-case", _nunit),
    "test-results": ("test-case", _nunit), "assemblies": ("test", _xunit), "assembly": ("test", _xunit),
}  # fmt: skip
_ERROR_TAGS = frozenset({"RunInfo", "error", "UnitTest"})


def _rows(node: Node) -> list[Node]:
    """Return the rows of a data-driven test, which the runner counts instead of it; else the test itself."""
    rows = node.child("InnerResults")
    bad = node.get("outcome") not in ("Passed", "NotExecuted")
    if (
        rows is None
        or not rows.children
        or (bad and all(row.get("outcome") == "Passed" for row in rows.children))
    ):
        return [node]
    return [leaf for row in rows.children for leaf in _rows(row)]


def _placed(case: Case, method: Node) -> Case:
    """Return the case under the full name that ``--filter`` accepts: NUnit and MSTest give only the
    method."""
    whole = f"{method.get('className')}.{method.get('name')}"
    if case.name in (whole, method.get("name")):
        return replace(case, id=whole, name=whole)
    rest = case.name.removeprefix(whole)
    return replace(case, id=whole + (rest if rest.startswith("(") else f"({rest})"))


def read_dotnet(source: Path | bytes, root: str) -> tuple[Reading, str]:
    """Return the reading and what is wrong with the file, if anything. Raises Refused, OSError."""
    tag, make = FORMATS[root]
    document = Document()
    reading = Reading(started=True)
    tests: list[str] = []  # of the cases, the keys of their definitions
    methods: dict[str, Node] = {}
    repeated: list[BuildError] = []
    for node in elements(source, frozenset({tag}) | _ERROR_TAGS, document):
        if node.tag == tag:
            for row in _rows(node):
                case = make(row)
                if len(reading.cases) < CASE_LIMIT or case.outcome in BAD:
                    reading.cases.append(case)
                    tests.append(node.get("testId"))
        elif node.tag == "UnitTest":
            method = node.child("TestMethod")
            if method is not None and len(methods) < CASE_LIMIT:
                methods[node.get("id")] = method
        elif node.get("outcome") == "Error" or node.tag == "error":
            text = node.inner("Text") or node.inner("failure", "message") or node.text.strip()
            error = BuildError(text or "the run reported an error outside its tests")
            (repeated if _FAIL_LINE.match(text) else reading.build_errors).append(error)
    reading.cases = [
        _placed(case, methods[test]) if test in methods else case
        for case, test in zip(reading.cases, tests, strict=True)
    ]
    if not any(case.outcome in BAD for case in reading.cases):
        reading.build_errors += repeated
    reading.counts = count(reading.cases)
    reading.finished = document.whole
    reading.no_tests = document.whole and not reading.cases
    reading.complete = document.whole
    return reading, document.problem
