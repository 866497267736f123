"""What an agent is told: the state of the cycle as a brief, composed by the prompting room."""

from __future__ import annotations

import os
import re
from dataclasses import fields
from typing import Any

from tdd_orchestrator.agents.agent import TIMEOUT
from tdd_orchestrator.cycle import known_fixes
from tdd_orchestrator.cycle.attempt.attempt_plan import Turn
from tdd_orchestrator.cycle.attempt.candidate import diff_between, paths_between
from tdd_orchestrator.cycle.attempt.code_context import around
from tdd_orchestrator.cycle.attempt.style_example import style_of
from tdd_orchestrator.cycle.prove import Proof
from tdd_orchestrator.cycle.recovery import Kind
from tdd_orchestrator.cycle.state import Attempt, CycleState
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.records import Handoff, Trouble
from tdd_orchestrator.prompting.brief import Brief, FixRequest, Try
from tdd_orchestrator.prompting.compose import SHORT


def prompt(shop: Workshop, state: CycleState, turn: Turn) -> str:
    return shop.compose(turn.role, brief(shop, state, turn))


def brief(shop: Workshop, state: CycleState, turn: Turn) -> Brief:
    """Plain values only; lengths are cut where the prompt is composed."""
    item, suite = turn.item, shop.prover.suites[0]
    mine = state.refused(everything=True)
    last = mine[-1] if mine else None
    style = style_of(shop, state, item) if turn.phase is Phase.RED else ("", "")
    return Brief(
        phase="fix" if turn.is_fix else str(turn.phase).lower(),
        item_id=item.id,
        title=item.title,
        description=item.description,
        item_type=item.type,
        attempt=turn.number,
        max_attempts=shop.settings.retry.max_retries + 1,
        test_command=" ".join(suite.command),
        framework=suite.framework.name,
        language=suite.framework.language,
        test_patterns=suite.framework.test_files,
        test_file=item.test_file,
        impl_file=item.impl_file,
        mutant=str(state.mutant or ""),
        style_path=style[0],
        style_code=style[1],
        target_tests=_targets(state, turn),
        failing_output="" if turn.shown.count else failing_output(shop, state),
        broken_tests=last.failing if last and last.verdict == Verdict.BREAKS_EXISTING else (),
        forbidden=()  # RED's own prompt says it: test files only
        if turn.phase is Phase.RED
        else (*suite.framework.test_files, *suite.framework.support_files, *suite.framework.config_files),
        smells=_noticed(shop) if turn.phase is Phase.REFACTOR else (),
        changed_files=_changed(shop, state),
        tries=tuple(_tried(attempt) for attempt in mine),
        kept=turn.start != state.tip,
        diagnosis=last.diagnosis if last else None,
        cured=known_fixes.told(shop, last.fingerprint) if last else "",
        investigation=last.move.feedback if last else "",
        cycle_diff=_cycle_diff(shop, state, turn),
        minutes=minutes_of(shop, turn.agent.name, turn.move.longer),
        note=turn.move.note,
        handoff="" if turn.shown.count else state.summary,
        hints=(state.hint,) if state.hint else (),
        done_items=tuple(shop.items.get("completed_items", ())[-_ITEMS:]),
        pending_items=tuple(shop.items.get("pending_items", ())[:_ITEMS]),
        source=f"{last.agent} in {state.phase}" if last else "",
        request=_request(last) if turn.is_fix and last else None,
        context=_context(shop, state, last) if last else "",
        room=SHORT if turn.shorter else 1.0,
    )


_ITEMS = 200  # ids of the plan in a brief, the newest done and the next to come
_PLACE = re.compile(r"\S+:\d+: ")


def _noticed(shop: Workshop) -> tuple[str, ...]:
    """What stronger checks saw in the code of GREEN, each with its place."""
    green = [one for one in shop.records if isinstance(one, Handoff) and one.phase == Phase.GREEN]
    return tuple(warning for warning in (green[-1].warnings if green else ()) if _PLACE.match(warning))


def _context(shop: Workshop, state: CycleState, last: Attempt) -> str:
    """The code around the failure, where recovery asks for it."""
    seen = last.diagnosis
    if last.move.kind != Kind.MORE_CONTEXT or seen is None:
        return ""
    commit = last.commit or state.tip
    return around(shop, commit, seen, paths_between(shop, state.tip, commit))


def _cycle_diff(shop: Workshop, state: CycleState, turn: Turn) -> str:
    """What earlier phases of the cycle changed."""
    if turn.phase is Phase.RED:
        return ""
    return diff_between(shop, state.base, turn.shown.commit if turn.shown.count else state.tip)


def _targets(state: CycleState, turn: Turn) -> tuple[str, ...]:
    """The tests that must pass; not by their rows, where some of these are withheld."""
    if not turn.shown.count:
        return state.targets
    return tuple(test.id for path, text in turn.shown.texts.items() for test in find_tests(text, path))


def minutes_of(shop: Workshop, agent: str, longer: float = 1.0) -> float:
    """Minutes until this agent is stopped; 0 for a person."""
    wall, _ = shop.settings.agent_timeout.get(agent, (TIMEOUT, 0.0))
    return 0.0 if agent == "human" else round(wall * longer / 60, 1)


def _changed(shop: Workshop, state: CycleState) -> tuple[str, ...]:
    """Paths that this cycle changed so far."""
    return tuple(
        os.fsencode(path).decode("utf-8", "replace") for path in paths_between(shop, state.base, state.tip)
    )


def failing_output(shop: Workshop, state: CycleState) -> str:
    """What the target tests said when they last ran: each failure with its traceback."""
    for record in reversed(shop.records):
        if not isinstance(record, Handoff | Trouble) or not record.tests.evidence:
            continue
        found = shop.prover.recorded(record.tests.tree, [record])
        if found is not None:
            return shown(found)
    return ""


def shown(proof: Proof) -> str:
    """The failures of a run, each with its traceback."""
    parts = [f"{e.file}:{e.line}: {e.message}\n{e.detail}" for e in proof.report.build_errors[:3]]
    parts += [f"{case.name}\n{case.detail or case.message}" for case in proof.report.failing[:5]]
    return "\n\n".join(parts)


def _tried(attempt: Attempt) -> Try:
    return Try(attempt.attempt, Verdict(attempt.verdict), attempt.reasons, attempt.diff, attempt.last_words)


def _request(last: Attempt) -> FixRequest:
    """As it was gathered when the attempt failed; lists come back from the record as tuples."""
    known = {one.name for one in fields(FixRequest)}
    found: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in last.request.items()
    }
    return FixRequest(**{key: value for key, value in found.items() if key in known})
