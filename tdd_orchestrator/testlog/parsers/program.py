"""The base class of readers of test programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tdd_orchestrator.model.report import Case, count
from tdd_orchestrator.testlog.parsers.compilers import BuildWatch
from tdd_orchestrator.testlog.parsers.gather import MESSAGE_LIMIT, FailureTrace, Tally
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading


class Program:
    """Reads test programs run one after another: built, open from its first line to its closing ones."""

    def __init__(self) -> None:
        self.build = BuildWatch()
        self.tally = Tally()
        self.cases: list[Case] = []
        self.details: dict[int, FailureTrace] = {}  # of failures, by their cases
        self.open = False
        self.closed = 0
        self.ok = True
        self.crashed = ""
        self._run = 0  # where the cases of this run begin
        self.last = -1  # the case that details are added to

    def keep(self, case: Case) -> None:
        if len(self.cases) < CASE_LIMIT:
            self.cases.append(case)

    def close(self, **counts: int) -> None:
        self.count(**counts)
        self.open = False
        self.closed += 1

    def count(self, **counts: int) -> None:
        self.tally.add(**counts)
        self.ok &= not counts.get("failed") and not counts.get("errors")

    def close_with(self, found: dict[str, int], *, at_least: bool = False) -> None:
        """Close a run with the counts of its closing line.

        Without ``passed``, the rest of ``total`` passed, or of ``ran``, which has no skipped tests. Without
        ``skipped``, the other tests of both were skipped, or those named so in the run. Without ``failed`` and
        ``errors``, the rest of ``ran`` failed, or those named so; ``at_least``: no fewer than are named. ``bad``:
        the run failed. ``checks`` of 0: nothing passed. A run of fewer tests than ``planned`` is still open.
        """
        named = count(self.cases[self._run :])
        if not found.keys() & {"failed", "errors"}:
            rest = found["ran"] - found["passed"] if {"ran", "passed"} <= found.keys() else named.failed
            found |= {"failed": rest, "errors": named.errors}
        elif at_least:
            found["failed"] = max(found.get("failed", 0), named.bad - found.get("errors", 0))
        if not found.pop("checks", 1):
            found["passed"] = 0
        others = found["total"] - found["ran"] if {"ran", "total"} <= found.keys() else named.skipped
        skipped = found.setdefault("skipped", others)
        self.ok &= not found.pop("bad", 0)
        planned, ran, total = found.pop("planned", 0), found.pop("ran", -skipped), found.pop("total", 0)
        total = total or ran + skipped
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
        for at, details in self.details.items():
            self.cases[at] = details.explain(self.cases[at])
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
