"""Bytes become plain lines: bounded, whatever they are; floods are thinned, results never."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.testlog.parsers.lines import LONG, NoiseFilter, all_lines, chunks, plain_lines
from tdd_orchestrator.testlog.read import read


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"no end", ["no end"]),
        (b"", []),
        (b"\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07\n", ["red link"]),
        (b"\x1b[2K\x1b[1Gdone\n", ["done"]),
        (b"10%\r20%\r100%\n", ["10%", "100%"]),
        (b"test a ... \rprogress\rok\n", ["test a ... ", "ok"]),
        (b"nul\x00 bell\x07\n", ["nul bell"]),
        (b"\xff\xfe\xfa\xfb\n"[2:], ["��"]),
        ("größe ✓\n".encode(), ["größe ✓"]),
        ("UTF-16 ✓\r\nzwei\r\n".encode("utf-16"), ["UTF-16 ✓", "zwei"]),
    ],
)
def test_plain_lines(data: bytes, lines: list[str]) -> None:
    assert list(all_lines(data)) == lines


def test_a_very_long_line_keeps_its_ends() -> None:
    (line,) = plain_lines(b"begin" + b"x" * 100_000 + b"end")
    assert line.startswith("begin")
    assert line.endswith("end")
    assert len(line) < 2 * LONG + 10


def test_a_report_of_one_line_is_kept_whole() -> None:
    """`jest --json` prints one, and was not known by its two ends."""
    names = [f"a test with the number {number}" for number in range(400)]
    tests = [
        {"fullName": name, "title": name, "ancestorTitles": [], "status": "passed", "failureMessages": []}
        for name in names
    ]
    report = {
        "numFailedTestSuites": 0,
        "numFailedTests": 0,
        "numPassedTests": 400,
        "numPendingTests": 0,
        "numTotalTests": 400,
        "success": True,
        "testResults": [
            {"name": "/app/a.test.js", "status": "passed", "message": "", "assertionResults": tests}
        ],
    }
    line = json.dumps(report, separators=(",", ":"))
    assert len(line) > 4 * LONG
    found = read(line.encode() + b"\n", exit_code=0)
    assert (found.verdict, [case.name for case in found.cases]) == (RunVerdict.PASSED, names)


def test_a_stream_without_line_ends_is_bounded() -> None:
    blocks = list(chunks(b"." * (20 << 20) + b"\nend\n"))
    assert sum(map(len, blocks)) < 8 << 20
    assert blocks[-1].endswith(b"\nend\n")


def test_chunks_of_a_file_are_those_of_its_bytes(tmp_path: Path) -> None:
    data = b"".join(b"line %d of many\n" % number for number in range(200_000))
    file = tmp_path / "log"
    file.write_bytes(data)
    assert b"".join(chunks(file)) == data == b"".join(chunks(data))


def test_a_flood_is_thinned_and_a_result_in_it_is_kept() -> None:
    noise_filter = NoiseFilter(lambda line: line.startswith("result"), unfiltered=0)
    noise = b"".join(b"12:00:%02d noise %d\n" % (number % 60, number) for number in range(20_000))
    first = noise_filter.filter_block(noise)
    kept = noise_filter.filter_block(noise + b"result 1\n" + noise)
    assert len(first) < len(noise)
    assert kept.count(b"\n") < 50
    assert b"result 1" in kept


def test_result_lines_are_kept_however_many_there_are() -> None:
    noise_filter = NoiseFilter(lambda line: line.endswith(" ok"), unfiltered=0)
    results = b"".join(b"case %05d ok\n" % number for number in range(5_000))
    assert noise_filter.filter_block(results).count(b" ok") == 5_000
    assert noise_filter.filter_block(results).count(b" ok") == 5_000


def test_noise_of_very_many_kinds_is_known_as_soon_as_all_of_it_was_counted() -> None:
    """676 beginnings of two letters, in the order of no pattern, of which a block's first lines show each but a few
    times."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    starts = [f"{one}{two}" for one in letters for two in letters]
    chance = random.Random(7)
    noise_filter = NoiseFilter(lambda line: line.startswith("result"), unfiltered=0)
    left = 0
    for _ in range(24):
        block = "".join(f"{start} says {chance.random()}\n" for start in chance.choices(starts, k=20_000))
        left = len(noise_filter.filter_block(block.encode())) * 100 // len(block)
    assert left < 10, f"{left} % of the noise"


def test_nothing_is_thinned_while_it_is_calm() -> None:
    noise = b"the same\n" * 5_000
    assert NoiseFilter(lambda line: False).filter_block(noise) == noise
