"""What the runs of one change showed, as values that the decision reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from tdd_orchestrator.cycle.gates import EditedTests, Evidence, RedEvidence, answers, edited_tests
from tdd_orchestrator.cycle.red.test_changes import TestEdits, asserts_otherwise, target_cases
from tdd_orchestrator.languages.source import SourceTest, imports, self_comparisons, values_compared
from tdd_orchestrator.model.report import BAD, Case, Outcome, Reason, RedReason, Report, RunVerdict
from tdd_orchestrator.workspace.guard import Change

Rows = tuple[Case, ...]
EMPTY = Report(RunVerdict.NO_TESTS, complete=True)


@dataclass(frozen=True, slots=True)
class OnBase:
    """HEAD's tests on BASE's code: the evidence of that run, and what RED's gate needs to know of it."""

    evidence: Evidence
    red: RedEvidence
    edited: EditedTests

    @classmethod
    def of(cls, evidence: Evidence, red: RedEvidence) -> OnBase:
        now = evidence.now or EMPTY
        return cls(evidence, red, edited_tests(now, evidence, red))

    def rows(self, test: str) -> Rows:
        """Return the cases of a new or changed test in this run."""
        return tuple(self.edited.new.get(test, ())) + tuple(self.edited.changed.get(test, ()))

    @property
    def tests(self) -> tuple[str, ...]:
        """Every new or changed test, by its source or else by its case."""
        names = (
            *self.red.added,
            *self.red.changed,
            *self.red.unloaded,
            *self.edited.new,
            *self.edited.changed,
        )
        return tuple(dict.fromkeys(name for name in names if name not in self.red.cosmetic))

    @property
    def not_failing(self) -> frozenset[str]:
        """Tests that ran on BASE, or were skipped, and of which no row fails.

        In a file that does not load there, a test that passes with a stub in the missing symbol's place counts
        as well, where another test needs more than the stub.
        """
        found = {**self.edited.new, **self.edited.changed}
        passing = {test for test, rows in found.items() if not any(row.outcome in BAD for row in rows)}
        if not set(self.tests) <= passing | set(self.red.vacuous):
            passing |= set(self.red.vacuous)
        return frozenset(passing | (frozenset() if self.complete else self._unnamed))

    @property
    def not_run(self) -> frozenset[str]:
        """Tests of which this run shows nothing, although it loads their files."""
        return self._unnamed if self.complete else frozenset()

    @property
    def complete(self) -> bool:
        """Whether the run names every test, not only those that fail."""
        return self.evidence.now is not None and self.evidence.now.complete

    @property
    def _unnamed(self) -> frozenset[str]:
        expected = {*self.edited.new, *self.edited.changed, *self.red.unloaded}
        return frozenset(test for test in self.tests if test not in expected)

    def failing_only(self) -> tuple[Evidence, RedEvidence]:
        """Return the evidence without the tests that do not fail: they are tests of BASE."""
        left_out = self.not_failing | self.not_run
        rows = [row for test in self.not_failing for row in self.rows(test)]
        known = {case.id for case in self.evidence.baseline.cases}
        baseline = replace(
            self.evidence.baseline,
            cases=(*self.evidence.baseline.cases, *(row for row in rows if row.id not in known)),
        )
        red = replace(
            self.red,
            added=tuple(test for test in self.red.added if test not in left_out),
            changed=tuple(test for test in self.red.changed if test not in left_out),
            unloaded=tuple(test for test in self.red.unloaded if test not in left_out),
            vacuous=tuple(test for test in self.red.vacuous if test not in left_out),
            duplicates=(),
            removed=(),
        )
        return replace(self.evidence, baseline=baseline), red


@dataclass(frozen=True, slots=True)
class OldTests:
    """BASE's tests at HEAD."""

    report: Report = EMPTY
    rows: Mapping[str, Rows] = field(default_factory=dict)
    gone: Mapping[str, bool] = field(default_factory=dict)  # test -> it fails because a name is gone
    raised: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The exceptions in the project's code of which each test died that died of nothing else."""
    loads: bool = True
    as_on_base: frozenset[str] = frozenset()  # tests that fail at HEAD by what they failed by on BASE

    def fails(self, test: str) -> bool:
        """Whether the old version of a test ran at HEAD and failed."""
        return any(row.outcome in BAD for row in self.rows.get(test, ()))

    def passes(self, test: str) -> bool:
        """Whether the old version of a test was run at HEAD and did not fail."""
        rows = self.rows.get(test)
        seen = rows is not None and (ran(rows) or not self.report.complete)
        return seen and self.loads and not self.fails(test)


def failing_alike(before: Mapping[str, Rows], after: Mapping[str, Rows]) -> frozenset[str]:
    """Return the tests that fail in both runs, in the same rows and with the same messages."""
    shown = [
        {test: {(row.id, row.exception, row.message) for row in rows if row.outcome in BAD}
         for test, rows in found.items()}
        for found in (before, after)
    ]  # fmt: skip
    return frozenset(
        test for test, failures in shown[0].items() if failures and failures == shown[1].get(test)
    )


def rows_by_test(tests: Iterable[str], sources: Iterable[SourceTest], report: Report) -> dict[str, Rows]:
    """Return the cases of each test in a report, by the test's id in the source."""
    wanted = list(dict.fromkeys(tests))
    by_source = target_cases(wanted, sources, EMPTY, report)
    return {test: by_source.get(test) or tuple(answers(test, report.cases, frozenset())) for test in wanted}


def exceptions_of(rows: Rows, reason_of: Callable[[Case], RedReason] | None) -> frozenset[str]:
    """Return the names of the exceptions of the failing cases, where each was raised in the project's code."""
    failing = [row for row in rows if row.outcome in BAD]
    reasons = {reason_of(row).reason for row in failing} if reason_of else set()
    if reasons != {Reason.PROJECT_EXCEPTION}:
        return frozenset()
    return frozenset(row.exception.rpartition(".")[2] for row in failing)


def ended_by(report: Report, tests: Iterable[SourceTest]) -> tuple[Report, frozenset[str]]:
    """Return the run of HEAD's tests on BASE with a failure for each test that it did not come to.

    Only where it was killed or did not end: BASE's own tests do, so these end it. With the tests' ids.
    """
    if report.verdict not in (RunVerdict.CRASHED, RunVerdict.TIMED_OUT):
        return report, frozenset()
    wanted = list(tests)
    seen = target_cases([test.id for test in wanted], wanted, EMPTY, report)
    present = {case.id for case in report.cases}
    unseen = [test for test in wanted if test.id not in present and not seen.get(test.id)]
    why = f"the run of the old code ends with these tests: {report.trouble[:200]}"
    cases = tuple(Case(one.id, one.name, Outcome.FAILED, one.path, one.line, why) for one in unseen)
    cases = (*report.cases, *cases)
    return replace(report, verdict=RunVerdict.FAILED, cases=cases), frozenset(one.id for one in unseen)


def passing_since(red: RedEvidence, head: Report, ended: frozenset[str]) -> RedEvidence:
    """Return the evidence with every exception as a proper failure whose test passes at HEAD.

    The tests and their set-up are the same in both trees, so it is the change that took the exception away.
    ``ended``: tests that end the run on BASE; the run of HEAD says of each by itself whether it passes.
    """
    reason_of = red.reason_of
    if reason_of is None or head.build_error:
        return red
    failing = {case.id for case in head.failing}
    passing = head.passing_ids

    def reason(case: Case) -> RedReason:
        found = reason_of(case)
        if case.id in ended:
            return RedReason(Reason.PROJECT_EXCEPTION, case.message, acceptable=True)
        passes = case.id in passing or (not head.complete and case.id not in failing)
        return replace(found, acceptable=True) if passes and found.reason in _TAKEN_AWAY else found

    build = tuple(
        replace(one, acceptable=True) if one.reason in _TAKEN_AWAY else one for one in red.build_reasons
    )
    return replace(red, reason_of=reason, build_reasons=build)


_TAKEN_AWAY = frozenset({Reason.EXCEPTION, Reason.UNKNOWN, Reason.TIMEOUT})


def outcome_of(rows: Rows) -> str:
    """Return the one word for several cases: the worst of them; "not run" where there is none."""
    if not rows:
        return "not run"
    outcomes = {row.outcome for row in rows}
    bad = next((str(row.outcome) for row in rows if row.outcome in BAD), "")
    return bad or ("passed" if Outcome.PASSED in outcomes else str(rows[0].outcome))


def edited_ids(edits: TestEdits) -> tuple[str, ...]:
    return tuple(test.id for test in (*edits.added, *edits.changed))


def ran(rows: Rows) -> bool:
    """Whether one of the cases passed or failed: skipped and expected to fail is not that."""
    return any(row.outcome in BAD | {Outcome.PASSED} for row in rows)


def skipped_by_mark(edits: TestEdits, base: Report, head: Report) -> frozenset[str]:
    """Return the edited tests that are marked to be skipped, where a run that names only failing tests counts
    as many skipped ones more than BASE's."""
    marked = [test.id for test in (*edits.added, *edits.changed) if "skip" in test.marks]
    if head.complete or head.counts is None or not marked:
        return frozenset()
    before = base.counts.skipped if base.counts else 0
    return frozenset(marked if head.counts.skipped - before >= len(marked) else ())


def asserts_nothing(edits: TestEdits) -> tuple[str, ...]:
    """Return the edited tests in which nothing compares, asserts or expects anything, each as a sentence."""
    return tuple(
        f"{test.id} holds no assertion: it shows only that nothing stops it"
        for test in (*edits.added, *edits.changed)
        if not test.assertions and not _ASSERTS.search(test.body)
    )


def rewritten_tests(edits: TestEdits) -> list[tuple[SourceTest, SourceTest]]:
    """Return the changed tests, old and new, that assert something else with fewer assertions."""
    before = {test.id: test for test in edits.before}
    pairs = [(before[test.id], test) for test in edits.changed if test.id in before]
    return [(old, new) for old, new in pairs if asserts_otherwise(old, new)]


def asserts_otherwise_now(edits: TestEdits) -> tuple[str, ...]:
    """Return the rewritten tests, each as a sentence: whether they ask for as much, a person has to read."""
    return tuple(
        f"{new.id} asserts {_things(len(new.assertions))} where it asserted {len(old.assertions)}: "
        "read whether it asks for as much"
        for old, new in rewritten_tests(edits)
    )


def compares_less(changes: Iterable[Change], edits: TestEdits) -> tuple[str, ...]:
    """Return the changed tests with as many assertions, of which fewer compare with a value, each as a sentence."""
    found = []
    changed = edits.changed_ids - {new.id for _, new in rewritten_tests(edits)}
    for one in changes:
        names = sorted(test for test in changed if test.startswith(f"{one.path}::"))
        was, now = ({}, {}) if not names else (
            values_compared(one.before or "", one.path), values_compared(one.after or "", one.path))  # fmt: skip
        found += [
            f"{test} compares with {_values(now.get(test, 0))} where it compared with {was[test]}: "
            "read whether it asks for as much"
            for test in names
            if now.get(test, 0) < was.get(test, 0)
        ]
    return tuple(found)


def compares_with_itself(changes: Iterable[Change], edits: TestEdits) -> tuple[str, ...]:
    """Return the edited tests that compare an expression with itself and nothing else, each as a sentence."""
    edited = set(edited_ids(edits))
    return tuple(
        f"{test} compares {expression[:100]} with itself: it shows only that nothing stops it"
        for one in changes
        for test, expression in self_comparisons(one.after or "", one.path).items()
        if test in edited
    )


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"


def _things(count: int) -> str:
    return "1 thing" if count == 1 else f"{count} things"


def holds_all_of(old: SourceTest, new: SourceTest) -> bool:
    """Whether every token of an old test stands in the new one, in order."""
    rest = iter(new.body.split())
    return all(token in rest for token in old.body.split())


def tests_that_load(tests: Iterable[SourceTest], report: Report) -> tuple[SourceTest, ...]:
    """Return the tests of the files that load, where others keep the whole run from beginning."""
    if not report.build_error:
        return ()
    broken = [error.file for error in report.build_errors if error.file]
    named = {case.id for case in report.cases}
    found = tuple(
        test
        for test in tests
        if test.id not in named
        and not any(test.path == one or one.endswith(f"/{test.path}") or test.path.endswith(
                f"/{one}") for one in broken)
    )  # fmt: skip
    return found if broken else ()


def needs(test: SourceTest, text: str, missing: RedReason, gone: frozenset[str] = frozenset()) -> bool:
    """Whether a test's own body uses a name that its file cannot be loaded without.

    ``text``: the file; what it imports from a missing module counts as missing. ``gone``: words that the code
    had and has no more, for compilers that name a thing without quotes.
    """
    names = set(_QUOTED.findall(missing.evidence)) | gone.intersection(_WORD.findall(missing.evidence))
    for one in imports(text, test.path):
        if one.module in names:
            names |= {*one.names, one.module.rpartition(".")[2]} - {""}
    return not names.isdisjoint(test.body.split())


_ASSERTS = re.compile(
    r"(?:assert|expect|should|must|verify|check|equal|raise|throw|fail|error|fatal|panic|match|require|ok)\w*\s*!?\s*\(",
    re.IGNORECASE,
)
"""A call by whose name a test may compare something."""
_QUOTED = re.compile(r"['\"`‘]([\w.]+)['\"`’]")
_WORD = re.compile(r"\w+")
