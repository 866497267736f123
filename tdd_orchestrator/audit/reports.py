"""Format the audit's result: SARIF for code scanning, JUnit XML for CI, values for ``--json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree

from tdd_orchestrator import __version__
from tdd_orchestrator.audit.findings import RULES, CommitResult, Finding
from tdd_orchestrator.text import plain


def values(rows: Sequence[CommitResult], findings: Sequence[Finding]) -> dict[str, Any]:
    """Return ``steps`` and ``findings`` as plain lists."""
    return {
        "steps": [asdict(row) for row in rows],
        "findings": [{"level": finding.level, **asdict(finding)} for finding in findings],
    }


def sarif(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return SARIF 2.1.0. A finding is about a commit, so its place is a logical location."""
    used = sorted({finding.rule for finding in findings})
    results = [_result(finding, used.index(finding.rule)) for finding in findings]
    return sarif_log("tdd verify", {rule: RULES[rule][1] for rule in used}, results)


def sarif_log(tool: str, rules: Mapping[str, str], results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a log of SARIF 2.1.0. ``rules``: the meaning of each rule that ``results`` name by its place."""
    described = [{"id": rule, "shortDescription": {"text": meaning}} for rule, meaning in rules.items()]
    driver = {"name": tool, "version": __version__, "rules": described}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _result(finding: Finding, index: int) -> dict[str, Any]:
    names = [finding.commit, *([finding.record] if finding.record else [])]
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": finding.level,
        "message": {"text": plain(finding.what)},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": "tdd.toml"}},
                "logicalLocations": [
                    {"fullyQualifiedName": "/".join(name for name in names if name) or "trail"}
                ],
            }
        ],
        "partialFingerprints": {"tdd/v1": f"{finding.rule}:{finding.commit}:{finding.record}"},
    }


def junit(rows: Sequence[CommitResult], findings: Sequence[Finding]) -> bytes:
    """Return JUnit XML: a suite ``replay`` with a case per phase, a suite ``trail`` with a case per
    finding."""
    root = ElementTree.Element("testsuites", name="tdd verify")
    replay = _suite(root, "replay", len(rows), sum(not row.ok for row in rows))
    for row in rows:
        case = ElementTree.SubElement(
            replay,
            "testcase",
            classname=f"cycle {row.cycle_number}",
            name=plain(f"{row.phase} {row.commit[:12]} {row.item}"),
        )
        if not row.ok:
            failure = ElementTree.SubElement(case, "failure", message=plain(row.seen), type="not-proven")
            failure.text = plain("\n".join(row.reasons))
    failed = [finding for finding in findings if finding.level == "error" and finding.rule not in _REPLAYED]
    trail = _suite(root, "trail", max(1, len(failed)), len(failed))
    if not failed:
        ElementTree.SubElement(trail, "testcase", classname="trail", name="every record fits")
    for finding in failed:
        name = plain(f"{finding.rule} {finding.commit[:12]} {finding.record}".strip())
        case = ElementTree.SubElement(trail, "testcase", classname="trail", name=name)
        ElementTree.SubElement(case, "failure", message=plain(finding.what), type=finding.rule)
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def badge(rows: Sequence[CommitResult], *, proven: bool) -> str:
    """Return an SVG badge: ``verified 37/37`` phases."""
    passed = sum(row.ok for row in rows)
    value = f"{passed}/{len(rows)}" if rows else "not replayed"
    return badge_svg("verified", value, proven if rows or not proven else None)


def badge_svg(label: str, value: str, good: bool | None) -> str:
    """Return a badge as SVG: green, red, or grey where ``good`` is None. Label and value are plain words."""
    color = "#6e7781" if good is None else "#2da44e" if good else "#cf222e"
    left, right = 10 + 6 * len(label), 14 + 7 * len(value)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{label}: {value}"><title>{label}: {value}</title>'
        f'<rect width="{left}" height="20" fill="#444d56"/><rect x="{left}" width="{right}" '
        f'height="20" fill="{color}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2}" y="14">{label}</text><text x="{left + right / 2}" '
        f'y="14">{value}</text></g></svg>\n'
    )


_REPLAYED = ("not-proven", "not-good")
"""Rules whose findings are already failed cases of the suite ``replay``."""


def _suite(root: ElementTree.Element, name: str, tests: int, failures: int) -> ElementTree.Element:
    return ElementTree.SubElement(
        root, "testsuite", name=name, tests=str(tests), failures=str(failures), errors="0", skipped="0"
    )
