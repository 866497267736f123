"""A witness's file that somebody else wrote in: whatever its lines hold, it is the end of belief and never a crash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.runners.witness import reading, statement_in

NONCE = "n-1"
LINES: list[dict[str, Any]] = [
    {"t": "loaded", "pytest": "8", "python": "3.11"},
    {"t": "start", "root": "/tree", "xdist": False},
    {"t": "items", "items": [["tests/test_a.py::test_one", 3]]},
    {"t": "phase", "id": "tests/test_a.py::test_one", "when": "setup", "outcome": "passed", "sec": 0.1, "file": "tests/test_a.py", "line": 3},
    {"t": "phase", "id": "tests/test_a.py::test_one", "when": "call", "outcome": "passed", "sec": 0.1, "file": "tests/test_a.py", "line": 3},
    {"t": "finish", "status": 0, "failed": 0},
]  # fmt: skip
ODD: list[Any] = [None, -1, 1.5, "", "x", [], [1], {}, {"a": 1}, True, "\x00" * 3, [[1, 2, 3]], 10**400]


def _said(folder: Path, lines: list[dict[str, Any]]) -> tuple[bool, str]:
    text = "".join(json.dumps({**line, "n": NONCE, "i": number}) + "\n" for number, line in enumerate(lines))
    folder.mkdir()
    (folder / "1-1.jsonl").write_text(text)
    said = statement_in(folder, NONCE, folder)
    read = reading(said)
    return read.complete and read.claims_ok, said.broken


def test_as_the_witness_writes_it(tmp_path: Path) -> None:
    assert _said(tmp_path / "w", LINES) == (True, "")


@pytest.mark.parametrize(
    ("number", "key"), [(number, key) for number, line in enumerate(LINES) for key in line]
)
def test_a_fact_that_is_missing_or_of_another_kind(tmp_path: Path, number: int, key: str) -> None:
    without = [dict(line) for line in LINES]
    del without[number][key]
    _said(tmp_path / "without", without)
    for count, value in enumerate(ODD):
        other = [dict(line) for line in LINES]
        other[number][key] = value
        passed, _ = _said(tmp_path / f"odd-{count}", other)
        assert not (passed and key in ("t", "outcome")), value


@pytest.mark.parametrize(
    ("number", "key"), [(2, "items"), (3, "outcome"), (4, "id"), (5, "status"), (5, "failed")]
)
def test_what_is_needed_is_missed(tmp_path: Path, number: int, key: str) -> None:
    lines = [dict(line) for line in LINES]
    del lines[number][key]
    passed, broken = _said(tmp_path / "w", lines)
    assert not passed
    assert "is not from this run" in broken


def test_a_long_failure_keeps_the_line_that_says_what_was_raised(tmp_path: Path) -> None:
    raised = "E   PermissionError: [Errno 13] Permission denied: '/srv/tool'"
    for shift in range(0, 80, 9):
        source = "".join(f"    line {number} of a long function\n" for number in range(400))
        text = f"{'x' * shift}\n{source}{raised}\n\nlib.py:7: PermissionError"
        told = {"outcome": "failed", "text": text, "exc": "PermissionError", "msg": "[Errno 13]", "frames": [["/tree/a.py", 3, "f"]]}  # fmt: skip
        lines = [*LINES[:4], {**LINES[4], **told}, {"t": "finish", "status": 1, "failed": 1}]
        folder = tmp_path / f"{shift}"
        folder.mkdir()
        written = "".join(
            json.dumps({**line, "n": NONCE, "i": number}) + "\n" for number, line in enumerate(lines)
        )
        (folder / "1-1.jsonl").write_text(written)
        (case,) = reading(statement_in(folder, NONCE, Path("/tree"))).cases
        assert raised in case.detail.split("\n")
