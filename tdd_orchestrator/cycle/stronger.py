"""Checks on top of a proven GREEN: signs of code made for its test (always, they are cheap), and mutants (where a setting
asks for them). They warn with evidence and refuse nothing."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.cycle.candidate import Candidate, file_at, paths_between
from tdd_orchestrator.cycle.gates import answers
from tdd_orchestrator.cycle.prove import Proof
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.cycle.warning_signs import special_casing, without_assertion
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.runners import mutants
from tdd_orchestrator.runners.mutants import Mutant, NoMutants
from tdd_orchestrator.text import one_line
from tdd_orchestrator.workspace.guard import Change, is_test

GAP = "no test notices "
"""How a warning begins that names a surviving mutant; the follow-up items are made from it."""

_MUTATION_SECONDS = 60.0
_GAPS = 5  # surviving mutants that are named
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


def strengthened(shop: Workshop, state: CycleState, candidate: Candidate, proof: Proof) -> tuple[str, ...]:
    """Return the warnings about a proven GREEN, which the screen shows as well."""
    changed = [
        change
        for change in candidate.changes
        if change.after is not None and not is_test(change.path, shop.rules)
    ]
    written = paths_between(shop, state.base, state.red) if state.red else ()
    texts = [(path, _text(shop, candidate, path)) for path in written if is_test(path, shop.rules)]
    found = [sign for change in changed for sign in special_casing(texts, change)]
    found += without_assertion(state.targets, texts)
    targets = [case for target in state.targets for case in answers(target, proof.report.cases)]
    if shop.settings.mutation and targets:
        code = [change for change in changed if change.path.endswith(".py")]
        found += _mutation(shop, candidate, code, targets, proof)
    for warning in found:
        shop.watch.note(shop.redact(warning))
    return tuple(one_line(shop.redact(warning), _WARNING) for warning in found)


def follow_up(shop: Workshop, state: CycleState, item: Item) -> None:
    """An item for each gap that this cycle's GREEN left; made once, however often it is called."""
    gaps = [
        warning.removeprefix(GAP)
        for record in shop.records
        if record["kind"] == "handoff" and record.get("phase") == "GREEN"
        for warning in record.get("warnings", ())
        if warning.startswith(GAP)
    ]
    plan = shop.book.plan()
    there = {one.title for one in plan.items}
    fresh = {title: gap for gap in gaps if (title := one_line(f"covers: {gap}", 200)) not in there}
    items = [
        Item("", title, f"Found by mutation after '{item.title}': every test passes with {gap}. Write the test that "
             "fails then, or take away the code that no test asks for.", parent=item.id)
        for title, gap in fresh.items()
    ]  # fmt: skip
    if items:
        shop.book.add(items, plan=plan)


def _text(shop: Workshop, candidate: Candidate, path: str) -> str:
    return (file_at(shop, candidate.tree, path) or b"").decode("utf-8", "replace")


def _mutation(
    shop: Workshop, candidate: Candidate, code: Sequence[Change], targets: Sequence[Case], proof: Proof
) -> list[str]:
    """Faults in the lines that GREEN changed, one after the other; those that every test lets through are named."""
    shop.watch.doing("GREEN: putting faults into the changed lines")
    shop.prover.prepare(candidate.commit)
    until = time.monotonic() + _MUTATION_SECONDS
    made, found = _made(shop, code)
    texts = {change.path: change.after or "" for change in code}
    green = [
        case for case in proof.report.cases if case.outcome is Outcome.PASSED and case.id not in proof.flaky
    ]
    gaps: list[str] = []
    tried = 0
    for mutant in made:
        if time.monotonic() >= until or len(gaps) >= _GAPS:
            break
        tried += 1
        with _instead(shop.prover.tree.path / mutant.path, mutant.applied(texts[mutant.path])):
            if _pass(shop, targets, targets, until) and _pass(shop, green, (), until):
                gaps.append(f"{GAP}{mutant.said} in {mutant.path}:{mutant.line}")
    if tried < len(made):
        found.append(f"mutation: {tried} of {len(made)} faults were tried")
    return [*gaps, *found]


def _made(shop: Workshop, code: Sequence[Change]) -> tuple[list[Mutant], list[str]]:
    made: list[Mutant] = []
    trouble = []
    with tempfile.TemporaryDirectory(dir=shop.prover.work) as folder:
        for change in code:
            after = change.after or ""
            lines = mutants.changed_lines(change.before or "", after)
            try:
                made += mutants.mutants(change.path, after, lines, Path(folder), shop.prover.environ)
            except NoMutants as error:
                trouble.append(f"mutation: {error}")
    return made, trouble


def _pass(shop: Workshop, wanted: Sequence[Case], only: Sequence[Case], until: float) -> bool:
    """Whether all wanted tests pass on the tree as it stands; ``only`` these are run, or all. Without time: no."""
    suite = shop.prover.suites[0]
    left = until - time.monotonic()
    if left <= 0:
        return False
    suite = replace(suite, timeout=min(suite.timeout or left, left))
    seen = {case.id: case.outcome for case in shop.prover.run_chosen(suite, list(only)).report.cases}
    return all(seen.get(case.id) is Outcome.PASSED for case in wanted)


@contextmanager
def _instead(path: Path, text: str) -> Iterator[None]:
    """Another text in a file of the clean tree, for a while. A kill in between is undone by the tree's next move."""
    before = path.read_bytes()
    path.write_bytes(text.encode())
    try:
        yield
    finally:
        path.write_bytes(before)
