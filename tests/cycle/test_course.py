"""What stands of a `tdd fix` that was broken off, from its records alone."""

from __future__ import annotations

from typing import Any

from tdd_orchestrator.cycle.fix.fix_state import broken_off
from tdd_orchestrator.model.reading import read_all

BASE, ONE, TWO = "a" * 40, "b" * 40, "c" * 40


def record(status: str, fix_id: str = "f-1", test: str = "t", **more: Any) -> dict[str, Any]:
    """A record of the kind fix; one about a test has it in its results."""
    shown = {"results": [{"test": test}], "fingerprint": "f"} if status not in ("started", "ended") else {}
    return {
        "kind": "fix",
        "fix_id": fix_id,
        "status": status,
        "branch": "main",
        "base": BASE,
        **shown,
        **more,
    }


def newest(*records: dict[str, Any]) -> Any:
    return next(iter(broken_off(reversed(read_all(records)))), None)


def test_what_has_ended_or_never_began_is_not_taken_up() -> None:
    old = {"kind": "fix", "results": [{"test": "t"}], "fingerprint": "f"}
    assert newest() is None
    assert newest(old) is None
    assert newest(record("started"), record("rejected"), record("ended")) is None
    assert newest(record("started")).fix_id == "f-1"


def test_an_earlier_one_is_found_behind_a_later_one_that_ended() -> None:
    found = newest(
        record("started"), record("rejected"), record("started", "f-2"), record("rejected", "f-2"), record("ended", "f-2")
    )  # fmt: skip
    assert found.fix_id == "f-1"
    assert len(found.of("t", "f").attempts) == 1, "the other's attempts are not its own"


def test_it_stands_where_it_left_the_branch_or_was_to_land() -> None:
    found = newest(record("started"), record("accepted", tip=ONE), record("accepted", tip=TWO))
    assert [found.stands_at("main", head) for head in (BASE, ONE, TWO)] == [False, True, True]
    assert not found.stands_at("other", TWO)


def test_the_count_is_of_one_test_with_one_fingerprint() -> None:
    found = newest(
        record("started"), record("rejected"), record("rejected"), record("rejected", test="u"), record("settled", test="u")
    )  # fmt: skip
    assert len(found.of("t", "f").attempts) == 2
    assert found.of("t", "f").settled is None
    assert found.of("u", "f").settled is not None
    assert found.of("t", "another").attempts == ()


def test_waits_for_a_provider_count_until_the_next_attempt() -> None:
    waited = [record("started"), record("away", transient=1), record("away", transient=2)]
    assert newest(*waited).of("t", "f").transient == 2
    assert newest(*waited, record("rejected")).of("t", "f").transient == 0


def test_what_was_spent_is_of_all_its_records() -> None:
    paid = {"name": "mine", "tokens": 10, "cost": 0.5}
    cycle = {"kind": "handoff", "cycle_id": "c-1", "agent": paid, "wall": 60.0}
    spent = newest(
        record("started", wall=30.0), record("rejected", agent=paid, wall=30.0), cycle, record("away", consulted=[paid], wall=60.0)
    ).spent  # fmt: skip
    assert (spent.minutes, spent.attempts, spent.tokens, spent.cost) == (2.0, 1, 20, 1.0)
