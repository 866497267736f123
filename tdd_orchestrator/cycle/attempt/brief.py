"""Build the brief of an agent from the state of its cycle, with an example test and the code around a failure."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from tdd_orchestrator.agents.agent import TIMEOUT, Request
from tdd_orchestrator.cycle import known_fixes
from tdd_orchestrator.cycle.attempt.attempt_plan import AttemptPlan, session_of
from tdd_orchestrator.cycle.attempt.candidate import diff_between, file_at, paths_between, paths_of
from tdd_orchestrator.cycle.context import CommandRun, CycleContext, Repository, Settings
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.recovery import Kind
from tdd_orchestrator.cycle.state import Attempt, CycleState
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.model.diagnosis import Diagnosis
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.plan import Item, ItemType
from tdd_orchestrator.model.reading import read_as
from tdd_orchestrator.model.records import Handoff, Trouble
from tdd_orchestrator.prompting.brief import Brief, FixRequest, Try
from tdd_orchestrator.prompting.compose import SHORT
from tdd_orchestrator.text import one_line, plain
from tdd_orchestrator.workspace.guard import tests_among

_TASKS = {
    Phase.RED: "write a test that fails because this does not work yet; change tests only",
    Phase.GREEN: "make {tests} pass; change no test",
    Phase.REFACTOR: "improve the code where it needs it; the same tests must pass (no change is fine, too)",
}
_KILL = "write a test that passes, and fails with that fault in the code; change tests only"


def request(context: CycleContext, state: CycleState, attempt_plan: AttemptPlan) -> Request:
    """Return what the agent of an attempt is given, its prompt among it."""
    who = f"{attempt_plan.role}-{attempt_plan.agent.name}" if attempt_plan.raced else attempt_plan.role
    wall, idle = context.settings.agent_timeout.get(attempt_plan.agent.name, (TIMEOUT, 0.0))
    return Request(
        role=attempt_plan.role,
        phase="fix" if attempt_plan.is_fix else str(attempt_plan.phase).lower(),
        prompt=prompt(context, state, attempt_plan),
        tree=context.agents.tree.path,
        output=context.repo.places.run(state.cycle_id, attempt_plan.phase, attempt_plan.serial, who),
        cycle_id=state.cycle_id,
        attempt=attempt_plan.serial,
        timeout=wall,
        idle_timeout=idle,
        stretch=attempt_plan.move.longer,
        failed_phase=str(attempt_plan.phase) if attempt_plan.is_fix else "",
        task=f"{attempt_plan.item.title}\n  do     {_task(state, attempt_plan)}",
        signal=FixRequest().signal if attempt_plan.is_fix else "",
        run_marker=context.agents.run_marker,
        port=context.agents.port,
        session=session_of(state, attempt_plan),
        needs=attempt_plan.item.needs,
    )


def _task(state: CycleState, attempt_plan: AttemptPlan) -> str:
    """Return what is to be done, for a person; GREEN's tests are named, as they may be from another day."""
    targets = _targets(state, attempt_plan)
    left = len(targets) - _NAMED
    tests = ", ".join(targets[:_NAMED]) + (f" and {left} more" if left > 0 else "")
    return _KILL if state.mutant else _TASKS[attempt_plan.phase].format(tests=tests)


def prompt(context: CycleContext, state: CycleState, attempt_plan: AttemptPlan) -> str:
    return context.agents.compose(attempt_plan.role, brief(context, state, attempt_plan))


def brief(context: CycleContext, state: CycleState, attempt_plan: AttemptPlan) -> Brief:
    """Plain values only; lengths are cut where the prompt is composed."""
    item, suite = attempt_plan.item, context.prover.suites[0]
    mine = state.refused(everything=True)
    last = mine[-1] if mine else None
    style = style_of(context, state, item) if attempt_plan.phase is Phase.RED else ("", "")
    return Brief(
        phase="fix" if attempt_plan.is_fix else str(attempt_plan.phase).lower(),
        item_id=item.id,
        title=item.title,
        description="\n\n".join(filter(None, (item.description, _place_in_plan(context.repo, item)))),
        item_type=item.type,
        attempt=attempt_plan.number,
        max_attempts=context.settings.retry.max_retries + 1,
        test_command=" ".join(suite.command),
        framework=suite.framework.name,
        language=suite.framework.language,
        test_patterns=suite.framework.test_files,
        test_file=item.test_file,
        impl_file=item.impl_file,
        mutant=str(state.mutant or ""),
        style_path=style[0],
        style_code=style[1],
        target_tests=_targets(state, attempt_plan),
        failing_output="" if attempt_plan.shown.count else failing_output(context, state),
        broken_tests=last.failing if last and last.verdict == Verdict.BREAKS_EXISTING else (),
        forbidden=()  # RED's own prompt says it: test files only
        if attempt_plan.phase is Phase.RED
        else (*suite.framework.test_files, *suite.framework.support_files, *suite.framework.config_files),
        smells=_noticed(context.run) if attempt_plan.phase is Phase.REFACTOR else (),
        affected_tests=_affected(context.run),
        changed_files=_changed(context.repo, state),
        tries=tuple(_tried(attempt) for attempt in mine),
        kept=attempt_plan.start != state.tip,
        diagnosis=last.diagnosis if last else None,
        known_fix=known_fixes.fix_hint(context.repo, last.fingerprint) if last else "",
        investigation=last.move.feedback if last else "",
        cycle_diff=_cycle_diff(context, state, attempt_plan),
        minutes=minutes_of(context.settings, attempt_plan.agent.name, attempt_plan.move.longer),
        note=attempt_plan.move.note,
        handoff="" if attempt_plan.shown.count else state.summary,
        hints=(state.hint,) if state.hint else (),
        done_items=tuple(context.run.item_ids.get("completed_items", ())[-_ITEMS:]),
        pending_items=tuple(context.run.item_ids.get("pending_items", ())[:_ITEMS]),
        source=f"{last.agent} in {state.phase}" if last else "",
        request=read_as(FixRequest, last.request) if attempt_plan.is_fix and last else None,
        context=_context(context.repo, state, last) if last else "",
        room=SHORT if attempt_plan.shorter else 1.0,
    )


def _place_in_plan(repo: Repository, item: Item) -> str:
    """Return a sentence on the acceptance item that the item is part of, or on the children it has itself."""
    plan = repo.plan.plan()
    parent, below = plan.get(item.parent), plan.open_children(item)
    if parent is not None and parent.type is ItemType.ACCEPTANCE:
        return f"It is one step of: {parent.title} (whose own test is written, and fails until all steps are done)."
    if not below:
        return ""
    steps = "".join(f"\n- {one.title}" for one in plan.items if one.id in below)
    return f"This is an acceptance test: test the whole from outside, as its user would. It fails until these steps are done:{steps}"


_FAILURES = 5  # shown of a run
_NAMED = 3  # tests in the one line for a person
_ITEMS = 200  # ids of the plan in a brief, the newest done and the next to come
_SHOWN_TESTS = 20  # affected tests in a brief
_PLACE = re.compile(r"\S+:\d+: ")


def _noticed(run: CommandRun) -> tuple[str, ...]:
    """What stronger checks saw in the code of GREEN, each with its place."""
    green = [one for one in run.records if isinstance(one, Handoff) and one.phase == Phase.GREEN]
    return tuple(warning for warning in (green[-1].warnings if green else ()) if _PLACE.match(warning))


def _affected(run: CommandRun) -> tuple[str, ...]:
    """Return the tests that execute the code around the change, as the last accepted phase measured it."""
    accepted = [one for one in run.records if isinstance(one, Handoff)]
    return tuple(accepted[-1].affected_tests[:_SHOWN_TESTS]) if accepted else ()


def _context(repo: Repository, state: CycleState, last: Attempt) -> str:
    """The code around the failure, where recovery asks for it."""
    seen = last.diagnosis
    if last.move.kind != Kind.MORE_CONTEXT or seen is None:
        return ""
    commit = last.commit or state.tip
    return around(repo, commit, seen, paths_between(repo, state.tip, commit))


def _cycle_diff(context: CycleContext, state: CycleState, attempt_plan: AttemptPlan) -> str:
    """What earlier phases of the cycle changed."""
    if attempt_plan.phase is Phase.RED:
        return ""
    return diff_between(
        context, state.base, attempt_plan.shown.commit if attempt_plan.shown.count else state.tip
    )


def _targets(state: CycleState, attempt_plan: AttemptPlan) -> tuple[str, ...]:
    """The tests that must pass; not by their rows, where some of these are withheld."""
    if not attempt_plan.shown.count:
        return state.targets
    return tuple(
        test.id for path, text in attempt_plan.shown.texts.items() for test in find_tests(text, path)
    )


def minutes_of(settings: Settings, agent: str, longer: float = 1.0) -> float:
    """Minutes until this agent is stopped; 0 for a person."""
    wall, _ = settings.agent_timeout.get(agent, (TIMEOUT, 0.0))
    return 0.0 if agent == "human" else round(wall * longer / 60, 1)


def _changed(repo: Repository, state: CycleState) -> tuple[str, ...]:
    """Paths that this cycle changed so far."""
    return tuple(
        os.fsencode(path).decode("utf-8", "replace") for path in paths_between(repo, state.base, state.tip)
    )


def failing_output(context: CycleContext, state: CycleState) -> str:
    """Return the output of the target tests' last run: each failure with its traceback."""
    for record in reversed(context.run.records):
        if not isinstance(record, Handoff | Trouble) or not record.tests.evidence:
            continue
        found = context.prover.recorded(record.tests.tree, [record])
        if found is not None:
            return failing_text(found)
    return ""


def failing_text(proof: Proof) -> str:
    """The failures of a run, each traceback once: tests that share one stand above it."""
    names: dict[str, list[str]] = {}
    for error in proof.report.build_errors[:3]:
        where = f"{error.file}:{error.line}: {error.message}"
        names.setdefault(error.detail.strip(), []).append(where)
    for case in proof.report.failing[:_FAILURES]:
        names.setdefault((case.detail or case.message).strip(), []).append(case.name)
    parts = ["\n".join([*dict.fromkeys(some), text]).strip() for text, some in names.items()]
    left = len(proof.report.failing) - _FAILURES
    return "\n\n".join([*parts, f"... and {left} more fail"] if left > 0 else parts)


def _tried(attempt: Attempt) -> Try:
    return Try(attempt.attempt, Verdict(attempt.verdict), attempt.reasons, attempt.diff, attempt.last_words)


_READ = 20_000  # bytes of a file
_LOOKED_AT = 30  # files at most, the nearest first


def style_of(context: CycleContext, state: CycleState, item: Item) -> tuple[str, str]:
    """Return path and text of the example; both empty where no test exists yet."""
    paths = tests_among(paths_of(context.repo, state.tip), context.project.rules)
    for path in nearest(paths, item.test_file, item.impl_file)[:_LOOKED_AT]:
        text = (file_at(context.repo, state.tip, path) or b"")[:_READ].decode("utf-8", "replace")
        try:
            found = find_tests(text, path)
        except ValueError:
            continue
        if found:
            return path, text
    return "", ""


def nearest(paths: Iterable[str], test_file: str, impl_file: str) -> list[str]:
    """Order test files by their nearness to where the new test belongs: the file itself, then shared folders
    and words."""

    def distance(path: str) -> tuple[bool, int, int, str]:
        here = PurePosixPath(path)
        wanted = PurePosixPath(test_file or impl_file)
        shared = sum(
            1 for one, other in zip(here.parts[:-1], wanted.parts[:-1], strict=False) if one == other
        )
        alike = bool(wanted.stem) and bool(impl_file) and PurePosixPath(impl_file).stem in here.stem
        return path != test_file, -int(alike), -shared, path

    return sorted(paths, key=distance)


_NEAR = 8  # lines on each side of the place
_HEAD = 16  # lines of a changed file that the diagnosis does not name
_FILES = 4
_LINE = 160  # characters


def around(repo: Repository, commit: str, seen: Diagnosis, changed: Iterable[str]) -> str:
    """Numbered lines at the diagnosed place, and the first of each other changed file, as ``commit`` holds
    them."""
    places = {seen.file: seen.line} if seen.file else {}
    for path in changed:
        places.setdefault(path, 0)
    parts = []
    for path, line in list(places.items())[:_FILES]:
        held = file_at(repo, commit, path)
        if held is not None and b"\0" not in held:
            parts.append(_excerpt(path, line, held.decode("utf-8", "replace")))
    return "\n\n".join(parts)


def _excerpt(path: str, line: int, text: str) -> str:
    lines = plain(text).splitlines()
    first, last = (max(1, line - _NEAR), line + _NEAR) if line else (1, _HEAD)
    rows = [
        f"{'>' if number == line else ' '} {number}  {one_line(code, _LINE) if len(code) > _LINE else code}"
        for number, code in enumerate(lines[first - 1 : last], first)
    ]
    name = one_line(path, _LINE)
    return "\n".join([f"{name}:{line}" if line else name, *rows])
