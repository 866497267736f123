"""Checks on top of a proven phase: signs of code made for its test (always, they are cheap); mutants, and lines
that no test executes (where a setting asks for them). They warn with evidence; only ``proof.covered = "require"``
refuses."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from tdd_orchestrator.cycle.attempt.candidate import Candidate, file_at, paths_between
from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.cycle.gates import Judgement, answers
from tdd_orchestrator.cycle.proof import Proof, Prover
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.cycle.warning_signs import special_casing, weak_tests
from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.source import imports
from tdd_orchestrator.languages.twins import stop_before
from tdd_orchestrator.model.coverage import Coverage, Lines, ranges
from tdd_orchestrator.model.errors import Refused, add_extra
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.plan import Item, Mutant
from tdd_orchestrator.model.records import Handoff
from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.runners import mutants
from tdd_orchestrator.runners.mutants import NoMutants, changed_lines
from tdd_orchestrator.text import one_line
from tdd_orchestrator.workspace.guard import Change, Rules, is_test

_LEAST_LIMIT, _TIMES = 60.0, 5  # seconds of a measured run: at least, and in plain runs
_TESTS = 50  # affected tests in a record
_PLACES = 20  # places of uncovered lines that are named


def changed_code(changes: Iterable[Change], rules: Rules) -> dict[str, tuple[str, frozenset[int]]]:
    """Return each file of code that a change wrote: its text, and which of its lines are new."""
    return {
        one.path: (one.after, changed_lines(one.before or "", one.after))
        for one in changes
        if one.after is not None and not is_test(one.path, rules) and language_of(one.path) is not None
    }


def uncovered_lines(
    found: Coverage, code: dict[str, tuple[str, frozenset[int]]]
) -> dict[str, tuple[int, ...]]:
    """Return the new lines of each file that no test executes."""
    lines = {path: found.uncovered(path, text, changed) for path, (text, changed) in code.items()}
    return {path: numbers for path, numbers in lines.items() if numbers}


def limit_of(seconds: float) -> float:
    """Return how long a measured run may take, where the plain one took ``seconds``."""
    return _LEAST_LIMIT + _TIMES * seconds


def measured(
    context: CycleContext, state: CycleState, candidate: Candidate, proof: Proof, judged: Judgement
) -> Judgement:
    """Run a proven RED or GREEN once more with coverage and return what that adds to its judgement."""
    if context.settings.coverage == "off" or judged.verdict is not Verdict.PROVEN:
        return judged
    context.watch.doing(f"{state.phase}: measuring which lines the tests execute")
    found = context.prover.measure(candidate.commit, limit_of(proof.report.seconds))
    if state.phase is Phase.RED:
        around = found.lines_of(judged.targets) or _imported(context, state, candidate, found)
        around = {path: lines for path, lines in around.items() if not is_test(path, context.project.rules)}
        return replace(judged, affected=found.affected(around, but=judged.targets)[:_TESTS])
    code = changed_code(candidate.changes, context.project.rules)
    lines: Lines = {path: changed for path, (_, changed) in code.items()}
    judged = replace(judged, affected=found.affected(lines)[:_TESTS])
    return with_uncovered(context, judged, found, code)


def with_uncovered(
    context: CycleContext, judged: Judgement, found: Coverage, code: dict[str, tuple[str, frozenset[int]]]
) -> Judgement:
    """Return GREEN's judgement with a warning for each file that has uncovered lines, or a refusal."""
    required = context.settings.coverage == "require"
    if found.why and not found.executed:
        warning = f"the lines that tests execute are not known: {found.why}"
        context.watch.note(warning)
        return replace(judged, warnings=(*judged.warnings, warning))
    lines = uncovered_lines(found, code)
    places = tuple(f"{path}:{ranges(numbers)}" for path, numbers in lines.items())[:_PLACES]
    sentences = tuple(f"no test executes {place}" for place in places)
    if places and required:
        return replace(judged, verdict=Verdict.UNCOVERED, reasons=sentences, uncovered=places)
    for sentence in sentences:
        context.watch.note(sentence)
    faults = tuple(
        fault for path, numbers in lines.items() for fault in _faults(path, code[path][0], numbers)
    )
    return replace(
        judged,
        warnings=(*judged.warnings, *sentences),
        uncovered=places,
        mutants=(*judged.mutants, *faults[:_PLACES]),
    )


def _faults(path: str, text: str, lines: tuple[int, ...]) -> list[Mutant]:
    """Return one fault for each block of uncovered lines: the code stops before it. A test that notices it
    executes the block."""
    found = []
    rows = text.splitlines(keepends=True)
    wanted = 0  # the line that continues the block before it
    for line in lines:
        if line == wanted:
            wanted = line + 1
            continue
        stopped = stop_before(text, path, line)
        if stopped is not None:
            found.append(Mutant(path, line, 1, rows[line - 1], stopped))
            wanted = line + 1
    return found


def _imported(context: CycleContext, state: CycleState, candidate: Candidate, found: Coverage) -> Lines:
    """Return all executed lines of the modules that RED's test files import: their tests did not run yet."""
    stems = set()
    for path in paths_between(context.repo, state.tip, candidate.commit):
        if is_test(path, context.project.rules):
            text = (file_at(context.repo, candidate.tree, path) or b"").decode("utf-8", "replace")
            stems |= {PurePosixPath(one.module.replace(".", "/")).name for one in imports(text, path)}
    return {path: lines for path, lines in found.executed.items() if PurePosixPath(path).stem in stems}


_MUTATION_SECONDS = 60.0
_MOST = 5  # surviving mutants that are named
_WARNING = 400  # characters


def fit(mutation: bool, language: str) -> None:
    """Refuse at the start, where a stronger check is wanted that cannot be made here."""
    if mutation and language != "python":
        raise Refused("proof.mutation works for Python only.", "Set proof.mutation = false in tdd.toml.")
    if mutation and not mutants.available():
        raise Refused("proof.mutation needs the extra 'quality'.", add_extra("quality"))


def strengthened(
    context: CycleContext, state: CycleState, candidate: Candidate, proof: Proof
) -> tuple[tuple[str, ...], tuple[Mutant, ...]]:
    """Return the warnings about a proven GREEN, and the mutants that survive."""
    changed = [
        change
        for change in candidate.changes
        if change.after is not None and not is_test(change.path, context.project.rules)
    ]
    written = paths_between(context.repo, state.base, state.red) if state.red else ()
    texts = [
        (path, _text(context.repo, candidate.tree, path))
        for path in written
        if is_test(path, context.project.rules)
    ]
    found = [sign for change in changed for sign in special_casing(texts, change)]
    found += weak_tests(state.targets, texts)
    targets = [case for target in state.targets for case in answers(target, proof.report.cases)]
    survivors: list[Mutant] = []
    if context.settings.mutation and targets:
        code = [change for change in changed if change.path.endswith(".py")]
        survivors, unsaid = _survivors(context, candidate, code, targets, proof)
        found += [*(f"no test notices {mutant}" for mutant in survivors), *unsaid]
    return tuple(one_line(context.redact(warning), _WARNING) for warning in found), tuple(survivors)


def follow_up(context: CycleContext, state: CycleState, item: Item) -> None:
    """Plan an item for each mutant that survives this cycle's GREEN and REFACTOR; made once, however often it
    is called."""
    mutants = [
        info.mutant
        for record in context.run.records
        if isinstance(record, Handoff) and record.phase == Phase.GREEN
        for info in record.mutants
    ]
    plan = context.repo.plan.plan()
    known = {one.mutant for one in plan.items}
    items = [
        Item("", f"notices {mutant}", f"No test noticed it after '{item.title}'.", parent=item.id,
            mutant=mutant)
        for mutant in dict.fromkeys(mutants)
        if mutant not in known and text_with(context.repo, state.tip, mutant) is not None
    ]  # fmt: skip
    if items:
        context.repo.plan.add(items, plan=plan)


def text_with(repo: Repository, treeish: str, mutant: Mutant) -> str | None:
    """Return the mutant's file with the fault in place; None where the code that it changes is not there
    any more."""
    return mutant.applied(_text(repo, treeish, mutant.path))


def _text(repo: Repository, treeish: str, path: str) -> str:
    return (file_at(repo, treeish, path) or b"").decode("utf-8", "replace")


def _survivors(
    context: CycleContext, candidate: Candidate, code: Sequence[Change], targets: Sequence[Case], proof: Proof
) -> tuple[list[Mutant], list[str]]:
    """Put faults into the lines that GREEN changed, one at a time.

    Return those that no test notices, and what was not tried.
    """
    context.watch.doing("GREEN: putting faults into the changed lines")
    until = time.monotonic() + _MUTATION_SECONDS
    made, unsaid = _made(context.prover, code)
    green = [
        case for case in proof.report.cases if case.outcome is Outcome.PASSED and case.id not in proof.flaky
    ]
    survivors: list[Mutant] = []
    tried = 0
    for mutant in made:
        if time.monotonic() >= until or len(survivors) >= _MOST:
            break
        tried += 1
        text = text_with(context.repo, candidate.tree, mutant)
        if text is not None and all(
            _pass(context.prover, candidate.commit, {mutant.path: text}, asked, until)
            for asked in ((targets, targets), (green, ()))
        ):
            survivors.append(mutant)
    if tried < len(made):
        unsaid.append(f"mutation: {tried} of {len(made)} faults were tried")
    return survivors, unsaid


def _made(prover: Prover, code: Sequence[Change]) -> tuple[list[Mutant], list[str]]:
    made: list[Mutant] = []
    trouble = []
    with tempfile.TemporaryDirectory(dir=prover.work) as folder:
        for change in code:
            after = change.after or ""
            lines = mutants.changed_lines(change.before or "", after)
            try:
                made += mutants.mutants(change.path, after, lines, Path(folder), prover.environ)
            except NoMutants as error:
                trouble.append(f"mutation: {error}")
    return made, trouble


def _pass(
    prover: Prover,
    commit: str,
    texts: Mapping[str, str],
    asked: tuple[Sequence[Case], Sequence[Case]],
    until: float,
) -> bool:
    """Whether all wanted tests pass with other texts in some files. ``asked``: the wanted tests, and those that are
    run, or none for all. Without time: no."""
    wanted, only = asked
    left = until - time.monotonic()
    if left <= 0:
        return False
    report, _ = prover.run_rewritten(commit, texts, only, left)
    return {case.id for case in wanted} <= report.passing_ids
