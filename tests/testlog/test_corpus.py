"""The corpus of real outputs: the bars that the reading has to clear, taken in one process."""

from __future__ import annotations

import gzip
import importlib.util
import json
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.model.report import Report
from tdd_orchestrator.testlog.read import read

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
THEIR_WORD = {"timed_out": "timeout", "unreadable": "unknown"}
BARS = {"verdict_ok": 0.99, "counts": 0.98, "failing": 0.97, "build_error": 0.99}

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the project")


def as_answer(found: Report) -> dict[str, Any]:
    return {
        "verdict": THEIR_WORD.get(found.verdict.value, found.verdict.value),
        "counts": asdict(found.counts) if found.counts else None,
        "failing": [case.name for case in found.failing],
        "build_error": found.build_error,
    }


@pytest.fixture(scope="module")
def scores() -> dict[str, list[tuple[bool, str]]]:
    spec = importlib.util.spec_from_file_location("score", CORPUS / "score.py")
    assert spec is not None
    assert spec.loader is not None
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    marks: dict[str, list[tuple[bool, str]]] = defaultdict(list)
    for file in sorted((CORPUS / "dev").glob("*/*/truth.json")):
        truth = json.loads(file.read_text(encoding="utf-8"))
        plain = file.parent / "output.txt"
        data = (
            plain.read_bytes()
            if plain.exists()
            else gzip.decompress((file.parent / "output.txt.gz").read_bytes())
        )
        report = file.parent / truth["report"] if truth.get("report") else None
        found = read(data, exit_code=truth["exit_code"], report=report)
        for name, mark in score.judge(truth, as_answer(found)).items():
            marks[name].append((mark, f"{file.parent.parent.name}/{file.parent.name}"))
    return marks


@pytest.mark.parametrize("name", ["!false_pass", "!hollow_pass", "!error_as_failed"])
def test_no_red_or_empty_run_is_called_a_pass_or_a_plain_red(
    scores: dict[str, list[tuple[bool, str]]], name: str
) -> None:
    assert [case for mark, case in scores[name] if mark] == []


@pytest.mark.parametrize("name", list(BARS))
def test_bar(scores: dict[str, list[tuple[bool, str]]], name: str) -> None:
    right = sum(mark for mark, _ in scores[name]) / len(scores[name])
    assert right >= BARS[name], [case for mark, case in scores[name] if not mark]
