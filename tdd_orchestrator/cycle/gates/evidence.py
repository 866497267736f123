"""The evidence of one attempt that a gate may use, which of its cases are the tests that RED proved, the
judgement that a gate returns, and refusals of every phase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tdd_orchestrator.cycle.counterfactual.answers import Asked
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.plan import Mutant
from tdd_orchestrator.model.report import (
    BAD,
    CHANGED,
    Case,
    Comparison,
    Counts,
    Outcome,
    RedReason,
    Report,
    RunVerdict,
)


def targets_pass(now: Report, evidence: Evidence) -> Judgement | None:
    """None where every RED test passes by name (or by count, where the runner names none), or where there is
    none."""
    if not evidence.targets:
        return None
    before = frozenset(case.id for case in evidence.baseline.cases)
    found = {
        target: list(evidence.target_cases.get(target, ())) or answers(target, now.cases, before)
        for target in evidence.targets
    }
    if not now.complete and not any(found.values()):
        return _targets_by_count(now, evidence)
    cases = [case for some in found.values() for case in some]
    flaky = [case.id for case in cases if case.id in evidence.flaky]
    if flaky:
        return Judgement(Verdict.FLAKY, (f"{names_of(flaky)} passes only sometimes",), flaky=tuple(flaky))
    failing = [case for case in cases if case.outcome in BAD]
    if failing:
        verdict = Verdict.STILL_FAILING if len(failing) == len(cases) else Verdict.PARTLY_FAILING
        reasons = tuple(f"{case.name}: {case.message[:300]}" for case in failing[:NAMED])
        return Judgement(verdict, reasons, failing=tuple(case.id for case in failing))
    absent = [target for target, some in found.items() if not some]
    if absent:
        return Judgement(Verdict.TEST_VANISHED, (f"not run: {names_of(absent)}",), failing=tuple(absent))
    dodged = [case for case in cases if case.outcome is not Outcome.PASSED]
    if dodged:
        how = ", ".join(f"{case.name} was {case.outcome}" for case in dodged[:NAMED])
        return Judgement(
            Verdict.STILL_FAILING, (f"not passed: {how}",), failing=tuple(case.id for case in dodged)
        )
    return None


_SEPARATORS = re.compile(r"::|\s[>›»]\s|\.(?=[A-Za-z_]\w*$)|#")


def answers(target: str, cases: tuple[Case, ...], before: frozenset[str] = frozenset()) -> list[Case]:
    """The cases that are this target: by id; its parameters; else, where a target is known from its source
    only, the cases whose last name is the target's and whose ids are none of ``before``, when it was not
    written yet; else those of a class that is the target; else its file, where that died before it."""
    exact = [case for case in cases if case.id == target]
    if exact:
        return exact
    with_parameters = [case for case in cases if case.id.startswith(f"{target}[")]
    if with_parameters:
        return with_parameters
    leaf = _SEPARATORS.split(target)[-1].strip()
    fresh = [case for case in cases if case.id not in before]
    by_leaf = [case for case in fresh if leaf and _leaf(case.id) == leaf]
    # an example in a comment may have the last name of a test: where one has all of its groups, that is it
    by_leaf = [case for case in by_leaf if case.id.endswith(target.partition("::")[2])] or by_leaf
    matching = by_leaf or [case for case in fresh if case.name in _names_printed(target)]
    file = target.partition("::")[0]
    if not matching and file.endswith(".py"):
        matching = [case for case in fresh if case.id.startswith(f"{target}::") or f".{leaf}." in case.id]
    return matching or [case for case in fresh if case.id == file and case.outcome in BAD]


def _names_printed(target: str) -> frozenset[str]:
    """The test's name after those of its groups, outer ones left out or not, as runners of descriptions say
    it."""
    title = target.split("::")[1:]
    endings = [" ".join(title[begin:]) for begin in range(len(title))]
    return frozenset(word + one for one in endings if one for word in ("", "test "))


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
    more = max(1, len(evidence.targets)) if evidence.more_tests is None else evidence.more_tests
    wanted, red = before.passed + more, evidence.at_red
    if red is not None and red.bad > before.bad:
        wanted = max(before.passed, red.passed + red.bad - before.bad)
    if now.counts.passed < wanted:
        return Judgement(
            Verdict.TEST_VANISHED, ("fewer tests pass than the new ones and the old ones together",)
        )
    return None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything a gate may know of one attempt."""

    baseline: Report
    now: Report | None  # None: nothing was run
    changed: bool  # the candidate's tree differs from the tree the phase started from
    violations: tuple[tuple[str, str], ...] = ()  # (path, why)
    left: tuple[tuple[str, str], ...] = ()  # (path, why it was not taken)
    targets: tuple[str, ...] = ()  # ids that RED proved
    target_cases: Mapping[str, tuple[Case, ...]] = field(default_factory=dict)  # of targets found by source
    more_tests: int | None = None  # that RED added, less those that it removed; None: as many as targets
    at_red: Counts | None = None  # of RED's own run, where the runner only counts and every file was loaded
    flaky: frozenset[str] = frozenset()  # failed at first, passed when run again on the same tree
    ignore: frozenset[str] = frozenset()  # known failing, quarantined
    agent_failed: str = ""  # why the agent's run does not count as finished, if so


@dataclass(frozen=True, slots=True)
class RedEvidence:
    """The evidence that RED's gate needs on top: how the tests changed, and why each failed.

    Tests are named by their ids in the source; the rows of a parametrized test are one test.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    cosmetic: frozenset[str] = frozenset()  # nothing but names, imports or format differ
    removed: tuple[str, ...] = ()
    sources: frozenset[str] = frozenset()  # every test of the changed files
    test_of: Mapping[str, str] = field(default_factory=dict)  # case id -> test
    replaced: frozenset[str] = frozenset()  # cases of the baseline that an edit of their own test took away
    duplicates: tuple[tuple[str, str], ...] = ()  # (new test, existing test it repeats)
    reason_of: Callable[[Case], RedReason] | None = None
    build_reasons: tuple[RedReason, ...] = ()  # one per build error, and per file that dies as it runs
    unloaded: tuple[str, ...] = ()  # new and changed tests of files that do not load, or die before them
    old_tests: Report | None = None  # a run without the files that do not load, or that end the run
    alone: tuple[Case, ...] = ()  # of new tests that were run without the one that ends the run
    cut: bool = (
        False  # the run does not show the old tests; without ``old_tests`` they are as at the baseline
    )
    vacuous: tuple[str, ...] = ()  # tests that pass where the missing symbol is a stub
    left_out: tuple[str, ...] = ()  # of ``unloaded``: tests that the command does not run once they load
    may_remove: bool = True  # False: the configuration refuses the removal of tests
    passed_before: int = 0  # attempts of this phase that said so: by a test that passed, or in words


@dataclass(frozen=True, slots=True)
class Judgement:
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    comparison: Comparison = field(default_factory=Comparison)
    removed: tuple[str, ...] = ()  # tests that RED took out
    changed: tuple[str, ...] = ()  # tests that were there before, and ask for something else now
    warnings: tuple[str, ...] = ()  # of the checks on top of a proof; they refuse nothing
    mutants: tuple[Mutant, ...] = ()  # that no test notices, or the one that the item's test kills
    uncovered: tuple[str, ...] = ()  # "path:lines" that GREEN wrote and no test executes
    affected: tuple[str, ...] = ()  # tests that execute the code which the next phase may change
    asked: Asked | None = None  # the counterfactual questions, where they were put


NAMED = 5  # how many tests a reason names


def before_the_run(phase: Phase, evidence: Evidence) -> Judgement | None:
    """Return the judgement that needs no run: forbidden changes, no change, a failed agent."""
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
    now = evidence.now
    known = evidence.baseline.disagreements
    patched = [
        one for one in (now.disagreements if now else ()) if one.startswith(CHANGED) and one not in known
    ]
    if patched:
        return Judgement(Verdict.TAMPERED, tuple(patched[:NAMED]))
    return None


_RUN_PROBLEMS = {
    RunVerdict.CRASHED: Verdict.CRASHED,
    RunVerdict.TIMED_OUT: Verdict.TIMED_OUT,
    RunVerdict.UNREADABLE: Verdict.UNREADABLE,
    RunVerdict.NO_TESTS: Verdict.UNREADABLE,
}


def report_missing(now: Report, baseline: Report) -> Judgement | None:
    """Refuse a run that passes without the report that the baseline's run left: only its output speaks for
    it."""
    if now.verdict is RunVerdict.PASSED and now.source == "text" and baseline.source == "report":
        return Judgement(
            Verdict.UNREADABLE, ("the run left no report, and the run before the change left one",)
        )
    return None


def run_problem(now: Report) -> Judgement | None:
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


STOPS = "the test command stops at its first failing part"
GIVE_EACH = "give each part a [[test.suite]] of its own in tdd.toml"


def stopped_early(now: Report, baseline: Report, comparison: Comparison) -> str:
    """Return a sentence where a part of the command did not run because an earlier part failed; "" where
    all ran."""
    missing = parts_not_run(now, baseline)
    if not comparison.vanished or not missing:
        return ""
    return f"{STOPS}: {missing} did not run; {GIVE_EACH}"


def parts_not_run(now: Report, baseline: Report) -> str:
    """Return the runners that a failing run did not come to, in words; "" where all were heard."""
    missing = [runner for runner in baseline.runners if runner not in now.runners]
    return names_of(missing) if missing and now.exit_code else ""


def regression(comparison: Comparison, early: str = "") -> Judgement | None:
    """Return a refusal where a test that passed fails or is missing.

    ``early``: why a part of the command did not run.
    """
    if comparison.newly_failing:
        cases = comparison.newly_failing
        reasons = tuple(f"{case.name} passed before: {case.message[:200]}" for case in cases[:NAMED])
        return Judgement(
            Verdict.BREAKS_EXISTING, reasons, failing=tuple(c.id for c in cases), comparison=comparison
        )
    if comparison.vanished:
        why = early or f"passed before, not run now: {names_of(comparison.vanished)}"
        return Judgement(Verdict.TEST_VANISHED, (why,), comparison=comparison)
    return None


def names_of(names: object) -> str:
    listed = list(names)  # type: ignore[call-overload]
    shown = ", ".join(str(name) for name in listed[:NAMED])
    return shown + (f" and {len(listed) - NAMED} more" if len(listed) > NAMED else "")
