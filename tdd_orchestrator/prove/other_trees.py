"""Make and run what no commit holds: HEAD's tests with the old code, and the old tests with the new code."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from tdd_orchestrator.audit.run_trees import Runs
from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.attempt.candidate import Candidate, changes_between
from tdd_orchestrator.cycle.attempt.judge import without_replaced
from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.cycle.gates import Evidence
from tdd_orchestrator.cycle.red.red_evidence import red_evidence
from tdd_orchestrator.cycle.red.test_changes import TestEdits
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.languages.source import SourceTest
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.report import BAD, Case, Outcome, Reason, Report, RunVerdict
from tdd_orchestrator.prove.evidence import (
    OldTests,
    OnBase,
    ended_by,
    exceptions_of,
    failing_alike,
    holds_all_of,
    needs,
    passing_since,
    rows_by_test,
    tests_that_load,
)
from tdd_orchestrator.prove.examples import with_examples, with_own_names
from tdd_orchestrator.prove.split import Parts, with_other_tests
from tdd_orchestrator.prove.values import ChangeClass, ChangeRange, ProveOptions
from tdd_orchestrator.repo.diff import differing
from tdd_orchestrator.repo.encoding import Entry
from tdd_orchestrator.workspace.guard import Change, matches


@dataclass(frozen=True, slots=True)
class Examined:
    """A change with what its source says."""

    range: ChangeRange
    parts: Parts
    edits: TestEdits
    kind: ChangeClass
    examples: tuple[Change, ...] = ()  # code with examples that are new or changed tests


def tests_on_base(repo: Repository, it: Examined, *, setup: bool) -> Candidate:
    """Return BASE with HEAD's tests, and with its set-up where ``setup`` is true."""
    change, parts = it.range, it.parts
    taken = {one.path for one in (*parts.tests, *(parts.setup if setup else ()))}
    entries = _entries(repo, change, lambda path: path in taken)
    for one in parts.shared:
        if one.before is not None and one.after is not None:
            entries |= _composed(repo, one, with_other_tests(one.before, one.after, one.path))
    for one in it.examples:
        entries |= _composed(repo, one, with_examples(one))
    tree = repo.objects.edit_tree(change.base_tree, entries)
    return candidate_of(repo, tree, change.base, change.base_tree)


def code_put_back(repo: Repository, it: Examined, patterns: tuple[str, ...]) -> Candidate:
    """Return HEAD with the code at the paths that match a pattern as it is in BASE. Tests stay. Refused where
    no changed code matches."""
    change, parts = it.range, it.parts
    kept = {one.path for one in (*parts.tests, *parts.shared)}
    entries = _entries(repo, change, lambda path: path not in kept and matches(path, patterns), after=False)
    for one in parts.shared:
        if one.before is not None and one.after is not None and matches(one.path, patterns):
            entries |= _composed(repo, one, with_other_tests(one.before, one.after, one.path))
    for one in it.examples:
        if matches(one.path, patterns):
            entries |= _composed(repo, one, with_examples(one))
    if not entries:
        raise Refused(
            f"--revert {' --revert '.join(patterns)} matches no code that {change.name} changes.",
            "Name paths or patterns of its code, such as --revert 'src/**'.",
        )
    tree = repo.objects.edit_tree(change.head_tree, entries)
    return candidate_of(repo, tree, change.base, change.base_tree)


def old_tests_at_head(repo: Repository, change: ChangeRange, parts: Parts) -> Candidate:
    """Return HEAD with BASE's tests."""
    taken = {one.path for one in parts.tests}
    entries = _entries(repo, change, lambda path: path in taken, after=False)
    for one in parts.shared:
        if one.before is not None and one.after is not None:
            entries |= _composed(repo, one, with_other_tests(one.after, one.before, one.path))
    tree = repo.objects.edit_tree(change.head_tree, entries)
    return candidate_of(repo, tree, change.head, change.head_tree)


def candidate_of(repo: Repository, tree: str, parent: str, base_tree: str) -> Candidate:
    """Return a tree as a commit on ``parent`` that no ref holds, with its changes against ``base_tree``."""
    author = f"{repo.identity or 'tdd <tdd@localhost>'} {int(time.time())} +0000"
    commit = repo.objects.write_commit(tree, [parent], "test: a tree of tdd prove\n", author=author)
    changes = changes_between(repo, base_tree, tree)
    return Candidate(tree, commit, changes, base=base_tree, own=True)


def _entries(
    repo: Repository, change: ChangeRange, wanted: Callable[[str], bool], *, after: bool = True
) -> dict[bytes, Entry | None]:
    rows: Iterable[tuple[bytes, Entry | None, Entry | None]] = differing(
        repo.objects, change.base_tree, change.head_tree
    )
    return {path: now if after else was for path, was, now in rows if wanted(os.fsdecode(path))}


def _composed(repo: Repository, change: Change, text: str) -> dict[bytes, Entry | None]:
    blob = repo.objects.write_blob(text.encode("utf-8", "surrogatepass"))
    return {os.fsencode(change.path): (0o100644, blob)}


_LEAST_LIMIT = 60.0  # seconds that a run of some tests may take at least
_TIMES_HEAD = 5  # and in whole runs of HEAD: old code with new tests may hang
_UNREAD_RUNS = frozenset({RunVerdict.NO_TESTS, RunVerdict.UNREADABLE, RunVerdict.CRASHED})


@dataclass(frozen=True, slots=True)
class OtherTrees:
    """Runs some tests on trees that are put together from BASE and HEAD."""

    context: CycleContext
    runs: Runs
    options: ProveOptions

    @property
    def _known(self) -> frozenset[str]:
        return self.context.settings.known_failing

    def on_base(self, it: Examined, base: Report) -> tuple[OnBase | None, Candidate | None]:
        """Run HEAD's tests on BASE's code; once more without HEAD's set-up where that may be why they
        fail."""
        edits = it.edits
        if not (edits.added or edits.changed or edits.around):
            return None, None
        tried = []
        for setup in (True, False) if it.parts.setup and not self.options.revert else (True,):
            if self.options.revert:
                candidate = code_put_back(self.context.repo, it, self.options.revert)
            else:
                candidate = tests_on_base(self.context.repo, it, setup=setup)
            found = self._run_on_base(it, base, candidate)
            if gates.red(*found.failing_only()).verdict is Verdict.PROVEN:
                return found, candidate
            tried.append((found, candidate))
        return tried[0]

    def _run_on_base(self, it: Examined, base: Report, candidate: Candidate) -> OnBase:
        tests = (*it.edits.added, *it.edits.changed)
        self.context.watch.doing(f"{it.range.name}: running its tests with the old code")
        whole = it.edits.around or not tests
        report = self._run(it, candidate, () if whole else tests)
        if not whole and not report.build_error and (report.verdict in _UNREAD_RUNS or not report.cases):
            report = self._run(it, candidate, ())
        loading = tests_that_load(tests, report)
        if loading:
            others = self._run(it, candidate, loading)
            report = replace(report, cases=(*report.cases, *others.cases))
        report, ended = ended_by(with_own_names(report) if it.examples else report, tests)
        baseline = without_replaced(base, it.edits) if base.complete else base
        evidence = Evidence(base, report, True, ignore=self._known)
        state = state_of(it.range, Phase.RED)
        red = red_evidence(self.context, state, evidence, candidate, targets_only=True)
        red = passing_since(red, self.runs.proofs[it.range.head_tree].report, ended)
        return OnBase.of(replace(evidence, baseline=base if it.edits.changed else baseline), red)

    def old_tests(
        self, it: Examined, base: Report, on_base: OnBase | None, lost: Collection[str]
    ) -> OldTests:
        """Run BASE's version of removed tests, and of changed ones that pass on BASE, at HEAD; also of those
        that ``lost`` something and whose file does not load on BASE."""
        passing = on_base.not_failing & it.edits.changed_ids if on_base else frozenset()
        if on_base is None and it.kind is not ChangeClass.BEHAVIOR:
            passing = it.edits.changed_ids
        passing |= frozenset(on_base.red.unloaded).intersection(lost) if on_base else frozenset()
        replaced = {old.id for old, new in it.edits.renamed if not holds_all_of(old, new)}
        names = passing | it.edits.removed_ids | replaced
        tests = tuple(test for test in it.edits.before if test.id in names)
        if not tests:
            return OldTests()
        self.context.watch.doing(f"{it.range.name}: running the old tests with the new code")
        candidate = old_tests_at_head(self.context.repo, it.range, it.parts)
        report = self._run(it, candidate, tests)
        evidence = Evidence(self.runs.proofs[it.range.head_tree].report, report, True)
        change = replace(it.range, base=it.range.head, base_tree=it.range.head_tree)
        unasked = replace(self.context, settings=replace(self.context.settings, questions=()))
        red = red_evidence(unasked, state_of(change, Phase.RED), evidence, candidate, targets_only=True)
        rows = rows_by_test((test.id for test in tests), it.edits.before, report)
        missing = [one for one in red.build_reasons if one.reason is Reason.MISSING_SYMBOL]
        texts = {one.path: one.before or "" for one in (*it.parts.tests, *it.parts.shared)}
        words = it.parts.words_gone if missing else frozenset()

        def is_gone(test: SourceTest) -> bool:
            failing = [row for row in rows.get(test.id, ()) if row.outcome in BAD]
            if report.build_error and not failing:
                return any(needs(test, texts.get(test.path, ""), one, words) for one in missing)
            reasons = [red.reason_of(row).reason for row in failing] if red.reason_of else []
            return bool(reasons) and all(reason is Reason.MISSING_SYMBOL for reason in reasons)

        raised = {test: exceptions_of(found, red.reason_of) for test, found in rows.items()}
        raised = {test: names for test, names in raised.items() if names}
        gone = {test.id: is_gone(test) for test in tests}
        alike = failing_alike(rows_by_test(rows, it.edits.before, base), rows)
        return OldTests(report, rows, gone, raised, not report.build_error, alike)

    def _run(self, it: Examined, candidate: Candidate, tests: tuple[SourceTest, ...]) -> Report:
        """Run the files of some tests on a tree, or everything where none is named."""
        limit = _LEAST_LIMIT + _TIMES_HEAD * self.runs.proofs[it.range.head_tree].report.seconds
        cases = [Case(test.id, test.name, Outcome.FAILED, test.path, test.line) for test in tests]
        report, _output = self.context.prover.run_rewritten(candidate.commit, {}, cases, limit)
        return report


def state_of(change: ChangeRange, phase: Phase) -> CycleState:
    """Return the state of a cycle that consists of this change alone."""
    return CycleState("prove", 0, "", change.subject, "", change.base, change.base, phase)
