"""RED of a mutant's item: its test passes on the code as it is, and fails with the mutant in place (E7)."""

from __future__ import annotations

import math
from dataclasses import replace

from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.candidate import Candidate
from tdd_orchestrator.cycle.gates import Evidence, Judgement
from tdd_orchestrator.cycle.red_evidence import red_evidence
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.cycle.stronger import text_with
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.model.mutant import Mutant


def judge_killer(
    shop: Workshop, state: CycleState, mutant: Mutant, evidence: Evidence, candidate: Candidate
) -> Judgement:
    """Ask RED's gate about a run with the mutant in place, once the plain run has succeeded."""
    plain = gates.unharmed(evidence)
    text = text_with(shop, candidate.tree, mutant)
    if plain is not None or text is None:
        return plain or gates.mutant_gone(mutant)
    shop.watch.doing("RED: running the tests with the mutant in place")
    report, _ = shop.prover.run_rewritten(candidate.commit, {mutant.path: text}, (), math.inf)
    mutated = replace(evidence, now=report, flaky=frozenset())
    judged = gates.red(mutated, red_evidence(shop, state, mutated, candidate))
    return gates.killed(judged, mutant)
