"""Claims on plan items of two clones with one remote: real git, a fixed clock."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kit import Kata

from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.cycle.plan.claims import Claims, name_of
from tdd_orchestrator.model.plan import Item

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def clones(tmp_path: Path) -> Iterator[tuple[Claims, Claims]]:
    kata = Kata(tmp_path)
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "remote.git")], check=True)
    kata.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    kata.git("push", "-q", "origin", "main")
    with ExitStack() as stack:
        first = stack.enter_context(OpenRepository(kata.root))
        first.plan_repository.add([Item("aaaa", "one"), Item("bbbb", "two")])
        mine = Claims(first.git, first.objects, first.plan_repository, "origin", "ada")
        mine.share()
        subprocess.run(
            ["git", "clone", "-q", str(tmp_path / "remote.git"), str(tmp_path / "second"), "-b", "main"],
            check=True,
        )
        second = stack.enter_context(OpenRepository(tmp_path / "second"))
        yield mine, Claims(second.git, second.objects, second.plan_repository, "origin", "bob")


def test_the_second_clone_sees_the_claim_until_it_ends(clones: tuple[Claims, Claims]) -> None:
    ada, bob = clones
    assert ada.take("aaaa", NOW)
    assert ada.take("aaaa", NOW), "its own claim is no obstacle"
    assert not bob.take("aaaa", NOW)
    assert bob.of_others(bob.plan.plan(), NOW) == {"aaaa"}
    assert bob.take("bbbb", NOW)
    later = NOW + timedelta(hours=5)
    assert bob.of_others(bob.plan.plan(), later) == frozenset()
    assert bob.take("aaaa", later)
    assert not ada.take("aaaa", later)


def test_of_two_claims_at_once_the_remote_takes_one(
    clones: tuple[Claims, Claims], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = clones
    real, between = Claims._send, list[bool]()

    def send(claims: Claims, ref: str, commit: str) -> bool:
        if claims is bob and not between:
            between.append(ada.take("aaaa", NOW))  # after bob looked, before he pushes
        return real(claims, ref, commit)

    monkeypatch.setattr(Claims, "_send", send)
    assert not bob.take("aaaa", NOW)
    assert between == [True]
    assert {item.id: item.claimed_by for item in bob.plan.plan().items} == {"aaaa": "ada", "bbbb": ""}


def test_an_item_that_is_gone_is_not_claimed(clones: tuple[Claims, Claims]) -> None:
    ada, bob = clones
    ada.plan.remove(Item("aaaa", "one"))
    ada.share()
    assert not bob.take("aaaa", NOW)


def test_two_folders_are_two_clones(tmp_path: Path) -> None:
    assert name_of("Ada <a@b>", tmp_path) != name_of("Ada <a@b>", tmp_path / "other")
    assert name_of("Ada <a@b>", tmp_path).startswith("Ada ")
