"""What is printed for programs is looked at by people as well: a terminal must have nothing to act on (T38)."""

from __future__ import annotations

import json

import pytest

from tdd_orchestrator.cli.render import json_line, tinted


@pytest.mark.parametrize(
    "mark", ["\u202e", "\u2066", "\u200b", "\x9b31m", "\x7f", "\x1b[2J", "\u2028", "\ufeff"]
)
def test_json_has_nothing_that_a_terminal_acts_on(mark: str) -> None:
    data = {"item": f"adds{mark} two"}
    line = json_line(data)
    assert mark[0] not in line
    assert json.loads(line) == data


def test_json_keeps_what_people_write() -> None:
    data = {"item": "größer als 漢字 \u3000 é 👩‍🔬"}
    assert json.loads(json_line(data)) == data
    assert "größer als 漢字" in json_line(data)


def test_a_status_word_has_a_color_and_a_title_has_none() -> None:
    line = "  1  k3fx  failed           a failed login is completed"
    assert tinted(line, 11) == line.replace("failed ", "\x1b[31mfailed\x1b[0m ", 1)
    assert tinted("  2  k3fy  planned          an accepted order is landed", 11).count("\x1b") == 0
