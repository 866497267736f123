"""What each phase must prove (S3-S5). Pure: evidence in, a judgement out. Every way of not being proven is
named."""

from tdd_orchestrator.cycle.gates.after import green, killed, refactor, unharmed
from tdd_orchestrator.cycle.gates.evidence import Evidence, Judgement, RedEvidence, answers, run_problem
from tdd_orchestrator.cycle.gates.red import EditedTests, edited_tests, red

__all__ = [
    "EditedTests",
    "Evidence",
    "Judgement",
    "RedEvidence",
    "answers",
    "edited_tests",
    "green",
    "killed",
    "red",
    "refactor",
    "run_problem",
    "unharmed",
]
