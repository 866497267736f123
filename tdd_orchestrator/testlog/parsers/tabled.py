"""Small runners whose text needs no state machine of its own: how a run begins, counts, names what failed,
and ends.

A row's ``Form`` has expressions for whole lines. The numbers stand in groups named as the counts are; where a
runner does not count what passed, ``total`` is there instead, or ``ran``, without those that were left out;
no ``checks`` are no tests. The numbers of a run stand on its last line or before it; where a group ``bad``
has taken part, the runner says that the run failed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading, summed


@dataclass(frozen=True, slots=True)
class Form:
    """``work``: a line of a run that has begun. ``ends``: its closing line. ``red``: names a test that
    failed. ``broken``: says that a file could not be loaded. ``none``: says that there was no test.
    ``again``: a run prints its closing lines anew while it goes on, and the last ones count. ``after``: the
    names of what failed come after them.
    """

    ends: str
    work: str = "(?!)"
    counts: str = "(?!)"
    red: str = "(?!)"
    broken: str = "(?!)"
    none: str = "(?!)"
    again: bool = False
    after: bool = False


@dataclass(frozen=True, slots=True)
class Compiled:
    work: re.Pattern[str]
    counts: re.Pattern[str]
    ends: re.Pattern[str]
    red: re.Pattern[str]
    broken: re.Pattern[str]
    none: re.Pattern[str]
    again: bool
    after: bool

    @staticmethod
    def of(form: Form) -> Compiled:
        parts = (form.work, form.counts, form.ends, form.red, form.broken, form.none)
        work, counts, ends, red, broken, none = (re.compile(f"(?:{part})$") for part in parts)
        return Compiled(work, counts, ends, red, broken, none, form.again, form.after)


class TabledReader:
    form: Compiled

    def __init__(self) -> None:
        self._done: list[Reading] = []
        self._begin()

    def _begin(self) -> None:
        self._started = False
        self._bad = False
        self._told: dict[str, int] = {}
        self._red: dict[str, Case] = {}
        self._errors: list[BuildError] = []

    def feed(self, line: str) -> None:
        line = line.rstrip()
        form = self.form
        if match := form.ends.match(line):
            self._note(match)
            self._close()
        elif match := form.counts.match(line):
            self._note(match)
        elif form.broken.match(line):
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
        told = match.groupdict()
        self._bad |= bool(told.pop("bad", None))
        self._told |= {word: int(number) for word, number in told.items() if number}

    def _close(self) -> None:
        told = self._told
        cases = list(self._red.values())
        failed, errors = told.get("failed", 0), told.get("errors", 0)
        if self._errors and not errors:  # counted as tests that failed
            errors, failed = len(self._errors), max(0, failed - len(self._errors))
        failed = max(failed, len(cases) - errors)
        skipped, xfailed = told.get("skipped", 0), told.get("xfailed", 0)
        ran = told.get("ran", told.get("total", 0) - skipped - xfailed)
        passed = told.get("passed", max(0, ran - failed - errors)) if told.get("checks", 1) else 0
        counts = Counts(passed, failed, errors, skipped, xfailed, told.get("xpassed", 0))
        reading = Reading(counts, cases, self._errors, started=True, finished=True)
        reading.no_tests = not counts.total and not self._errors and not self._bad
        reading.claims_ok = False if self._bad else None
        if self.form.again:
            self._done = []
            self._started, self._bad, self._told = False, False, {}
        else:
            self._begin()
        self._done.append(reading)

    def finish(self) -> Reading:
        if self._started or self._errors:
            cases = list(self._red.values())
            self._done.append(Reading(cases=cases, build_errors=self._errors, started=self._started))
        return summed(self._done) if self._done else Reading()


def tabled(form: Form) -> type[TabledReader]:
    """A reader for the form."""
    return type("Tabled", (TabledReader,), {"form": Compiled.of(form)})


def unnamed(form: str) -> str:
    """The expression as a sign, whose groups have no names: all signs are looked for as one."""
    return re.sub(r"\(\?P<\w+>", "(?:", form)
