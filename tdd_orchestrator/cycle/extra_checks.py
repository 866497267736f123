"""Checks on top of a proven GREEN: signs of code made for its test (always, they are cheap), and mutants
(where a setting asks for them). They warn with evidence and refuse nothing."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tdd_orchestrator.cycle.attempt.candidate import Candidate, file_at, paths_between
from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.cycle.gates import answers
from tdd_orchestrator.cycle.proof import Proof, Prover
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.cycle.warning_signs import special_casing, weak_tests
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.plan import Item, Mutant
from tdd_orchestrator.model.records import Handoff
from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.runners import mutants
from tdd_orchestrator.runners.mutants import NoMutants
from tdd_orchestrator.text import one_line
from tdd_orchestrator.workspace.guard import Change, is_test

_MUTATION_SECONDS = 60.0
_MOST = 5  # surviving mutants that are named
_WARNING = 400  # characters


def fit(mutation: bool, language: str) -> None:
    """Refuse at the start, where a stronger check is wanted that cannot be made here."""
    if mutation and language != "python":
        raise Refused("proof.mutation works for Python only.", "Set proof.mutation = false in tdd.toml.")
    if mutation and not mutants.available():
        raise Refused(
            "proof.mutation needs the extra 'quality'.",
            "Install it: python -m pip install 'tdd-orchestrator[quality]'.",
        )


def strengthened(
    context: CycleContext, state: CycleState, candidate: Candidate, proof: Proof
) -> tuple[tuple[str, ...], tuple[Mutant, ...]]:
    """Return the warnings about a proven GREEN, which the screen shows as well, and the mutants that
    survive."""
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
    for warning in found:
        context.watch.note(context.redact(warning))
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
            _pass(context.prover, candidate, {mutant.path: text}, wanted, only, until)
            for wanted, only in ((targets, targets), (green, ()))
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
    candidate: Candidate,
    texts: Mapping[str, str],
    wanted: Sequence[Case],
    only: Sequence[Case],
    until: float,
) -> bool:
    """Whether all wanted tests pass with other texts in some files; ``only`` these are run, or all. Without
    time: no."""
    left = until - time.monotonic()
    if left <= 0:
        return False
    report, _ = prover.run_rewritten(candidate.commit, texts, only, left)
    return {case.id for case in wanted} <= report.passing_ids
