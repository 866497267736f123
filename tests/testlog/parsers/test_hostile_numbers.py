"""Lines in the shape of a runner's own, with numbers that no machine holds: never a traceback, never slow."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from pace import within

from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.testlog.parsers.choose import rows
from tdd_orchestrator.testlog.read import read

LINES = sorted(
    {
        line
        for output in (Path(__file__).parent / "described").glob("*/failure*/output.txt")
        for line in output.read_text(encoding="utf-8").splitlines()
        if any(sign.isdigit() for sign in line)
    }
)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_numbers_of_any_length_are_read_or_left(row: object) -> None:
    begun = time.process_time()
    reader = row.reader()  # type: ignore[attr-defined]
    for line in LINES:
        reader.feed(line)
        for number in ("9" * 5_000, "1" + "." * 2_000):
            reader.feed(re.sub(r"\d+", number, line, count=1))
    reader.finish()
    assert time.process_time() - begun < within(3)


MOCHA = '["start",{"total":1}]\n["pass",{"title":"a","fullTitle":"a"}]\n["end",{"suites":1,"passes":%s,"pending":0,"failures":0}]\n'
JAPA = (
    '{"event":"suite:start","name":"d"}\n{"event":"test:end","title":{"original":"a"},"errors":[]}\n'
    '{"aggregates":{"total":1,"failed":0,"passed":%s,"regression":0,"skipped":0,"todo":0}}\n'
)


@pytest.mark.parametrize("stream", [MOCHA, JAPA], ids=["mocha", "japa"])
def test_absurd_numbers_are_no_counts(stream: str) -> None:
    assert read((stream % "1").encode(), exit_code=0).verdict is RunVerdict.PASSED
    assert read((stream % ("9" * 9)).encode(), exit_code=0).verdict is RunVerdict.PASSED
    for number in (
        "1e999",
        "-1e999",
        "NaN",
        "1" + "0" * 9,
        "9" * 4_000,
        "9" * 5_000,
        "-1",
        "1.5",
        "true",
        '"1"',
        "[1]",
    ):
        found = read((stream % number).encode(), exit_code=0)
        assert (found.verdict, found.counts) == (RunVerdict.CRASHED, None), number


def test_a_line_beyond_all_numbers_in_a_printed_report_is_none() -> None:
    text = '{"config":{},"suites":[],"errors":[{"message":"m","location":{"file":"a.ts","line":%s}}]}\n'
    assert read((text % "1").encode(), exit_code=1).verdict is RunVerdict.ERROR
    assert read((text % "1e999").encode(), exit_code=0).verdict is RunVerdict.NO_TESTS
