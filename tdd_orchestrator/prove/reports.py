"""The answer for machines: plain values, SARIF, JUnit XML and CTRF, and the badge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree

from tdd_orchestrator import __version__
from tdd_orchestrator.audit.reports import badge_svg, sarif_log
from tdd_orchestrator.cycle.counterfactual.answers import listed
from tdd_orchestrator.prove.values import (
    MEANING,
    ChangeResult,
    ChangeVerdict,
    ProveReport,
    TestRow,
)
from tdd_orchestrator.text import plain


def values(report: ProveReport) -> dict[str, Any]:
    """Return the whole answer as plain values, for ``--json``."""
    return {
        "proven": report.proven,
        "trees": report.trees,
        "seconds": report.seconds,
        "changes": [_result(result) for result in report.results],
    }


def badge(report: ProveReport) -> str:
    """Return an SVG badge: ``proven 3/3``, how many of the changes are proven."""
    proven = sum(result.proven for result in report.results)
    return badge_svg("proven", f"{proven}/{len(report.results)}", report.proven)


def _result(result: ChangeResult) -> dict[str, Any]:
    return {
        **asdict(result.change),
        "class": str(result.kind),
        "verdict": str(result.verdict),
        "meaning": MEANING[result.verdict],
        "proven": result.proven,
        "reasons": list(result.reasons),
        "tests": [asdict(row) for row in result.tests],
        "questions": list(listed(result.asked)),
        "warnings": list(result.warnings),
        "uncovered": list(result.uncovered),
        "counts": asdict(result.counts) if result.counts else None,
        "seconds": result.seconds,
    }


_WARNINGS = frozenset({ChangeVerdict.PASSES_ON_BASE, ChangeVerdict.NEVER_RAN})


def sarif(report: ProveReport) -> dict[str, Any]:
    """Return SARIF 2.1.0: one result for each refused change, at its tests; a warning for each test that is
    named."""
    found = [one for result in report.results for one in _findings(result)]
    rules = sorted({rule for rule, *_ in found})
    results = [
        {
            "ruleId": rule,
            "ruleIndex": rules.index(rule),
            "level": level,
            "message": {"text": plain(text)},
            "locations": [_location(row, result)],
            "partialFingerprints": {"tdd/v1": f"{rule}:{result.change.head}:{row.test if row else ''}"},
        }
        for rule, level, text, row, result in found
    ]
    return sarif_log("tdd prove", {rule: MEANING[ChangeVerdict(rule)] for rule in rules}, results)


_Found = tuple[str, str, str, TestRow | None, ChangeResult]


def _findings(result: ChangeResult) -> Iterator[_Found]:
    blamed = [row for row in result.tests if row.verdict == result.verdict and not result.proven]
    text = "; ".join(result.reasons) or MEANING[result.verdict]
    for row in blamed:
        yield str(result.verdict), "error", f"{row.test}: {text}", row, result
    required = result.verdict is ChangeVerdict.UNCOVERED
    for place in result.uncovered:
        path, _, lines = place.rpartition(":")
        first = int(lines.replace(",", "-").split("-")[0])
        row = TestRow(place, "changed", "uncovered", file=path, line=first)
        yield "uncovered", "error" if required else "warning", f"no test executes {place}", row, result
    if not result.proven and not blamed and not required:
        yield str(result.verdict), "error", text, None, result
    for row in result.tests:
        if row.verdict in _WARNINGS and row not in blamed:
            meaning = "passes on the base" if row.verdict == "passes_on_base" else f"was {row.at_head}"
            yield row.verdict, "warning", f"{row.test} {meaning}", row, result


def _location(row: TestRow | None, result: ChangeResult) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": (row.file if row and row.file else "tdd.toml")}}
    if row is not None and row.line:
        place["region"] = {"startLine": row.line}
    return {
        "physicalLocation": place,
        "logicalLocations": [{"fullyQualifiedName": row.test if row else result.change.head}],
    }


def junit(report: ProveReport) -> bytes:
    """Return JUnit XML: one suite for each change, with a case for the change and one for each of its
    tests."""
    root = ElementTree.Element("testsuites", name="tdd prove")
    for result in report.results:
        name = plain(f"{result.change.name} {result.change.subject}")
        failures = sum(row.verdict == result.verdict for row in result.tests if not result.proven)
        suite = ElementTree.SubElement(
            root, "testsuite", name=name, tests=str(len(result.tests) + 1), errors="0", skipped="0",
            failures=str(failures + (not result.proven)), time=f"{result.seconds:.3f}",
        )  # fmt: skip
        case = ElementTree.SubElement(suite, "testcase", classname="tdd prove", name=name)
        if not result.proven:
            _failure(case, result.verdict, "; ".join(result.reasons))
        for row in result.tests:
            case = ElementTree.SubElement(
                suite, "testcase", classname=plain(row.file), name=plain(row.test), file=plain(row.file)
            )
            if row.verdict == result.verdict and not result.proven:
                _failure(case, result.verdict, f"on the base: {row.on_base}; at HEAD: {row.at_head}")
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def _failure(case: ElementTree.Element, verdict: ChangeVerdict, text: str) -> None:
    failure = ElementTree.SubElement(case, "failure", message=MEANING[verdict], type=str(verdict))
    failure.text = plain(text)


def ctrf(report: ProveReport, *, start: int, stop: int) -> dict[str, Any]:
    """Return a report in the Common Test Report Format; times in milliseconds since 1970."""
    tests = [_ctrf_test(result, None) for result in report.results]
    tests += [_ctrf_test(result, row) for result in report.results for row in result.tests]
    counts = {status: sum(test["status"] == status for test in tests) for status in _CTRF}
    return {
        "reportFormat": "CTRF",
        "specVersion": "0.0.0",
        "results": {
            "tool": {"name": "tdd prove", "version": __version__},
            "summary": {"tests": len(tests), **counts, "start": start, "stop": stop},
            "tests": tests,
        },
    }


_CTRF = ("passed", "failed", "pending", "skipped", "other")


def _ctrf_test(result: ChangeResult, row: TestRow | None) -> dict[str, Any]:
    verdict = row.verdict if row else str(result.verdict)
    refused = not result.proven and verdict == result.verdict
    status = "failed" if refused else "passed" if verdict == "proven" else "other"
    found: dict[str, Any] = {
        "name": plain(row.test if row else f"{result.change.name} {result.change.subject}"),
        "status": status,
        "duration": 0 if row else round(result.seconds * 1000),
        "suite": [result.change.name],
        "message": plain(f"on the base: {row.on_base}; at HEAD: {row.at_head}" if row else "; ".join(
                result.reasons)),
        "extra": {"verdict": verdict},
    }  # fmt: skip
    if row is not None and row.file:
        found |= {"filePath": row.file, "line": row.line}
    return found
