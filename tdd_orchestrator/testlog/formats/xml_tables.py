"""Choose the reader of an XML report by its root element.

Formats of single runners (Boost.Test, Catch2, Check ...) are read from a table of element paths.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.model.report import BAD, Case, Outcome, count_outcomes
from tdd_orchestrator.testlog.formats import dotnet, junit
from tdd_orchestrator.testlog.formats.xml import Document, Node, elements
from tdd_orchestrator.testlog.reading import CASE_LIMIT, DETAIL_LIMIT, Reading

_PLACE = re.compile(r"(.{1,400}):(\d{1,9})$")
_NO = ("", "0", "false")
_STATES = {
    "success": Outcome.PASSED, "passed": Outcome.PASSED, "true": Outcome.PASSED, "failure": Outcome.FAILED,
    "failed": Outcome.FAILED, "false": Outcome.FAILED, "assertion": Outcome.FAILED,
    "aborted": Outcome.FAILED, "timed-out": Outcome.FAILED, "omission": Outcome.SKIPPED,
    "pending": Outcome.SKIPPED, "skipped": Outcome.SKIPPED,
}  # fmt: skip
_REMARKS = frozenset({"notification"})  # no result: the test has another element for it


@dataclass(frozen=True, slots=True)
class Tests:
    """Paths of a test's facts: ``a/b`` a grandchild's text, ``a@b`` a child's attribute, ``@b`` its
    own.

    ``state``: its status; without one it passed, unless it has one of the children ``bad``.
    ``message``: the first of these that exists in a child that is not marked as a success.
    """

    tag: str
    name: str
    state: str = ""
    skipped: str = ""
    bad: tuple[str, ...] = ()
    group: str = ""
    message: tuple[str, ...] = ()
    file: str = ""  # with its line, where that stands behind it
    line: str = ""


@dataclass(frozen=True, slots=True)
class Format:
    """One XML format.

    ``mark``: text in the head that tells it from others with the same root. ``better``: an attribute;
    elements without it count only if no element has it, and a document without any is only a log.
    ``suite``: the attribute of enclosing elements with their overall status. ``alone``: children of a
    suite that mean a failure outside its tests; a log without suites uses them for tests too, expected
    ones included.
    """

    name: str
    roots: tuple[str, ...]
    tests: tuple[Tests, ...]
    mark: re.Pattern[bytes] = re.compile(b"")
    better: str = ""
    suite: str = ""
    alone: frozenset[str] = frozenset()


_CPP_MESSAGES = ("FatalErrorCondition", "Exception", "Failure", "Expression/Expanded")

FORMATS = (
    Format(
        "boost.test",
        ("TestLog", "TestResult"),
        (Tests("TestCase", "@name", "@result", bad=("Error", "FatalError", "Exception"),
                message=("Error", "FatalError", "Exception"), file="@file", line="@line"),),
        better="result",
        suite="result",
        alone=frozenset({"Error", "FatalError", "Exception"}),
    ),
    Format(
        "catch2",
        ("Catch", "Catch2TestRun"),
        (Tests("TestCase", "@name", "OverallResult@success", "OverallResult@skips", message=_CPP_MESSAGES,
                file="@filename", line="@line"),),
    ),
    Format(
        "doctest",
        ("doctest",),
        (Tests("TestCase", "@name", "OverallResultsAsserts@test_case_success", "@skipped",
                message=_CPP_MESSAGES, file="@filename", line="@line"),),
    ),
    Format(
        "cppunit",
        ("TestRun",),
        (
            Tests("FailedTest", "Name", "FailureType", message=("Message",), file="Location/File",
                line="Location/Line"),
            Tests("Test", "Name"),
        ),
        re.compile(rb"<(?:FailedTests|SuccessfulTests)\b"),
    ),
    Format(
        "check",
        ("testsuites",),
        (Tests("test", "id", "@result", group="description", message=("message",), file="fn"),),
        re.compile(rb"xmlns=[\"']http://check\.sourceforge\.net"),
    ),
    Format(
        "test-unit",
        ("stream",),
        (
            Tests(
                "test-result",
                "result/test/name",
                "result/status",
                group="result/test-case/name",
                message=("result/detail",),
                file="result/backtrace/entry/file",
                line="result/backtrace/entry/line",
            ),
        ),
        re.compile(rb"<ready-test-suite>"),
    ),
)  # fmt: skip


def read_tabled(source: Path | bytes, form: Format) -> tuple[Reading, str]:
    """Return the reading and what is wrong with the file, if anything. Raises Refused, OSError."""
    document = Document()
    by_tag = {one.tag: one for one in form.tests}
    cases_of: dict[bool, list[Case]] = {True: [], False: []}
    totals = {better: dict.fromkeys(Outcome, 0) for better in cases_of}
    broken = False
    for node in elements(source, form.alone.union(by_tag), document):
        broken = broken or _broken(node, document.around, form)
        if node.tag in form.alone:
            continue
        tests = by_tag[node.tag]
        outcome = _outcome(node, tests)
        if outcome is None:
            continue
        better = bool(node.get(form.better)) if form.better else True
        totals[better][outcome] += 1
        if len(cases_of[better]) < CASE_LIMIT or outcome in BAD:
            cases_of[better].append(_case(node, tests, outcome))
    better = any(totals[True].values())
    number, cases = totals[better], cases_of[better]
    if form.better and document.whole and not cases:
        return Reading(), document.problem
    counts = count_outcomes(number)
    reading = Reading(counts, cases, started=True, finished=document.whole)
    reading.no_tests = document.whole and not counts.total
    reading.claims_ok = False if broken else None
    reading.complete = document.whole and counts.total == len(cases)
    return reading, document.problem


def _broken(node: Node, around: list[Node], form: Format) -> bool:
    """Whether an enclosing suite failed, or the node is a failure of a suite itself."""
    if node.tag in form.alone and around[-1:] and around[-1].tag == "TestSuite":
        return True
    return bool(form.suite) and any(_STATES.get(suite.get(form.suite)) in BAD for suite in around)


def _outcome(node: Node, tests: Tests) -> Outcome | None:
    """Return the outcome (unknown: error, never a pass), or None for an element that is no result."""
    if any(node.child(tag) is not None for tag in tests.bad):
        return Outcome.FAILED
    state = _at(node, tests.state).lower()
    if state in _REMARKS:
        return None
    outcome = _STATES.get(state, Outcome.ERROR)
    if not state and (tests.bad or not tests.state):
        outcome = Outcome.PASSED
    left_out = _at(node, tests.skipped) not in _NO
    return Outcome.SKIPPED if left_out and (outcome not in BAD or not state) else outcome


def _case(node: Node, tests: Tests, outcome: Outcome) -> Case:
    name, group = _at(node, tests.name), _at(node, tests.group)
    file, line = _at(node, tests.file), _at(node, tests.line)
    if placed := None if tests.line else _PLACE.match(file):
        file, line = placed.groups()
    message = next(filter(None, (_at(node, path) for path in tests.message)), "") if outcome in BAD else ""
    return Case(
        f"{group}::{name}" if group else name,
        name,
        outcome,
        file,
        int(line) if line.isdigit() else 0,
        message.partition("\n")[0][:2_000],
        detail=message[:DETAIL_LIMIT] if "\n" in message else "",
    )


def _at(node: Node, path: str) -> str:
    """Return the text at ``path``, '' if none; of several children the first that is not a success."""
    steps, _, attribute = path.partition("@")
    for tag in filter(None, steps.split("/")):
        below = [child for child in node.children if child.tag == tag]
        if not below:
            return ""
        node = (
            below[0] if attribute else next((one for one in below if one.get("success") != "true"), below[0])
        )
    return node.get(attribute) if attribute else node.text.strip() if path else ""


_ROOT = re.compile(rb"<(?:[\w.-]{1,60}:)?([A-Za-z][\w.-]{0,60})[\s/>]")
_PROLOGUE = re.compile(rb"<!--.*?-->|<\?.*?\?>", re.DOTALL)


def root_of(head: bytes) -> str:
    """Return the name of the root element from the head of a document."""
    found = _ROOT.search(_PROLOGUE.sub(b"", head))
    return found[1].decode("ascii") if found else ""


def read_xml(source: Path | bytes, head: bytes) -> tuple[Reading, str] | None:
    """Return the reading and what is wrong with the file; None if it is no known report.

    Raises Refused, OSError.
    """
    root = root_of(head)
    for form in FORMATS:
        if root in form.roots and form.mark.search(head):
            return read_tabled(source, form)
    if root in junit.ROOTS:
        return junit.read_junit(source)
    return dotnet.read_dotnet(source, root) if root in dotnet.FORMATS else None
