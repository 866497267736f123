"""Examine one change: run what its class needs, gather the evidence, decide."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from tdd_orchestrator.audit.run_trees import Run, Runs
from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.attempt.candidate import Candidate, changes_between
from tdd_orchestrator.cycle.attempt.judge import without_replaced
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.counterfactual.questions import Proven, need_the_project, question
from tdd_orchestrator.cycle.extra_checks import changed_code, limit_of, uncovered_lines
from tdd_orchestrator.cycle.gates import Evidence, Judgement
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.red.test_changes import edits_of, target_cases, weaker, without_cases
from tdd_orchestrator.model.coverage import Coverage, ranges
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.report import Case, Report, RunVerdict, grouped_as_in
from tdd_orchestrator.prove.classify import (
    claim_problem,
    classify,
    renames,
    with_new_names,
    with_new_places,
)
from tdd_orchestrator.prove.decide import (
    TestFacts,
    adapted,
    base_problem,
    decide,
    decide_revert,
    no_result,
    reverted_rows,
    test_rows,
    translate,
    warnings_of,
)
from tdd_orchestrator.prove.evidence import (
    EMPTY,
    OldTests,
    OnBase,
    asserts_nothing,
    asserts_otherwise_now,
    compares_less,
    compares_with_itself,
    edited_ids,
    ran,
    rewritten_tests,
    rows_by_test,
    skipped_by_mark,
)
from tdd_orchestrator.prove.examples import examples_gone, with_new_examples
from tdd_orchestrator.prove.other_trees import Examined, OtherTrees, state_of
from tdd_orchestrator.prove.split import split_changes, tests_of_other_runners
from tdd_orchestrator.prove.unused import unused_functions
from tdd_orchestrator.prove.values import (
    ChangeClass,
    ChangeRange,
    ChangeResult,
    ChangeVerdict,
    ProveOptions,
)
from tdd_orchestrator.workspace.survey import module_missing, packages_missing

_SAME_OUTCOMES = frozenset(
    {ChangeClass.REFACTORING, ChangeClass.RENAME, ChangeClass.DOCUMENTATION, ChangeClass.DEPENDENCIES}
)


@dataclass(slots=True)
class Examiner:
    """Examines changes one by one. ``runs`` has the whole run of every BASE and HEAD already."""

    context: CycleContext
    runs: Runs
    options: ProveOptions = field(default_factory=ProveOptions)
    coverage: dict[str, Coverage] = field(default_factory=dict)  # tree -> what was measured there

    @property
    def others(self) -> OtherTrees:
        return OtherTrees(self.context, self.runs, self.options)

    def examine(self, change: ChangeRange) -> ChangeResult:
        """Return the verdict of one change with its evidence."""
        started = time.monotonic()
        changes = changes_between(self.context.repo, change.base_tree, change.head_tree)
        parts = split_changes(changes, self.context.project.rules)
        edits = edits_of((*parts.tests, *parts.shared), self.context.project.rules)
        kind = classify(parts, edits, change.claim, change.undoes)
        it = self._with_examples(Examined(change, parts, edits, kind))
        base = EMPTY if self.options.revert else self.runs.proofs[change.base_tree].report
        gone = examples_gone(parts.code, self.context.project.rules, base)
        base = without_cases(base, gone) if gone else base
        result = self._covered(it, self._without_changing_titles(it, base, self._judged(it, base)))
        claimed = claim_problem(it.kind, change.claim)
        goes = (f"{example} goes with its code" for example in sorted(gone))
        warnings = (*((claimed,) if claimed else ()), *result.warnings, *goes)
        return replace(result, warnings=warnings, seconds=round(time.monotonic() - started, 3))

    def _without_changing_titles(self, it: Examined, base: Report, result: ChangeResult) -> ChangeResult:
        """Where a test vanished, run BASE again: what is not there either has another title in each run, and the
        change is judged without it."""
        if result.verdict is not ChangeVerdict.TEST_VANISHED or self.options.revert:
            return result
        again = self.context.prover.prove(it.range.base, it.range.base_tree).report
        renamed = frozenset(case.id for case in base.cases) - {case.id for case in again.cases}
        if not renamed or base_problem(again):
            return result
        found = self._judged(it, without_cases(base, renamed))
        more = f" and {len(renamed) - 1} more" if len(renamed) > 1 else ""
        note = f"not compared, since the base has it with another title in each run: {min(renamed)}{more}"
        return replace(found, warnings=(*found.warnings, note))

    def _with_examples(self, it: Examined) -> Examined:
        """Return a change of what the code does with its examples as tests, where the test command runs them."""
        rules = self.context.project.rules
        examples = with_new_examples(it.parts.code, rules) if it.kind is ChangeClass.BEHAVIOR else ()
        if not examples:
            return it
        edits = edits_of((*it.parts.tests, *it.parts.shared, *examples), rules)
        return replace(it, edits=edits, examples=examples)

    def _judged(self, it: Examined, base: Report) -> ChangeResult:
        head = self._head(it, base)
        result = ChangeResult(it.range, it.kind, ChangeVerdict.PROVEN, run=head.report)
        problem = base_problem(base)
        if problem:
            return self._without_base(it, head, result, problem)
        base = grouped_as_in(head.report, base)
        evidence = Evidence(base, head.report, True, flaky=head.flaky, ignore=self._known)
        if it.kind in _SAME_OUTCOMES:
            if it.kind is ChangeClass.RENAME:
                names = renames((*it.parts.code, *it.parts.shared, *it.parts.tests))
                base = with_new_names(base, names, head.report)
            else:
                base = with_new_places(base, it.edits, head.report)
            evidence = replace(evidence, baseline=base)
            same = it.kind in (ChangeClass.REFACTORING, ChangeClass.RENAME)
            # an example in a comment may be a test, and a newer runner may find more
            judged = gates.refactor(evidence, base) if same else _nothing_lost(evidence, head.report)
            verdict, reasons = translate(judged)
            warnings = (*warnings_of((), base, verdict, head.flaky), *self._unused(it))
            return replace(result, verdict=verdict, reasons=reasons, warnings=warnings)
        evidence = replace(evidence, baseline=without_replaced(base, it.edits))
        if it.kind is ChangeClass.REVERT:
            return self._reverted(it, head, evidence, result)
        return self._with_tests(it, base, head, evidence, result)

    def _reverted(self, it: Examined, head: Proof, evidence: Evidence, result: ChangeResult) -> ChangeResult:
        """Judge a change that takes an older one back: nothing but its tests is lost, and these by a person's
        yes."""
        rows = reverted_rows(it.edits, head.report, accepted=self._may_remove)
        verdict, reasons = decide_revert(rows, _nothing_lost(evidence, head.report), it.range.undoes)
        warnings = (
            *warnings_of(rows, evidence.baseline, verdict, head.flaky),
            *(
                f"{row.test} is as it was before {it.range.undoes[:9]}"
                for row in rows
                if row.how == "changed"
            ),
        )
        return replace(result, verdict=verdict, reasons=reasons, tests=rows, warnings=warnings)

    @property
    def _may_remove(self) -> bool:
        return self.options.allow_removed or self.context.settings.removed_tests == "allow"

    def _unused(self, it: Examined) -> tuple[str, ...]:
        if it.kind is not ChangeClass.REFACTORING:
            return ()
        code = (*it.parts.code, *it.parts.shared)
        return unused_functions(self.context.repo, it.range.head_tree, code, self.context.project.rules)

    def _without_base(self, it: Examined, head: Proof, result: ChangeResult, problem: str) -> ChangeResult:
        """BASE does not run: judge by HEAD without its change of the code, where that runs."""
        found = result
        if it.kind is ChangeClass.BEHAVIOR:
            evidence = Evidence(EMPTY, head.report, True, flaky=head.flaky, ignore=self._known)
            found = self._with_tests(it, EMPTY, head, evidence, result)
            if found.proven:
                note = f"{problem}: compared with HEAD without its change of the code; what passed before is not known"
                return replace(found, warnings=(note, *found.warnings))
        if head.report.verdict is RunVerdict.UNREADABLE or _never_started(head.report):
            command = " ".join(self.context.prover.suites[0].command)
            reasons = (head.trouble, self._not_installed or f"run it yourself: {command}")
            return replace(result, verdict=ChangeVerdict.UNREADABLE, reasons=reasons)
        why = (reason for reason in found.reasons[:1] if reason not in problem)
        more = filter(None, (self._not_installed,))
        return replace(result, verdict=ChangeVerdict.FAILS_ON_BASE, reasons=(problem, *why, *more))

    @property
    def _not_installed(self) -> str:
        """Return what the trees lack, packages of the project or its runner, with the command that installs it; ""
        where nothing is known to be missing."""
        prover = self.context.prover
        sentences = (
            missing(prover.tree.path / suite.cwd, suite.framework.language, suite.command)
            for suite in prover.suites
            for missing in (packages_missing, module_missing)
        )
        return next(filter(None, sentences), "")

    def _with_tests(
        self, it: Examined, base: Report, head: Proof, evidence: Evidence, result: ChangeResult
    ) -> ChangeResult:
        """Judge a change that must show something by its tests."""
        on_base, red_commit = (
            self.others.on_base(it, base) if it.kind is ChangeClass.BEHAVIOR else (None, None)
        )
        red = gates.red(*on_base.failing_only()) if on_base else None
        names = on_base.tests if on_base else edited_ids(it.edits)
        at_head = rows_by_test(names, it.edits.after, head.report)
        targets = red.targets if red is not None and red.verdict is Verdict.PROVEN else ()
        skipped = skipped_by_mark(it.edits, base, head.report)
        unrun = {test for test, rows in at_head.items() if not ran(rows)} | skipped
        unrun |= {row.id for test in unrun if on_base for row in on_base.rows(test)}
        targets = tuple(target for target in targets if target not in unrun)
        evidence = replace(
            evidence,
            targets=targets,
            target_cases=target_cases(targets, it.edits.after, evidence.baseline, head.report),
        )
        anew = [new for _, new in rewritten_tests(it.edits)]
        lost = _lost(it, need_the_project(self.context, self._candidate(it, None)[0], head, anew))
        old = self.others.old_tests(it, base, on_base, lost)
        facts = TestFacts(
            it.edits,
            at_head,
            head.report.complete,
            on_base,
            old,
            _weaker(it, lost, on_base, old),
            skipped,
            head.flaky,
            self._may_remove,
            no_result(problem := gates.run_problem(head.report)),
        )
        green = (None if targets else problem) or gates.green(evidence)
        rows = test_rows(facts, frozenset(targets), red)
        elsewhere = tests_of_other_runners(it.parts)
        verdict, reasons = decide(it.kind, rows, green, red, base, _idle(it, base), elsewhere, facts.weaker)
        warnings = warnings_of(rows, base, verdict, head.flaky)
        warnings += elsewhere if verdict is ChangeVerdict.PROVEN else ()
        if verdict is ChangeVerdict.PROVEN:
            warnings += (*asserts_nothing(it.edits), *asserts_otherwise_now(it.edits))
            tests = (*it.parts.tests, *it.parts.shared)
            warnings += (*compares_less(tests, it.edits), *compares_with_itself(tests, it.edits))
            warnings += adapted(facts, frozenset(targets))
        result = replace(result, verdict=verdict, reasons=reasons, tests=rows, warnings=warnings)
        if verdict is not ChangeVerdict.PROVEN or it.kind is ChangeClass.DEAD_CODE:
            return result
        known = frozenset(case.id for case in evidence.baseline.cases)
        candidate, shown = self._candidate(it, red_commit)
        asked = targets or tuple(name for name in names if name not in unrun)
        state = replace(state_of(it.range, Phase.GREEN), red=shown, targets=asked)
        judged = question(self.context, state, Proven(candidate, head, green, known))
        return _with_answers(result, judged)

    def _candidate(self, it: Examined, red: Candidate | None) -> tuple[Candidate, str]:
        """Return HEAD as what was made from the commit with the failing tests, and that commit."""
        commit, tree = (red.commit, red.tree) if red else (it.range.head, it.range.head_tree)
        changes = changes_between(self.context.repo, tree, it.range.head_tree)
        return Candidate(it.range.head_tree, it.range.head, changes, base=tree, own=True), commit

    def _covered(self, it: Examined, result: ChangeResult) -> ChangeResult:
        """Return the result with the changed lines that no test executes; a refusal where none may be."""
        wanted = self.context.settings.coverage
        code = changed_code((*it.parts.code, *it.parts.shared), self.context.project.rules)
        if wanted == "off" or not code or not result.proven:
            return result
        tree = it.range.head_tree
        if tree not in self.coverage:
            self.context.watch.doing(f"{it.range.name}: measuring which lines its tests execute")
            limit = limit_of(self.runs.proofs[tree].report.seconds)
            self.coverage[tree] = self.context.prover.measure(it.range.head, limit)
        found = self.coverage[tree]
        if found.why and not found.executed:
            unknown = f"the lines that tests execute are not known: {found.why}"
            return replace(result, warnings=(*result.warnings, unknown))
        lines = uncovered_lines(found, code)
        places = tuple(f"{path}:{ranges(numbers)}" for path, numbers in lines.items())
        sentences = tuple(f"no test executes {place}" for place in places)
        if places and wanted == "require":
            return replace(result, verdict=ChangeVerdict.UNCOVERED, reasons=sentences, uncovered=places)
        return replace(result, warnings=(*result.warnings, *sentences), uncovered=places)

    @property
    def _known(self) -> frozenset[str]:
        return self.context.settings.known_failing

    def _head(self, it: Examined, base: Report) -> Proof:
        """Return the run of HEAD; made again where a test fails that passed on BASE or is not there (E4)."""
        proof = self.runs.proofs[it.range.head_tree]
        passed, known = base.passing_ids - self._known, {case.id for case in base.cases} | self._known
        names_all = base.complete and base is not EMPTY

        def suspects(report: Report) -> list[Case]:
            return [
                case for case in report.failing if case.id in passed or (names_all and case.id not in known)
            ]

        if proof.flaky or not suspects(proof.report):
            return proof
        failed = {case.id for case in suspects(proof.report)}
        proof = self.context.prover.prove(it.range.head, it.range.head_tree, suspects=suspects)
        proof = replace(proof, flaky=proof.flaky | (failed & proof.report.passing_ids))
        self.runs.proofs[it.range.head_tree] = proof
        return proof


def _never_started(report: Report) -> bool:
    """Whether the runner itself is what is missing: an error of no file, and no test."""
    placed = any(error.file for error in report.build_errors)
    return report.verdict is RunVerdict.ERROR and not report.cases and not placed


def _nothing_lost(evidence: Evidence, head: Report) -> Judgement:
    return gates.run_problem(head) or gates.green(evidence)


def _with_answers(result: ChangeResult, judged: Judgement) -> ChangeResult:
    """Return the result with the answers to the counterfactual questions about a change whose tests pass."""
    verdict, reasons = translate(judged)
    if verdict is ChangeVerdict.PROVEN:
        return replace(result, asked=judged.asked)
    still = {answer.test for answer in (judged.asked.still_passing if judged.asked else ())}
    rows = tuple(replace(row, verdict=str(verdict)) if row.test in still else row for row in result.tests)
    return replace(result, verdict=verdict, reasons=reasons, tests=rows, asked=judged.asked)


def _lost(it: Examined, anew: frozenset[str]) -> dict[str, str]:
    """Return what each changed test lost by its text. One of ``anew``, whose assertions are written anew and
    need the project, may ask for as much with fewer of them, which a person is warned of."""
    found = {}
    rewritten = {f"{test} asserts less" for test in anew}
    for change in (*it.parts.tests, *it.parts.shared):
        for what in weaker(change):
            test = next((one for one in it.edits.changed_ids if what.startswith(f"{one} ")), "")
            if test and what not in rewritten:
                found[test] = what
    return found


def _weaker(it: Examined, lost: dict[str, str], on_base: OnBase | None, old: OldTests) -> dict[str, str]:
    """Return what a test lost that does not fail on BASE. One whose file does not load there fails for its
    file's sake: its old version tells, which still passes at HEAD where the test need not have changed."""
    if on_base is None:
        return lost
    free = on_base.not_failing | on_base.not_run
    free |= {test for test in on_base.red.unloaded if test in it.edits.changed_ids and old.passes(test)}
    return {test: what for test, what in lost.items() if test in free}


def _idle(it: Examined, base: Report) -> frozenset[str]:
    """Return the tests that changed alone, without code, and did not run on BASE either."""
    if it.kind is not ChangeClass.TESTS or not base.complete:
        return frozenset()
    before = rows_by_test(it.edits.changed_ids, it.edits.before, base)
    return frozenset(test for test, rows in before.items() if not ran(rows))


def whole_runs(changes: list[ChangeRange], options: ProveOptions) -> list[Run]:
    """Return every tree to run whole, each once."""
    runs: dict[str, Run] = {}
    for change in changes:
        if not options.revert:
            runs.setdefault(change.base_tree, Run(change.base_tree, change.base))
        runs.setdefault(change.head_tree, Run(change.head_tree, change.head))
    return list(runs.values())
