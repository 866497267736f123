"""How a failure is best fixed (F4): strategy, costs and steps. Pure: counts and kinds in, a row out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tdd_orchestrator.agents.agent import Fault
from tdd_orchestrator.agents.last_words import ROWS, Row
from tdd_orchestrator.failures.triggers import Stage
from tdd_orchestrator.model.diagnosis import ErrorType
from tdd_orchestrator.model.error_report import ErrorReport, ReportSnapshot
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.records import Trouble


@dataclass(frozen=True, slots=True)
class Strategy:
    """``most_files`` 0: any number. ``sure`` is the least confidence of the diagnosis (0..1) that allows
    it."""

    name: str
    hours: float
    confidence: str  # high | medium | low
    most_files: int
    sure: float
    what: str
    workflow: str  # {id} is the report's, {item} its item's


QUICK_PATCH = Strategy(
    "quick_patch", 0.5, "high", 1, 0.8,
    "Change the one place that is wrong, and nothing around it.",
    "tdd errors fix {id}",
)  # fmt: skip
TARGETED_FIX = Strategy(
    "targeted_fix", 1.5, "medium", 5, 0.5,
    "Change the few files that the failure runs through, one cause at a time.",
    "tdd errors fix {id}",
)  # fmt: skip
FULL_REWORK = Strategy(
    "full_rework", 3.0, "low", 0, 0.0,
    "Read the behaviour and its tests anew and write the implementation again from the last proven commit.",
    "tdd errors prompt {id}, read it, then tdd errors fix {id}",
)  # fmt: skip
REVERT_AND_REDESIGN = Strategy(
    "revert_and_redesign", 4.0, "low", 0, 0.0,
    "Leave what was tried, go back to the last proven commit, and choose another design or a smaller step.",
    "tdd plan add smaller steps before the item, then tdd errors close {id}",
)  # fmt: skip

STRATEGIES: dict[str, Strategy] = {
    row.name: row for row in (QUICK_PATCH, TARGETED_FIX, FULL_REWORK, REVERT_AND_REDESIGN)
}

ENVIRONMENT = frozenset({ErrorType.RESOURCE, ErrorType.TIMEOUT, ErrorType.DEPENDENCY})
"""Kinds that often lie outside the code: the machine is looked at first."""

OUTSIDE_WORKFLOW = "tdd doctor, then tdd cycle resume (until another cycle begins); else tdd errors fix {id}"
_BREAKS_OFTEN = 2  # refused attempts that broke what had passed, before the design is doubted


def choose(*, files: int, confidence: float, attempts: int, breaks: int) -> Strategy:
    """The row for a failure that touches ``files`` files (0: not known), conservative when unsure.

    ``confidence`` of the diagnosis is 0..1, ``attempts`` counts refused ones, ``breaks`` those that broke
    others.
    """
    if breaks >= _BREAKS_OFTEN and breaks * 2 > attempts:
        return REVERT_AND_REDESIGN
    for row in (QUICK_PATCH, TARGETED_FIX):
        if 0 < files <= row.most_files and confidence >= row.sure:
            return row
    return FULL_REWORK


def named(name: str) -> Strategy:
    """The row that a user names. Refused where there is none."""
    if name not in STRATEGIES:
        raise Refused(f"There is no strategy '{name}'.", f"Choose one of {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]


def workflow(row: Strategy, report: ErrorReport) -> str:
    """What to run next, as commands."""
    outside = row in (QUICK_PATCH, TARGETED_FIX, FULL_REWORK) and report.error_type in set(ENVIRONMENT)
    return (OUTSIDE_WORKFLOW if outside else row.workflow).format(id=report.error_id, item=report.item_id)


def strategy_of(trouble: Trouble, phase: str, why: str, verdicts: Collection[str] = ()) -> Strategy | None:
    """Return what a person does where the agent left only recognized last words, failed itself, or changed
    nothing; None for other failures. ``why``: why the cycle ended; ``verdicts``: of the phase's attempts.

    Where `tdd fix` gave up, a test fails whatever the agent said.
    """
    row = _row(trouble.agent.said)
    if phase == FIX:
        return _of_fix(row, why)
    if row:
        command = _command(row.person, why) or "tdd plan edit"
        return nothing_in_code(f"the agent {row.means}", f"{_literal(command)}, then {TRY_AGAIN}")
    if verdict_of(trouble) == Verdict.AGENT_FAILED:
        agent = trouble.agent
        first = f"raise agents.{agent.name}.timeout" if agent.fault in _OUT_OF_TIME else "tdd doctor --agents"
        why = "the agent's own run failed"
        if "read-only file system" in agent.failure_reason.lower():
            why += ", which in its sandbox may write its work tree alone (workspace.sandbox)"
        return nothing_in_code(why, f"{_literal(first)}, then {TRY_AGAIN}")
    if changed_nothing(phase, verdicts):
        return nothing_in_code("the agent changed nothing", f"tdd plan edit, then {TRY_AGAIN}")
    return None


def changed_nothing(phase: str, verdicts: Collection[str]) -> bool:
    """Whether no attempt of a cycle's phase changed anything, so that there is no work to correct."""
    return phase != FIX and set(verdicts) == {Verdict.NO_CHANGE}


def _of_fix(row: Row | None, why: str) -> Strategy | None:
    if row is None:
        return None
    command = _command(row.fixing, why)
    then = f"{_literal(command)}, then tdd fix" if command else BY_HAND
    return Strategy("", 0.0, "", 0, 0.0, f"The test fails, and the agent {row.means}.", then)


def nothing_in_code(why: str, next_step: str) -> Strategy:
    """Return the strategy where nothing in the code is to be changed: it has no name, hours or confidence."""
    return Strategy("", 0.0, "", 0, 0.0, f"No code is known to be wrong: {why}.", next_step)


_OUT_OF_TIME = frozenset({Fault.TIMEOUT_WALL, Fault.TIMEOUT_IDLE})
BY_HAND = "tdd errors prompt {id}, fix it by hand, then tdd fix"
TRY_AGAIN = "tdd cycle resume; once another cycle has begun, tdd cycle next --item {item}"


def _literal(text: str) -> str:
    """Return the text as it stands once the workflow is filled in."""
    return text.replace("{", "{{").replace("}", "}}")


def _command(sentence: str, why: str) -> str:
    """Return the command that a row's sentence names; which it was stands in why the work ended."""
    todo, slot, _ = sentence.partition("{command}")
    return why.partition(todo)[2] if slot else ""


def verdict_of(trouble: Trouble) -> str:
    """Return the verdict of a refused attempt; ``agent_failed`` also where its agent's run was ended before
    the work was done, whatever the tests say of what it left."""
    ended = str(trouble.diagnosis.get("rule", "")).startswith("fault:")
    return Verdict.AGENT_FAILED if ended else trouble.verdict


def means_of(trouble: Trouble) -> str:
    """Return what the recognized last words of the last attempt mean; ``""`` where there are none."""
    row = _row(trouble.agent.said)
    return row.means if row else ""


def steps_of(report: ErrorReport) -> tuple[str, ...]:
    """Return what to do about a failure, in order: by the agent's last words, by what stopped the command, else
    by the type of the error."""
    row = _row(report.agent.said)
    if row is not None:
        return _after_last_words(report, row)
    if is_stop(report):
        look = STOPPED.get(_stage(report), ())
        return (*look, report.recommended_workflow)
    if _stage(report) is Stage.LANDING:
        return _conflict_steps(report.context_snapshot)
    if _agent_failed(report):
        return _after_failed_run(report)
    if _idle(report):
        return _after_no_change(report)
    return _NOTHING_RAN if _without_run(report) else steps_for(report.error_type, report.failed_phase)


def is_stop(report: ErrorReport) -> bool:
    """Whether the report is of what stopped a command, not of work that failed."""
    return report.fingerprint.startswith(STOP)


def is_in_code(report: ErrorReport) -> bool:
    """Whether code or tests are to be changed: not where a command was stopped, where finished work could not
    land, or where the agent only said something or changed nothing."""
    said = report.agent.said and report.failed_phase != FIX
    outside = is_stop(report) or said or _agent_failed(report) or _stage(report) is Stage.LANDING
    return not (outside or _idle(report))


def kind_of(report: ErrorReport) -> str:
    """Return the type for a person; what an agent says or does in place of work is no type of error in the
    code."""
    if is_stop(report):
        return report.agent.fault.replace("_", " ") or report.error_type
    if is_in_code(report):
        return report.error_type
    if report.agent.said:
        return report.agent.said.replace("_", " ")
    if _agent_failed(report):
        return "agent failed"
    return "no change" if _idle(report) else report.error_type


def _agent_failed(report: ErrorReport) -> bool:
    """Whether the cycle ended with a run of its agent that failed, whatever the tests said then."""
    return _stage(report) is Stage.AGENT_API and not is_stop(report) and report.failed_phase != FIX


def _idle(report: ErrorReport) -> bool:
    """Whether no attempt of the cycle changed anything: the strategy has no name, and no test was run."""
    return not report.fix_strategy and report.failed_phase != FIX and _without_run(report)


def _stage(report: ErrorReport) -> Stage | None:
    return next((stage for stage in Stage if report.trigger.stage == stage), None)


def _after_last_words(report: ErrorReport, row: Row) -> tuple[str, ...]:
    fixing = report.failed_phase == FIX
    todo = row.fixing if fixing else row.person
    command = _command(todo, report.why) or "see its last words"
    again = "Run it again: tdd fix." if fixing else f"Run the cycle again: {_again(report)}."
    return f"Read the agent's last words: it {row.means}.", todo.replace("{command}", command), again


def _after_failed_run(report: ErrorReport) -> tuple[str, ...]:
    name = report.agent.name
    limit = f"Raise agents.{name}.timeout in tdd.toml, or split the item (tdd plan edit)."
    look = (
        limit if report.agent.fault in _OUT_OF_TIME else f"See whether {name} answers: tdd doctor --agents."
    )
    read = "Read what its last runs did, and what they said: tdd cycle show."
    return (read, look, f"Run the cycle again: {_again(report)}.")


def _after_no_change(report: ErrorReport) -> tuple[str, ...]:
    return (
        "Read the agent's last words, and what it did: tdd cycle show.",
        "Say in the item what is to change, and where (tdd plan edit), or name another agent in tdd.toml.",
        "Run the cycle again, with what the agent lacked: tdd cycle resume --hint '...'; once another cycle "
        f"has begun, tdd cycle next --item {report.item_id}.",
    )


def _again(report: ErrorReport) -> str:
    return f"tdd cycle resume, or tdd cycle next --item {report.item_id} once another cycle has begun"


def _conflict_steps(snapshot: ReportSnapshot) -> tuple[str, ...]:
    tip = snapshot.commit[:12]
    return (
        f"See what came meanwhile: git log {snapshot.base[:12]}..{snapshot.branch}",
        f"Merge the finished work: git merge {tip}; solve the conflict, and commit.",
        "Prove the merge and close the cycle: tdd cycle next.",
    )


STOP = "stop-"
"""How the fingerprint begins of a report of what stopped a command, not of a failed test."""
FIX = "FIX"
"""The phase of a report of `tdd fix`."""

STOPPED: dict[Stage | None, tuple[str, ...]] = {
    Stage.AGENT_API: ("See whether the agent answers: tdd doctor --agents.",),
    Stage.CIRCUIT_BREAKER: ("Read what its last runs did, and what they said: tdd log.",),
    Stage.BUDGET: ("See what was used, and for what: tdd cycle show.",),
    Stage.NO_FREE_PORT: ("See which programs hold the ports: ss -ltnp.",),
    Stage.DISK_SPACE: ("See what is full: df -h; tdd gc removes what finished cycles left behind.",),
    Stage.MEMORY: ("See what takes memory and files: ps aux --sort -rss; ulimit -a.",),
    Stage.WORK_TREE: ("See what is wrong with the work trees: tdd doctor.",),
    Stage.PLAN: ("Read what the agent answered: tdd log.",),
    Stage.INTERNAL: ("Run the command with --verbose and report what it prints as an issue of tdd.",),
}
"""What to look at first, by what stopped the command."""


_NOTHING_RAN = (
    "Read the agent's last words: no test was run, so there is no assertion to read.",
    "See whether the item says what is to change, and where: tdd plan edit.",
    "Run the cycle again with what the agent lacked: tdd cycle resume --hint '...'.",
)


def _without_run(report: ErrorReport) -> bool:
    """Whether the last attempt was refused before a test ran."""
    seen = report.context_snapshot
    ran = seen.tests_failed or seen.tests_passed or seen.failing_tests
    return (
        seen != ReportSnapshot()
        and not ran
        and report.error_type == ErrorType.LOGIC
        and not report.stack_trace
    )


def _row(kind: str) -> Row | None:
    return next((row for row in ROWS if row.said == kind), None) if kind else None


_OFTEN = "Run it several times where it failed only sometimes: time, order, randomness, shared state."

STEPS: dict[ErrorType, tuple[str, ...]] = {
    ErrorType.SYNTAX: (
        "Open the file at the line named below; the mistake is there or on the line before it.",
        "Correct the syntax only, and load or compile the file by itself.",
        "Run the suite: one syntax error often hides others.",
    ),
    ErrorType.TYPE: (
        "Find where the value gets its type, not only where it is used.",
        "Correct the side that is wrong; do not silence the checker with a cast, `any` or an ignore comment.",
        "Run the type checker or compiler over the whole project, then the suite.",
    ),
    ErrorType.LOGIC: (
        "Read the failing assertion: what is expected, what came, and which input leads to it.",
        "Follow that input through the affected files until the first value that is wrong.",
        "Correct the rule at that place for all inputs; special-casing the test's input is no fix.",
        "Look for the same mistake in neighbouring branches.",
    ),
    ErrorType.DEPENDENCY: (
        "Find out which package or module is missing or has the wrong version, and who asks for it.",
        "Declare it where this project declares its dependencies, in a range that fits the others.",
        "Install from the declaration in a clean environment, then run the suite.",
    ),
    ErrorType.INTEGRATION: (
        "Find the boundary that failed (service, database, file, agent) and what was sent over it.",
        "Check that the other side is there and configured: address, credentials, schema, version.",
        "Correct the request or the handling of the answer; keep time limits and error paths.",
    ),
    ErrorType.TEST: (
        "The test stands as it is, so look at the code first.",
        (
            "Where a test cannot run any more, find what of it the change took away: an import, a "
            "name, a fixture."
        ),
        (
            "Make the code satisfy the test. Where the test itself seems wrong, leave it and say why: "
            "a person decides."
        ),
        _OFTEN,
    ),
    ErrorType.BUILD: (
        "Take the first error of the build; the ones after it are often its echo.",
        "Correct the source or the build's configuration at the place named below.",
        "Build from clean, then run the suite.",
    ),
    ErrorType.LINT: (
        "Run the linter on the affected files and read the rule that it names.",
        "Correct the code; switch a rule off only where this project does so already.",
        "Run the linter and the suite.",
    ),
    ErrorType.TIMEOUT: (
        "Find what does not end: an endless loop, a wait without a limit, a service that does not answer.",
        "Run the slow test alone and look where it stands when it is stopped.",
        "Remove the cause; raise a time limit only where the work is really that long.",
    ),
    ErrorType.RESOURCE: (
        "Find which resource ran out: memory, disk, ports, file handles, processes.",
        "Free it on this machine, and look for what takes it and does not give it back.",
        "Close, bound or share the resource in the code, then run the suite.",
    ),
}


IN_RED: dict[ErrorType, tuple[str, ...]] = {
    ErrorType.TEST: (
        (
            "Compare what the behaviour's description asks for with what the refused test checks: the "
            "description decides."
        ),
        (
            "A test that passes too early asserts too little; one that cannot run lacks a fixture, an "
            "import or a name."
        ),
        "Rewrite the test so that it fails for the right reason without the code, and passes with it.",
        _OFTEN,
    )
}
"""Rows that are others before any test was accepted: it is the test itself that is made there."""


def steps_for(error_type: str, phase: str) -> tuple[str, ...]:
    """The row of this type where the cycle failed in ``phase``; that of ``logic`` for a name that is none."""
    rows = {**STEPS, **IN_RED} if phase == Phase.RED else STEPS
    return next((row for kind, row in rows.items() if kind == error_type), STEPS[ErrorType.LOGIC])
