"""Collect the evidence of RED's gate: how the tests changed, why each fails, and how the old tests do."""

from __future__ import annotations

import math
import os
import posixpath
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial

from tdd_orchestrator.agents.last_words import MessageKind
from tdd_orchestrator.cycle.attempt.candidate import Candidate, file_at, paths_of, tree_of
from tdd_orchestrator.cycle.context import Codebase, CycleContext, Repository, Settings
from tdd_orchestrator.cycle.counterfactual.ask import runner_of
from tdd_orchestrator.cycle.gates import Evidence, RedEvidence
from tdd_orchestrator.cycle.red.loading import Loading, Planted, language_of_suites, look_at_loading, plant
from tdd_orchestrator.cycle.red.test_changes import (
    TestEdits,
    cases_of,
    cases_of_tests,
    edits_of,
    map_cases,
    whole,
)
from tdd_orchestrator.cycle.state import Attempt, CycleState
from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.functions import defined_names
from tdd_orchestrator.languages.source import SourceTest, find_tests, is_in_tests
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import Case, Reason, RedReason, Report, RunVerdict
from tdd_orchestrator.repo.diff import differing
from tdd_orchestrator.runners.reason_frames import Layout
from tdd_orchestrator.runners.reasons import Project, red_reason
from tdd_orchestrator.workspace.guard import Change, holds_tests, is_support, is_test, tests_among
from tdd_orchestrator.workspace.project import has_modules, names_in


def run_without(
    context: CycleContext, state: CycleState, candidate: Candidate, paths: Collection[str]
) -> Report | None:
    """Put ``paths`` back to where the phase began and run the suite once; None where that leaves no change at
    all."""
    base = tree_of(context.repo, state.tip)
    before = {
        path: was
        for path, was, _ in differing(context.repo.objects, base, candidate.tree)
        if os.fsdecode(path) in paths
    }
    tree = context.repo.objects.edit_tree(candidate.tree, before)
    if tree == base:
        return None
    context.watch.doing("running the other tests without the new ones")
    author = f"{context.repo.identity} {int(time.time())} +0000"
    commit = context.repo.objects.write_commit(
        tree, [state.tip], "test: without the new tests\n", author=author
    )
    return context.prover.prove(commit, tree, suspects=lambda _: ()).report


_NUMBERED = re.compile(r"#\d+$")
_PLAIN = re.compile(r"[a-rt-z_]\w{3,}")
_READ = 1 << 20  # bytes of a test file


def repeats(context: CycleContext, state: CycleState, edits: TestEdits) -> Iterator[tuple[str, str]]:
    """Return (new test, existing test) pairs.

    Bodies are compared within the same groups only: their set-up differs.
    """
    for test in edits.added:
        first = _NUMBERED.sub("", test.id)
        if first != test.id and any(one.id == first for one in edits.after):
            yield test.id, first
    words = {test: _words(test) for test in edits.added if test.assertions}
    if not words:
        return
    removed = edits.removed_ids
    for path in tests_among(paths_of(context.repo, state.tip), context.project.rules):
        text = (file_at(context.repo, state.tip, path) or b"")[:_READ].decode("utf-8", "replace")
        alike = {test: held for test, held in words.items() if _has(text, held)}
        tests = find_tests(text, path) if alike else ()
        near = [one for one in tests if any(_has(one.text, held) for held in alike.values())]
        old = {(one.title[:-1], one.body): one.id for one in near}
        for test in alike:
            known = old.get((test.title[:-1], test.body), "")
            if known and known not in removed:
                yield test.id, known


def _has(text: str, words: list[str]) -> bool:
    return all(word in text for word in words)


def _words(test: SourceTest) -> list[str]:
    """Words that a file with the same body must have: neither local names nor marks of strings and of
    indentation."""
    return [word for word in test.body.split() if _PLAIN.fullmatch(word)]


def red_evidence(
    context: CycleContext,
    state: CycleState,
    evidence: Evidence,
    candidate: Candidate,
    *,
    targets_only: bool = False,
) -> RedEvidence:
    """Gather it, with one run more where the new tests keep the old ones from running.

    ``targets_only``: the run is of the changed test files alone, so it shows nothing of the other tests.
    """
    now, baseline = evidence.now, evidence.baseline
    if now is None:
        return RedEvidence()
    edits = edits_of(candidate.changes, context.project.rules)
    project = project_at(context, state, candidate)

    tests = {**_tests_before(edits, baseline), **_tests_of(edits, baseline, now)}
    reason_of = _reasons(context, project, tests, edits)
    replaced = replaced_cases(edits, baseline)
    data = _by_data(context.repo, state, edits, evidence, reason_of)
    tests |= data
    loading = look_at_loading(context, now, edits, candidate, project, tests, reason_of)
    cut = targets_only or bool(loading.files) or _is_cut(evidence, now, tests, replaced, reason_of)
    old = None
    if cut and not targets_only:
        without = loading.files | _naming(candidate.changes, loading.files)
        old = run_without(context, state, candidate, without or edits.files)
    if old is not None:
        data |= _by_data(context.repo, state, edits, replace(evidence, now=old), reason_of)
        tests |= {**_tests_of(edits, baseline, old), **data, **tests}
    alone = {}
    if cut or _may_have_ended_run(now, tests, reason_of):
        alone = _run_alone(context, candidate, edits, evidence, loading.waiting)
    tests |= {case.id: test for case, test in alone.items()}
    stubbed = _planted(context, candidate, loading, project)
    return RedEvidence(
        added=tuple(test.id for test in edits.added),
        changed=_changed(edits, data.values(), loading),
        cosmetic=edits.cosmetic_ids,
        removed=tuple(test.id for test in edits.removed),
        sources=frozenset(test.id for test in edits.after),
        test_of=tests,
        replaced=replaced,
        duplicates=tuple(repeats(context, state, edits)),
        reason_of=reason_of,
        build_reasons=(*loading.reasons, *stubbed.wrong),
        unloaded=tuple(test.id for test in loading.tests),
        vacuous=tuple(test for test in stubbed.vacuous if test in edits.own_ids),
        left_out=stubbed.left_out,
        old_tests=old,
        alone=tuple(alone),
        cut=cut,
        may_remove=context.settings.removed_tests != "refuse",
        passed_before=sum(map(_says_covered, state.of_phase())),
    )


def _changed(edits: TestEdits, by_data: Iterable[str], loading: Loading) -> tuple[str, ...]:
    """Return the old tests that ask for something else: by themselves, or by what they use."""
    stopped = (test.id for test in loading.tests if test not in edits.added)
    return tuple(dict.fromkeys((*(test.id for test in edits.changed), *by_data, *stopped)))


def _naming(changes: Iterable[Change], files: Collection[str]) -> frozenset[str]:
    """Return the changed files that name one of these test files and hold no test: build files of the tests, and
    lists that load them, where RED wrote the name (`load_tests`, `mod double;`)."""
    names = [posixpath.basename(path) for path in files]
    stems = [rf"\b{re.escape(name.partition('.')[0])}\b" for name in names]
    word = re.compile("|".join(stems) or r"(?!)")

    def loads(change: Change) -> bool:
        before, after = change.before or "", change.after or ""
        if language_of(change.path) is None:
            return any(name in after for name in names)
        new = set(word.findall(after)) - set(word.findall(before))
        return bool(new) and change.path not in files and not find_tests(after, change.path)

    return frozenset(change.path for change in changes if loads(change))


def _says_covered(attempt: Attempt) -> bool:
    """Return whether an attempt of RED ended with a test that passed, or with words that say as much."""
    passed = attempt.verdict in (Verdict.UNEXPECTED_PASS, Verdict.DUPLICATE_TEST)
    return passed or attempt.said == MessageKind.ALREADY_THERE


def _planted(context: CycleContext, candidate: Candidate, loading: Loading, project: Project) -> Planted:
    """Return how the tests that do not load run with stubs for the missing names; nothing where the errors
    are others, or in place."""
    acceptable = bool(loading.reasons) and all(reason.acceptable for reason in loading.reasons)
    if not loading.tests or not acceptable or not _asks(context.settings):
        return Planted()

    def judge(report: Report) -> tuple[tuple[RedReason, ...], Callable[[Case], RedReason]]:
        errors = report.build_errors
        reasons = (
            red_reason(None, language=language_of_suites(context), project=project, error=e) for e in errors
        )
        return tuple(reasons), _reasons(context, project)

    read = partial(_text, context.repo, candidate)
    texts = {test.path: read(test.path) for test in loading.tests}
    if all(path.endswith(".py") for path in texts):  # others are not asked
        context.watch.doing("asking what the new tests do where the missing code does nothing")
    run = runner_of(context.prover, candidate.commit)
    return plant(loading.tests, texts, loading.reasons, project.layout.paths, read, run, judge)


def _asks(settings: Settings) -> bool:
    return "stub" in settings.questions and not settings.inplace


def project_at(context: CycleContext, state: CycleState, candidate: Candidate) -> Project:
    """Return the project's names at the cycle's tip, with the candidate's files and the item's own file."""
    before = paths_of(context.repo, state.tip)
    item = context.repo.plan.plan().get(state.item_id)
    planned = (item.impl_file,) if item is not None and item.impl_file else ()
    return Project(
        context.project.known_names | names_in((*before, *planned), context.project.language),
        context.project.declared,
        Layout(
            frozenset((*before, *(change.path for change in candidate.changes))),
            lambda path, line: _is_of_tests(context.project, candidate, path, line),
            tuple({suite.cwd for suite in context.prover.suites if suite.cwd}),
            partial(_text, context.repo, candidate),
            cache(partial(_is_defined, context.repo, candidate.tree)),
        ),
        has_modules(
            set(before).difference(tests_among(before, context.project.rules)), context.project.language
        ),
    )


def _is_defined(repo: Repository, tree: str, name: str) -> bool:
    """Whether a file of a tree, of any kind, defines a function, a class or an export of that name."""
    words = ("grep", "-l", "-z", "--word-regexp", "--fixed-strings", "-e", name, tree, "--")
    for raw in repo.git.run(*words, ok=(0, 1)).split(b"\0"):
        path = os.fsdecode(raw).partition(":")[2]
        text = (file_at(repo, tree, path) or b"").decode("utf-8", "replace")
        if name in defined_names(text, path):
            return True
    return False


def _text(repo: Repository, candidate: Candidate, path: str) -> str:
    return (file_at(repo, candidate.tree, path) or b"").decode("utf-8", "replace")


def _is_of_tests(project: Codebase, candidate: Candidate, path: str, line: int) -> bool:
    """Whether a line is of a test or of what only tests use; of a file that holds code as well, only its
    tests are."""
    if is_test(path, project.rules) or is_support(path, project.rules):
        return True
    change = next((one for one in candidate.changes if one.path == path), None)
    if change is None or line == 0 or not holds_tests(change, project.rules):
        return False
    return is_in_tests(change.after or "", path, line)


def _tests_of(edits: TestEdits, baseline: Report, now: Report) -> dict[str, str]:
    """Return case id -> test, for what is new in ``now`` and for the cases of edited tests."""
    known = {case.id for case in baseline.cases}
    fresh = [case for case in now.cases if case.id not in known]
    edited = cases_of([case for case in now.cases if case.id in known], edits.changed)
    return {**map_cases(fresh, edits.after), **map_cases(edited, edits.after)}


def _tests_before(edits: TestEdits, baseline: Report) -> dict[str, str]:
    """Case id of the baseline -> test, of the tests that were changed, renamed or removed."""
    replaced = [test for test in edits.before if edits.replaced(test.id) or test.id in edits.removed_ids]
    return dict(map_cases(cases_of(baseline.cases, replaced), edits.before))


def changed_cases(
    context: CycleContext, state: CycleState, candidate: Candidate, evidence: Evidence
) -> frozenset[str]:
    """Return the cases of ``evidence.now`` whose tests RED changed, by themselves or by what they use."""
    edits = edits_of(candidate.changes, context.project.rules)
    reason_of = _reasons(context, project_at(context, state, candidate))
    replaced = replaced_cases(edits, evidence.baseline)
    rows = (case.id for case in evidence.now.cases if whole(case.id) in replaced) if evidence.now else ()
    return replaced | frozenset(rows) | _by_data(context.repo, state, edits, evidence, reason_of).keys()


def _reasons(
    context: CycleContext,
    project: Project,
    tests: Mapping[str, str] | None = None,
    edits: TestEdits | None = None,
) -> Callable[[Case], RedReason]:
    """Return a function that says why a case failed. ``tests``: the tests of cases, which may still grow."""
    language, sources = language_of_suites(context), {test.id: test for test in edits.after} if edits else {}

    @cache
    def judged(case: Case, test: str) -> RedReason:
        return red_reason(case, language=language, project=project, test=sources.get(test))

    return lambda case: judged(case, (tests or {}).get(case.id, ""))


def replaced_cases(edits: TestEdits, baseline: Report) -> frozenset[str]:
    """Return the cases of the baseline that edits of their own tests may have removed: removed, renamed,
    or other rows."""
    before = _tests_before(edits, baseline)
    return frozenset(
        case for case, test in before.items() if edits.replaced(test) or test in edits.removed_ids
    )


def _by_data(
    repo: Repository,
    state: CycleState,
    edits: TestEdits,
    evidence: Evidence,
    reason_of: Callable[[Case], RedReason],
) -> dict[str, str]:
    """Case id -> test, of tests that fail now because something changed that they use and that is no test: data
    (a file, or a table in the test file), a helper, a fixture, their set-up, an import. Or they stand in a
    changed file of a language that is not read. These are changed tests."""
    now, passed = evidence.now, evidence.baseline.passing_ids
    if now is None or not edits.around:
        return {}
    found, tests = {}, map_cases(now.failing, edits.after)
    for case in now.failing:
        before = case.id if case.id in passed else whole(case.id)  # a failing subtest is named by itself
        if before not in passed:
            continue
        path = case.id.partition("::")[0] if "::" in case.id else case.file
        text = (file_at(repo, state.tip, path) or b"").decode("utf-8", "replace")
        test, around = tests[case.id], edits.around
        if path in around.unread or (around.used_by(test, path, text) and reason_of(case).acceptable):
            found[case.id] = found[before] = test
    return found


def _is_cut(
    evidence: Evidence,
    now: Report,
    tests: Mapping[str, str],
    replaced: frozenset[str],
    reason_of: Callable[[Case], RedReason],
) -> bool:
    """Whether a new test that RED accepts ends the run, so that old ones are not run.

    It does so by an exception (a panic), or because the runner stops at the first failure (`pytest -x`); or the run died
    after it had failed, as tape's do.
    """
    ids = {case.id for case in now.cases}
    absent = evidence.baseline.passing_ids - ids - replaced - evidence.ignore
    if absent and any(reason_of(case).acceptable for case in now.failing if case.id in tests):
        return True
    return bool(absent or now.verdict is RunVerdict.CRASHED) and _may_have_ended_run(now, tests, reason_of)


def _may_have_ended_run(
    now: Report, tests: Mapping[str, str], reason_of: Callable[[Case], RedReason]
) -> bool:
    """Whether a new test that fails may have ended the run: by what it threw, or because the runner stops at
    the first failure."""
    reasons = [reason_of(case) for case in now.failing if case.id in tests]
    if now.verdict is RunVerdict.CRASHED:
        return bool(reasons) and all(one.acceptable for one in reasons)
    return any(one.acceptable or one.reason in _THROWN for one in reasons)


def _run_alone(
    context: CycleContext,
    candidate: Candidate,
    edits: TestEdits,
    evidence: Evidence,
    waiting: Collection[SourceTest],
) -> dict[Case, str]:
    """Run new tests that another one kept from running, without it; return their cases, each with its test.

    One of them may end that run as well: the others are run again then.
    """
    found: dict[Case, str] = {}
    left = {test.id: test for test in waiting}
    for _ in range(_ALONE):
        if not left:
            break
        context.watch.doing(f"RED: running {next(iter(left))} without the test that ends the run")
        report, _ = context.prover.run_rewritten(
            candidate.commit, {}, cases_of_tests(left.values()), math.inf
        )
        tests = _tests_of(edits, evidence.baseline, report)
        ran = {case: tests[case.id] for case in report.cases if tests.get(case.id) in left}
        if not ran:
            break
        found |= ran
        left = {name: test for name, test in left.items() if name not in ran.values()}
    return found


_ALONE = 20  # runs of new tests that end the run
_THROWN = frozenset({Reason.PROJECT_EXCEPTION, Reason.TEST_EXCEPTION})
