"""What each phase must prove (S3-S5). Pure: evidence in, a judgement out. Every way of not being proven is named."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.report import (
    BAD,
    CHANGED,
    Case,
    Comparison,
    Outcome,
    RedReason,
    Report,
    RunVerdict,
    compare,
)

_NAMED = 5  # how many tests a reason names


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything a gate may know of one attempt."""

    baseline: Report
    now: Report | None  # None: nothing was run
    changed: bool  # the candidate's tree differs from the tree the phase started from
    violations: tuple[tuple[str, str], ...] = ()  # (path, why)
    left: tuple[tuple[str, str], ...] = ()  # (path, why it was not taken)
    control: bool | None = None  # did the must-fail control fail?
    targets: tuple[str, ...] = ()  # ids that RED proved
    flaky: frozenset[str] = frozenset()  # failed at first, passed when run again on the same tree
    ignore: frozenset[str] = frozenset()  # known failing, quarantined
    agent_failed: str = ""  # why the agent's run does not count as finished, if so


@dataclass(frozen=True, slots=True)
class RedEvidence:
    """What RED's gate needs on top: the new tests as their source names them, and why each failed."""

    new_in_source: tuple[str, ...] = ()  # ids or names found in the new test code
    duplicates: tuple[tuple[str, str], ...] = ()  # (new test, existing test it repeats)
    reason_of: Callable[[Case], RedReason] | None = None
    build_reasons: tuple[RedReason, ...] = ()  # one per build error
    asserts: bool = True  # the new tests do assert something
    hollow: tuple[
        str, ...
    ] = ()  # new tests of which the source shows that they can never fail, with the reason
    passed_before: int = 0  # attempts of this phase that passed at once


@dataclass(frozen=True, slots=True)
class Judgement:
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    comparison: Comparison = field(default_factory=Comparison)
    warnings: tuple[str, ...] = ()  # of the checks on top of a proof; they refuse nothing


_IN_RED = {Verdict.BUILD_ERROR: Verdict.INVALID_TEST, Verdict.TEST_VANISHED: Verdict.BREAKS_EXISTING}
"""What RED calls by its own names (S3)."""


def red(evidence: Evidence, more: RedEvidence) -> Judgement:
    early = _before_the_run(Phase.RED, evidence)
    if early is not None:
        return early
    now = evidence.now
    assert now is not None
    if more.duplicates:
        new, old = more.duplicates[0]
        return Judgement(Verdict.DUPLICATE_TEST, (f"{new} repeats {old}",))
    if more.hollow and now.build_error:
        return Judgement(
            Verdict.INVALID_TEST, more.hollow[:_NAMED]
        )  # what does not load cannot show it by passing
    if now.build_error and _only_new_files_fail(evidence.baseline, now):
        return _red_that_does_not_load(evidence, more)
    comparison = compare(evidence.baseline, now, ignore=evidence.ignore | evidence.flaky)
    broken = _run_problem(now) or _regression(comparison)
    if broken is not None:
        return replace(broken, verdict=_IN_RED.get(broken.verdict, broken.verdict))
    return _red_by_case(evidence, more, comparison)


def _red_by_case(evidence: Evidence, more: RedEvidence, comparison: Comparison) -> Judgement:
    now = evidence.now
    assert now is not None
    fresh = comparison.new
    if not now.complete and not fresh:
        return _red_by_count(evidence, more)
    if not fresh:
        return Judgement(Verdict.NO_NEW_TEST, ("no test exists that was not there before",))
    passing = [case for case in fresh if case.outcome not in BAD]
    if len(passing) == len(fresh):
        return _passes_at_once(fresh, more)
    if passing:
        names = _names(case.name for case in passing)
        return Judgement(Verdict.UNEXPECTED_PASS, (f"every new test must fail, but {names} did not",))
    flaky = [case.id for case in fresh if case.id in evidence.flaky]
    if flaky:
        return Judgement(Verdict.FLAKY, (f"{_names(flaky)} fails only sometimes",), flaky=tuple(flaky))
    wrong = _wrong_reasons(fresh, more)
    if wrong:
        return Judgement(Verdict.INVALID_TEST, wrong, failing=tuple(case.id for case in fresh))
    return Judgement(
        Verdict.PROVEN,
        tuple(f"{case.name} fails: {_why(case, more)}" for case in fresh[:_NAMED]),
        targets=tuple(case.id for case in fresh),
        failing=tuple(case.id for case in fresh),
        flaky=tuple(sorted(evidence.flaky)),
        comparison=comparison,
    )


def _red_by_count(evidence: Evidence, more: RedEvidence) -> Judgement:
    """A runner that names no tests: what is new is known from the source, that it fails from the counts."""
    now, before = evidence.now, evidence.baseline
    assert now is not None
    if now.counts is None or before.counts is None:
        return Judgement(Verdict.UNREADABLE, ("the runner names no tests and its output shows no counts",))
    more_failures = now.counts.bad - before.counts.bad
    if not more.new_in_source and now.counts.total <= before.counts.total:
        return Judgement(Verdict.NO_NEW_TEST, ("the number of tests did not grow",))
    if now.counts.passed < before.counts.passed:
        return Judgement(Verdict.BREAKS_EXISTING, ("fewer tests pass than before",))
    if more_failures <= 0:
        return _passes_at_once((), more)
    if now.counts.passed > before.counts.passed:
        return Judgement(Verdict.UNEXPECTED_PASS, ("every new test must fail, but some pass",))
    names = more.new_in_source or tuple(case.id for case in now.failing)
    return Judgement(
        Verdict.PROVEN, (f"{more_failures} more failing than before",), targets=names, failing=names
    )


def _only_new_files_fail(baseline: Report, now: Report) -> bool:
    """Some runners list a file that does not load as a failing test of its own, beside the build error."""
    before = {case.id for case in baseline.cases}
    return not any(case.id in before for case in now.failing)


def _red_that_does_not_load(evidence: Evidence, more: RedEvidence) -> Judgement:
    """Proper RED all the same where every error is a name, in new test code, that the project is to define."""
    now = evidence.now
    assert now is not None
    if not more.new_in_source:
        return Judgement(Verdict.INVALID_TEST, tuple(error.message[:200] for error in now.build_errors[:3]))
    wrong = tuple(
        f"{reason.reason}: {reason.evidence}" for reason in more.build_reasons if not reason.acceptable
    )
    if wrong or not more.build_reasons:
        return Judgement(Verdict.INVALID_TEST, wrong or ("the suite does not load",))
    known = {case.id for case in evidence.baseline.cases}
    passing = [case.name for case in now.cases if case.outcome is Outcome.PASSED and case.id not in known]
    if passing:
        return Judgement(
            Verdict.UNEXPECTED_PASS, (f"every new test must fail, but {_names(passing)} did not",)
        )
    return Judgement(
        Verdict.PROVEN,
        tuple(f"the tests need {reason.symbol or reason.evidence}, which is not there yet" for reason in more.build_reasons[:3]),
        targets=more.new_in_source,
        failing=more.new_in_source,
    )  # fmt: skip


def green(evidence: Evidence) -> Judgement:
    early = _before_the_run(Phase.GREEN, evidence)
    if early is not None:
        return early
    now = evidence.now
    assert now is not None
    target = _targets_pass(now, evidence)
    broken = _run_problem(now)
    if broken is not None and not (broken.verdict is Verdict.BUILD_ERROR and target is None):
        return broken
    if target is not None:
        return target
    return _nothing_lost(evidence, now, Verdict.PROVEN)


def refactor(evidence: Evidence, at_green: Report) -> Judgement:
    early = _before_the_run(Phase.REFACTOR, evidence)
    if early is not None:
        return early
    now = evidence.now
    assert now is not None
    broken = _run_problem(now)
    if broken is not None:
        return broken
    target = _targets_pass(now, evidence)
    if target is not None:
        return Judgement(Verdict.BREAKS_EXISTING, target.reasons, failing=target.failing)
    judged = _nothing_lost(evidence, now, Verdict.PROVEN, before=at_green)
    if judged.verdict is Verdict.PROVEN and now.complete and at_green.complete:
        added = now.passing_ids - at_green.passing_ids - evidence.flaky - evidence.ignore
        if added:
            return Judgement(
                Verdict.FORBIDDEN_CHANGE, (f"refactoring brought new tests: {_names(sorted(added))}",)
            )
    return judged


def _before_the_run(phase: Phase, evidence: Evidence) -> Judgement | None:
    """What can be said without running anything: forbidden changes, nothing changed, a failed agent."""
    if evidence.violations:
        return Judgement(
            Verdict.FORBIDDEN_CHANGE, tuple(f"{path}: {why}" for path, why in evidence.violations[:8])
        )
    if not evidence.changed:
        if evidence.agent_failed:
            return Judgement(Verdict.AGENT_FAILED, (evidence.agent_failed,))
        if phase is Phase.REFACTOR:
            return Judgement(Verdict.UNCHANGED, ("nothing to improve, nothing changed",))
        left = tuple(f"{path} was not taken: {why}" for path, why in evidence.left[:5])
        return Judgement(Verdict.NO_CHANGE, ("the agent changed nothing", *left))
    if evidence.control is False:
        return Judgement(
            Verdict.TAMPERED, ("a test that must fail did not fail: the test run itself was tampered with",)
        )
    now = evidence.now
    known = evidence.baseline.disagreements
    patched = [
        one for one in (now.disagreements if now else ()) if one.startswith(CHANGED) and one not in known
    ]
    if patched:
        return Judgement(Verdict.TAMPERED, tuple(patched[:_NAMED]))
    return None


_RUN_PROBLEMS = {
    RunVerdict.CRASHED: Verdict.CRASHED,
    RunVerdict.TIMED_OUT: Verdict.TIMED_OUT,
    RunVerdict.UNREADABLE: Verdict.UNREADABLE,
    RunVerdict.NO_TESTS: Verdict.UNREADABLE,
}


def _run_problem(now: Report) -> Judgement | None:
    """A run that cannot be judged test by test."""
    failing = tuple(case.id for case in now.failing)
    if now.verdict in _RUN_PROBLEMS:
        why = now.why or {"no_tests": "no test was run"}.get(str(now.verdict), str(now.verdict))
        return Judgement(_RUN_PROBLEMS[now.verdict], (why,), failing=failing)
    if now.build_error or now.verdict is RunVerdict.ERROR:
        first = tuple(
            f"{error.file}:{error.line}: {error.message[:200]}" if error.file else error.message[:200]
            for error in now.build_errors[:3]
        )
        return Judgement(
            Verdict.BUILD_ERROR, first or (now.why or "the suite could not be loaded",), failing=failing
        )
    return None


def _targets_pass(now: Report, evidence: Evidence) -> Judgement | None:
    """None where every RED test passes by name (or by count, where the runner names none)."""
    found = {target: answers(target, now.cases) for target in evidence.targets}
    if not now.complete and not any(found.values()):
        return _targets_by_count(now, evidence)
    cases = [case for some in found.values() for case in some]
    flaky = [case.id for case in cases if case.id in evidence.flaky]
    if flaky:
        return Judgement(Verdict.FLAKY, (f"{_names(flaky)} passes only sometimes",), flaky=tuple(flaky))
    failing = [case for case in cases if case.outcome in BAD]
    if failing:
        verdict = Verdict.STILL_FAILING if len(failing) == len(cases) else Verdict.PARTLY_FAILING
        reasons = tuple(f"{case.name}: {case.message[:300]}" for case in failing[:_NAMED])
        return Judgement(verdict, reasons, failing=tuple(case.id for case in failing))
    absent = [target for target, some in found.items() if not some]
    if absent:
        return Judgement(Verdict.TEST_VANISHED, (f"not run: {_names(absent)}",), failing=tuple(absent))
    dodged = [case for case in cases if case.outcome is not Outcome.PASSED]
    if dodged:
        how = ", ".join(f"{case.name} was {case.outcome}" for case in dodged[:_NAMED])
        return Judgement(
            Verdict.STILL_FAILING, (f"not passed: {how}",), failing=tuple(case.id for case in dodged)
        )
    return None


_SEPARATORS = re.compile(r"::|\s[>›»]\s|\.(?=[A-Za-z_]\w*$)|#")


def answers(target: str, cases: tuple[Case, ...]) -> list[Case]:
    """The cases that are this target: by id; its parameters; else, where a target is known from its source only,
    the cases whose last name is the target's."""
    exact = [case for case in cases if case.id == target]
    if exact:
        return exact
    with_parameters = [case for case in cases if case.id.startswith(f"{target}[")]
    if with_parameters:
        return with_parameters
    leaf = _SEPARATORS.split(target)[-1].strip()
    return [case for case in cases if leaf and _leaf(case.id) == leaf]


_NAME_FIRST = re.compile(r"(\w+) \([\w.]+\)")  # as unittest names them: test_x (module.Class.test_x)


def _leaf(identity: str) -> str:
    named = _NAME_FIRST.fullmatch(identity)
    return named[1] if named else _SEPARATORS.split(identity)[-1].split("[")[0].strip()


def _targets_by_count(now: Report, evidence: Evidence) -> Judgement | None:
    before = evidence.baseline.counts
    if now.counts is None or before is None:
        return Judgement(Verdict.UNREADABLE, ("the runner names no tests and its output shows no counts",))
    if now.counts.bad > before.bad:
        return Judgement(Verdict.STILL_FAILING, (f"{now.counts.bad} failing",), failing=evidence.targets)
    if now.counts.passed < before.passed + max(1, len(evidence.targets)):
        return Judgement(
            Verdict.TEST_VANISHED, ("fewer tests pass than the new ones and the old ones together",)
        )
    return None


def _nothing_lost(evidence: Evidence, now: Report, yes: Verdict, before: Report | None = None) -> Judgement:
    comparison = compare(before or evidence.baseline, now, ignore=evidence.ignore | evidence.flaky)
    lost = _regression(comparison)
    if lost is not None:
        return lost
    fewer = evidence.baseline.counts and now.counts and now.counts.passed < evidence.baseline.counts.passed
    if before is None and not evidence.baseline.complete and fewer:
        return Judgement(Verdict.TEST_VANISHED, ("fewer tests pass than at the baseline",))
    if now.verdict is not RunVerdict.PASSED and not _only_expected_failures(now, evidence):
        names = _names(case.name for case in now.failing) or now.why or str(now.verdict)
        return Judgement(
            Verdict.BREAKS_EXISTING,
            (f"the suite is not green: {names}",),
            failing=tuple(c.id for c in now.failing),
        )
    return Judgement(
        yes,
        (f"{now.counts.passed if now.counts else len(now.passing_ids)} tests pass",),
        targets=evidence.targets,
        flaky=tuple(sorted(evidence.flaky)),
        comparison=comparison,
    )


def _only_expected_failures(now: Report, evidence: Evidence) -> bool:
    """A red run whose every failure is known, quarantined or flaky, by name."""
    failing = now.failing
    expected = evidence.ignore | evidence.flaky
    return bool(failing) and now.complete and all(case.id in expected for case in failing)


def _regression(comparison: Comparison) -> Judgement | None:
    if comparison.newly_failing:
        cases = comparison.newly_failing
        reasons = tuple(f"{case.name} passed before: {case.message[:200]}" for case in cases[:_NAMED])
        return Judgement(
            Verdict.BREAKS_EXISTING, reasons, failing=tuple(c.id for c in cases), comparison=comparison
        )
    if comparison.vanished:
        names = _names(comparison.vanished)
        return Judgement(
            Verdict.TEST_VANISHED, (f"passed before, not run now: {names}",), comparison=comparison
        )
    return None


def _passes_at_once(fresh: tuple[Case, ...], more: RedEvidence) -> Judgement:
    names = _names(case.name for case in fresh) or _names(more.new_in_source) or "the new test"
    if not more.asserts:
        return Judgement(Verdict.UNEXPECTED_PASS, (f"{names} passes without checking anything",))
    if more.passed_before:
        return Judgement(Verdict.ALREADY_COVERED, (f"{names} passes again, and does check something",))
    return Judgement(Verdict.UNEXPECTED_PASS, (f"{names} passes before anything was implemented",))


def _wrong_reasons(fresh: tuple[Case, ...], more: RedEvidence) -> tuple[str, ...]:
    if more.reason_of is None:
        return ()
    wrong = []
    for case in fresh:
        if case.phase in ("setup", "teardown"):
            wrong.append(f"{case.name} fails in its {case.phase}: {case.message[:200]}")
            continue
        reason = more.reason_of(case)
        if not reason.acceptable:
            wrong.append(f"{case.name} fails by {reason.reason}: {reason.evidence or case.message[:200]}")
    return tuple(wrong)


def _why(case: Case, more: RedEvidence) -> str:
    if more.reason_of is None:
        return case.message[:200]
    reason = more.reason_of(case)
    return f"{reason.reason}, {reason.evidence or case.message}"[:240]


def _names(names: object) -> str:
    listed = list(names)  # type: ignore[call-overload]
    shown = ", ".join(str(name) for name in listed[:_NAMED])
    return shown + (f" and {len(listed) - _NAMED} more" if len(listed) > _NAMED else "")
