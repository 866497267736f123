"""Begin a cycle: budget, the next item, the branch, and a run of the suite as the baseline."""

from __future__ import annotations

from dataclasses import asdict

from tdd_orchestrator.agents.agent import AgentStatus, Reply
from tdd_orchestrator.cycle.attempt.candidate import file_at, paths_of, secret_in_name, tree_of
from tdd_orchestrator.cycle.context import CycleContext, Settings
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.recovery import PHASE_ROLE
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.cycle.usage_text import spent_on
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.model.errors import Paused, Refused
from tdd_orchestrator.model.parts import MutantInfo, TestEvidence
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.plan import DONE, Item, Status
from tdd_orchestrator.model.policy import Spent
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.model.records import Baseline, CycleEnded, CycleStarted, runs_of
from tdd_orchestrator.model.report import Case, Report, RunVerdict
from tdd_orchestrator.notes.codec import new_id
from tdd_orchestrator.repo import refs
from tdd_orchestrator.text import one_line
from tdd_orchestrator.workspace.guard import tests_among

_NAMED = 5
OUTER = "refs/tdd/outer/"
"""One ref for each acceptance item whose test was written, at the commit of its RED: named after the item."""


class SuiteFails(Refused):
    """The suite fails before anything was changed; ``failing`` names every test that does."""

    def __init__(self, failing: tuple[str, ...]) -> None:
        more = len(failing) - _NAMED
        names = ", ".join(failing[:_NAMED]) + (f" and {more} more" if more > 0 else "")
        super().__init__(
            f"The tests fail before anything was changed: {names}.",
            "Fix them (`tdd fix`), or go on with these as known: test.known_failing in tdd.toml.",
        )
        self.failing = failing


class SuiteUnjudged(Refused):
    """The suite ran before anything was changed, and its run cannot be judged."""


def begin(context: CycleContext, item: Item | None = None) -> CycleState | None:
    """Start the cycle of ``item``, or of the next one in the plan; None where the list is done."""
    plan = context.repo.plan.plan()
    if not plan.items:
        raise Refused("The plan is empty.", 'Add a behaviour: tdd plan add "what is to happen".')
    item = _claimed(context, item) if context.repo.claims else item or plan.next()
    if item is None:
        return None
    within_run(context)
    branch, head = where_we_stand(context)
    context.agents.registry.agent(
        PHASE_ROLE[Phase.RED]
    )  # one that is none is said before anything is run or written
    tests, known_failing = baseline(context, head)
    before = _newest(context)
    waiting = (Status.PLANNED, Status.IN_PROGRESS)
    context.run.item_ids = {
        "completed_items": list(plan.ids(*DONE)),
        "pending_items": [
            other.id
            for other in plan.items
            if other.status in waiting and not other.begun_by_hand and other.id != item.id
        ],
    }
    started = CycleStarted(
        cycle_id=f"c-{new_id()[:16].lower()}",
        cycle_number=before + 1,
        item_id=item.id,
        item=item.title,
        branch=branch,
        base=head,
        tip=head,
        phase=Phase.PLAN,
        next_phase=Phase.RED,
        baseline_tests=tests,
        known_failing=sorted(known_failing),
        quarantined=_quarantined(context),
        mutant=MutantInfo(**asdict(item.mutant)) if item.mutant else None,
        outer=refs.read(context.repo.git, f"{OUTER}{item.id}") or "",
    )
    subject = f"cycle {started.cycle_number} started: {item.title}"
    state = context.write_step(head, started, subject, hold=True)
    context.watch.note(f"cycle {state.number}: {item.title}")
    return state


def _claimed(context: CycleContext, item: Item | None) -> Item | None:
    """Return the item, or the next one, once it is claimed for this clone; None where others have what is left.

    A claim only saves work: where the remote cannot be reached, the item is begun without one."""
    claims = context.repo.claims
    assert claims is not None
    while True:
        plan = context.repo.plan.plan()
        now = context.clock.now()
        chosen = item or plan.next_beside(claims.of_others(plan, now))
        if chosen is None:
            return None
        try:
            if claims.take(chosen.id, now):
                return chosen
        except Paused as error:
            context.watch.note(f"{error.what.rstrip('.')}; '{chosen.title}' is begun without a claim")
            return chosen
        context.watch.note(f"another clone works on '{chosen.title}'")
        if item is not None:
            return None


def _quarantined(context: CycleContext) -> dict[str, str]:
    """Return the tests that earlier cycles of this clone found flaky, with the date until which that counts
    (E4)."""
    found: dict[str, str] = {}
    today = context.clock.now().date().isoformat()
    for entry in context.repo.store.mine():
        record = entry.typed
        known = dict(record.quarantined) if isinstance(record, CycleStarted) else {}
        for run in runs_of(record):
            known |= run.quarantined_until
        for test, until in known.items():
            if until >= today:
                found.setdefault(test, until)
        if isinstance(record, CycleStarted):
            break  # it carries what came before it
    return found


def _newest(context: CycleContext) -> int:
    """Return the highest cycle number of any clone.

    An open cycle of another clone is mentioned and left alone.
    """
    looked = False
    for entry in context.repo.store.trail(newest_first=True):
        record = entry.typed
        if not record.cycle_id:
            continue
        newest, looked = not looked, True
        if newest and not isinstance(record, CycleEnded) and record.cycle_id not in context.run.open_cycles:
            context.watch.note(
                f"cycle {record.cycle_number} ({one_line(record.item, 100)}) was begun elsewhere, "
                "and is not over; only "
                "the clone that began it goes on with it"
            )
        if isinstance(record, CycleStarted):  # a parked cycle may have ended after later ones had begun
            return record.cycle_number
    return 0


def where_we_stand(context: CycleContext) -> tuple[str, str]:
    """The branch that is checked out, and its commit."""
    branch = refs.head_branch(context.repo.git)
    if not branch:
        raise Refused("HEAD is detached: a cycle lands on a branch.", "Check one out: git switch BRANCH.")
    head = refs.read(context.repo.git, f"refs/heads/{branch}")
    if head is None:
        raise Refused(
            "The branch has no commit yet.", "Make the first one: git commit --allow-empty -m 'chore: begin'."
        )
    why = secret_in_name(branch, context.agents.secrets)
    if why:  # each record names it, and what is landed on
        raise Refused(
            f"This branch cannot be named in the records: {why}.", "Rename it: git branch -m ANOTHER-NAME"
        )
    return branch, head


def baseline(context: CycleContext, head: str) -> tuple[TestEvidence, frozenset[str]]:
    """The suite on ``head``: from a record where the tree was proven before, else run and recorded (E6)."""
    tree = tree_of(context.repo, head)
    proof = context.prover.recorded(tree, [*context.run.records, *read_all(context.repo.store.own(head))])
    if proof is None:
        context.watch.doing("running the tests as they are before anything is changed")
        proof = context.prover.prove(head, tree, suspects=lambda report: _unknown(context.settings, report))
        _refuse_silent_tests(context, head, proof.report)
        failing = _judged(context, proof)
        tests = context.prover.evidence(proof)
        record = Baseline(base=head, tip=head, tests=tests,
            known_good=not failing and _is_green(proof.report),
                          known_failing=sorted(failing))  # fmt: skip
        context.write(head, record, f"baseline: {_counted(proof.report)}")
        context.watch.done(f"baseline: {_counted(proof.report)}", True)
        return tests, failing
    return context.prover.evidence(proof), _judged(context, proof)


def _unknown(settings: Settings, report: Report) -> list[Case]:
    """Return the failures that the user does not know of."""
    return [case for case in report.failing if case.id not in settings.known_failing]


def _is_green(report: Report) -> bool:
    return report.verdict is RunVerdict.PASSED


def _judged(context: CycleContext, proof: Proof) -> frozenset[str]:
    """The failures that the user knows of; Refused where there are others, or where nothing could be read."""
    report = proof.report
    failing = {case.id for case in report.failing} if report.verdict is RunVerdict.FAILED else set()
    unknown = sorted(failing - context.settings.known_failing - proof.flaky)
    if unknown:
        raise SuiteFails(tuple(unknown))
    if report.verdict in (RunVerdict.PASSED, RunVerdict.NO_TESTS) or failing:
        return frozenset(failing - proof.flaky)
    missing = context.prover.not_there()
    if missing:
        raise Refused(missing, "Install it, or name another one: test.command in tdd.toml.")
    raise SuiteUnjudged(
        (f"The suite cannot be judged before anything was changed ({report.verdict}): {proof.trouble}"),
        f"Run it yourself: {' '.join(context.prover.suites[0].command)}; then `tdd doctor`.",
    )


def _refuse_silent_tests(context: CycleContext, head: str, report: Report) -> None:
    """Raise Refused where the tree has tests and their command says nothing of them: no GREEN could be proven."""
    if report.verdict is not RunVerdict.NO_TESTS or report.source != "exit_code":
        return
    paths = tests_among(paths_of(context.repo, head), context.project.rules)
    silent = next((path for path in paths if _holds_tests(context, head, path)), "")
    if silent:
        command = " ".join(context.prover.suites[0].command)
        raise Refused(
            f"{command} succeeds, and nothing in its output says that a test ran, though {silent} is here.",
            "Use a test runner that prints its results, or let each test print a line of TAP: ok 1 - NAME.",
        )


def _holds_tests(context: CycleContext, head: str, path: str) -> bool:
    text = (file_at(context.repo, head, path) or b"").decode("utf-8", "replace")
    return bool(find_tests(text, path))


def _counted(report: Report) -> str:
    if report.verdict is RunVerdict.NO_TESTS or report.counts is None:
        return "no tests yet"
    failed = f", {report.counts.bad} failing" if report.counts.bad else ""
    return f"{report.counts.passed} passing{failed}"


def within_cycle(context: CycleContext, state: CycleState) -> None:
    """Raises Paused where the cycle, or the run that it is part of, has nothing left."""
    _allow(context, "The budget of this cycle", spent_on(state, context.unmarked()))
    within_run(context)


def within_fix(context: CycleContext, before: Spent) -> None:
    """The same of ``tdd fix``, which is one piece of work as a cycle is. ``before``: spent on it by earlier
    commands."""
    _allow(context, "The budget of this fix", before + context.spent())
    within_run(context)


def note_unmetered(context: CycleContext, reply: Reply) -> None:
    """Say once a command that an agent reports nothing of what a budget limits: that budget cannot stop it."""
    budget, known = context.settings.budget, reply.usage
    limits = {
        "tokens": (budget.tokens or budget.run_tokens) and not known.total,
        "cost": (budget.cost or budget.run_cost) and known.cost is None,
    }
    missing = [name for name, unknown in limits.items() if unknown]
    unmetered = context.run.unmetered
    if (
        not missing
        or reply.status is not AgentStatus.SUCCESS
        or reply.agent in {"human", "replay", "tdd", *unmetered}
    ):
        return
    unmetered.add(reply.agent)
    context.watch.note(
        f"{reply.agent} reports no {' and no '.join(missing)}, so this budget cannot stop it; "
        "budget.minutes and budget.attempts stop every agent"
    )


def within_run(context: CycleContext) -> None:
    spent, budget = context.spent(), context.settings.budget.of_run
    if name := spent.reached(budget):
        flag = "--budget, or " if name == "cost" else ""
        raise Paused(
            f"The budget of this run: {spent.over(budget)}.",
            f"Run it again to go on, or give it more: {flag}budget.run_{name} in tdd.toml.",
        )


def _allow(context: CycleContext, whose: str, spent: Spent) -> None:
    budget = context.settings.budget
    if name := spent.reached(budget):
        raise Paused(
            f"{whose}: {spent.over(budget)}.",
            f"Raise budget.{name} in tdd.toml and run the same command again.",
        )
