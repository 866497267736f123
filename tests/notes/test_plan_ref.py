"""The plan's authored part: written, edited, removed, merged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import NewerSchema, Refused, StoreDamaged
from tdd_orchestrator.notes.plan_ref import PlanRef, anchor
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

from .conftest import plain


@pytest.fixture
def plan(git: Git, objects: Objects) -> PlanRef:
    return PlanRef(git, objects)


def test_saved_loaded_edited_removed_and_brought_back(plan: PlanRef, where: Path) -> None:
    assert plan.load() == []
    items = [{"id": "a", "title": "Leap years", "order": 1}, {"id": "b", "title": "grün", "order": 2}]
    assert plan.save(items) == 2
    assert plan.load() == items
    assert plan.save(items) == 0
    assert plan.save([{**items[0], "title": "Centuries"}]) == 1
    assert [item["title"] for item in plan.load()] == ["Centuries", "grün"]
    assert plan.save([], removed=["a", "unknown"], subject="plan: a removed") == 1
    assert plan.load() == items[1:]
    assert plan.save([items[0]]) == 1
    assert plan.load() == items
    assert (
        plain(where, "log", "-2", "--format=%s", "refs/notes/tdd-plan").splitlines()[1] == "plan: a removed"
    )
    shown = plain(where, "notes", "--ref=tdd-plan", "show", anchor("a")).splitlines()
    assert [json.loads(line)["item"]["title"] for line in shown][-1] == "Leap years"
    assert len(shown) == 4


def test_edits_of_two_people_merge_with_plain_git(plan: PlanRef, where: Path, git: Git) -> None:
    plan.save([{"id": "a", "title": "one"}, {"id": "b", "title": "two"}])
    base = plain(where, "rev-parse", "refs/notes/tdd-plan")
    plan.save([{"id": "a", "title": "mine"}])
    plain(where, "update-ref", "refs/notes/mine", "refs/notes/tdd-plan")
    plain(where, "update-ref", "refs/notes/tdd-plan", base)
    plan.save([{"id": "b", "title": "yours"}, {"id": "c", "title": "new"}])
    plain(where, "notes", "--ref=tdd-plan", "merge", "-q", "-s", "cat_sort_uniq", "refs/notes/mine")
    assert [item["title"] for item in plan.load()] == ["mine", "yours", "new"]


def test_many_edits_stay_bounded(plan: PlanRef, where: Path) -> None:
    for number in range(40):
        plan.save([{"id": "a", "text": f"{number}" * 2000}])
    assert len(plain(where, "notes", "--ref=tdd-plan", "show", anchor("a"))) < 70_000
    assert plan.load()[0]["text"].startswith("39")


def test_a_plan_that_cannot_be_read_is_not_an_empty_plan(plan: PlanRef, where: Path) -> None:
    plan.save([{"id": "a", "title": "one"}])
    plain(where, "notes", "--ref=tdd-plan", "append", "-m", "scribble", anchor("a"))
    assert [item["id"] for item in plan.load()] == ["a"]  # a person's remark is no line of ours
    plain(where, "notes", "--ref=tdd-plan", "append", "-m", '{"at":"broken', anchor("a"))
    with pytest.raises(StoreDamaged, match="broken"):
        plan.load()
    plain(
        where,
        "notes",
        "--ref=tdd-plan",
        "append",
        "-m",
        '{"at":"z","id":"z","v":7,"kind":"item"}',
        anchor("a"),
    )
    with pytest.raises(NewerSchema):
        plan.save([{"id": "b", "title": "two"}])
    with pytest.raises(Refused, match="needs an id"):
        plan.save([{"title": "none"}])
