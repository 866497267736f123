"""What is kept of a test run holds no secret."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.report import BuildError, Case, Outcome, Report, RunVerdict
from tdd_orchestrator.redaction import redact
from tdd_orchestrator.runners.redacted_run import keep_log_only, redact_report

KEY = "sk-ant-api03-" + "Zq9" * 30


def test_every_text_of_a_report_is_redacted_and_ids_stay() -> None:
    texts = {"message": f"got {KEY}", "detail": f"E  {KEY}", "stdout": KEY}
    case = Case("tests/test_a.py::test_one", "test_one", Outcome.FAILED, **texts)
    error = BuildError(f"no {KEY}", "a.py", 3, detail=KEY)
    report = Report(
        RunVerdict.FAILED, cases=(case,), build_errors=(error,), why=f"as {KEY}", disagreements=(KEY,)
    )
    safe = redact_report(report, redact)
    assert KEY not in repr(safe)
    assert "redacted" in safe.cases[0].message
    assert (safe.cases[0].id, safe.build_errors[0].file) == (case.id, "a.py")
    plain = replace(
        report, cases=(Case("a", "a", Outcome.PASSED),), build_errors=(), why="", disagreements=()
    )
    assert redact_report(plain, redact) == plain


def test_the_log_is_redacted_and_raw_reports_go(tmp_path: Path) -> None:
    log = tmp_path / "output.log"
    log.write_text(f"before {KEY} after\n")
    (tmp_path / "plugin").mkdir()
    (tmp_path / "plugin/tdd_reporter.py").write_text(KEY)
    (tmp_path / "events.jsonl").write_text(KEY)
    (tmp_path / "report.xml").write_text(KEY)
    keep_log_only(log, redact)
    assert [path.name for path in tmp_path.iterdir()] == ["output.log"]
    assert log.read_text().startswith("before [redacted")


def test_a_flood_is_cut_in_the_middle(tmp_path: Path) -> None:
    log = tmp_path / "output.log"
    log.write_text("first\n" + "x" * (3 << 20) + f"\n{KEY} last\n")
    keep_log_only(log, redact)
    kept = log.read_text()
    assert len(kept) < (1 << 20) + 200
    assert kept.startswith("first\n")
    assert kept.endswith("] last\n")
    assert "bytes left out" in kept


def test_a_run_that_never_started_left_no_log(tmp_path: Path) -> None:
    keep_log_only(tmp_path / "output.log", redact)
    assert list(tmp_path.iterdir()) == []
