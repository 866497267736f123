"""Stored records become typed values, whatever somebody wrote into them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.model.diagnosis import Category, Diagnosis, RoutingType
from tdd_orchestrator.model.parts import TestEvidence as Evidence
from tdd_orchestrator.model.reading import read, read_all, read_as
from tdd_orchestrator.model.records import KINDS, CycleEnded, Handoff, Record, ReportAction, Trouble, parse

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("schema-*.jsonl"))
OLD = [json.loads(line) for path in GOLDEN for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("record", OLD, ids=[record["id"] for record in OLD])
def test_every_old_record_is_read_as_its_kind(record: dict[str, Any]) -> None:
    assert read(record) == parse(record)
    assert read(record).kind == record["kind"]


def test_fields_of_a_later_version_are_passed_over() -> None:
    found = read({"kind": "handoff", "phase": "RED", "mood": "fine", "agent": {"name": "a", "hat": "red"}})
    assert isinstance(found, Handoff)
    assert (found.phase, found.agent.name) == ("RED", "a")


def test_a_kind_of_a_later_version_is_a_plain_record() -> None:
    found = read({"kind": "weather", "cycle_id": "c-1", "attempt": 3})
    assert type(found) is Record
    assert (found.kind, found.cycle_id, found.attempt) == ("weather", "c-1", 3)


def test_a_wrong_value_counts_as_empty_and_the_rest_stands() -> None:
    found = read(
        {
            "kind": "handoff",
            "phase": "GREEN",
            "agent": {"name": "a", "tokens": "many", "cost": [1]},
            "reasons": ["one", 2, "three", None],
            "tests": {"counts": {"passed": "all", "failed": 2}, "target_tests": "t"},
            "summary": None,
        }
    )
    assert isinstance(found, Handoff)
    assert (found.phase, found.agent.name, found.agent.tokens, found.agent.cost) == ("GREEN", "a", 0, None)
    assert found.reasons == ["one", "three"]
    assert found.tests.counts is not None
    assert (found.tests.counts.failed, found.tests.target_tests) == (2, [])


def test_a_required_field_that_is_missing_is_empty() -> None:
    found = read({"kind": "error", "error_details": {"type": 7}, "verdict": "vacuous_test"})
    assert isinstance(found, Trouble)
    assert (found.error, found.error_details.type, found.error_details.message) == ("", "", "")
    assert found.verdict == "vacuous_test"
    nothing = read({"kind": "error"})
    assert isinstance(nothing, Trouble)
    ended = read({"kind": "cycle_ended", "outcome": "aborted", "error_details": 3})
    assert isinstance(ended, CycleEnded)
    assert (ended.outcome, ended.error_details) == ("aborted", None)


def test_a_part_is_read_on_its_own() -> None:
    assert read_as(Evidence, {"tree": "t", "exit_code": "no"}) == Evidence(tree="t")


ODD: tuple[Any, ...] = (
    None, True, -1, 1.5, "text", [], [1, "two", None, []], {}, {"name": [], "type": 3, "tokens": "many"},
    {"counts": {"passed": "all"}, "quarantined_until": {"t": 3}}, {"poison": {"not_asked": {"t": []}}},
)  # fmt: skip


def test_a_stored_diagnosis_is_read_and_what_does_not_fit_is_unknown() -> None:
    stored = {
        "routing_type": "network-error", "category": "TRANSIENT", "severity": "HUGE", "error_type": 3, "line": "x",
        "file": "a.py", "confidence": 1, "message": None, "tests": ["t1", 2], "triggers": "a.py", "later": True,
    }  # fmt: skip
    assert read_as(Diagnosis, stored) == Diagnosis(
        RoutingType.NETWORK, category=Category.TRANSIENT, file="a.py", confidence=1.0, tests=("t1",)
    )
    assert read_as(Diagnosis, {}) == Diagnosis()


def test_actions_on_reports_are_read_under_their_earlier_name_too() -> None:
    action = {"error_id": "err_1", "step": "notify", "status": "done"}
    found = [read({"kind": kind, **action}) for kind in ("report_action", "desk")]
    assert all(isinstance(one, ReportAction) and one.step == "notify" for one in found)
    assert isinstance(read({"kind": "desk", "details": 3, **action}), ReportAction)
    assert ReportAction().kind == "report_action"


@pytest.mark.parametrize("kind", [*(str(one.model_fields["kind"].default) for one in KINDS), "later"])
def test_reading_never_fails(kind: str) -> None:
    """Every field of a record, with every kind of value that JSON has."""
    model = next((one for one in KINDS if one.model_fields["kind"].default == kind), Record)
    fields = [name for name in model.model_fields if name != "kind"]
    for odd in ODD:
        for name in fields:
            assert read({"kind": kind, name: odd}).kind == kind
        found = read_all([{**dict.fromkeys(fields, odd), "kind": kind}])[0]
        assert type(found) is model


def test_a_part_without_what_it_is_made_of_is_left_out() -> None:
    whole = {"path": "a.py", "line": 3, "count": 1, "old": "a", "new": "b"}
    found = read(
        {"kind": "handoff", "phase": "GREEN", "mutants": [{"path": "a.py"}, whole, {**whole, "line": "x"}]}
    )
    assert isinstance(found, Handoff)
    assert [one.model_dump() for one in found.mutants] == [whole]
    assert found.phase == "GREEN"
