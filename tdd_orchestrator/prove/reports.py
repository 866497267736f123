"""The answer for machines and for people: plain values, SARIF, JUnit XML and CTRF, and the comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree

from tdd_orchestrator import __version__
from tdd_orchestrator.audit.reports import badge_svg, sarif_log
from tdd_orchestrator.cycle.counterfactual.answers import listed
from tdd_orchestrator.prove.values import (
    ADVICE,
    MEANING,
    ChangeClass,
    ChangeResult,
    ChangeVerdict,
    ProveReport,
    TestRow,
)
from tdd_orchestrator.text import one_line, plain

MARK = "<!-- tdd prove -->"
"""The first line of the comment, by which it is found again and updated in place."""
_MOST_ROWS = 30
_MOST_CHANGES = 50
_CLASSES = {
    ChangeClass.BEHAVIOR: "a change of behavior",
    ChangeClass.REFACTORING: "a refactoring: the same tests pass",
    ChangeClass.RENAME: "a renaming: the same tests pass",
    ChangeClass.DOCUMENTATION: "no code changed: the same tests pass",
    ChangeClass.DEPENDENCIES: "dependencies, settings, benchmarks or examples: the same tests pass",
    ChangeClass.TESTS: "tests alone",
    ChangeClass.DEAD_CODE: "code removed with its tests",
}
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#@!~$])")


def markdown(report: ProveReport) -> str:
    """Return the whole comment. Text of the change is escaped: it can neither mark up nor mention."""
    lines = [MARK, f"### {_headline(report)}", ""]
    for result in report.results[:_MOST_CHANGES]:
        lines += [*_change(result, alone=len(report.results) == 1), ""]
    if len(report.results) > _MOST_CHANGES:
        lines += [f"… and {len(report.results) - _MOST_CHANGES} more changes.", ""]
    trees = "1 tree" if report.trees == 1 else f"{report.trees} trees"
    lines.append(f"<sub>tdd prove ran {trees} with your test command, {report.seconds:.0f} s.</sub>")
    return "\n".join(lines) + "\n"


def _headline(report: ProveReport) -> str:
    proven = sum(result.proven for result in report.results)
    if len(report.results) == 1:
        result = report.results[0]
        return "✅ Proven" if result.proven else f"❌ Not proven: {MEANING[result.verdict]}"
    mark = "✅" if report.proven else "❌"
    return f"{mark} {proven} of {len(report.results)} commits proven"


def _change(result: ChangeResult, *, alone: bool) -> Iterator[str]:
    mark = "" if alone else "✅ " if result.proven else "❌ "
    meaning = "" if result.proven or alone else f": **{MEANING[result.verdict]}**"
    subject = _text(result.change.subject, 100)
    yield f"{mark}{subject} (`{result.change.name}`, {_CLASSES[result.kind]}){meaning}"
    if not result.proven:
        yield ""
        yield from (f"- {_text(reason, 300)}" for reason in result.reasons[:5])
        advice = ADVICE.get(result.verdict)
        yield from ("", f"**To do:** {advice}") if advice else ()
    rows = [row for row in result.tests if row.how != "removed"]
    if rows:
        yield ""
        yield "| | test | without the change | with the change |"
        yield "|---|---|---|---|"
        yield from (_row(row, alike) for row, alike in _with_repeats(rows[:_MOST_ROWS]))
        if len(rows) > _MOST_ROWS:
            yield f"| | … and {len(rows) - _MOST_ROWS} more | | |"
    removed = [row for row in result.tests if row.how == "removed"]
    if removed:
        yield ""
        yield "Removed tests:"
        yield from (f"- {_text(row.test, 120)} ({_text(row.at_head, 80)})" for row in removed[:10])
    if result.asked is not None and any(answered(result)):
        yield ""
        yield "Could these tests fail at all? Each was run again, changed so that it must:"
        yield from (f"- {line}" for line in answered(result))
    if result.warnings:
        yield from ("", "⚠️ Worth a look:")
        yield from (f"- {_text(warning, 240)}" for warning in result.warnings[:8])


def _with_repeats(rows: list[TestRow]) -> Iterator[tuple[TestRow, bool]]:
    """Yield each row, and whether it failed on BASE as the row before it."""
    before = ""
    for row in rows:
        yield row, bool(row.on_base) and row.on_base == before
        before = row.on_base


def _row(row: TestRow, alike: bool) -> str:
    mark = {"proven": "✅", "passes_on_base": "➖", "never_ran": "➖"}.get(row.verdict, "❌")
    name = _text(row.test.partition("::")[2] or row.test, 90)
    wrong = "" if mark != "❌" else f" ({MEANING[ChangeVerdict(row.verdict)]})"
    on_base = "the same" if alike else _text(row.on_base, 160)
    return f"| {mark} | {name}{wrong} | {on_base} | {_text(row.at_head, 80)} |"


def _text(text: str, most: int) -> str:
    return _MARKUP.sub(r"\\\1", plain(one_line(text, most)))


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


_QUESTIONS = {
    "poison": "with a failing statement at the end",
    "shift": "with other expected values",
    "stub": "without the new functions",
}


def answered(result: ChangeResult) -> Iterator[str]:
    """Yield one sentence for each question that was asked."""
    for one in listed(result.asked):
        if one["asked"]:
            yield f"{_QUESTIONS[one['question']]}: {one['failed']} of {one['asked']} tests fail, as they must"


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
