"""A report made comparable and honest: paths from the tree's root, ids that differ, the control taken out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.report import BAD, CHANGED, Case, Counts, Report, RunVerdict
from tdd_orchestrator.runners.control import Planted
from tdd_orchestrator.runners.wrappers import Reach


def at_home(report: Report, tree: Path, cwd: str) -> Report:
    """The report with every path relative to the tree, so that two trees compare, and with ids that differ: a runner
    may call two tests alike, and one must not hide the other."""
    roots = {f"{root}{os.sep}" for root in (str(tree), os.path.realpath(tree))}

    def cut(text: str) -> str:
        for root in roots:
            text = text.replace(root, "")
        return text

    def below(file: str) -> str:
        file = cut(file).replace(os.sep, "/").removeprefix("./")
        known = file and cwd and not os.path.isabs(file) and not (tree / file).exists()
        return f"{cwd}/{file}" if known and (tree / cwd / file).exists() else file

    seen: dict[str, int] = {}
    cases = []
    for case in report.cases:
        identity = cut(case.id)
        seen[identity] = seen.get(identity, 0) + 1
        if seen[identity] > 1:
            identity = f"{identity} ({seen[identity]})"
        cases.append(
            replace(
                case,
                id=identity,
                name=cut(case.name),
                file=below(case.file),
                message=cut(case.message),
                detail=cut(case.detail),
            )
        )
    errors = tuple(
        replace(one, file=below(one.file), message=cut(one.message), detail=cut(one.detail))
        for one in report.build_errors
    )
    return replace(report, cases=tuple(cases), build_errors=errors)


def with_report(report: Report, expected: bool, there: bool) -> Report:
    """A pass for which no report was found, though one was asked for, is not believed (E2)."""
    if report.verdict is not RunVerdict.PASSED or not expected or there:
        return report
    return replace(
        report,
        verdict=RunVerdict.UNREADABLE,
        why="The report that was asked for is not there; what the output claims is not believed.",
        disagreements=(*report.disagreements, "text: passed; report: none"),
    )


def without_control(report: Report, control: Planted | None, how: Reach) -> tuple[Report, bool | None]:
    """The report as it would be had no control been there, and whether the control did what it must."""
    if control is None:
        return report, None
    mine = [case for case in report.cases if control.leaf in case.id or control.leaf in case.name]
    if not mine:
        ran = report.verdict in (RunVerdict.PASSED, RunVerdict.FAILED, RunVerdict.NO_TESTS)
        return report, False if ran and how in (Reach.DIRECT, Reach.SCRIPT) else None
    if not all(case.outcome in BAD for case in mine):
        return report, False
    if report.exit_code == 0 and how in (Reach.DIRECT, Reach.SCRIPT):
        said = f"{CHANGED}the exit code, which is 0 although a test failed"
        report = replace(report, disagreements=(*report.disagreements, said))
    cases = tuple(case for case in report.cases if case not in mine)
    counts = report.counts and _less(report.counts, mine)
    report = replace(report, cases=cases, counts=counts)
    others = any(case.outcome in BAD for case in cases) or counts is None or counts.bad > 0
    if report.verdict is not RunVerdict.FAILED or others or report.build_errors or counts is None:
        return report, True
    passed = counts.passed + counts.xfailed + counts.xpassed
    verdict = RunVerdict.PASSED if passed else RunVerdict.NO_TESTS
    why = f"{passed} passed, and only the control failed." if passed else "No test ran but the control."
    return replace(report, verdict=verdict, why=why), True


def _less(counts: Counts, mine: Sequence[Case]) -> Counts:
    """The counts without the control; a runner may call it failed or an error."""
    failed = min(counts.failed, len(mine))
    return replace(counts, failed=counts.failed - failed, errors=max(0, counts.errors - (len(mine) - failed)))
