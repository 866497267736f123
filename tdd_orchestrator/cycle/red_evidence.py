"""What RED's gate needs to know of a candidate's new tests: from their source, and why each of them fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tdd_orchestrator.cycle.candidate import Candidate, file_at, paths_of, tree_of
from tdd_orchestrator.cycle.gates import Evidence, RedEvidence
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import Case, RedReason
from tdd_orchestrator.runners.duplicates import duplicates
from tdd_orchestrator.runners.reason_frames import Layout
from tdd_orchestrator.runners.reasons import Project, red_reason
from tdd_orchestrator.runners.source_rows import row_for
from tdd_orchestrator.runners.sources import SourceTest, Unparsable, defined_tests, idle
from tdd_orchestrator.workspace.guard import is_support, is_test
from tdd_orchestrator.workspace.project import has_modules, names_in


def red_evidence(shop: Workshop, state: CycleState, evidence: Evidence, candidate: Candidate) -> RedEvidence:
    new, existing = _written(shop, state, candidate)
    project = project_at(shop, state, candidate)
    now = evidence.now
    fresh_files = {change.path for change in candidate.changes}

    def reason_of(case: Case) -> RedReason:
        return red_reason(case, language=shop.language, project=project)

    # a file whose tests we could have read, and that has none, checks nothing, whatever the runner lists it as
    readable = any(row_for(path) for path in fresh_files if is_test(path, shop.rules))
    build = () if now is None else now.build_errors
    reasons = tuple(red_reason(None, language=shop.language, project=project, error=error) for error in build)
    elsewhere = [e for e in build if e.file and not any(e.file.endswith(path) for path in fresh_files)]
    leaning_on_nothing = _idle(candidate)
    return RedEvidence(
        new_in_source=tuple(test.id for test in new),
        duplicates=tuple((hit.new.id, hit.old.id) for hit in duplicates(new, existing)),
        reason_of=reason_of,
        build_reasons=() if elsewhere and shop.language == "python" else reasons,
        asserts=all(test.assertions and not test.hollow for test in new) if new else not readable,
        idle=tuple(test.id for test in new if test.id in leaning_on_nothing),
        vain=tuple(_vain(new, leaning_on_nothing)),
        brought=tuple(_brought(candidate)),
        hollow=tuple(f"{test.id}: {test.hollow}" for test in new if test.hollow),
        passed_before=sum(1 for a in state.of_phase() if a.verdict == Verdict.UNEXPECTED_PASS),
    )


def project_at(shop: Workshop, state: CycleState, candidate: Candidate) -> Project:
    """What the project has where the cycle stands, with the files of the candidate and the one that the item names."""
    before = paths_of(shop, state.tip)
    item = shop.book.plan().get(state.item_id)
    planned = (item.impl_file,) if item is not None and item.impl_file else ()
    return Project(
        shop.known_names | names_in((*before, *planned), shop.language),
        shop.declared,
        Layout(
            frozenset((*before, *(change.path for change in candidate.changes))),
            lambda path, line: is_test(path, shop.rules) or is_support(path, shop.rules),
            tuple({suite.cwd for suite in shop.prover.suites if suite.cwd}),
        ),
        has_modules([path for path in before if not is_test(path, shop.rules)], shop.language),
    )


def _written(
    shop: Workshop, state: CycleState, candidate: Candidate
) -> tuple[list[SourceTest], list[SourceTest]]:
    """(tests that the candidate's test files have and the baseline's had not, tests of the baseline)."""
    new: list[SourceTest] = []
    for change in candidate.changes:
        if change.after is None or not is_test(change.path, shop.rules):
            continue
        before = {test.id for test in tests_of(change.before or "", change.path)}
        new += [test for test in tests_of(change.after, change.path) if test.id not in before]
    existing: list[SourceTest] = []
    if new:
        base = tree_of(shop, state.tip)
        for path in paths_of(shop, base):
            if is_test(path, shop.rules):
                held = file_at(shop, base, path) or b""
                existing += tests_of(held[: 1 << 20].decode("utf-8", "replace"), path)
    return new, existing


def tests_of(text: str, path: str) -> tuple[SourceTest, ...]:
    """No test where the file is not its language: the run will say so better."""
    try:
        return defined_tests(text, path)
    except Unparsable:
        return ()


def _idle(candidate: Candidate) -> frozenset[str]:
    """Ids of tests in the candidate's files that use nothing of the project's."""
    found: set[str] = set()
    for change in candidate.changes:
        try:
            found |= idle(change.after or "", change.path)
        except Unparsable:
            continue  # the run will say so better
    return frozenset(found)


def _vain(new: Iterable[SourceTest], leaning_on_nothing: frozenset[str]) -> Iterator[str]:
    """Why a failing test is worth nothing: by the syntax tree, which Python's alone are read by."""
    for test in new:
        if test.path.endswith(".py"):
            idle = "It uses nothing of the project's." if test.id in leaning_on_nothing else ""
            if test.hollow or idle:
                yield f"{test.id}: {test.hollow or idle}"


def _brought(candidate: Candidate) -> Iterator[str]:
    """Code that came with the tests and is none: what passes because of it was not there before."""
    for change in candidate.changes:
        code = change.path.endswith(".py") or row_for(change.path)
        if change.after and change.after.strip() and code and not tests_of(change.after, change.path):
            yield change.path
