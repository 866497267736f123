"""What ``tdd fix`` did for each failing test, its records (one for each attempt, one for the whole: N1, R3), and how a
proven fix lands."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tdd_orchestrator.cycle.candidate import Candidate
from tdd_orchestrator.cycle.failures import Failure
from tdd_orchestrator.cycle.prove import Proof
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.model.parts import AgentInfo, TestEvidence
from tdd_orchestrator.model.records import Fix, Landing
from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.prompting.brief import Try
from tdd_orchestrator.repo import refs
from tdd_orchestrator.text import one_line
from tdd_orchestrator.workspace import landing


@dataclass(slots=True)
class Healing:
    """One test on its way: ``agents`` were deployed for it, in order; ``errors`` are what it said, one a run."""

    failure: Failure
    status: str = "FAILED"
    retry_count: int = 0
    agents: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    tries: list[Try] = field(default_factory=list)
    reused: bool = False
    worked: AgentInfo = field(default_factory=AgentInfo)  # the newest run of an agent for it

    @property
    def cured_by(self) -> str:
        """The agent whose work was accepted; "" where there was none, or where the test passed without one in the end."""
        accepted = self.status == "PASSED" and len(self.tries) < len(self.agents)
        return self.agents[-1] if accepted else ""

    def result(self) -> dict[str, Any]:
        seen = self.failure.diagnosis
        return {
            "test": self.failure.id,
            "status": self.status,
            "retry_count": self.retry_count,
            "agents": self.agents,
            "errors": self.errors,
            "error_type": str(seen.error_type or ""),
            "routing_type": str(seen.routing_type),
            "message": one_line(seen.message, 500),
            "file": seen.file,
            "line": seen.line,
            "fingerprint": seen.fingerprint,
            "reused": self.reused,
        }


@dataclass(frozen=True, slots=True)
class Healed:
    results: tuple[dict[str, Any], ...]
    head: str

    @property
    def whole(self) -> bool:
        return all(result["status"] == "PASSED" for result in self.results)


def attempted(
    shop: Workshop,
    branch: str,
    run_id: str,
    healing: Healing,
    candidate: Candidate,
    proof: Proof | None,
    head: str,
) -> None:
    """Record one attempt on its own commit (on ``head`` where it left none), before anything is moved."""
    proven = healing.status == "PASSED"
    number = len(healing.agents)
    record = Fix(
        branch=branch,
        tip=candidate.commit if proven else head,
        attempt=number,
        retry_count=healing.retry_count,
        known_good=proven and proof is not None and proof.report.verdict is RunVerdict.PASSED,
        tests=shop.prover.evidence(proof) if proof is not None else TestEvidence(),
        results=[healing.result()],
        agent=healing.worked,
        agents=healing.agents[-1:],
        fingerprint=healing.failure.fingerprint,
        cured_by=healing.cured_by,
    )
    mark = healing.failure.fingerprint[:8] or "test"
    pins = {f"refs/tdd/attempts/{run_id}/{mark}-{number}": candidate.commit} if candidate.commit else {}
    how = "healed" if proven else "not healed"
    subject = f"fix: {one_line(healing.failure.name, 80)} {how} (attempt {number})"
    shop.write(candidate.commit or head, record, subject, pins=pins)


def finished(shop: Workshop, branch: str, head: str, proof: Proof, results: list[Healing]) -> Healed:
    """Record the whole on where the branch stands now."""
    told = tuple(healing.result() for healing in results)
    whole = all(result["status"] == "PASSED" for result in told)
    cured = [healing for healing in results if healing.cured_by]
    record = Fix(
        branch=branch,
        tip=head,
        known_good=whole and proof.report.verdict is RunVerdict.PASSED,
        tests=shop.prover.evidence(proof),
        results=list(told),
        agents=[agent for healing in results for agent in healing.agents],
        fingerprint=cured[0].failure.fingerprint if cured else "",
        cured_by=cured[0].cured_by if cured else "",
        reused=any(healing.reused for healing in results),
    )
    passed = sum(result["status"] == "PASSED" for result in told)
    shop.write(head, record, f"fix: {passed} of {len(told)} tests healed")
    return Healed(told, head)


def land(shop: Workshop, branch: str, old: str, new: str) -> None:
    """A proven fix reaches the branch at once, as a finished cycle would."""
    checkout = shop.checkout(branch)
    landing.refuse_blocked(
        checkout, old, new,
        what="The proven fix cannot land", then=f"run the same command again; it is kept as {new[:12]}.",
    )  # fmt: skip
    shop.write(new, Landing(branch=branch, old=old, new=new), f"landing: a fix on {branch}")
    refs.update(shop.git, [(f"refs/heads/{branch}", new, old)], reason="tdd fix")
    landing.follow(checkout, old, new)


def finish_landing(shop: Workshop, branch: str, head: str) -> None:
    """A landing that was broken off after the branch had moved: index and files follow now."""
    newest = next(iter(shop.store.trail(newest_first=True)), None)
    record = newest.record if newest else {}
    if (record.get("kind"), record.get("branch"), record.get("new")) != ("landing", branch, head):
        return
    if not record.get("cycle_id"):
        checkout = shop.checkout(branch)
        landing.drop_dead_locks(checkout, branch, datetime.fromisoformat(str(record["at"])).timestamp())
        landing.follow(checkout, str(record["old"]), head)
