"""A commit that takes another one back exactly: a person has to accept that its tests go."""

from __future__ import annotations

from pathlib import Path

from change_repository import CODE, TEST, Repository

GUARDED = "def double(number):\n    return 0 if number is None else number + number\n"
GUARDS = TEST + "\n\ndef test_guards():\n    assert double(None) == 0\n"
GUARDS_TEST = "tests/test_calc.py::test_guards"


def fixed_and_reverted(repository: Repository, *, between: dict[str, str | None] | None = None) -> str:
    fix = repository.commit("fix: nothing", {"calc.py": GUARDED, "tests/test_calc.py": GUARDS})
    if between:
        repository.commit("docs: more", between)
    repository.git("revert", "--no-edit", fix)
    return fix


def test_a_reverted_fix_asks_a_person_and_is_proven_with_a_yes(repository: Repository) -> None:
    fixed_and_reverted(repository)
    asked = repository.prove()
    (change,) = asked["changes"]
    assert (change["class"], change["verdict"], asked["code"]) == ("revert", "removed_test", 3)
    assert [(row["test"], row["how"]) for row in change["tests"]] == [(GUARDS_TEST, "removed")]
    accepted = repository.prove("--allow-removed")
    (change,) = accepted["changes"]
    assert (change["class"], change["verdict"], accepted["code"]) == ("revert", "proven", 0)
    assert any(GUARDS_TEST in warning for warning in change["warnings"])


def test_an_older_fix_is_reverted_by_its_patch(repository: Repository) -> None:
    fixed_and_reverted(repository, between={"README.md": "More.\n"})
    change = repository.prove_one("--allow-removed")
    assert (change["class"], change["verdict"]) == ("revert", "proven")


def test_a_revert_that_takes_more_with_it_is_none(repository: Repository) -> None:
    fixed_and_reverted(repository, between={"README.md": "More.\n"})
    repository.write({"calc.py": CODE.replace("number + number", "2 * number")})
    repository.git("commit", "-q", "-a", "--amend", "--no-edit")
    change = repository.prove_one("--allow-removed")
    assert (change["class"], change["verdict"]) == ("behavior", "no_test")


def test_a_message_alone_makes_no_revert(repository: Repository) -> None:
    fix = repository.commit("fix: nothing", {"calc.py": GUARDED, "tests/test_calc.py": GUARDS})
    message = f"Revert\n\nThis reverts commit {fix}."
    repository.commit(message, {"calc.py": "def double(number):\n    return number * 2\n"})
    assert repository.prove_one()["class"] == "behavior"


def test_a_revert_that_breaks_what_was_built_on_it_is_refused(repository: Repository) -> None:
    later = "from calc import double\n\n\ndef test_later():\n    assert double(None) == 0\n"
    fixed_and_reverted(repository, between={"tests/test_later.py": later})
    change = repository.prove_one("--allow-removed")
    assert (change["class"], change["verdict"]) == ("revert", "breaks_existing")
    assert "test_later" in change["reasons"][0]


def test_a_test_that_changes_back_asks_a_person_as_well(repository: Repository) -> None:
    repository.commit("fix: by three", {"calc.py": CODE.replace("number + number", "3 * number"),
                                        "tests/test_calc.py": TEST.replace("4", "6")})  # fmt: skip
    repository.git("revert", "--no-edit", "HEAD")
    change = repository.prove_one()
    assert (change["class"], change["verdict"]) == ("revert", "removed_test")
    assert repository.prove_one("--allow-removed")["verdict"] == "proven"


def test_a_reverted_revert_brings_the_fix_and_its_test_back(repository: Repository) -> None:
    fixed_and_reverted(repository)
    repository.git("revert", "--no-edit", "HEAD")
    change = repository.prove_one()
    assert (change["class"], change["verdict"]) == ("behavior", "proven")


def test_a_staged_revert_is_known_by_its_tree(repository: Repository, tmp_path: Path) -> None:
    fix = repository.commit("fix: nothing", {"calc.py": GUARDED, "tests/test_calc.py": GUARDS})
    repository.git("revert", "--no-commit", fix)
    change = repository.prove_one("--staged", "--allow-removed")
    assert (change["class"], change["verdict"]) == ("revert", "proven")
