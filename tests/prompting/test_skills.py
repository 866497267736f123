"""Skills: ours, the repository's, other agents'; chosen by role and kind of failure; capped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.prompting.templates import BODY, MOST, choose_skills, find_role, load_skills

NAMED = ("diagnostic-patterns", "recovery-strategies", "retry-patterns")


def write(folder: Path, name: str, head: str = "", body: str = "Know this.") -> None:
    (folder / name).mkdir(parents=True)
    text = f"---\nname: {name}\ndescription: d\n{head}---\n{body}\n"
    (folder / name / "SKILL.md").write_text(text, encoding="utf-8")


def test_the_three_named_ones_are_shipped_and_fit_a_prompt() -> None:
    skills, troubles = load_skills(None)
    assert tuple(skill.name for skill in skills) == NAMED
    assert troubles == ()
    for skill in skills:
        assert 500 < len(skill.body) < BODY
        assert skill.description


@pytest.mark.parametrize(
    ("role", "kinds", "names"),
    [
        ("red", ("still_failing",), []),
        ("green", (), []),
        ("analyze", (), ["diagnostic-patterns"]),
        ("analyze", ("TRANSIENT",), ["diagnostic-patterns", "retry-patterns"]),
        ("debugger", ("network-error",), ["retry-patterns"]),
        ("debugger", ("LOGIC",), ["diagnostic-patterns"]),
        ("replan", ("replan",), ["recovery-strategies"]),
        ("analyze", ("tampered",), ["diagnostic-patterns", "recovery-strategies"]),
    ],
)
def test_chosen_by_role_and_kind(role: str, kinds: tuple[str, ...], names: list[str]) -> None:
    assert [skill.name for skill in choose_skills(load_skills(None)[0], find_role(role), kinds)] == names


def test_a_repositorys_skill_is_for_every_role_unless_it_says(tmp_path: Path) -> None:
    write(tmp_path / ".tdd" / "skills", "house-style")
    write(tmp_path / ".tdd" / "skills", "for-red", "roles: [red]\n")
    skills, _ = load_skills(tmp_path)
    assert [skill.name for skill in choose_skills(skills, find_role("red"))] == ["for-red", "house-style"]
    assert [skill.name for skill in choose_skills(skills, find_role("green"))] == ["house-style"]


def test_a_repositorys_skill_replaces_ours_of_the_same_name(tmp_path: Path) -> None:
    write(tmp_path / ".tdd" / "skills", "retry-patterns", body="Never retry.")
    skills = {skill.name: skill for skill in load_skills(tmp_path)[0]}
    assert skills["retry-patterns"].body == "Never retry."


def test_other_agents_skills_need_to_name_a_role(tmp_path: Path) -> None:
    write(tmp_path / ".claude" / "skills", "make-slides")
    write(tmp_path / "home" / ".claude" / "skills", "know-sql", "roles: database\n")
    skills, _ = load_skills(tmp_path, tmp_path / "home")
    assert [skill.name for skill in choose_skills(skills, find_role("red"))] == []
    assert [skill.name for skill in choose_skills(skills, find_role("database"))] == ["know-sql"]


def test_capped_in_size_and_number(tmp_path: Path) -> None:
    for number in range(10):
        write(tmp_path / ".tdd" / "skills", f"skill-{number}", body="x" * 500_000)
    chosen = choose_skills(load_skills(tmp_path)[0], find_role("green"))
    assert len(chosen) == MOST
    assert all(len(skill.body) < BODY + 100 for skill in chosen)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("---\nname: other\ndescription: d\n---\n", "must be its folder's"),
        ("---\nname: mine\n---\n", "needs a description"),
        ("---\nname: [\n---\n", "cannot be read"),
        ("\x00\xff", "needs a description"),
    ],
)
def test_a_broken_skill_is_said_and_the_others_stay(tmp_path: Path, text: str, words: str) -> None:
    folder = tmp_path / ".tdd" / "skills" / "mine"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text, encoding="latin-1")
    skills, troubles = load_skills(tmp_path)
    assert len(troubles) == 1
    assert words in troubles[0]
    assert tuple(skill.name for skill in skills) == NAMED
