"""Every sample of a real run is read right: verdict, counts and the names of what failed."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.testlog.read import read

SAMPLES = Path(__file__).parent / "samples"
CASES = sorted(path.parent for path in SAMPLES.glob("*/*/truth.json"))


@pytest.mark.parametrize("folder", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_sample_is_read_right(folder: Path) -> None:
    truth: dict[str, Any] = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    report = folder / str(truth.get("report"))
    found = read(
        folder / "output.txt",
        exit_code=truth["exit_code"],
        report=report if truth.get("report") else None,
        command=truth["command"],
    )
    assert found.verdict.value in truth["accept"], found.why
    if truth["counts"] is not None:
        assert found.counts is not None
        assert asdict(found.counts) == truth["counts"]
    assert sorted({case.name for case in found.failing}) == sorted(truth["failing"])


@pytest.mark.parametrize("folder", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_first_half_of_a_run_is_never_a_pass(folder: Path) -> None:
    lines = (folder / "output.txt").read_bytes().splitlines(keepends=True)
    half = b"".join(lines[: len(lines) // 2])
    assert read(half, exit_code=0).verdict.value != "passed"
