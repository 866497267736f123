"""Lines that no test executes, and the tests that execute the code around a change (``proof.covered``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from tdd_orchestrator.cycle.attempt.candidate import Candidate, file_at, paths_between
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.source import imports
from tdd_orchestrator.languages.twins import stop_before
from tdd_orchestrator.model.coverage import Coverage, Lines, ranges
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.plan import Mutant
from tdd_orchestrator.runners.mutants import changed_lines
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
