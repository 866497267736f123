"""A test run as a blob that outlives the trees: every case, compact, and back again."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, fields, replace
from typing import Any

from pydantic import TypeAdapter

from tdd_orchestrator.model.errors import StoreDamaged
from tdd_orchestrator.model.parts import CountsInfo, TestEvidence
from tdd_orchestrator.model.report import Case, Counts, Report, RunVerdict
from tdd_orchestrator.text import one_line

_MESSAGE = 2000  # characters of a message or detail that are kept per case
_FRAMES = 20  # innermost frames that are kept per case
_NAMED = 200  # ids listed in a record; the evidence blob has them all


def key_of(tree: str, commands: Iterable[tuple[str, ...]], environment: str = "") -> str:
    """Names a run: the same tree, command and environment is not run twice (E6)."""
    words = json.dumps([tree, [list(command) for command in commands], environment])
    return hashlib.sha256(words.encode()).hexdigest()[:32]


_FIELDS = tuple(one.name for one in fields(Report))
_LATER = frozenset({"runners", "ending"})  # those that the oldest blobs lack


@functools.cache
def _reports() -> TypeAdapter[Report]:
    return TypeAdapter(Report)


def encode(report: Report) -> bytes:
    """One JSON object; cases as rows, passing ones without their empty fields."""
    data = {
        "schema": "tdd/evidence",
        "v": 1,
        **{name: getattr(report, name) for name in _FIELDS},
        "counts": asdict(report.counts) if report.counts else None,
        "seconds": round(report.seconds, 3),
        "cases": [_case(case) for case in report.cases],
        "build_errors": [_bounded(asdict(error)) for error in report.build_errors[:100]],
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


@functools.lru_cache(maxsize=4)  # a cycle reads its baseline in every phase
def decode(data: bytes) -> Report:
    """The report of an evidence blob. Raises StoreDamaged where it is none."""
    try:
        loaded = json.loads(data)
        facts = {name: loaded[name] for name in _FIELDS if name in loaded or name not in _LATER}
        for row in facts["cases"]:
            row.setdefault("name", row["id"])
        facts["counts"] = Counts(**facts["counts"]) if facts["counts"] else None
        return _reports().validate_python(facts)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        why = one_line(str(error), 200)
        raise StoreDamaged(f"An evidence blob cannot be read ({why}).", "Run `tdd doctor`.") from error


def summary(
    report: Report,
    *,
    tree: str,
    key: str,
    targets: Iterable[str] = (),
    flaky: Iterable[str] = (),
    quarantined_until: dict[str, str] | None = None,
    blob: str = "",
    sha256: str = "",
) -> TestEvidence:
    """Return the part of a run that the record holds; the blob has the rest."""
    return TestEvidence(
        command=list(report.command),
        framework=report.framework,
        tree=tree,
        key=key,
        exit_code=report.exit_code,
        run_verdict=str(report.verdict),
        counts=CountsInfo(**asdict(report.counts)) if report.counts else None,
        target_tests=list(targets)[:_NAMED],
        failing_tests=[case.id for case in report.failing][:_NAMED],
        flaky_tests=sorted(flaky)[:_NAMED],
        quarantined_until=quarantined_until or {},
        disagreements=list(report.disagreements)[:10],
        seconds=round(report.seconds, 3),
        evidence=blob,
        evidence_sha256=sha256,
    )


def combine(reports: list[tuple[str, Report]], suites: int) -> Report:
    """Join the reports of some of so many suites: all must be proven, so the worst verdict is the verdict."""
    if suites == 1:
        return reports[0][1]
    order = (
        RunVerdict.TIMED_OUT, RunVerdict.CRASHED, RunVerdict.UNREADABLE, RunVerdict.ERROR, RunVerdict.FAILED,
        RunVerdict.NO_TESTS, RunVerdict.PASSED,
    )  # fmt: skip
    ran = [(name, report) for name, report in reports if report.verdict is not RunVerdict.NO_TESTS]
    ran = ran or reports[:1]
    worst = min((report for _, report in ran), key=lambda report: order.index(report.verdict))
    counted = [report.counts for _, report in ran if report.counts]
    total = Counts()
    for counts in counted:
        total = total.plus(counts)
    return Report(
        verdict=worst.verdict,
        framework="+".join(dict.fromkeys(report.framework for _, report in ran)),
        counts=total if len(counted) == len(ran) else None,
        cases=tuple(
            replace(case, id=whole_id(name, case.id, suites)) for name, report in ran for case in report.cases
        ),
        build_errors=tuple(error for _, report in ran for error in report.build_errors),
        why="; ".join(f"{name}: {report.why}" for name, report in ran if report.why),
        ending=" | ".join(report.ending for _, report in ran if report.ending),
        disagreements=tuple(d for _, report in ran for d in report.disagreements),
        exit_code=max((report.exit_code or 0 for _, report in ran), default=None),
        seconds=sum(report.seconds for _, report in ran),
        command=tuple(word for _, report in ran for word in (*report.command, ";"))[:-1],
        source=worst.source,
        complete=all(report.complete for _, report in ran),
        runners=tuple(
            f"{name}: {one}" if suites > 1 else one for name, report in ran for one in report.runners
        ),
    )


def whole_id(suite: str, identity: str, suites: int) -> str:
    """A test's id in a run of so many suites, by its id in its own."""
    return f"{suite}: {identity}" if suites > 1 else identity


def _case(case: Case) -> dict[str, Any]:
    row: dict[str, Any] = {"id": case.id, "outcome": str(case.outcome)}
    if case.name != case.id:
        row["name"] = case.name
    for field in ("file", "line", "message", "exception", "phase", "detail"):
        value = getattr(case, field)
        if value:
            row[field] = value[:_MESSAGE] if isinstance(value, str) else value
    if case.frames:
        row["frames"] = list(case.frames[-_FRAMES:])
    return row


def _bounded(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value[:_MESSAGE] if isinstance(value, str) else value for key, value in row.items()}
