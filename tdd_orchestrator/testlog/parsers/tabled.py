"""Read small runners by a table of expressions instead of a state machine.

A row's form has expressions for whole lines. Their groups are named as the counts are; a runner
that does not count passed tests has ``total``, or ``ran`` without skipped tests; ``checks`` of 0 means
no tests. The counts stand on a run's last line or before it; a group ``bad`` that matches means that
the run failed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading, Runs

FORM = ("work", "counts", "closing", "red", "unloaded", "none")


@dataclass(frozen=True, slots=True)
class Form:
    """``work``: a line of a run that has started. ``closing``: its closing line. ``red``: names a failed test.

    ``unloaded``: a file could not be loaded. ``none``: there was no test. ``again``: a run repeats its
    closing lines while it goes on, and the last ones count. ``after``: the names of failed tests come
    after them.
    """

    work: re.Pattern[str]
    counts: re.Pattern[str]
    closing: re.Pattern[str]
    red: re.Pattern[str]
    unloaded: re.Pattern[str]
    none: re.Pattern[str]
    again: bool
    after: bool

    @staticmethod
    def of(parts: Mapping[str, str], options: Collection[str] = ()) -> Form:
        """Return the form with an expression for each kind of line that the runner has."""
        work, counts, closing, red, unloaded, none = (
            re.compile(f"(?:{parts.get(kind, '(?!)')})$") for kind in FORM
        )
        return Form(work, counts, closing, red, unloaded, none, "again" in options, "after" in options)


class TabledReader(Runs):
    form: Form

    @classmethod
    def of_row(cls, fields: Sequence[tuple[str, str]], options: Sequence[str]) -> type[TabledReader]:
        return type(cls.__name__, (cls,), {"form": Form.of(dict(fields), options)})

    def _begin(self) -> None:
        self._started = False
        self._bad = False
        self._totals: dict[str, int] = {}
        self._red: dict[str, Case] = {}
        self._errors: list[BuildError] = []

    def feed(self, line: str) -> None:
        line = line.rstrip()
        form = self.form
        if match := form.closing.match(line):
            self._note(match)
            self._close()
        elif match := form.counts.match(line):
            self._note(match)
        elif form.unloaded.match(line):
            self._errors.append(BuildError(line.strip()))
        elif form.none.match(line):
            self._done = self._done or [Reading(Counts(), started=True, finished=True)]
            self._done[-1].no_tests, self._started = True, False
        elif match := form.red.match(line):
            self._name(match["name"].strip())
        elif form.work.match(line):
            self._started = True

    def _name(self, name: str) -> None:
        case = Case(name, name, Outcome.FAILED)
        if self.form.after and self._done and not self._started:
            cases = self._done[-1].cases
            if len(cases) < CASE_LIMIT and case not in cases[-1:]:
                cases.append(case)
            return
        self._started = True
        if len(self._red) < CASE_LIMIT:
            self._red.setdefault(name, case)

    def _note(self, match: re.Match[str]) -> None:
        self._started = True
        groups = match.groupdict()
        self._bad |= bool(groups.pop("bad", None))
        self._totals |= {key: int(number) for key, number in groups.items() if number}

    def _close(self) -> None:
        totals = self._totals
        cases = list(self._red.values())
        failed, errors = totals.get("failed", 0), totals.get("errors", 0)
        if self._errors and not errors:  # counted as tests that failed
            errors, failed = len(self._errors), max(0, failed - len(self._errors))
        failed = max(failed, len(cases) - errors)
        skipped, xfailed = totals.get("skipped", 0), totals.get("xfailed", 0)
        ran = totals.get("ran", totals.get("total", 0) - skipped - xfailed)
        passed = totals.get("passed", max(0, ran - failed - errors)) if totals.get("checks", 1) else 0
        counts = Counts(passed, failed, errors, skipped, xfailed, totals.get("xpassed", 0))
        reading = Reading(counts, cases, self._errors, started=True, finished=True)
        reading.no_tests = not counts.total and not self._errors and not self._bad
        reading.claims_ok = False if self._bad else None
        if self.form.again:
            self._done = []
            self._started, self._bad, self._totals = False, False, {}
        else:
            self._begin()
        self._done.append(reading)

    def _end(self) -> None:
        if self._started or self._errors:
            cases = list(self._red.values())
            self._done.append(Reading(cases=cases, build_errors=self._errors, started=self._started))
