"""Normalize a report: paths relative to the tree, unique ids, the requested report found."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.report import Report, RunVerdict


def normalize_report(report: Report, tree: Path, cwd: str) -> Report:
    """Make every path relative to the tree and every id unique, so that two trees compare."""
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
        identity = _from_cwd(cut(case.id), below(case.file), tree, cwd)
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
                frames=tuple(cut(frame) for frame in case.frames),
            )
        )
    errors = tuple(
        replace(one, file=below(one.file), message=cut(one.message), detail=cut(one.detail))
        for one in report.build_errors
    )
    return replace(report, cases=tuple(cases), build_errors=errors)


def _from_cwd(identity: str, file: str, tree: Path, cwd: str) -> str:
    """Name a test's file as the suite's folder sees it, where the runner was started in a folder below.

    A command that enters several packages has tests of one name in each.
    """
    named, separator, rest = identity.partition("::")
    if not named or not file.endswith(f"/{named}") or not (tree / file).is_file():
        return identity
    seen = os.path.relpath(file, cwd or ".")
    return (
        f"{seen}{separator}{rest}" if seen.endswith(f"/{named}") and not seen.startswith("..") else identity
    )


def require_report(report: Report, expected: bool, there: bool) -> Report:
    """Reject a pass without the report that was requested (E2)."""
    if report.verdict is not RunVerdict.PASSED or not expected or there:
        return report
    return replace(
        report,
        verdict=RunVerdict.UNREADABLE,
        why="The report that was asked for is not there; what the output claims is not believed.",
        disagreements=(*report.disagreements, "text: passed; report: none"),
    )
