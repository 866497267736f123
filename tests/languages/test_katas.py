"""Real runners and the three questions: honest tests fail in every twin, known cheats are caught or accepted as said."""

from __future__ import annotations

import pytest
from kata_runs import ask, missing
from katas import KATAS, Kata

# What no question finds is named, so that a change in either direction shows.
ACCEPTED = {
    "hard-coded value",
    "knows that it is tested",
    "swallows and gives a default",
    "defeat device: fails where the test file differs",
    "only the second value is always equal",
    "weak assertion",
    "test compares code with itself",
    "node: always equal",
}
NOT_A_PASS = {
    "pytest: strict xfail",
    "pytest: doctest",
    "pytest: async",  # where pytest-asyncio is not installed
}

SAMPLE = (
    "always equal",
    "skips",
    "test of a fake only",
    "test of a mock only",
)  # of the cheats, for the journeys; all: make katas


def _rows(*kinds: str) -> list[object]:
    rows: list[object] = []
    for runner, kata in KATAS.items():
        for kind, name, files, target in kata.cases():
            quick = runner in ("pytest", "node") and kind == "honest"
            marks = () if quick else (pytest.mark.journey,) if name in SAMPLE else (pytest.mark.slow,)
            if kind in kinds:
                rows.append(
                    pytest.param(
                        kata, files, target, name, id=f"{runner}: {name}".replace(" ", "_"), marks=marks
                    )
                )
    return rows


def _skip_where_missing(kata: Kata) -> None:
    if why := missing(kata.runner):
        pytest.skip(why)


@pytest.mark.parametrize(("kata", "files", "target", "name"), _rows("honest", "odd"))
def test_an_honest_test_fails_in_every_twin(
    kata: Kata, files: dict[str, str], target: str, name: str
) -> None:
    _skip_where_missing(kata)
    answers = ask(kata, files, target)
    if f"{kata.runner}: {name}" in NOT_A_PASS:
        return
    assert not answers.plain
    assert not answers.caught, answers.said
    assert answers.said["stub"] == "fails"
    if name == "honest":
        assert set(answers.said.values()) == {"fails"}


@pytest.mark.parametrize(("kata", "files", "target", "name"), _rows("cheat"))
def test_a_cheat_is_caught_or_known_to_pass(
    kata: Kata, files: dict[str, str], target: str, name: str
) -> None:
    _skip_where_missing(kata)
    answers = ask(kata, files, target)
    known = name in ACCEPTED or f"{kata.runner}: {name}" in ACCEPTED
    assert bool(answers.plain or answers.caught) != known, answers.said
