"""Redact a run before any of it is kept in records, prompts or on the disk (T51)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.errors import is_of_machine
from tdd_orchestrator.model.report import BuildError, Case, Report, RunVerdict

Redact = Callable[[str], str]

_LOG_LIMIT = 1 << 20  # bytes of a run's output kept on the disk, half of them from its end


def no_redaction(text: str) -> str:
    """Identity redactor: return the text unchanged."""
    return text


def redact_report(report: Report, redact: Redact) -> Report:
    """Redact every text of the report that a test or a tool wrote, except names and ids of tests."""
    return replace(
        report,
        cases=tuple(_case(case, redact) for case in report.cases),
        build_errors=tuple(_error(error, redact) for error in report.build_errors),
        why=redact(report.why),
        disagreements=tuple(redact(one) for one in report.disagreements),
    )


def _case(case: Case, redact: Redact) -> Case:
    if not (case.message or case.detail or case.stdout):
        return case
    return replace(case, message=redact(case.message), detail=redact(case.detail), stdout=redact(case.stdout))


def _error(error: BuildError, redact: Redact) -> BuildError:
    return replace(error, message=redact(error.message), detail=redact(error.detail))


def keep_log_only(log: Path, redact: Redact) -> None:
    """Keep the run's log, redacted and cut in the middle; delete raw reports."""
    for entry in log.parent.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, onerror=lambda *raised: _only_of_machine(raised[2][1]))
        elif entry != log:
            entry.unlink(missing_ok=True)
    if log.exists():
        log.write_text(redact(_cut(log)), encoding="utf-8")


def _only_of_machine(error: BaseException) -> None:
    """Raise errors of the machine; skip files that a test made undeletable."""
    if is_of_machine(error):
        raise error


def _cut(log: Path) -> str:
    size = log.stat().st_size
    with log.open("rb") as file:
        if size <= _LOG_LIMIT:
            return file.read().decode("utf-8", "replace")
        begin = file.read(_LOG_LIMIT // 2)
        file.seek(size - _LOG_LIMIT // 2)
        end = file.read()
    left_out = f"\n[... {size - _LOG_LIMIT} bytes left out ...]\n"
    return begin.decode("utf-8", "replace") + left_out + end.decode("utf-8", "replace")


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
