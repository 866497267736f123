"""``tdd fix``: heals a red suite outside a cycle, failure by failure, under the same guard (A8, R3, D6).

Failures are grouped by fingerprint. A specialist is given one test of the group; what it leaves is proven against
everything that passed before, committed and landed at once; the other tests of the group are then run again without
an agent.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tdd_orchestrator.agents.agent import AgentStatus, Reply
from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.allowance import within_fix
from tdd_orchestrator.cycle.beginning import where_we_stand
from tdd_orchestrator.cycle.candidate import Candidate, take, tree_of, with_diff
from tdd_orchestrator.cycle.deploy import deploy
from tdd_orchestrator.cycle.failures import Failure, failures_of
from tdd_orchestrator.cycle.gates import Evidence, Judgement
from tdd_orchestrator.cycle.healing import Healed, Healing, attempted, finish_landing, finished, land
from tdd_orchestrator.cycle.judging import held_to, tests_at
from tdd_orchestrator.cycle.prove import Proof
from tdd_orchestrator.cycle.routes import not_permitted, runs_for
from tdd_orchestrator.cycle.turn import agent_info
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.notes.codec import new_id
from tdd_orchestrator.prompting.brief import Try
from tdd_orchestrator.text import one_line


def fix(shop: Workshop) -> Healed:
    """Heal what fails on the current branch; every proven fix has landed when this returns."""
    branch, head = where_we_stand(shop)
    finish_landing(shop, branch, head)
    run_id = f"f-{new_id()[:16].lower()}"
    proof = _run(shop, head)
    if proof.report.verdict in (RunVerdict.PASSED, RunVerdict.NO_TESTS):
        return Healed((), head)
    todo = failures_of(shop, proof)
    if not todo:
        missing = shop.prover.not_there()
        if missing:
            raise Refused(missing, "Install it, or name another one: test.command in tdd.toml.")
        raise Refused(
            f"The suite fails and names no test: {proof.report.why or proof.report.verdict}.",
            f"Run it yourself: {' '.join(shop.prover.suites[0].command)}.",
        )
    shop.watch.note(f"{len(todo)} failing: {', '.join(failure.name for failure in todo[:5])}")
    results: list[Healing] = []
    known = {failure.id: failure for failure in todo}
    while todo:
        healing = Healing(_first(todo))
        head, proof = _heal(shop, branch, head, proof, healing, run_id)
        results.append(healing)
        left = failures_of(shop, proof)
        known |= {failure.id: failure for failure in left}
        told = {healing.failure.id for healing in results}
        still = {failure.id for failure in left}
        cured = [failure for identity, failure in known.items() if identity not in told | still]
        results += [Healing(other, "PASSED", reused=True) for other in cured]
        todo = [failure for failure in left if failure.id not in told]
    return finished(shop, branch, head, proof, results)


def _first(todo: list[Failure]) -> Failure:
    """A build error hides the rest; then the cause that most tests fail for: its fix may be reused (D6)."""
    together = Counter(failure.fingerprint for failure in todo)
    return max(todo, key=lambda failure: (failure.is_build, together[failure.fingerprint]))


def _heal(
    shop: Workshop, branch: str, head: str, proof: Proof, healing: Healing, run_id: str
) -> tuple[str, Proof]:
    """Deploy specialists for one failure until it is cured or the retries are used up."""
    settled = _outside(shop, head, proof, healing)
    if settled is not None:
        return head, settled
    start = head
    current = healing.failure
    limit = shop.settings.retry.max_retries
    for number in range(1, limit + 1):
        if number > 1:
            shop.clock.sleep(shop.settings.retry.fix_delay(number - 1))
        within_fix(shop)
        role = current.diagnosis.specialist
        request, reply = deploy(shop, start, proof, current, healing, number, run_id, kept=start != head)
        healing.agents.append(f"{role} ({reply.agent})")
        message = f"fix: {one_line(healing.failure.name, 60)}\n\nTdd-Fix: {run_id}\n"
        candidate = take(shop, Phase.GREEN, head, start, message)
        judged, after = _judge(shop, proof, candidate, healing.failure, reply)
        healing.worked = agent_info(held_to(shop, judged, request, reply), role, reply.agent)
        healing.retry_count = number
        if judged.verdict is Verdict.PROVEN and after is not None:
            healing.status = "PASSED"
            attempted(shop, branch, run_id, healing, candidate, after, head)
            land(shop, branch, head, candidate.commit)
            shop.watch.done(f"{healing.failure.name}: PASSED with {role}", True)
            return candidate.commit, after
        candidate = with_diff(shop, candidate)
        reason = judged.reasons[0] if judged.reasons else str(judged.verdict)
        healing.errors.append(one_line(reason, 300))
        healing.tries.append(Try(number, judged.verdict, judged.reasons, candidate.diff))
        attempted(shop, branch, run_id, healing, candidate, after, head)
        shop.watch.done(f"{healing.failure.name}: {judged.verdict}: {reason}", False)
        if judged.verdict is Verdict.AGENT_FAILED and after is None:
            alone = _again(shop, head, healing, 0, "the tests alone, without the agent that failed")
            if healing.status == "PASSED":
                return head, alone
        start, current = _next(shop, head, candidate, judged, after, current)
    return head, _last_run(shop, head, healing)


def _outside(shop: Workshop, head: str, proof: Proof, healing: Healing) -> Proof | None:
    """What no agent can cure (R4): a service may come back, missing rights are a person's. The last run where that
    settled it, else None."""
    seen = healing.failure.diagnosis
    for number in range(1, runs_for(seen) + 1):
        proof = _again(
            shop, head, healing, shop.settings.retry.delay(number), "what it needs does not answer"
        )
        if healing.status == "PASSED":
            healing.retry_count = number
            return proof
    if not_permitted(seen):
        healing.errors.append(seen.checked)
        return proof
    return None


def _next(
    shop: Workshop, head: str, candidate: Candidate, judged: Judgement, after: Proof | None, current: Failure
) -> tuple[str, Failure]:
    """The same error: again from the start. Another one: its own specialist, on top of what is there (R3)."""
    if after is None or judged.verdict not in (
        Verdict.STILL_FAILING,
        Verdict.BUILD_ERROR,
        Verdict.PARTLY_FAILING,
    ):
        return head, current
    for failure in failures_of(shop, after):
        if failure.id == current.id or (failure.is_build and current.is_build):
            same = failure.fingerprint == current.fingerprint
            return (head, current) if same else (candidate.commit, failure)
    return head, current


def _last_run(shop: Workshop, head: str, healing: Healing) -> Proof:
    """At the maximum the last run is made without an agent; the failure may have been a passing one."""
    wait = shop.settings.retry.fix_delay(healing.retry_count)
    return _again(shop, head, healing, wait, "the last run, without an agent")


def _again(shop: Workshop, head: str, healing: Healing, wait: float, why: str) -> Proof:
    waiting = f"waiting {wait:g} s: " if wait else ""
    shop.watch.doing(f"{healing.failure.name}: {waiting}{why}")
    shop.clock.sleep(wait)
    proof = _run(shop, head, fresh=True)
    if healing.failure.id not in {failure.id for failure in failures_of(shop, proof)}:
        healing.status = "PASSED"
    return proof


def _judge(
    shop: Workshop, before: Proof, candidate: Candidate, failure: Failure, reply: Reply
) -> tuple[Judgement, Proof | None]:
    """The gate of GREEN with one target; what else failed before may go on failing."""
    others = frozenset(other.id for other in failures_of(shop, before) if other.id != failure.id)
    evidence = Evidence(
        baseline=before.report,
        now=None,
        changed=bool(candidate.commit),
        violations=candidate.violations,
        left=candidate.left,
        targets=() if failure.is_build else (failure.id,),
        ignore=others | shop.settings.known_failing,
        agent_failed="" if reply.status is AgentStatus.SUCCESS else reply.failure_reason,
    )
    if candidate.violations or not candidate.commit:
        return gates.green(evidence), None
    after = _run(shop, candidate.commit, first=failure)
    evidence = replace(evidence, now=after.report, control=_control(before, after), flaky=after.flaky)
    if failure.is_build and failure.fingerprint not in {one.fingerprint for one in failures_of(shop, after)}:
        return _build_cured(evidence, after), after
    return gates.green(evidence), after


def _build_cured(evidence: Evidence, after: Proof) -> Judgement:
    """The build error is gone; what the suite shows now are failures of its own, healed after this one."""
    if evidence.control is False:
        return gates.green(evidence)
    lost = sorted(evidence.baseline.passing_ids - after.report.passing_ids - evidence.ignore - evidence.flaky)
    if lost and after.report.complete:
        return Judgement(Verdict.BREAKS_EXISTING, (f"passed before, not now: {lost[0]}",))
    return Judgement(Verdict.PROVEN, ("it builds again",))


def _control(before: Proof, after: Proof) -> bool | None:
    """Whether the test that must fail did, where it was seen to before the agent came. A command that names some tests leaves
    it out, one that stops at the first failure does not come to it, and what does not load has no tests."""
    if before.control is not True or (after.control is False and after.report.build_error):
        return None
    return after.control


def _run(shop: Workshop, commit: str, *, fresh: bool = False, first: Failure | None = None) -> Proof:
    """The suite on a commit, with the test that must fail beside ``first``'s file or any other."""
    tree = tree_of(shop, commit)
    kept = None if fresh else shop.prover.recorded(tree, [*shop.records, *shop.store.of(commit).strictly()])
    if kept is not None:
        return kept
    shop.watch.doing("running the tests in a clean tree")
    tests = tests_at(shop, commit)
    own = [first.case.file] if first and first.case and first.case.file in tests else []
    return shop.prover.prove(commit, tree, near=[*own, *tests])
