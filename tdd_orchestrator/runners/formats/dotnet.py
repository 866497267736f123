"""XML of the .NET world: TRX (Visual Studio), NUnit 2 and 3, xUnit 2."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tdd_orchestrator.model.report import BuildError, Case, Outcome, count
from tdd_orchestrator.runners.formats.xml import Document, Node, elements
from tdd_orchestrator.runners.reading import CASE_LIMIT, DETAIL_LIMIT, Reading

_PLACE = re.compile(r" in (\S.{0,300}?):line (\d+)")
_TYPE = re.compile(r"^([A-Z]\w{0,60}(?:\.\w{1,60}){0,10}Exception)\s?: ")
_OUTCOMES = {
    "passed": Outcome.PASSED,
    "pass": Outcome.PASSED,
    "success": Outcome.PASSED,
    "passedbutrunaborted": Outcome.ERROR,
    "failed": Outcome.FAILED,
    "fail": Outcome.FAILED,
    "failure": Outcome.FAILED,
    "error": Outcome.ERROR,
    "timeout": Outcome.FAILED,
    "aborted": Outcome.ERROR,
    "notexecuted": Outcome.SKIPPED,
    "skipped": Outcome.SKIPPED,
    "skip": Outcome.SKIPPED,
    "ignored": Outcome.SKIPPED,
    "notrunnable": Outcome.ERROR,
    "inconclusive": Outcome.SKIPPED,
    "warning": Outcome.PASSED,
}


def _made(name: str, state: str, message: str, stack: str, output: str, exception: str = "") -> Case:
    """An outcome that is not known is an error: it is not a pass."""
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
    "TestRun": ("UnitTestResult", _trx),
    "test-run": ("test-case", _nunit),
    "test-results": ("test-case", _nunit),
    "assemblies": ("test", _xunit),
    "assembly": ("test", _xunit),
}
_TROUBLE = frozenset({"RunInfo", "error"})


def read_dotnet(source: Path | bytes, root: str) -> tuple[Reading, str]:
    """The reading, and what is wrong with the file as a file. Raises Refused, OSError."""
    tag, make = FORMATS[root]
    document = Document()
    reading = Reading(started=True)
    for node in elements(source, frozenset({tag}) | _TROUBLE, document):
        if node.tag == tag:
            if len(reading.cases) < CASE_LIMIT or make(node).outcome in (Outcome.FAILED, Outcome.ERROR):
                reading.cases.append(make(node))
        elif node.get("outcome") == "Error" or node.tag == "error":
            text = node.inner("Text") or node.inner("failure", "message") or node.text.strip()
            reading.build_errors.append(BuildError(text or "the run reported an error outside its tests"))
    reading.counts = count(reading.cases)
    reading.finished = document.whole
    reading.no_tests = document.whole and not reading.cases
    reading.complete = document.whole
    return reading, document.problem
