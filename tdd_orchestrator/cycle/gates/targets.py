"""Which cases of a run are the tests that RED proved, and whether every one of them passes."""

from __future__ import annotations

import re

from tdd_orchestrator.cycle.gates.evidence import NAMED, Evidence, Judgement, names_of
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import BAD, Case, Outcome, Report


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
    wanted, red = before.passed + max(1, len(evidence.targets)), evidence.at_red
    if red is not None and red.bad > before.bad:
        wanted = max(before.passed, red.passed + red.bad - before.bad)
    if now.counts.passed < wanted:
        return Judgement(
            Verdict.TEST_VANISHED, ("fewer tests pass than the new ones and the old ones together",)
        )
    return None
