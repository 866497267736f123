"""Decide who makes the next attempt, from which commit, and in which session (A10, A14); and which examples of RED's
tables GREEN's agent is not shown (E7)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tdd_orchestrator.agents.agent import Agent, Fault, Reply
from tdd_orchestrator.cycle.attempt.account_limits import limited_until
from tdd_orchestrator.cycle.attempt.candidate import Candidate, tree_of
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.counterfactual.answers import SLOWEST
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.proof import Proof, Prover
from tdd_orchestrator.cycle.recovery import PHASE_ROLE, Kind
from tdd_orchestrator.cycle.state import Attempt, CycleState, place
from tdd_orchestrator.languages.twins import without_rows
from tdd_orchestrator.model.parts import MoveInfo
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.repo.diff import differing
from tdd_orchestrator.workspace.guard import is_test

_FAILS = (Verdict.STILL_FAILING, Verdict.PARTLY_FAILING)


NO_TABLE = "no example was withheld: RED wrote no table of examples that can be read"


@dataclass(frozen=True, slots=True)
class GivenTree:
    """The commit that an agent is given. ``texts`` are its test files that lack ``count`` examples."""

    commit: str
    texts: Mapping[str, str] = field(default_factory=dict)
    count: int = 0


def withhold(context: CycleContext, state: CycleState, start: str) -> GivenTree:
    """Return what GREEN's agent is given in place of ``start``; ``start`` itself where nothing is withheld.

    The commit stands on the cycle's base, so that the history which the agent sees has no other version of
    the tests.
    """
    if state.phase is not Phase.GREEN or not context.settings.withhold or context.settings.inplace:
        return GivenTree(start)
    attempt_plan = len(state.refused(everything=True))
    entries, texts, count = {}, {}, 0
    for raw, was, now in differing(
        context.repo.objects, tree_of(context.repo, state.base), tree_of(context.repo, start)
    ):
        path = os.fsdecode(raw)
        if now is None or not is_test(path, context.project.rules):
            continue
        text, before = (
            context.repo.objects.read(entry[1])[1].decode("utf-8", "replace") if entry else ""
            for entry in (now, was)
        )
        shown, hidden = without_rows(text, before, path, state.cycle_id, attempt_plan)
        if hidden:
            entries[raw] = (now[0], context.repo.objects.write_blob(shown.encode()))
            texts[path], count = shown, count + hidden
    if not entries:
        return GivenTree(start)
    tree = context.repo.objects.edit_tree(tree_of(context.repo, start), entries)
    facts = context.repo.objects.read_commit(start)
    commit = context.repo.objects.write_commit(
        tree, [state.base], facts.message, author=facts.author, committer=facts.committer
    )
    return GivenTree(commit, texts, count)


def explain(
    prover: Prover, candidate: Candidate, judged: Judgement, proof: Proof | None, shown: GivenTree
) -> Judgement:
    """Say in a judgement of GREEN how the withheld examples did."""
    examples = f"{shown.count} withheld {'example' if shown.count == 1 else 'examples'}"
    if judged.verdict is Verdict.PROVEN:
        if shown.count:
            return replace(judged, reasons=(*judged.reasons, f"{examples} of RED's tables pass as well"))
        return replace(judged, warnings=(*judged.warnings, NO_TABLE))
    if judged.verdict not in _FAILS or not shown.count or proof is None:
        return judged
    failing = [case for case in proof.report.failing if case.id in judged.failing]
    report, _ = prover.run_rewritten(candidate.commit, shown.texts, failing, SLOWEST)
    if report.verdict is not RunVerdict.PASSED:
        return judged
    why = (
        f"it passes every example that the agent was shown, and not the {examples}: a special case, or "
        "a rule that they alone state"
    )
    return replace(judged, reasons=(why, *judged.reasons))


@dataclass(frozen=True, slots=True)
class AttemptPlan:
    """One attempt to come.

    ``serial`` counts the attempts of the phase from 1, ``retry`` its counted retries; ``start`` is the
    commit that the agent is given.
    """

    phase: Phase
    role: str
    agent: Agent
    item: Item
    serial: int
    retry: int
    start: str
    move: MoveInfo = field(default_factory=MoveInfo)
    fixes: int = 0  # how often a specialist was called in this phase, this time included
    shown: GivenTree = GivenTree("")  # what the agent is given in place of ``start``
    raced: bool = False  # another agent tries the same at the same time
    shorter: bool = False  # its model's context is too small for the whole prompt

    @property
    def is_fix(self) -> bool:
        return self.move.kind == Kind.SPECIALIST

    def place(self, state: CycleState, next_phase: Phase | None = None, **other: object) -> dict[str, Any]:
        """Return the fields that every record of this attempt begins with."""
        return place(state, self.phase, next_phase, attempt=self.serial, retry_count=self.retry, **other)

    @property
    def number(self) -> int:
        """The attempt's number as its agent sees it, from 1: what the limit of retries counts."""
        return self.fixes if self.is_fix else self.retry + 1


@dataclass(frozen=True, slots=True)
class JudgedAttempt:
    """An attempt whose work is judged. ``proof`` is None where no run was needed."""

    attempt_plan: AttemptPlan
    reply: Reply
    candidate: Candidate
    judged: Judgement
    proof: Proof | None


def plan_attempt(context: CycleContext, state: CycleState, item: Item) -> AttemptPlan:
    """A provider that was away decides when and by whom, never what: that was decided by the last refused
    work."""
    mine = state.refused()
    last = mine[-1] if mine else None
    move = _away(state, last.move if last is not None else MoveInfo())
    role = move.role or PHASE_ROLE[state.phase]
    start = last.commit if last is not None and move.on_candidate and last.commit else state.tip
    serial = state.attempt if state.interrupted else len(state.of_phase(everything=True)) + 1
    called = sum(1 for earlier in mine if earlier.role not in PHASE_ROLE.values())
    agent = context.agents.registry.agent(role, move.agent)
    other = context.agents.registry.fallback(agent.name)
    if other and limited_until(context, agent.name) is not None:
        agent = context.agents.registry.agent(role, other)
    shown = withhold(context, state, start)
    return AttemptPlan(
        state.phase, role, agent, item, max(serial, 1), state.retry, start, move, called + 1,
        shown=shown, shorter=_shorter(state, agent.name),
    )  # fmt: skip


def _shorter(state: CycleState, agent: str) -> bool:
    """Whether the whole prompt was too large for this agent in this phase; once a person was asked, it is
    tried again."""
    seen = False
    for attempt in state.of_phase():
        if attempt.move.kind == Kind.PAUSE:
            seen = False
        elif attempt.agent == agent:
            seen = seen or attempt.move.shorter
    return seen


def _away(state: CycleState, decided: MoveInfo) -> MoveInfo:
    """The decided move, with the wait and the agent of a provider's fault that came after it."""
    newest = state.of_phase()[-1:]
    if not newest or not newest[0].move.provider_away:
        return decided
    move = newest[0].move
    longer = max(decided.longer, move.longer)
    note = move.note or decided.note
    update = {"delay": move.delay, "agent": move.agent, "longer": longer, "until": move.until, "note": note}
    return decided.model_copy(update=update)


GOES_ON = frozenset(
    {
        Verdict.NO_CHANGE, Verdict.STILL_FAILING, Verdict.PARTLY_FAILING, Verdict.FORBIDDEN_CHANGE,
        Verdict.INVALID_TEST,
        Verdict.UNEXPECTED_PASS, Verdict.NO_NEW_TEST, Verdict.DUPLICATE_TEST, Verdict.BUILD_ERROR,
    }
)  # fmt: skip
"""Verdicts after which what the model read still holds. Not after tests broke and all was rolled back."""

_MOVES = frozenset({Kind.RETRY, Kind.MORE_CONTEXT})
_AFRESH = frozenset({Fault.CONTEXT_FILLED, Fault.SESSION_LOST})
_LOOPS = 3  # attempts in one session, after which it begins afresh


def session_of(state: CycleState, attempt_plan: AttemptPlan) -> str:
    """The session to resume; ``""`` where the attempt begins afresh: another agent or role, a fault (a
    context that was used up, a time limit), a rollback, or a session that failed several times already."""
    mine = [attempt for attempt in state.refused() if attempt.role == attempt_plan.role]
    last = mine[-1] if mine else None
    if last is None or attempt_plan.is_fix or not _fits(last, attempt_plan):
        return ""
    newest = state.of_phase()[-1]
    if newest is not last and newest.fault in _AFRESH:
        return ""
    used = sum(attempt.session == last.session for attempt in mine)
    return last.session if used < _LOOPS else ""


def _fits(last: Attempt, attempt_plan: AttemptPlan) -> bool:
    same = last.agent == attempt_plan.agent.name and bool(last.session) and not last.fault
    kept = last.move.kind in _MOVES or last.verdict == Verdict.FORBIDDEN_CHANGE
    return same and last.verdict in GOES_ON and kept
