"""docs/agents.md says what the tables say, and every fault of every client in it has a sample."""

from __future__ import annotations

from tdd_orchestrator.agents.agent import Fault
from tdd_orchestrator.agents.faults import FAULTS
from tdd_orchestrator.agents.preset import PRESETS

from .agents_document import DOCUMENT, document, outcome_of
from .provoked import RECORDED, recordings
from .test_parsers import SAMPLES


def seen_faults() -> set[tuple[str, Fault]]:
    """The (preset, fault) pairs that a sample of a client's own output stands for; of a client that was not run,
    samples are from its documents."""
    run = {name for name, row in PRESETS.items() if row.observed}
    found = {(sample.preset, sample.fault) for sample in SAMPLES if sample.preset in run}
    found |= {(client, row.fault) for row in FAULTS for client, _ in row.samples if client in PRESETS}
    clients = [path.stem for path in RECORDED.glob("*.jsonl")]
    found |= {(client, row.judgement(client).fault) for client in clients for row in recordings(client)}
    return {pair for pair in found if pair[1]}


def test_the_document_says_what_the_tables_say() -> None:
    again = "write it anew: PYTHONPATH=tests python -m agents.agents_document"
    assert DOCUMENT.read_text("utf-8") == document(seen_faults()), again


def test_every_fault_has_an_outcome() -> None:
    assert {outcome_of(fault) for fault in Fault if fault} == {"waits", "pauses", "phase", "person"}
