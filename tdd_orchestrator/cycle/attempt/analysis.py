"""What went wrong in a refused attempt: classified from the evidence, investigated where D5 asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tdd_orchestrator.agents.agent import AgentStatus, Fault, Reply
from tdd_orchestrator.agents.last_words import LastWords, MessageKind, last_words
from tdd_orchestrator.cycle import known_fixes
from tdd_orchestrator.cycle.attempt import brief
from tdd_orchestrator.cycle.attempt.agent_run import note_words
from tdd_orchestrator.cycle.attempt.attempt_plan import AttemptPlan, JudgedAttempt
from tdd_orchestrator.cycle.attempt.brief import around
from tdd_orchestrator.cycle.attempt.candidate import Candidate, paths_of
from tdd_orchestrator.cycle.attempt.consult import Question, ask
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.failures import browser_of, enriched, looked_at, stored
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.recovery import BLOCKED, NEEDING, Situation, wants_analysis
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.cycle.verdict_names import REFUSED
from tdd_orchestrator.diagnosis.analyzer import PastAttempt, investigate
from tdd_orchestrator.diagnosis.diagnose import diagnose as diagnose_run
from tdd_orchestrator.diagnosis.investigation import NotAnInvestigation, believable, parse
from tdd_orchestrator.diagnosis.pieces import fingerprint
from tdd_orchestrator.model.diagnosis import Action, Category, Diagnosis, ErrorType, Investigation, Severity
from tdd_orchestrator.model.errors import TddError
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.records import Trouble
from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.prompting.brief import Brief, Try


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of an analysis: ``action`` is the recommended move, ``advice`` the text for the next
    agent."""

    diagnosis: Diagnosis
    action: Action | None = None
    advice: str = ""
    stored: Mapping[str, Any] = field(default_factory=dict)


OF_WORDS: dict[MessageKind, tuple[ErrorType, Category, Severity]] = {
    MessageKind.REFUSAL: (ErrorType.INTEGRATION, Category.PERMISSION, Severity.HIGH),
    MessageKind.MISSING_PACKAGE: (ErrorType.DEPENDENCY, Category.DEPENDENCY, Severity.HIGH),
    MessageKind.ALREADY_THERE: (ErrorType.TEST, Category.STATE, Severity.LOW),
    MessageKind.QUESTION: (ErrorType.INTEGRATION, Category.SEMANTIC, Severity.MEDIUM),
}
"""Last words of an agent that brought no work: what kind of error they are."""

OF_FAULT: dict[Fault, tuple[ErrorType, Category, Severity]] = {
    Fault.KILLED: (ErrorType.RESOURCE, Category.STATE, Severity.HIGH),
    Fault.TIMEOUT_WALL: (ErrorType.TIMEOUT, Category.LOGIC, Severity.MEDIUM),
    Fault.TIMEOUT_IDLE: (ErrorType.TIMEOUT, Category.LOGIC, Severity.MEDIUM),
    Fault.MAX_TURNS: (ErrorType.TIMEOUT, Category.LOGIC, Severity.MEDIUM),
    Fault.MAX_BUDGET: (ErrorType.RESOURCE, Category.STATE, Severity.HIGH),
    Fault.CONTEXT_FILLED: (ErrorType.RESOURCE, Category.STATE, Severity.MEDIUM),
    Fault.OUTPUT_CUT: (ErrorType.RESOURCE, Category.STATE, Severity.MEDIUM),
}
"""A failed agent run, by its fault; other faults are an integration that failed."""

_LONGEST = 300.0  # seconds of an analysis (D5)
_BLOCKED = (
    "Do the work again without what the review refused.",
    "Leave alone what the phase may not touch, and how tests are run and reported.",
    "Where the test itself is wrong, say so in the report; do not change it.",
)
"""What the rules advise of a blocked change: the strategy, then its steps."""


def diagnose(
    context: CycleContext, judged: Judgement, candidate: Candidate, proof: Proof | None
) -> Diagnosis:
    """The most telling failure of the attempt, classified."""
    row = REFUSED[judged.verdict]
    plain = row.category is not None
    if not plain and proof is not None:
        changed = [change.path for change in candidate.changes]
        found = diagnose_run(
            proof.report,
            changed_files=changed,
            root=str(context.prover.tree.path),
            extra_rules=context.settings.extra_rules,
            look=browser_of(context.prover),
        )
        relevant = [one for one in found if set(one.tests) & set(judged.failing)] or list(found)
        if relevant:
            return looked_at(context, relevant[0])
    message = context.redact("; ".join(judged.reasons[:3])) or row.error
    return Diagnosis(
        error_type=row.type if plain else None,
        category=row.category,
        severity=row.severity or Severity.MEDIUM,
        confidence=1.0 if plain else 0.0,
        message=message,
        fingerprint=fingerprint(str(judged.verdict), "", message),
        rule=f"verdict:{judged.verdict}",
    )


def of_words(words: LastWords) -> Diagnosis | None:
    """The diagnosis of an attempt that brought nothing but recognized last words; None where they are not
    recognized."""
    row = words.row
    if row is None:
        return None
    kind, category, severity = OF_WORDS[row.said]
    message = f"The agent {row.means}: {words.text}"
    return Diagnosis(
        error_type=kind,
        category=category,
        severity=severity,
        confidence=0.7,
        message=message,
        fingerprint=fingerprint(f"words:{row.said}", "", words.package),
        rule=f"words:{row.said}",
    )


def of_fault(judged: Judgement, reply: Reply) -> Diagnosis | None:
    """Return the diagnosis of a run that failed by a fault of the machine, or was ended before its work was
    done; None where the work itself failed."""
    ended = judged.verdict is Verdict.AGENT_FAILED or (reply.timed_out and judged.verdict in NEEDING)
    kinds = OF_FAULT.get(reply.fault) if ended else None
    if kinds is None:
        return None
    kind, category, severity = kinds
    return Diagnosis(
        error_type=kind,
        category=category,
        severity=severity,
        confidence=1.0,
        message=reply.failure_reason,
        fingerprint=fingerprint(f"fault:{reply.fault}", "", ""),
        rule=f"fault:{reply.fault}",
    )


def analyse(context: CycleContext, state: CycleState, done: JudgedAttempt, situation: Situation) -> Analysis:
    """The diagnosis; and, where the second failure of a kind or a critical one asks for it, an investigation:
    by the Error Analyzer where there is one and it is believed, else from the rules alone."""
    diagnosis = situation.diagnosis
    why = wants_analysis(situation)
    if not why:
        return Analysis(diagnosis)
    context.watch.note(f"analysing: {why}")
    attempt_plan = done.attempt_plan
    changed = [change.path for change in done.candidate.changes]
    history = [PastAttempt(a.agent, a.verdict, (a.fingerprint,)) for a in situation.history]
    by_rules = investigate([diagnosis], done.judged.comparison, changed, history)
    if situation.verdict in BLOCKED:  # no matter of rights that somebody could give
        by_rules = replace(by_rules, strategy=_BLOCKED[0], steps=_BLOCKED[1:])
    asked = _worth_asking(context, state, attempt_plan)
    brief = _brief(context, state, done, diagnosis) if asked else None
    by_model = _by_model(context, state, attempt_plan, done.candidate, brief) if brief else None
    found, by = (by_rules, "rules") if by_model is None else (by_model, "agent")
    action = _followed(by_rules, diagnosis) if by_model is None else by_model.action
    # the rules' steps are for whoever leads the cycle; what a refused change needs is for its agent
    advice = _advice(found) if by == "agent" or situation.verdict in BLOCKED else found.root_cause
    if action is Action.REPLAN:
        brief = brief or _brief(context, state, done, diagnosis)
        advice = _replanned(context, state, attempt_plan, replace(brief, investigation=advice)) or advice
    return Analysis(diagnosis, action, advice, _stored(found, by))


def _followed(by_rules: Investigation, diagnosis: Diagnosis) -> Action | None:
    """Return the move that is taken.

    Rules only advise, but a critical error goes to a person (D3), and a wrong state to a new plan (R4).
    """
    if diagnosis.severity is Severity.CRITICAL:
        return Action.ESCALATE
    planned = diagnosis.category is Category.STATE and by_rules.action is Action.REPLAN
    return Action.REPLAN if planned else None


def request(
    context: CycleContext, state: CycleState, done: JudgedAttempt, diagnosis: Diagnosis
) -> dict[str, Any]:
    """Return what the next specialist is given, for the record."""
    attempt_plan, proof = done.attempt_plan, done.proof
    if proof is None:
        return {}
    failing = [case for case in (proof.case(one) for one in done.judged.failing) if case is not None]
    case = failing[0] if failing else _of_build(proof, diagnosis)
    keep = (
        context.repo.places.runs
        / state.cycle_id
        / f"{str(attempt_plan.phase).lower()}-{attempt_plan.serial}-{attempt_plan.role}"
    )
    return stored(enriched(context, proof, case, diagnosis, keep))


def _of_build(proof: Proof, diagnosis: Diagnosis) -> Case:
    """A build error stands for the tests that it keeps from running."""
    detail = (
        "\n\n".join(error.detail or error.message for error in proof.report.build_errors[:3]) or proof.output
    )
    return Case(
        "", "the build", Outcome.ERROR, diagnosis.file, diagnosis.line, diagnosis.message, detail=detail
    )


def _worth_asking(context: CycleContext, state: CycleState, attempt_plan: AttemptPlan) -> bool:
    """Not where no retry is left to use the answer, nor where it gave no usable one in this phase before."""
    if attempt_plan.retry >= context.settings.retry.max_retries or not context.agents.registry.can("analyze"):
        return False
    before = [one for one in context.run.records if isinstance(one, Trouble) and one.phase == state.phase]
    return not any(record.investigation.get("by") == "rules" for record in before)


def _brief(context: CycleContext, state: CycleState, done: JudgedAttempt, diagnosis: Diagnosis) -> Brief:
    """The attempt in question is not in the audit log yet: it is put last of those that were made."""
    attempt_plan, candidate, judged, proof = done.attempt_plan, done.candidate, done.judged, done.proof
    before = brief.brief(context, state, attempt_plan)
    now = Try(
        attempt_plan.serial, judged.verdict, judged.reasons, candidate.diff, last_words(done.reply.text)
    )
    return replace(
        before,
        tries=(*before.tries, now),
        failing_output=brief.failing_text(proof) if proof is not None else before.failing_output,
        diagnosis=diagnosis,
        known_fix=known_fixes.fix_hint(context.repo, diagnosis.fingerprint),
        source=f"{attempt_plan.agent.name} in {attempt_plan.phase}",
        context=around(
            context.repo,
            candidate.commit or state.tip,
            diagnosis,
            [change.path for change in candidate.changes],
        ),
    )


def _by_model(
    context: CycleContext, state: CycleState, attempt_plan: AttemptPlan, candidate: Candidate, brief: Brief
) -> Investigation | None:
    """Return the Error Analyzer's report, parsed and checked; None where it cannot be used."""
    commit = candidate.commit or state.tip
    question = Question(
        "analyze", "analyze", replace(brief, phase="analyze"), commit, state.cycle_id, attempt_plan.serial,
        ("investigation.md",),
        requires="investigation.md", failed_phase=str(attempt_plan.phase), limit=_LONGEST,
    )  # fmt: skip
    try:
        reply, text = ask(context, question)
    except TddError as error:
        context.watch.note(f"the Error Analyzer is unavailable: {error.what}")
        return None
    if reply.status is not AgentStatus.SUCCESS:
        context.watch.note(f"the Error Analyzer: {reply.failure_reason}")
        note_words(context.watch, "it", last_words(reply.text))
        return None
    try:
        found = parse(text)
    except NotAnInvestigation as error:
        context.watch.note(f"the Error Analyzer's report cannot be used: {error.sentences[0]}")
        return None
    doubts = believable(found, paths_of(context.repo, commit))
    if doubts:
        context.watch.note(f"the Error Analyzer is not believed: {doubts[0]}")
        return None
    return found


def _replanned(context: CycleContext, state: CycleState, attempt_plan: AttemptPlan, brief: Brief) -> str:
    """A REPLAN is followed by asking the planner for a new step, with what went wrong (R4)."""
    from tdd_orchestrator.prompting.listing import BadList, read_list

    plan = context.repo.plan.plan()
    titles = {item.id: item.title for item in plan.items}
    brief = replace(
        brief, phase="test_list",
        done_items=tuple(titles.get(one, one) for one in brief.done_items),
        pending_items=tuple(titles.get(one, one) for one in brief.pending_items),
    )  # fmt: skip
    question = Question(
        "replan", "test_list", brief, state.tip, state.cycle_id, attempt_plan.serial,
        ("test-list.json", "test-list.md", "report.md"), failed_phase=str(attempt_plan.phase),
        plays="test_list",
    )  # fmt: skip
    try:
        _, text = ask(context, question)
        steps = read_list(text)
    except (TddError, BadList) as error:
        context.watch.note(f"no new plan for this step: {str(error)[:200]}")
        return ""
    return "The step was planned anew:\n" + "\n".join(
        f"- {step.title}" + (f": {step.description}" if step.description else "") for step in steps[:5]
    )


def _advice(found: Investigation) -> str:
    steps = "\n".join(f"- {step}" for step in found.steps[:8])
    return f"{found.root_cause}\n{found.strategy}\n{steps}".strip()


def _stored(found: Investigation, by: str) -> dict[str, Any]:
    data = asdict(found)
    for key in ("category", "severity", "action"):
        data[key] = str(data[key])
    return {"by": by, **data}
