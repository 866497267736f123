"""The error report (F3): what failed for good, why and where, and what to do about it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from tdd_orchestrator.model.parts import SHAPE


class _Part(BaseModel):
    model_config = SHAPE


class ReportTrigger(_Part):
    stage: str = ""
    level: str = ""


class ReportSnapshot(_Part):
    """The repository when it failed."""

    branch: str = ""
    base: str = ""
    commit: str = ""
    changed_files: list[str] = []
    tests_failed: int = 0
    tests_passed: int = 0
    failing_tests: list[str] = []


class ReportAgent(_Part):
    """The agent of the last rejected attempt."""

    name: str = ""
    role: str = ""
    model: str = ""
    said: str = ""
    last_words: str = ""
    fault: str = ""


class ReportExchange(_Part):
    """One HTTP request and its response; ``status`` 0: none came."""

    request: str = ""
    status: int = 0
    request_body: str = ""
    response_body: str = ""
    failure: str = ""


class ReportSeen(_Part):
    """The failing test's step, statement, console and network, as a specialist gets them (A8)."""

    test: str = ""
    failed_step: str = ""
    sql: str = ""
    table: str = ""
    policy: str = ""
    console: list[str] = []
    network: list[ReportExchange] = []
    screenshot: str = ""


class ReportAdvice(_Part):
    """What an investigation advised; empty where there was none."""

    by: str = ""
    action: str = ""
    strategy: str = ""
    steps: list[str] = []
    evidence: list[str] = []
    skills: list[str] = []


class ErrorReport(_Part):
    error_id: str = ""
    workflow_id: str = ""
    issue_number: int | None = None
    failed_phase: str = ""
    failed_at: str = ""
    error_type: str = ""
    error_message: str = ""
    stack_trace: str = ""
    root_cause: str = ""
    affected_files: list[str] = []
    fix_strategy: str = ""
    fix_description: str = ""
    estimated_fix_hours: float = 0.0
    confidence: str = ""
    recommended_workflow: str = ""
    diagnosis_confidence: float = 0.0
    summary: str = ""
    why: str = ""
    item_id: str = ""
    item: str = ""
    retry_count: int = 0
    attempts: int = 0
    trigger: ReportTrigger = ReportTrigger()
    exception: str = ""
    fingerprint: str = ""
    routing_type: str = ""
    reasons: list[str] = []
    investigation: ReportAdvice = ReportAdvice()
    agent: ReportAgent = ReportAgent()
    seen: ReportSeen = ReportSeen()
    verification: list[str] = []
    context_snapshot: ReportSnapshot = ReportSnapshot()

    def data(self) -> dict[str, Any]:
        """Return the report as JSON; of ``seen`` and ``investigation`` only what is known."""
        found = self.model_dump()
        for part in ("seen", "investigation"):
            found[part] = {key: value for key, value in found[part].items() if value}
        return found
