"""The base class of readers of test programs."""

from __future__ import annotations

from tdd_orchestrator.model.report import Case
from tdd_orchestrator.testlog.parsers.compilers import BuildWatch
from tdd_orchestrator.testlog.parsers.gather import MESSAGE_LIMIT, Tally
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading


class Program:
    """Reads test programs run one after another: built, open from its first line to its closing ones."""

    def __init__(self) -> None:
        self.build = BuildWatch()
        self.tally = Tally()
        self.cases: list[Case] = []
        self.open = False
        self.closed = 0
        self.ok = True
        self.crashed = ""

    def keep(self, case: Case) -> None:
        if len(self.cases) < CASE_LIMIT:
            self.cases.append(case)

    def close(
        self, *, passed: int = 0, failed: int = 0, errors: int = 0, skipped: int = 0, xfailed: int = 0
    ) -> None:
        self.tally.add(passed=passed, failed=failed, errors=errors, skipped=skipped, xfailed=xfailed)
        self.open = False
        self.closed += 1
        self.ok &= not failed and not errors

    def explain(self, **better: object) -> None:
        """Add details to the last case."""
        if self.cases:
            if "message" in better:
                better["message"] = str(better["message"])[:MESSAGE_LIMIT]
            last = self.cases[-1]
            parts = {
                name: getattr(last, name)
                for name in ("id", "name", "outcome", "file", "line", "message", "exception", "frames")
            }
            self.cases[-1] = Case(**{**parts, **better})

    def finish(self) -> Reading:
        counts = self.tally.of()
        errors = self.build.errors if self.build.stopped or not self.closed else []
        return Reading(
            counts=counts,
            cases=self.cases,
            build_errors=errors,
            started=bool(self.open or self.closed),
            finished=bool(self.closed or errors) and not self.open,
            claims_ok=(self.ok and not errors) if self.closed else None,
            no_tests=bool(self.closed) and self.ok and counts is not None and not counts.total,
            crashed=self.crashed,
            complete=not self.open and counts is not None and counts.total == len(self.cases),
        )
