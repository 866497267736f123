"""What real clients printed for every provoked fault is read as that fault."""

from __future__ import annotations

import pytest

from tdd_orchestrator.agents.agent import AgentStatus

from .provoked import PROVOKED, RECORDED, Recording, recordings

CLIENTS = sorted(path.stem for path in RECORDED.glob("*.jsonl"))
ROWS = [(client, row) for client in CLIENTS for row in recordings(client)]


@pytest.mark.parametrize(("client", "row"), ROWS, ids=[f"{client}: {row.provoked}" for client, row in ROWS])
def test_a_recording_is_read_as_the_fault_that_was_provoked(client: str, row: Recording) -> None:
    judgement = row.judgement(client)
    expected, answer = PROVOKED[row.provoked].by(client)
    assert judgement.fault in expected, judgement.reason
    assert (judgement.status is AgentStatus.SUCCESS) is (not judgement.fault)
    assert (
        judgement.fault or answer in row.parsed(client).text
    )  # without a fault the whole answer was fetched


def test_a_client_that_was_recorded_was_recorded_for_every_fault() -> None:
    for client in CLIENTS:
        assert [row.provoked for row in recordings(client)] == list(PROVOKED), client
