"""The base class of readers of test programs."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from tdd_orchestrator.model.report import Case, Outcome
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
        self._run = 0  # where the cases of this run begin
        self.last = -1  # the case that details are added to

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

    def close_with(self, match: re.Match[str]) -> None:
        """Close a run by a line whose groups are named as the counts; those of one name add up (``skipped2``).

        Without ``passed``, the rest of ``total`` passed, or of ``ran``, which has no skipped tests. Without
        ``skipped``, the other tests of both were skipped, or those named so in the run. A run of fewer tests than ``planned`` is still open.
        """
        found: dict[str, int] = {}
        for key, number in match.groupdict().items():
            key = key.rstrip("0123456789")
            found[key] = found.get(key, 0) + int(number or 0)
        named = sum(case.outcome is Outcome.SKIPPED for case in self.cases[self._run :])
        if "ran" in found and "total" in found:
            named = found["total"] - found["ran"]
        skipped = found.setdefault("skipped", named)
        planned, ran, total = (
            found.pop("planned", 0),
            found.pop("ran", -skipped) + skipped,
            found.pop("total", 0),
        )
        total = total or ran
        found.setdefault("passed", total - sum(found.values()))
        self.close(**found)
        self.open, self._run = total < planned, len(self.cases)

    def explain(self, **better: Any) -> None:
        """Add details to the last case, or the one at ``last``."""
        if self.cases:
            if "message" in better:
                better["message"] = str(better["message"])[:MESSAGE_LIMIT]
            self.cases[self.last] = replace(self.cases[self.last], **better)

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
