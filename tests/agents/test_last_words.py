"""What an agent says at its end, recognized row by row; each row is held to its own samples."""

from __future__ import annotations

import pytest

from tdd_orchestrator.agents.last_words import (
    LENGTH,
    ROWS,
    LastWords,
    MessageKind,
    for_a_person,
    install_command,
    last_words,
    recognize,
)

SAMPLES = [(row.said, sample) for row in ROWS for sample in row.samples]
UNLIKE = [(row.said, sample) for row in ROWS for sample in row.unlike]


@pytest.mark.parametrize(("said", "text"), SAMPLES)
def test_a_sample_is_recognized_as_its_row(said: MessageKind, text: str) -> None:
    assert recognize(text).said is said


@pytest.mark.parametrize(("said", "text"), UNLIKE)
def test_what_only_resembles_a_row_is_not_taken(said: MessageKind, text: str) -> None:
    assert recognize(text).said is not said


def test_every_row_has_samples_of_both_kinds_and_tells_a_person_what_to_do() -> None:
    assert {row.said for row in ROWS} == set(MessageKind) - {MessageKind.NOTHING}
    assert all(row.samples and row.unlike and row.person for row in ROWS)


@pytest.mark.parametrize(
    ("text", "package"),
    [
        ("the package freezegun is not installed.", "freezegun"),
        ("The `hypothesis` library is missing.", "hypothesis"),
        ("No module named 'requests'. Please install it.", "requests"),
        ("Cannot find module '@scope/left-pad'", "@scope/left-pad"),
        ("Missing dependency: react.", "react"),
    ],
)
def test_the_package_is_named(text: str, package: str) -> None:
    assert recognize(text) == LastWords(MessageKind.MISSING_PACKAGE, text, package)


def test_a_person_gets_the_command_of_the_language() -> None:
    words = recognize("The package freezegun is not installed.")
    assert for_a_person(words, "python").endswith("python -m pip install freezegun")
    assert install_command("typescript", "left-pad") == "npm install --save-dev left-pad"
    assert install_command("cobol", "x") == "install x"
    assert for_a_person(LastWords(text="Done."), "python") == ""


def test_last_words_are_the_end_and_bounded() -> None:
    assert last_words("a\n\n \nb\n") == "a\nb"
    long = last_words("x" * 5000 + " the end")
    assert len(long) == LENGTH
    assert "x…x" in long, "its beginning is kept too"
    assert long.endswith("the end")
    assert last_words("\x1b[31mred\x1b[0m\x00") == "red"
