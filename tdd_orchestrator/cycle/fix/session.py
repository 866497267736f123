"""``tdd fix``: heals a red suite outside a cycle, failure by failure, under the same guard (A8, R3, D6).

Failures are grouped by fingerprint. A specialist is given one test of the group; what it leaves is proven against
everything that passed before, committed and landed at once; the other tests of the group are then run again without
an agent. What its records say was done before it was broken off is gone through in the same order, and not done again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice

from tdd_orchestrator.cycle.attempt.candidate import tree_of
from tdd_orchestrator.cycle.budget import within_fix
from tdd_orchestrator.cycle.failures import Failure, failures_of
from tdd_orchestrator.cycle.fix.approval import allow
from tdd_orchestrator.cycle.fix.fix_attempt import RAN, attempt, passes, recalled, run_suite
from tdd_orchestrator.cycle.fix.fix_records import (
    Attempt,
    Healed,
    Healing,
    Mending,
    attempted,
    finished,
    settled,
    started,
)
from tdd_orchestrator.cycle.fix.landing import arrived, catch_up, land
from tdd_orchestrator.cycle.fix.progress import broken_off
from tdd_orchestrator.cycle.prove import Proof
from tdd_orchestrator.cycle.routes import not_permitted, runs_for, specialists_for
from tdd_orchestrator.cycle.start import where_we_stand
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.notes.codec import new_id

_LOOKED_AT = 2_000  # records, the newest ones
_NAMED = 5
_GOES_ON = frozenset({Verdict.STILL_FAILING, Verdict.BUILD_ERROR, Verdict.PARTLY_FAILING})


def fix(shop: Workshop) -> Healed:
    """Heal what fails on the current branch; every proven fix has landed when this returns."""
    catch_up(shop)
    branch, head = where_we_stand(shop)
    run = _taken_up(shop, branch, head)
    if run is None:
        proof = run_suite(shop, head)
        why = _nothing_to_heal(shop, proof)
        if why:
            return Healed((), head, why)
        todo = _seen(shop, proof)
        run = Mending(
            branch, started(shop, f"f-{new_id()[:16].lower()}", branch, head, proof, len(todo)), head, proof
        )
    results = _all(shop, run)
    shop.agent_tree.release(run.head)
    return finished(shop, run, results)


def _taken_up(shop: Workshop, branch: str, head: str) -> Mending | None:
    """The ``tdd fix`` of the same tests on the same commit that was broken off, where it began."""
    newest = (entry.typed for entry in islice(shop.store.mine(), _LOOKED_AT))
    for course in broken_off(newest):
        if course.stands_at(branch, head):
            proof = shop.prover.recorded(tree_of(shop, course.base), [course.started])
            if proof is not None:
                shop.watch.note("going on with the fix that was broken off")
                return Mending(branch, course, course.base, proof)
    return None


def _nothing_to_heal(shop: Workshop, proof: Proof) -> str:
    if proof.report.verdict is RunVerdict.PASSED:
        return "the suite passes"
    if proof.report.verdict is RunVerdict.NO_TESTS:
        return "no test was run"
    failing = {case.id for case in proof.report.failing}
    flaky = sorted(failing & proof.flaky)
    if not failing or proof.report.build_errors or failing - proof.flaky - shop.settings.known_failing:
        return ""
    if flaky:
        return f"{flaky[0]}{f' and {len(flaky) - 1} more' if flaky[1:] else ''} failed, and passed when run again (flaky)"
    return "what fails is known (test.known_failing)"


def _seen(shop: Workshop, proof: Proof) -> list[Failure]:
    """What is to be healed, said; Refused where the suite fails and no test or error of it can be named."""
    todo = failures_of(shop, proof)
    if not todo:
        missing = shop.prover.not_there()
        if missing:
            raise Refused(missing, "Install it, or name another one: test.command in tdd.toml.")
        raise Refused(
            f"The suite fails and names no test: {(proof.report.why or proof.report.verdict).rstrip('.')}.",
            f"Run it yourself: {' '.join(shop.prover.suites[0].command)}.",
        )
    more = f" and {len(todo) - _NAMED} more" if len(todo) > _NAMED else ""
    shop.watch.note(f"{len(todo)} failing: {', '.join(failure.name for failure in todo[:_NAMED])}{more}")
    for seen in (failure.diagnosis for failure in todo):
        if not (not_permitted(seen) or runs_for(seen)):
            shop.cast.agent(seen.specialist)  # one that is none is said before anything is written
    return todo


def _all(shop: Workshop, run: Mending) -> list[Healing]:
    """One failure after the other; those that a fix cured with its own are told as such (D6)."""
    results: list[Healing] = []
    todo = failures_of(shop, run.proof)
    known = {failure.id: failure for failure in todo}
    while todo:
        healing = Healing(_first(todo))
        _heal(shop, run, healing)
        results.append(healing)
        left = failures_of(shop, run.proof)
        known |= {failure.id: failure for failure in left}
        if healing.status != "PASSED":
            results += [_given_up(shop, run, healing, other) for other in left if _same_cause(healing, other)]
        told = {healing.failure.id for healing in results}
        todo = [failure for failure in left if failure.id not in told]
        gone = [failure for failure in known.values() if failure.id not in told | {one.id for one in todo}]
        results += [_gone(shop, run.proof, failure) for failure in gone]
    for healing in results:
        if healing.status != "PASSED" and passes(shop, run.proof, healing.failure):
            healing.status, healing.reused = "PASSED", True
    return results


def _same_cause(healing: Healing, other: Failure) -> bool:
    mine = healing.failure
    return bool(mine.fingerprint) and mine.fingerprint == other.fingerprint and mine.id != other.id


def _given_up(shop: Workshop, run: Mending, healing: Healing, other: Failure) -> Healing:
    """Another test of a cause that was given up: nobody is sent to the same cause again (D6)."""
    given_up = Healing(other, errors=[f"the same cause as {healing.failure.name}, which was not healed"])
    if run.course.of(other.id, other.fingerprint).settled is None:
        settled(shop, run, given_up)
    return given_up


def _gone(shop: Workshop, proof: Proof, failure: Failure) -> Healing:
    """A failure that is none any more, and that nobody was sent to: cured with another, or lost from sight."""
    if passes(shop, proof, failure):
        return Healing(failure, "PASSED", reused=True)
    flaky = failure.id in proof.flaky
    how = (
        "it failed, and passed when run again (flaky)"
        if flaky
        else "it failed before, and is not run any more"
    )
    return Healing(failure, errors=[how])


def _first(todo: list[Failure]) -> Failure:
    """A build error hides the rest; then the cause that most tests fail for: its fix may be reused (D6)."""
    together = Counter(failure.fingerprint for failure in todo)
    return max(todo, key=lambda failure: (failure.is_build, together[failure.fingerprint]))


def _heal(shop: Workshop, run: Mending, healing: Healing) -> None:
    """Deploy specialists for one failure until it is cured or the retries are used up, from where its records stand."""
    before = run.course.of(healing.failure.id, healing.failure.fingerprint)
    limit = shop.settings.retry.max_retries
    start, current, done = run.head, healing.failure, None
    for record in before.attempts:
        done = recalled(shop, record)
        healing.take(done)
        if done.accepted:
            if _accept(shop, run, done):
                shop.watch.done(f"{_told(healing, done)}, and has landed now", True)
            return None
        start, current = _next(shop, run.head, done, current)
    if before.settled is not None:
        healing.settle_as(before.settled)
        run.proof = recalled(shop, before.settled, run.head).after or run.proof
        return None
    if done is not None:
        shop.watch.note(f"{healing.failure.name}: {healing.retry_count} of {limit} tries were made before")
    elif not before.transient and _outside(shop, run, healing):
        return settled(shop, run, healing)
    while len(healing.agents) < limit:
        if done is not None and done.crashed and _passes_alone(shop, run, healing):
            return settled(shop, run, healing)
        shop.clock.sleep(shop.settings.retry.fix_delay(len(healing.agents)))
        within_fix(shop, run.course.spent)
        done = attempt(shop, run, healing, current, start, before.transient if done is None else 0)
        healing.take(done)
        attempted(shop, run, healing, done)
        shop.watch.done(_told(healing, done), done.accepted)
        if done.accepted:
            _accept(shop, run, done)
            return None
        start, current = _next(shop, run.head, done, current)
    wait = shop.settings.retry.fix_delay(healing.retry_count)
    _again(shop, run, healing, wait, "the last run, without an agent")
    return settled(shop, run, healing)


def _accept(shop: Workshop, run: Mending, done: Attempt) -> bool:
    """The branch stands on it, where a person is asked before with their consent; False where it did before."""
    landed = not arrived(shop, run.branch, done.commit)
    if landed:
        allow(shop, run, done.commit)
        land(shop, run.branch, run.head, done.commit)
    run.head, run.proof = done.commit, done.after or run_suite(shop, done.commit, before=run.proof)
    return landed


def _told(healing: Healing, done: Attempt) -> str:
    how = f"PASSED with {done.by}" if done.accepted else f"{done.judged.verdict}: {done.reason}"
    return f"{healing.failure.name}: {how}"


def _outside(shop: Workshop, run: Mending, healing: Healing) -> bool:
    """What no agent can cure (R4): a service may come back, missing rights are a person's. Whether that settled it."""
    seen = healing.failure.diagnosis
    for number in range(1, runs_for(seen) + 1):
        wait = shop.settings.retry.delay(number)
        if _again(shop, run, healing, wait, "what it needs does not answer"):
            healing.retry_count = number
            return True
    if not_permitted(seen):
        healing.errors.append(seen.checked)
    return not_permitted(seen)


def _next(shop: Workshop, head: str, done: Attempt, current: Failure) -> tuple[str, Failure]:
    """The same error: again from the start. Another one: its own specialist, on top of what is there (R3)."""
    if done.after is None or done.judged.verdict not in _GOES_ON:
        return head, current
    for failure in failures_of(shop, done.after):
        if failure.id == current.id or (failure.is_build and current.is_build):
            if failure.fingerprint != current.fingerprint:
                return done.commit, failure
            return head, _other_specialist(current)
    return head, current


def _other_specialist(failure: Failure) -> Failure:
    """The same failure for the next specialist that its diagnosis names (D1); itself where there is one only."""
    seen = failure.diagnosis
    roles = specialists_for(seen)
    if seen.specialist not in roles or len(roles) < 2:
        return failure
    following = roles[(roles.index(seen.specialist) + 1) % len(roles)]
    return replace(failure, diagnosis=replace(seen, specialist=following))


def _passes_alone(shop: Workshop, run: Mending, healing: Healing) -> bool:
    """A7: after an agent that crashed and left nothing; what failed may have been a passing thing."""
    return _again(shop, run, healing, 0, "the tests alone, without the agent that failed")


def _again(shop: Workshop, run: Mending, healing: Healing, wait: float, why: str) -> bool:
    """The suite once more as it is; whether the test passes now. A run that cannot be read says nothing of any test."""
    waiting = f"waiting {wait:g} s: " if wait else ""
    shop.watch.doing(f"{healing.failure.name}: {waiting}{why}")
    shop.clock.sleep(wait)
    proof = run_suite(shop, run.head, before=run.proof, fresh=True)
    run.proof = proof if proof.report.verdict in RAN else run.proof
    if passes(shop, run.proof, healing.failure):
        healing.status = "PASSED"
    return healing.status == "PASSED"
