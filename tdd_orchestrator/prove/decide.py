"""From the evidence of a change to its verdict. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.red.test_changes import TestEdits
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import BAD, Outcome, Report, RunVerdict
from tdd_orchestrator.prove.evidence import OldTests, OnBase, Rows, outcome_of, ran, rows_by_test
from tdd_orchestrator.prove.values import ChangeClass, ChangeVerdict, TestRow

_NAMES = {
    Verdict.UNEXPECTED_PASS: ChangeVerdict.PASSES_ON_BASE,
    Verdict.NO_NEW_TEST: ChangeVerdict.NO_TEST,
    Verdict.PARTLY_FAILING: ChangeVerdict.STILL_FAILING,
    Verdict.DUPLICATE_TEST: ChangeVerdict.NEVER_RAN,
    Verdict.FORBIDDEN_CHANGE: ChangeVerdict.BREAKS_EXISTING,
    Verdict.ALREADY_COVERED: ChangeVerdict.PASSES_ON_BASE,
    Verdict.AGENT_FAILED: ChangeVerdict.UNREADABLE,
    Verdict.NO_CHANGE: ChangeVerdict.NO_TEST,
    Verdict.UNCHANGED: ChangeVerdict.PROVEN,
}
"""Verdicts of a cycle's gates that a change calls by another name."""
_UNUSABLE = frozenset({RunVerdict.CRASHED, RunVerdict.TIMED_OUT, RunVerdict.UNREADABLE, RunVerdict.ERROR})
_OF_TARGETS = frozenset({Verdict.STILL_FAILING, Verdict.PARTLY_FAILING})
_NONE_FAILS = frozenset({Verdict.NO_NEW_TEST, Verdict.UNEXPECTED_PASS, Verdict.UNREADABLE})
"""Verdicts of BASE's run beside which a test that passes there is what a person must know: a runner that
neither names nor counts what passes (go test) is not read further."""
_NO_RESULT = frozenset(
    {ChangeVerdict.BUILD_ERROR, ChangeVerdict.CRASHED, ChangeVerdict.TIMED_OUT, ChangeVerdict.UNREADABLE}
)
_LOST = frozenset({ChangeVerdict.WEAKENED_TEST, ChangeVerdict.REMOVED_TEST})
"""Verdicts of tests that say why fewer pass."""
_NAMED = 5
_NO_TEST = (
    "the code changed, and no test is new or changed; where its outcomes are meant to stay, say so "
    "in the commit: "
    "Tdd-Class: refactor"
)

Decision = tuple[ChangeVerdict, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TestFacts:
    """What is known of the edited tests. ``at_head``: the cases of each at HEAD; ``weaker``: what a test lost;
    ``skipped``: tests whose source says so, where the run names only what fails."""

    __test__ = False
    edits: TestEdits
    at_head: Mapping[str, Rows]
    head_complete: bool
    on_base: OnBase | None = None
    old: OldTests = field(default_factory=OldTests)
    weaker: Mapping[str, str] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()
    flaky: frozenset[str] = frozenset()  # cases that passed in one run of HEAD and failed in another
    allow_removed: bool = False
    no_result: ChangeVerdict | None = None  # why the run of HEAD says nothing of a test that it does not name


def base_problem(base: Report) -> str:
    """Say why nothing can be compared with BASE's run; "" where it can."""
    if base.verdict in _UNUSABLE or base.build_error:
        return f"the base does not run ({base.trouble[:300]})"
    return ""


def translate(judged: Judgement) -> Decision:
    """Return a gate's judgement as the decision on a change."""
    name = _NAMES.get(judged.verdict)
    return name or ChangeVerdict(str(judged.verdict)), judged.reasons


def no_result(problem: Judgement | None) -> ChangeVerdict | None:
    """Return why a run has no result for tests that it does not name; None where it has one."""
    found = translate(problem)[0] if problem else None
    return found if found in _NO_RESULT else None


def test_rows(facts: TestFacts, targets: frozenset[str], red: Judgement | None) -> tuple[TestRow, ...]:
    """Return one row for each new, changed and removed test, with a verdict of its own."""
    places = {test.id: test for test in (*facts.edits.before, *facts.edits.after)}
    names = facts.on_base.tests if facts.on_base else tuple(facts.at_head)
    rows = []
    for test in names:
        how = "changed" if test in facts.edits.changed_ids else "added"
        verdict = _row_verdict(facts, test, targets, red)
        source = places.get(test)
        rows.append(
            TestRow(
                test, how, str(verdict), _on_base(facts, test), _at_head(facts, test),
                source.path if source else test.partition("::")[0], source.line if source else 0,
            )
        )  # fmt: skip
    replaced = tuple(old for old, _ in facts.edits.renamed if facts.old.passes(old.id))
    for removed in (*facts.edits.removed, *replaced):
        allowed = facts.allow_removed or facts.old.gone.get(removed.id, False)
        verdict = ChangeVerdict.PROVEN if allowed else ChangeVerdict.REMOVED_TEST
        why = (
            "fails without the removed code"
            if facts.old.gone.get(removed.id)
            else _old_outcome(facts, removed.id)
        )
        rows.append(TestRow(removed.id, "removed", str(verdict), "", why, removed.path, removed.line))
    return tuple(rows)


def _row_verdict(
    facts: TestFacts, test: str, targets: frozenset[str], red: Judgement | None
) -> ChangeVerdict:
    head = facts.at_head.get(test, ())
    if facts.no_result and not head:
        return facts.no_result
    if facts.weaker.get(test) or (_hides_a_failure(facts, test) and not _asked_for(facts, test, targets)):
        return ChangeVerdict.WEAKENED_TEST
    if test in facts.skipped or (not ran(head) and (head or facts.head_complete)):
        return ChangeVerdict.NEVER_RAN
    if any(row.outcome in BAD for row in head):
        return ChangeVerdict.STILL_FAILING
    if facts.on_base is None:
        return ChangeVerdict.PROVEN
    if test in facts.on_base.not_failing | facts.on_base.not_run:
        return ChangeVerdict.PASSES_ON_BASE
    if red is not None and red.verdict is not Verdict.PROVEN:
        return translate(red)[0]
    return ChangeVerdict.FLAKY if any(row.id in facts.flaky for row in head) else ChangeVerdict.PROVEN


def _hides_a_failure(facts: TestFacts, test: str) -> bool:
    """Whether a changed test passes with both codes, and its old version fails at HEAD, for more than want of
    a name that is gone, and otherwise than on BASE."""
    if test not in facts.edits.changed_ids or facts.on_base is None or facts.old.gone.get(test):
        return False
    if test in facts.old.as_on_base:
        return False
    return test in facts.on_base.not_failing and facts.old.fails(test)


def _asked_for(facts: TestFacts, test: str, targets: frozenset[str]) -> bool:
    """Whether the old version of a test dies at HEAD of exceptions in the project's code that tests which are
    proven name: what it gave is refused now, as these ask."""
    raised = facts.old.raised.get(test, frozenset())
    words = {word for one in facts.edits.after if one.id in targets for word in one.body.split()}
    return bool(raised) and raised <= words


def adapted(facts: TestFacts, targets: frozenset[str]) -> tuple[str, ...]:
    """Return the changed tests whose old version is refused now as the new tests ask, each as a sentence."""
    return tuple(
        f"{test} was changed: its old version fails now by {', '.join(sorted(raised))}, as new tests ask"
        for test, raised in facts.old.raised.items()
        if _hides_a_failure(facts, test) and _asked_for(facts, test, targets)
    )


def _on_base(facts: TestFacts, test: str) -> str:
    """Return how a test did on BASE, with the message of its failure."""
    if facts.on_base is None:
        return ""
    rows, red = facts.on_base.rows(test), facts.on_base.red
    failing = next((row for row in rows if row.outcome in BAD), None)
    if failing is not None:
        return f"failed: {failing.message.strip()[:300] or failing.exception}"
    if test in red.vacuous and test in facts.on_base.not_failing:
        return "its file does not load; passes with a stub of what is missing"
    if test in red.unloaded:
        return f"does not load: {'; '.join(one.evidence for one in red.build_reasons[:2])[:300]}"
    return outcome_of(rows) if rows or facts.on_base.complete else "did not fail"


def _at_head(facts: TestFacts, test: str) -> str:
    rows = facts.at_head.get(test, ())
    if test in facts.skipped:
        return str(Outcome.SKIPPED)
    if facts.no_result and not rows:
        return "no result"
    return outcome_of(rows) if rows or facts.head_complete else "did not fail"


def _old_outcome(facts: TestFacts, test: str) -> str:
    return f"{outcome_of(facts.old.rows.get(test, ()))} with the new code"


def decide(
    kind: ChangeClass,
    rows: tuple[TestRow, ...],
    green: Judgement,
    red: Judgement | None,
    base: Report,
    idle: frozenset[str] = frozenset(),
    elsewhere: tuple[str, ...] = (),
    weaker: Mapping[str, str] | None = None,
) -> Decision:
    """Return the first refusal in the order of what a person must know first, or PROVEN.

    ``weaker``: what a changed test lost by its text, as a sentence that names it.
    ``elsewhere``: sentences on test files of runners that the command does not start.
    ``idle``: tests that did not run before either, and whose absence shows nothing of this change.
    """
    by_verdict: dict[str, list[TestRow]] = {}
    for row in rows:
        by_verdict.setdefault(row.verdict, []).append(row)
    explained = green.verdict is Verdict.TEST_VANISHED and not _LOST.isdisjoint(by_verdict)
    if green.verdict is not Verdict.PROVEN and not explained:
        failed_before = {case.id for case in base.failing}
        if green.failing and failed_before >= set(green.failing) and green.verdict in _OF_TARGETS:
            return ChangeVerdict.FAILS_ON_BASE, (
                f"failed before the change as well: {', '.join(green.failing[:_NAMED])}",
            )
        if green.verdict is Verdict.BREAKS_EXISTING and _all_new(green.failing, base):
            return ChangeVerdict.STILL_FAILING, green.reasons
        return translate(green)
    if weak := by_verdict.get(ChangeVerdict.WEAKENED_TEST):
        lost = weaker or {}
        return ChangeVerdict.WEAKENED_TEST, tuple(
            f"{lost[row.test]}, compared with the base" if row.test in lost
            else f"{row.test} does not fail with the old code, and its old version fails with the new code"
            for row in weak[:_NAMED]
        )  # fmt: skip
    if removed := by_verdict.get(ChangeVerdict.REMOVED_TEST):
        return ChangeVerdict.REMOVED_TEST, tuple(
            f"{row.test} was removed, and the code that it tested is still there" for row in removed[:_NAMED]
        )
    kept = [row for row in rows if row.how != "removed"]
    never = [row for row in by_verdict.get(ChangeVerdict.NEVER_RAN, []) if row.test not in idle]
    absent = [row for row in never if row.at_head == "not run"]
    if absent or (never and len(never) == len(kept)):
        named = absent or never
        return ChangeVerdict.NEVER_RAN, tuple(_how_not_run(row) for row in named[:_NAMED])
    if red is None and kind is ChangeClass.BEHAVIOR:
        return (ChangeVerdict.NEVER_RAN, elsewhere) if elsewhere else (ChangeVerdict.NO_TEST, (_NO_TEST,))
    if red is None:
        return ChangeVerdict.PROVEN, green.reasons
    passing = by_verdict.get(ChangeVerdict.PASSES_ON_BASE, [])
    if passing and red.verdict in _NONE_FAILS:
        return ChangeVerdict.PASSES_ON_BASE, tuple(
            f"{row.test} passes without the change" for row in passing[:_NAMED]
        )
    if red.verdict is not Verdict.PROVEN:
        return translate(red)
    return ChangeVerdict.PROVEN, (*red.reasons[:_NAMED], *green.reasons)


def _how_not_run(row: TestRow) -> str:
    name, _, number = row.test.rpartition("#")
    if name and number.isdigit() and row.at_head == "not run":
        return f"{name} is defined {number} times, and the runner finds fewer: give each a name of its own"
    return f"{row.test} was {row.at_head}"


def reverted_rows(edits: TestEdits, head: Report, *, accepted: bool) -> tuple[TestRow, ...]:
    """Return one row for each test that a revert removes or changes back. ``accepted``: by a person."""
    verdict = str(ChangeVerdict.PROVEN if accepted else ChangeVerdict.REMOVED_TEST)
    gone = (TestRow(one.id, "removed", verdict, "", "goes", one.path, one.line) for one in edits.removed)
    at_head = rows_by_test(edits.changed_ids, edits.after, head)
    back = (
        TestRow(one.id, "changed", verdict, "", outcome_of(at_head[one.id]), one.path, one.line)
        for one in edits.changed
    )
    return (*gone, *back)


def decide_revert(rows: tuple[TestRow, ...], kept: Judgement, undone: str) -> Decision:
    """Return the decision on a change that takes a commit back. ``kept``: whether all else is as it was."""
    if kept.verdict is not Verdict.PROVEN:
        return translate(kept)
    waiting = [row for row in rows if row.verdict == ChangeVerdict.REMOVED_TEST]
    if waiting:
        why = {"removed": "goes", "changed": "changes back"}
        return ChangeVerdict.REMOVED_TEST, tuple(
            f"{row.test} {why[row.how]} with {undone[:9]}, which this takes back" for row in waiting[:_NAMED]
        )
    return ChangeVerdict.PROVEN, kept.reasons


def _all_new(failing: tuple[str, ...], base: Report) -> bool:
    """Whether every failing case is one that BASE does not have."""
    return bool(failing) and base.complete and {case.id for case in base.cases}.isdisjoint(failing)


def warnings_of(
    rows: tuple[TestRow, ...], base: Report, decision: ChangeVerdict, flaky: frozenset[str]
) -> tuple[str, ...]:
    """Return what a person wants to know of although it refuses nothing."""
    found = []
    failing = [case.id for case in base.failing]
    if failing:
        found.append(f"fails on the base anyway: {', '.join(failing[:_NAMED])}")
    elif base.verdict is RunVerdict.FAILED:
        end = f"exit code {base.exit_code}"
        found.append(
            f"no test fails on the base, and the test command does ({end}): what else it runs is not judged"
        )
    found += [
        f"{test} is flaky: it failed in one run of HEAD and passed in another" for test in sorted(flaky)
    ]
    if decision is ChangeVerdict.PROVEN:
        found += [f"{row.test} passes on the base" for row in rows if row.verdict == "passes_on_base"]
        found += [f"{row.test} was {row.at_head}" for row in rows if row.verdict == "never_ran"]
        found += [f"{row.test} was removed: it {row.at_head}" for row in rows if row.how == "removed"]
    return tuple(found[:20])
