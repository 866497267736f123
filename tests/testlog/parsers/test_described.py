"""Runners that need a machine of their own, read from outputs written down by their documentation and sources.

``described/<framework>/<case>/`` has the same form as the samples of real runs.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.testlog.read import read

CASES = sorted(path.parent for path in (Path(__file__).parent / "described").glob("*/*/truth.json"))


def _truth(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "truth.json").read_text(encoding="utf-8")))


def _bare(key: str, value: Any) -> Any:
    """A file by its name, a type without its package."""
    return {"file": lambda: Path(value).name, "type": lambda: value.split(".")[-1]}.get(key, lambda: value)()


@pytest.mark.parametrize("folder", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_described_output_is_read_right(folder: Path) -> None:
    truth = _truth(folder)
    found = read(folder / "output.txt", exit_code=truth["exit_code"])
    assert found.verdict.value in truth["accept"], found.why
    if truth["counts"] is not None:
        assert found.counts is not None
        assert asdict(found.counts) == truth["counts"]
    assert sorted({case.name for case in found.failing}) == sorted(truth["failing"])
    assert found.build_error == truth["build_error"]


@pytest.mark.parametrize("folder", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_first_failure_says_where_and_what(folder: Path) -> None:
    truth = _truth(folder)
    wanted = truth.get("first_failure")
    if not wanted:
        pytest.skip("the output does not say")
    found = read(folder / "output.txt", exit_code=truth["exit_code"])
    first = found.failing[0] if found.failing else found.build_errors[0]
    told = {"file": Path(first.file).name, "line": first.line, "type": first.exception.split(".")[-1]}
    for key in wanted.keys() & told.keys():
        assert told[key] == _bare(key, wanted[key])
    assert wanted.get("message", "") in first.message or " ".join(wanted["message"].split()) in " ".join(
        first.message.split()
    )


@pytest.mark.parametrize("folder", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
@pytest.mark.parametrize("share", [0.3, 0.6, 0.85])
def test_a_red_run_cut_short_is_never_a_pass(folder: Path, share: float) -> None:
    truth = _truth(folder)
    if "passed" in truth["accept"] or truth.get("whole_before_its_end"):
        pytest.skip("a green run may be whole before its last line")
    lines = (folder / "output.txt").read_bytes().splitlines(keepends=True)
    part = b"".join(lines[: int(len(lines) * share)])
    assert read(part, exit_code=0).verdict.value != "passed"
