"""Redact a run before any of it is kept in records, prompts or on the disk (T51)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.errors import is_of_machine
from tdd_orchestrator.model.report import BuildError, Case, Report

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
