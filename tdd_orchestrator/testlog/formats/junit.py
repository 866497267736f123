"""Read JUnit XML, as pytest, Jest, Surefire, Gradle, gotestsum, PHPUnit, GoogleTest and others write it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.report import Attachment, BuildError, Case, Counts, Outcome, count, count_outcomes
from tdd_orchestrator.testlog.formats.xml import Document, Node, elements
from tdd_orchestrator.testlog.parsers.js_node import is_test_file
from tdd_orchestrator.testlog.reading import CASE_LIMIT, DETAIL_LIMIT, Reading, detail_of

ROOTS = frozenset({"testsuites", "testsuite"})
_ATTACHMENT = re.compile(r"\[\[ATTACHMENT\|([^\]\n]{1,1000})\]\]")
_KINDS = (
    ("screenshot", (".png", ".jpg", ".jpeg", ".webp")), ("trace", ("trace.zip", ".trace")),
    ("network", (".har",)), ("video", (".webm", ".mp4")),
    ("console", ("console.log", "console.txt", "console.json")),
)  # fmt: skip
_NOT_LOADED = (
    "collection failure", "Test suite failed to run", "unittest.loader._FailedTest", "[build failed]",
)  # fmt: skip
_PLACE = re.compile(r"([^\s():\"']{1,300}\.\w{1,8}):(\d{1,7})")
_TYPE = re.compile(r"^([A-Za-z_][\w.$:\\]{0,150}(?:Error|Exception|Failure|Throwable|Warning))(?:: |\s|$)")


def attachment_kind(path: str) -> str:
    lowered = path.lower()
    return next((kind for kind, endings in _KINDS if lowered.endswith(endings)), "other")


def read_junit(source: Path | bytes) -> tuple[Reading, str]:
    """Return the reading and what is wrong with the file, if anything. Raises Refused, OSError."""
    document = Document()
    reading = Reading(started=True)
    totals: dict[Outcome, int] = dict.fromkeys(Outcome, 0)
    loose = 0
    for node in elements(source, frozenset({"testcase", "error", "failure"}), document):
        if node.tag != "testcase":
            loose += 1
            reading.build_errors.append(BuildError(_message(node) or "a suite failed outside its tests"))
            continue
        case = _case(node, document.around)
        if _is_file(node):
            if case.outcome is Outcome.PASSED:
                continue
            if node.get("classname") != "test":  # of node:test a file may have failed for any reason
                case = replace(case, outcome=Outcome.ERROR, phase="collect", file=node.get("name"), line=0)
        totals[case.outcome] += 1
        if case.phase == "collect":
            reading.build_errors.append(_build_error(case))
        if len(reading.cases) < CASE_LIMIT or case.outcome in (Outcome.FAILED, Outcome.ERROR):
            reading.cases.append(case)
    counts = count_outcomes(totals).plus(Counts(errors=loose))
    claimed = _claimed(document.root)
    if claimed > counts.bad:
        counts = counts.plus(Counts(errors=claimed - counts.bad))
    reading.counts = counts
    reading.finished = document.whole
    reading.no_tests = document.whole and counts.total == 0
    named = all(case.name for case in reading.cases)
    reading.complete = document.whole and named and count(reading.cases).total == counts.total
    return reading, document.problem


def _is_file(node: Node) -> bool:
    """Whether the case is a file: node:test and Vitest list files without tests, or not loaded, as tests."""
    return is_test_file(node.get("name")) and node.get("classname") in ("test", node.get("name"))


def _claimed(root: Node | None) -> int:
    """Return the failures and errors that the root counts: a suite may fail without a failed test case."""
    totals = [root.get(name) if root else "" for name in ("failures", "errors")]
    return sum(int(number) for number in totals if number.isdigit())


def _build_error(case: Case) -> BuildError:
    return BuildError(case.message or case.detail, case.file, case.line, case.exception, case.detail)


def _case(node: Node, around: list[Node]) -> Case:
    name, owner = node.get("name"), node.get("classname")
    suite = around[-1].get("name") if around else ""
    bad = next((child for child in node.children if child.tag in ("failure", "error")), None)
    outcome = _outcome(node, bad)
    file = node.get("file") or (around[-1].get("file") if around else "")
    if name and file.endswith(
        f"::{name}"
    ):  # Pest's: it also begins what it says with the name, and no line's end
        file = _pest_file(file.removesuffix(f"::{name}"))
        for child in node.children:
            child.text = child.text.removeprefix(name)
    line = node.get("line")
    identity, display_name = _names(name, owner, file, suite)
    detail = detail_of(bad.text or bad.get("message")) if bad else ""
    message = _message(bad) if bad else ""
    place = _PLACE.search(detail) if detail else None
    loading = bool(bad) and any(
        word in text for word in _NOT_LOADED for text in (message, name, owner, detail)
    )
    outputs = "\n".join(child.text for child in node.children if child.tag in ("system-out", "system-err"))
    return Case(
        identity,
        display_name,
        outcome,
        file or (place[1] if place else ""),
        int(line) if line.isdigit() else int(place[2]) if place and file in ("", place[1]) else 0,
        message,
        _exception(bad),
        "collect" if loading else "",
        detail,
        "" if outcome is Outcome.PASSED else outputs[:DETAIL_LIMIT],
        _seconds(node.get("time")),
        tuple(Attachment(attachment_kind(path), path) for path in _ATTACHMENT.findall(outputs)),
    )


def _pest_file(label: str) -> str:
    r"""Return the file, or '' for Pest's ``A (Tests\\Unit\\A)``, which names a class instead."""
    return "" if label.endswith(")") and " (" in label else label


def _outcome(node: Node, bad: Node | None) -> Outcome:
    if bad is not None:
        return Outcome.ERROR if bad.tag == "error" else Outcome.FAILED
    skipped = node.child("skipped") or node.child("ignored") or node.child("pending")
    if skipped is not None:
        return Outcome.XFAILED if "xfail" in skipped.get("type") else Outcome.SKIPPED
    state = (node.get("result") or node.get("status")).lower()
    if state in ("suppressed", "skipped", "notrun", "disabled", "ignored", "pending", "not_run"):
        return Outcome.SKIPPED
    if state in ("failed", "fail", "failure", "error", "timeout"):
        return Outcome.FAILED
    return Outcome.PASSED


def _names(name: str, owner: str, file: str, suite: str) -> tuple[str, str]:
    """Return the id and the display name; pytest's node ids are rebuilt from the dotted class name."""
    if suite == "pytest":
        if not owner:
            path = name.replace(".", "/") + ".py"
            return path, path
        parts = owner.split(".")
        cut = next((i for i, part in enumerate(parts) if part[:1].isupper()), len(parts))
        path = file or "/".join(parts[:cut]) + ".py"
        identity = "::".join([path, *parts[cut:], name])
        return identity, identity
    return f"{file or owner}::{owner + '.' if file and owner else ''}{name}", name


def _message(node: Node | None) -> str:
    if node is None:
        return ""
    return (node.get("message") or node.text.strip().partition("\n")[0])[:2_000]


def _exception(node: Node | None) -> str:
    if node is None:
        return ""
    kind = node.get("type")
    if kind and kind.lower() not in ("failure", "error", "failed"):
        return kind
    match = _TYPE.match(node.get("message") or node.text.lstrip()[:300])
    return match[1] if match else ""


def _seconds(text: str) -> float:
    try:
        return float(text.replace(",", "")) if text else 0.0
    except ValueError:
        return 0.0
