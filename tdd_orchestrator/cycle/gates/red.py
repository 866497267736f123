"""The gate of RED: every new or changed test fails for an acceptable reason, and every other test is
unchanged (S3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tdd_orchestrator.cycle.gates.evidence import (
    GIVE_EACH,
    NAMED,
    STOPS,
    Evidence,
    Judgement,
    RedEvidence,
    before_the_run,
    names_of,
    parts_not_run,
    regression,
    run_problem,
    stopped_early,
)
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.report import (
    BAD,
    Case,
    Comparison,
    Outcome,
    Reason,
    Report,
    RunVerdict,
    compare,
)

IN_RED = {Verdict.BUILD_ERROR: Verdict.INVALID_TEST, Verdict.TEST_VANISHED: Verdict.BREAKS_EXISTING}
"""What RED calls by its own names (S3)."""

_ROW = re.compile(r"\[.*\]$|\) [\[(].*[\])]$|(?:^|::)Test\w*/", re.DOTALL)
"""A row of a test in a case's id: parameters, a subTest of unittest's, a subtest of Go's."""

_STOPPED_BY = {
    Reason.MISSING_SYMBOL: "the tests need what is not there yet",
    Reason.PROJECT_EXCEPTION: "the project's code stops the test file",
    Reason.ASSERTION: "an assertion stops the test file",
    Reason.TEST_EXCEPTION: "the test does not compile with what the project gives it",
}

_NOT_RUN = "the test command does not run"
Rows = tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class EditedTests:
    """The tests of a run that RED answers for, each with its rows."""

    new: Mapping[str, Rows]
    changed: Mapping[str, Rows]
    cosmetic: Mapping[str, Rows]

    @property
    def rows(self) -> Rows:
        return tuple(row for rows in (*self.new.values(), *self.changed.values()) for row in rows)

    @property
    def passing(self) -> dict[str, Rows]:
        """New tests of which no row fails."""
        return {test: rows for test, rows in self.new.items() if not _fails(rows)}


def red(evidence: Evidence, more: RedEvidence) -> Judgement:
    early = before_the_run(Phase.RED, evidence)
    if early is not None:
        return early
    duplicates = [pair for pair in more.duplicates if not _asks_for_more(*pair, evidence, more)]
    if not duplicates:
        return _removal(more) or _by_run(evidence, more)
    repeated = "{} repeats {}".format(*duplicates[0])
    judged = _by_run(evidence, more) if more.passed_before and not more.removed else None
    if judged is None or judged.verdict is not Verdict.ALREADY_COVERED:
        return Judgement(Verdict.DUPLICATE_TEST, (repeated,))
    return replace(judged, reasons=(*judged.reasons, repeated))


def _by_run(evidence: Evidence, more: RedEvidence) -> Judgement:
    now = evidence.now
    assert now is not None
    broken = _does_not_load(now, more) if now.build_error or more.unloaded else _run_problem(now, more)
    if broken is not None:
        return replace(broken, verdict=IN_RED.get(broken.verdict, broken.verdict))
    found = edited_tests(now, evidence, more)
    if not now.complete and not found.rows and not more.unloaded:
        return _red_by_count(evidence, more)
    comparison = _compared(evidence, more, found)
    early_end = stopped_early(now, evidence.baseline, comparison)
    lost = regression(comparison, early_end) or _renamed_and_broken(found, evidence)
    if lost is not None:
        return replace(lost, verdict=IN_RED.get(lost.verdict, lost.verdict))
    return _not_failing(now, found, more) or _by_reason(evidence, more, found, comparison)


def _run_problem(now: Report, more: RedEvidence) -> Judgement | None:
    """None also where a new test failed and ended the run, as tape's do: the old ones are judged without it."""
    failing = tuple(case for case in now.failing if case.id in more.test_of)
    if now.verdict is RunVerdict.CRASHED and more.cut and failing and not _wrong_reasons(failing, more):
        return None
    return run_problem(now)


def _removal(more: RedEvidence) -> Judgement | None:
    if more.removed and not more.may_remove:
        what = f"it removes {names_of(more.removed)}; the configuration refuses that (proof.removed_tests)"
        return Judgement(Verdict.FORBIDDEN_CHANGE, (what,))
    return None


def _asks_for_more(new: str, old: str, evidence: Evidence, more: RedEvidence) -> bool:
    """Whether a test fails beside one of the same words that passes: it tests other code, as the packages of
    one repository do."""
    failing = {more.test_of.get(case.id, case.id) for case in evidence.now.failing} if evidence.now else set()
    file, named, _ = new.partition("::")
    elsewhere = bool(named) and file != old.partition("::")[0]
    return elsewhere and old in evidence.baseline.passing_ids and new in failing | {*more.unloaded}


def _does_not_load(now: Report, more: RedEvidence) -> Judgement | None:
    """None where every error is a name, in the new test code, that the project is to define."""
    if not more.unloaded or not more.build_reasons:
        return Judgement(
            Verdict.INVALID_TEST,
            tuple(error.message[:200] for error in now.build_errors[:3]) or ("the suite does not load",),
        )
    wrong = [reason for reason in more.build_reasons if not reason.acceptable]
    if wrong:
        return Judgement(
            Verdict.INVALID_TEST,
            tuple(f"{one.reason}: {one.evidence}" for one in list(dict.fromkeys(wrong))[:NAMED]),
        )
    return None


def edited_tests(now: Report, evidence: Evidence, more: RedEvidence) -> EditedTests:
    """Return the cases that are new, and those of the tests that were edited, by test."""
    known = {case.id for case in evidence.baseline.cases}
    own = {*more.changed, *more.added}
    files = {test.partition("::")[0] for test in more.unloaded}
    groups: tuple[dict[str, list[Case]], ...] = ({}, {}, {})
    old = more.old_tests.cases if more.old_tests else ()
    seen = {case.id: case for case in (*old, *more.alone, *now.cases)}
    for case in seen.values():
        test = more.test_of.get(case.id, case.id)
        listed = not files.isdisjoint({case.id, case.name}) or (
            case.phase == "collect" and case.outcome in BAD
        )
        if (listed and more.unloaded) or test in more.unloaded or (case.id in known and test not in own):
            continue  # a runner may list a file that does not load as a test of its own
        group = groups[2 if test in more.cosmetic else 1 if test in more.changed else 0]
        group.setdefault(test, []).append(case)
    new, changed, cosmetic = ({test: tuple(rows) for test, rows in group.items()} for group in groups)
    return EditedTests(new, changed, cosmetic)


def _compared(evidence: Evidence, more: RedEvidence, found: EditedTests) -> Comparison:
    """The other tests, against the baseline."""
    now = more.old_tests or evidence.now
    if now is None or (more.cut and more.old_tests is None):
        return Comparison()
    own = {row.id for row in found.rows} | more.replaced
    own |= {case.id for case in evidence.baseline.cases if more.test_of.get(case.id) in more.changed}
    before = replace(
        evidence.baseline, cases=tuple(case for case in evidence.baseline.cases if case.id not in own)
    )
    after = replace(now, cases=tuple(case for case in now.cases if case.id not in own))
    return compare(before, after, ignore=evidence.ignore | evidence.flaky)


def _renamed_and_broken(found: EditedTests, evidence: Evidence) -> Judgement | None:
    rows = [row for rows in found.cosmetic.values() for row in rows]
    broken = tuple(row for row in rows if row.outcome in BAD and row.id not in evidence.ignore)
    return regression(Comparison(newly_failing=broken))


def _not_failing(now: Report, found: EditedTests, more: RedEvidence) -> Judgement | None:
    """The ways of a test that must fail not to fail; None where every one does."""
    failing = [test for test, rows in (*found.new.items(), *found.changed.items()) if _fails(rows)]
    failing += _unloaded(more)
    passing = found.passing
    if passing and not failing:
        return _passes_at_once(tuple(row for rows in passing.values() for row in rows), more)
    if passing:
        return Judgement(Verdict.UNEXPECTED_PASS, _which_to_drop(passing, failing))
    expected = {*found.changed, *more.unloaded}
    weakened = [test for test, rows in found.changed.items() if not _fails(rows)]
    weakened += [test for test in more.changed if test not in expected] if now.complete else []
    if weakened:
        what = f"{names_of(weakened)} asks for something else now, and does not fail"
        then = "change a test so that it fails until the new behaviour is there, or leave it as it was"
        return Judgement(Verdict.WEAKENED_TEST, (f"{what}: {then}",))
    if not failing:
        what = "no test exists that was not there before"
        if more.added and (now.complete or more.left_out):
            what = f"{_NOT_RUN} {names_of(more.added)}: it {_unnamed_skips(now)}chooses tests by name, mark or path"
        return Judgement(Verdict.NO_NEW_TEST, (what,))
    unrun = [test for test in more.added if test not in {*found.new, *more.unloaded}]
    if unrun and more.cut and not now.build_error:
        what = f"{names_of(unrun)} was not run: {names_of(failing)} ends the run; keep one of them"
        return Judgement(Verdict.INVALID_TEST, (what,))
    return None


def _unnamed_skips(now: Report) -> str:
    """Return words for skipped tests that the run counts and does not name; "" where there are none."""
    skipped = now.counts.skipped if now.counts else 0
    named = sum(case.outcome is Outcome.SKIPPED for case in now.cases)
    return f"skips {skipped - named} without their names, or " if skipped > named else ""


def _which_to_drop(passing: Mapping[str, Rows], failing: Iterable[str]) -> tuple[str, ...]:
    """Name every test to drop: an agent that is told of some is refused again for the others."""
    skipped = [test for test, rows in passing.items() if any(r.outcome is not Outcome.PASSED for r in rows)]
    how = "was not run" if len(skipped) == len(passing) else "passes already"
    rest = [test.rpartition("::")[2] for test in passing][NAMED:]
    lines = [", ".join(rest[at : at + NAMED]) for at in range(0, len(rest), NAMED)]
    return (
        f"every new test must fail, but {names_of(passing)} {how}: drop it, and keep {names_of(failing)}",
        *(f"drop as well: {line}" for line in lines),
    )


def _by_reason(
    evidence: Evidence, more: RedEvidence, found: EditedTests, comparison: Comparison
) -> Judgement:
    rows = found.rows
    failing = tuple(row for row in rows if row.outcome in BAD)
    flaky = [row.id for row in rows if row.id in evidence.flaky]
    if flaky:
        return Judgement(Verdict.FLAKY, (f"{names_of(flaky)} fails only sometimes",), flaky=tuple(flaky))
    ids = tuple(row.id for row in failing)
    wrong = _wrong_reasons(failing, more)
    if wrong:
        return Judgement(Verdict.INVALID_TEST, wrong, failing=(*ids, *more.unloaded))
    if more.vacuous:
        what = (
            f"{names_of(more.vacuous)} passes where the new code does nothing: drop it, or let it assert what "
            "the new code does"
        )
        return Judgement(Verdict.VACUOUS_TEST, (what,), failing=(*ids, *more.unloaded))
    reasons = [
        f"{_STOPPED_BY.get(one.reason, 'the test file stops')}: {one.evidence}"
        for one in list(dict.fromkeys(more.build_reasons))[:3]
    ]
    reasons += [f"{row.name} fails: {_why(row, more)}" for row in failing[:NAMED]]
    reasons += [
        f"{test}: {passed} of {len(rows)} rows pass already"
        for test, rows in (*found.new.items(), *found.changed.items())
        if (passed := sum(row.outcome not in BAD for row in rows))
    ]
    return Judgement(
        Verdict.PROVEN,
        tuple(reasons),
        targets=(*_targets(found, more), *_unloaded(more)),
        failing=(*ids, *_unloaded(more)),
        flaky=tuple(sorted(evidence.flaky)),
        comparison=comparison,
        removed=more.removed,
        changed=more.changed,
        warnings=(
            *(f"RED removes the test {test}" for test in more.removed),
            *(f"{_NOT_RUN} {test}" for test in (*more.left_out, *_not_run(evidence, more, found))),
            *_run_apart(evidence, more),
        ),
    )


def _run_apart(evidence: Evidence, more: RedEvidence) -> tuple[str, ...]:
    """Return a warning where the new test kept a later part of the command from running: that part was seen
    without it alone."""
    missing = parts_not_run(evidence.now, evidence.baseline) if evidence.now and more.cut else ""
    return (f"{STOPS}: {missing} ran without the new test only; {GIVE_EACH}",) if missing else ()


def _not_run(evidence: Evidence, more: RedEvidence, found: EditedTests) -> list[str]:
    """Return new tests that a whole run, which names every test, does not name beside others that it does."""
    whole = evidence.now is not None and evidence.now.complete and not more.cut
    if not whole or not more.sources.issuperset(found.new):
        return []
    return [test for test in more.added if test not in found.new and test not in more.unloaded]


def _targets(found: EditedTests, more: RedEvidence) -> tuple[str, ...]:
    """The ids that GREEN must see pass: of the rows, or of the test where its runner names failing rows
    alone."""
    ids: list[str] = []
    for test, rows in (*found.new.items(), *found.changed.items()):
        known = test in more.sources or test in more.changed
        named = known and all(row.outcome in BAD and _ROW.search(row.id) for row in rows)
        ids += [test] if named else [row.id for row in rows]
    return tuple(ids)


def _unloaded(more: RedEvidence) -> tuple[str, ...]:
    """Return the tests of files that do not load and that the command runs once they do."""
    return tuple(test for test in more.unloaded if test not in more.left_out)


def _fails(rows: Rows) -> bool:
    return any(row.outcome in BAD for row in rows)


def _red_by_count(evidence: Evidence, more: RedEvidence) -> Judgement:
    """Judge a run that names no tests: new tests are known from the source, their failure from the counts."""
    now, before = evidence.now, evidence.baseline
    assert now is not None
    if now.counts is None or before.counts is None:
        return Judgement(Verdict.UNREADABLE, ("the runner names no tests and its output shows no counts",))
    more_failures = now.counts.bad - before.counts.bad
    edited = (*more.added, *more.changed)
    fewer = len(more.removed) + len(more.changed)
    if not edited and now.counts.total <= before.counts.total:
        return Judgement(Verdict.NO_NEW_TEST, ("the number of tests did not grow",))
    if now.counts.passed < before.counts.passed - fewer:
        return Judgement(Verdict.BREAKS_EXISTING, ("fewer tests pass than before",))
    if more_failures <= 0 and more.changed and not more.added:
        return Judgement(Verdict.WEAKENED_TEST, (f"{names_of(more.changed)} was changed and does not fail",))
    if more_failures <= 0 and now.counts.passed <= before.counts.passed:
        return Judgement(
            Verdict.UNEXPECTED_PASS, ("every new test must fail, and what is new was not even run",)
        )
    if more_failures <= 0:
        return _passes_at_once((), more)
    if now.counts.passed > before.counts.passed:
        return Judgement(Verdict.UNEXPECTED_PASS, ("every new test must fail, but some pass",))
    names = edited or tuple(case.id for case in now.failing)
    return Judgement(
        Verdict.PROVEN, (f"{more_failures} more failing than before",), targets=names, failing=names,
        removed=more.removed, changed=more.changed,
    )  # fmt: skip


def _passes_at_once(fresh: tuple[Case, ...], more: RedEvidence) -> Judgement:
    names = names_of(case.name for case in fresh) or names_of(more.added) or "the new test"
    dodged = [case for case in fresh if case.outcome is not Outcome.PASSED]
    if dodged:  # it covers nothing, however often it comes
        how = ", ".join(f"{case.name} was {case.outcome}" for case in dodged[:NAMED])
        return Judgement(Verdict.UNEXPECTED_PASS, (f"every new test must fail, but {how}",))
    if more.passed_before:
        warning = f"nothing was built and no test was kept; only {names} says that the item is covered"
        return Judgement(Verdict.ALREADY_COVERED, (f"{names} passes already",), warnings=(warning,))
    return Judgement(Verdict.UNEXPECTED_PASS, (f"{names} passes before anything was implemented",))


def _wrong_reasons(failing: tuple[Case, ...], more: RedEvidence) -> tuple[str, ...]:
    if more.reason_of is None:
        return ()
    wrong = []
    for case in failing:
        reason = more.reason_of(case)
        if case.phase in ("setup", "teardown") and not reason.acceptable:
            wrong.append(f"{case.name} fails in its {case.phase}: {case.message[:200]}")
        elif not reason.acceptable:
            wrong.append(f"{case.name} fails by {reason.reason}: {reason.evidence or case.message[:200]}")
    return tuple(wrong[:NAMED])


def _why(case: Case, more: RedEvidence) -> str:
    if more.reason_of is None:
        return case.message[:200]
    reason = more.reason_of(case)
    return (reason.evidence or case.message)[:240] or str(reason.reason).replace("_", " ")
