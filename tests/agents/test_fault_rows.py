"""Every fault is a row with a sentence, and is recognized from what real clients print."""

from __future__ import annotations

import pytest

from tdd_orchestrator.agents.agent import TRANSIENT_FAULTS, Fault
from tdd_orchestrator.agents.faults import FAULTS, SENTENCES, fault_of

SAMPLES = [(row.fault, client, words) for row in FAULTS for client, words in row.samples]


@pytest.mark.parametrize(("fault", "client", "words"), SAMPLES)
def test_a_sample_is_recognized_as_its_row(fault: Fault, client: str, words: str) -> None:
    assert fault_of(words) is fault, client


def test_every_fault_is_one_row_and_every_pattern_has_a_sample() -> None:
    assert [row.fault for row in FAULTS if FAULTS.count(row) > 1] == []
    assert set(SENTENCES) == set(Fault) - {Fault.NONE}
    assert [row.fault for row in FAULTS if row.pattern is not None and not row.samples] == []


@pytest.mark.parametrize(
    "words", ["something else", "Failed to parse JSON", "the tests are red", "Segmentation fault"]
)
def test_unknown_words_are_unknown_and_never_transient(words: str) -> None:
    assert fault_of(words) is Fault.UNKNOWN
    assert fault_of(words) not in TRANSIENT_FAULTS
