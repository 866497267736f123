"""``tdd fix``: fixes a red suite outside a cycle, failure by failure, under the same guard (A8, R3, D6).

Failures are grouped by fingerprint. A specialist is given one test of the group; what it leaves is proven
against everything that passed before, committed and landed at once; the other tests of the group are then run
again without an agent. What its records say was done before it was broken off is gone through in the same
order, and not done again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice

from tdd_orchestrator.agents.last_words import for_a_person
from tdd_orchestrator.cycle.attempt import agent_run
from tdd_orchestrator.cycle.attempt.candidate import tree_of
from tdd_orchestrator.cycle.context import CycleContext, Settings
from tdd_orchestrator.cycle.failures import Failure, failures_of
from tdd_orchestrator.cycle.fix.dispatch import FixTask
from tdd_orchestrator.cycle.fix.fix_attempt import RAN, attempt, passes, recalled, run_suite
from tdd_orchestrator.cycle.fix.fix_records import attempted, finished, settled, started
from tdd_orchestrator.cycle.fix.fix_state import Attempt, FixOutcome, FixSession, FixState, broken_off
from tdd_orchestrator.cycle.fix.landing import allow, arrived, land
from tdd_orchestrator.cycle.landing.unfinished import catch_up
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.routes import not_permitted, runs_for, specialists_for
from tdd_orchestrator.cycle.start import where_we_stand, within_fix
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.notes.codec import new_id

_LOOKED_AT = 2_000  # records, the newest ones
_NAMED = 5
_GOES_ON = frozenset({Verdict.STILL_FAILING, Verdict.BUILD_ERROR, Verdict.PARTLY_FAILING})


def fix(context: CycleContext, reproduced: Proof | None = None) -> FixOutcome:
    """Fix what fails on the current branch; every proven fix has landed when this returns. ``reproduced``: a
    run of its suite that was made just now."""
    catch_up(context)
    branch, head = where_we_stand(context)
    run = _taken_up(context, branch, head)
    if run is None:
        same = reproduced is not None and reproduced.tree == tree_of(context.repo, head)
        proof = reproduced if reproduced and same else run_suite(context, head)
        why = _reason_not_to_fix(context.settings, proof)
        if why:
            return FixOutcome((), head, why)
        todo = _seen(context, proof)
        run = FixSession(
            branch,
            started(context, f"f-{new_id()[:16].lower()}", branch, head, proof, len(todo)),
            head,
            proof,
        )
    results = _all(context, run)
    context.agents.tree.release(run.head)
    return finished(context, run, results)


def _taken_up(context: CycleContext, branch: str, head: str) -> FixSession | None:
    """The ``tdd fix`` of the same tests on the same commit that was broken off, where it began."""
    newest = (entry.typed for entry in islice(context.repo.store.mine(), _LOOKED_AT))
    for progress in broken_off(newest):
        if progress.stands_at(branch, head):
            proof = context.prover.recorded(tree_of(context.repo, progress.base), [progress.started])
            if proof is not None:
                context.watch.note("going on with the fix that was broken off")
                return FixSession(branch, progress, progress.base, proof)
    return None


def _reason_not_to_fix(settings: Settings, proof: Proof) -> str:
    if proof.report.verdict is RunVerdict.PASSED:
        return "the suite passes"
    if proof.report.verdict is RunVerdict.NO_TESTS:
        return "no test was run"
    failing = {case.id for case in proof.report.failing}
    flaky = sorted(failing & proof.flaky)
    if not failing or proof.report.build_errors or failing - proof.flaky - settings.known_failing:
        return ""
    if flaky:
        return (
            f"{flaky[0]}{f' and {len(flaky) - 1} more' if flaky[1:] else ''} failed, and passed when "
            "run again (flaky)"
        )
    return "what fails is known (test.known_failing)"


def _seen(context: CycleContext, proof: Proof) -> list[Failure]:
    """Print what is to be fixed.

    Raises Refused where the suite fails without a test or error that can be named.
    """
    todo = failures_of(context, proof)
    if not todo:
        missing = context.prover.not_there()
        if missing:
            raise Refused(missing, "Install it, or name another one: test.command in tdd.toml.")
        raise Refused(
            f"The suite fails and names no test: {(proof.report.why or proof.report.verdict).rstrip('.')}."
            + f" Its output ends: {proof.report.ending}" * bool(proof.report.ending),
            f"Run it yourself: {' '.join(context.prover.suites[0].command)}.",
        )
    more = f" and {len(todo) - _NAMED} more" if len(todo) > _NAMED else ""
    context.watch.note(f"{len(todo)} failing: {', '.join(failure.name for failure in todo[:_NAMED])}{more}")
    for seen in (failure.diagnosis for failure in todo):
        if not (not_permitted(seen) or runs_for(seen)):
            context.agents.registry.agent(
                seen.specialist
            )  # one that is none is said before anything is written
    return todo


def _all(context: CycleContext, run: FixSession) -> list[FixState]:
    """Fix one failure after the other; those that another's fix fixed as well are reported as such (D6)."""
    results: list[FixState] = []
    todo = failures_of(context, run.proof)
    known = {failure.id: failure for failure in todo}
    while todo:
        fix_state = FixState(_first(todo))
        _fix_failure(context, run, fix_state)
        results.append(fix_state)
        left = failures_of(context, run.proof)
        known |= {failure.id: failure for failure in left}
        if fix_state.status != "PASSED":
            results += [
                _given_up(context, run, fix_state, other) for other in left if _same_cause(fix_state, other)
            ]
        reported = {fix_state.failure.id for fix_state in results}
        todo = [failure for failure in left if failure.id not in reported]
        vanished = [
            failure for failure in known.values() if failure.id not in reported | {one.id for one in todo}
        ]
        results += [_vanished(context, run.proof, failure) for failure in vanished]
    for fix_state in results:
        if fix_state.status != "PASSED" and passes(context, run.proof, fix_state.failure):
            fix_state.status, fix_state.reused = "PASSED", True
    return results


def _same_cause(fix_state: FixState, other: Failure) -> bool:
    mine = fix_state.failure
    return bool(mine.fingerprint) and mine.fingerprint == other.fingerprint and mine.id != other.id


def _given_up(context: CycleContext, run: FixSession, fix_state: FixState, other: Failure) -> FixState:
    """Settle another test of a cause that was given up: no agent is sent to the same cause again (D6)."""
    given_up = FixState(other, errors=[f"the same cause as {fix_state.failure.name}, which was not fixed"])
    if run.progress.of(other.id, other.fingerprint).settled is None:
        settled(context, run, given_up)
    return given_up


def _vanished(context: CycleContext, proof: Proof, failure: Failure) -> FixState:
    """Settle a failure that disappeared without an agent: fixed with another, or no longer reported."""
    if passes(context, proof, failure):
        return FixState(failure, "PASSED", reused=True)
    flaky = failure.id in proof.flaky
    how = (
        "it failed, and passed when run again (flaky)"
        if flaky
        else "it failed before, and is not run any more"
    )
    return FixState(failure, errors=[how])


def _first(todo: list[Failure]) -> Failure:
    """A build error hides the rest; then the cause that most tests fail for: its fix may be reused (D6)."""
    together = Counter(failure.fingerprint for failure in todo)
    return max(todo, key=lambda failure: (failure.is_build, together[failure.fingerprint]))


def _fix_failure(context: CycleContext, run: FixSession, fix_state: FixState) -> None:
    """Deploy specialists for one failure until it is fixed or the retries are used up, from where its records
    stand."""
    before = run.progress.of(fix_state.failure.id, fix_state.failure.fingerprint)
    limit = context.settings.retry.max_retries
    start, current, done = run.head, fix_state.failure, None
    for record in before.attempts:
        done = recalled(context, record)
        fix_state.take(done)
        if done.accepted:
            if _accept(context, run, done):
                context.watch.done(f"{_result_line(fix_state, done)}, and has landed now", True)
            return None
        start, current = _next(context, run.head, done, current)
    if before.settled is not None:
        fix_state.settle_as(before.settled)
        run.proof = recalled(context, before.settled, run.head).after or run.proof
        return None
    if done is not None and _is_a_persons(context, fix_state, done):
        return settled(context, run, fix_state)
    if done is not None:
        context.watch.note(
            f"{fix_state.failure.name}: {fix_state.retry_count} of {limit} tries were made before"
        )
    elif not before.transient and _outside(context, run, fix_state):
        return settled(context, run, fix_state)
    while len(fix_state.agents) < limit:
        if done is not None and done.crashed and _passes_alone(context, run, fix_state):
            return settled(context, run, fix_state)
        context.clock.sleep(context.settings.retry.fix_delay(len(fix_state.agents)))
        within_fix(context, run.progress.spent)
        done = attempt(
            context, FixTask(run, fix_state, current, start), before.transient if done is None else 0
        )
        fix_state.take(done)
        attempted(context, run, fix_state, done)
        context.watch.done(_result_line(fix_state, done), done.accepted)
        if done.accepted:
            _accept(context, run, done)
            return None
        agent_run.note_words(context.watch, "the agent", done.worked.last_words)
        if _is_a_persons(context, fix_state, done):
            return settled(context, run, fix_state)
        start, current = _next(context, run.head, done, current)
    wait = context.settings.retry.fix_delay(fix_state.retry_count)
    _again(context, run, fix_state, wait, "the last run, without an agent")
    return settled(context, run, fix_state)


def _is_a_persons(context: CycleContext, fix_state: FixState, done: Attempt) -> bool:
    """Whether the attempt's last words leave it to a person; what to do is printed and kept."""
    means = fix_state.ends_with(done.words)
    if means:
        language = context.prover.suites[0].framework.language
        fix_state.errors.append(f"{means}. {for_a_person(done.words, language, fixing=True)}")
        context.watch.note(fix_state.errors[-1])
    return bool(means)


def _accept(context: CycleContext, run: FixSession, done: Attempt) -> bool:
    """The branch stands on it, where a person is asked before with their consent; False where it did
    before."""
    landed = not arrived(context.repo, run.branch, done.commit)
    if landed:
        allow(context, run, done.commit)
        land(context, run.branch, run.head, done.commit)
    run.head, run.proof = done.commit, done.after or run_suite(context, done.commit, before=run.proof)
    return landed


def _result_line(fix_state: FixState, done: Attempt) -> str:
    how = f"PASSED with {done.by}" if done.accepted else f"{done.reason.rstrip('.')} ({done.judged.verdict})"
    return f"{fix_state.failure.name}: {how}"


def _outside(context: CycleContext, run: FixSession, fix_state: FixState) -> bool:
    """What no agent can fix (R4): a service may come back, missing rights are a person's. Whether that
    settled it."""
    seen = fix_state.failure.diagnosis
    for number in range(1, runs_for(seen) + 1):
        wait = context.settings.retry.delay(number)
        if _again(context, run, fix_state, wait, "what it needs does not answer"):
            fix_state.retry_count = number
            return True
    if not_permitted(seen):
        fix_state.errors.append(seen.checked)
    return not_permitted(seen)


def _next(context: CycleContext, head: str, done: Attempt, current: Failure) -> tuple[str, Failure]:
    """Choose the start of the next attempt: the same error starts again with the next specialist, as does
    an attempt that left nothing; another error goes to its own, on top of the change (R3)."""
    if done.after is None or done.judged.verdict not in _GOES_ON:
        return head, _other_specialist(current)
    for failure in failures_of(context, done.after):
        if failure.id == current.id or (failure.is_build and current.is_build):
            if failure.fingerprint != current.fingerprint:
                return done.commit, failure
            return head, _other_specialist(current)
    return head, current


def _other_specialist(failure: Failure) -> Failure:
    """The same failure for the next specialist that its diagnosis names (D1); itself where there is one
    only."""
    seen = failure.diagnosis
    roles = specialists_for(seen)
    if seen.specialist not in roles or len(roles) < 2:
        return failure
    following = roles[(roles.index(seen.specialist) + 1) % len(roles)]
    return replace(failure, diagnosis=replace(seen, specialist=following))


def _passes_alone(context: CycleContext, run: FixSession, fix_state: FixState) -> bool:
    """A7: after an agent that crashed and left nothing; what failed may have been a passing thing."""
    return _again(context, run, fix_state, 0, "the tests alone, without the agent that failed")


def _again(context: CycleContext, run: FixSession, fix_state: FixState, wait: float, why: str) -> bool:
    """Run the suite again as it is, and return whether the test passes now.

    An unreadable run answers nothing.
    """
    waiting = f"waiting {wait:g} s: " if wait else ""
    context.watch.doing(f"{fix_state.failure.name}: {waiting}{why}")
    context.clock.sleep(wait)
    proof = run_suite(context, run.head, before=run.proof, fresh=True)
    run.proof = proof if proof.report.verdict in RAN else run.proof
    if passes(context, run.proof, fix_state.failure):
        fix_state.status = "PASSED"
    return fix_state.status == "PASSED"
