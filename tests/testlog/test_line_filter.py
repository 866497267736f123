"""A flood of results takes bounded memory, and hides nothing bad."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

import pytest

from tdd_orchestrator.testlog import feed
from tdd_orchestrator.testlog.parsers import flood as flood_module
from tdd_orchestrator.testlog.parsers import lines, tap
from tdd_orchestrator.testlog.read import read

FREE = 50_000

HEAD = (
    "============================= test session starts ==============================\ncollected 3 items\n\n"
)
PASS = "tests/test_a.py::test_number[{n}] PASSED                 [ 50%]\n"


def end(said: str) -> str:
    return f" {said} in 9.99s ".center(80, "=") + "\n"


FLOODS = {
    "pytest": PASS,
    "tap": "ok {n} - name {n}\n",
    "tap, bad": "not ok {n} - name {n}\n  ---\n  message: boom\n  ...\n",
    "go": "=== RUN   TestN{n}\n--- PASS: TestN{n} (0.00s)\n",
    "whole runs": HEAD + "test_a.py ...   [100%]\n\n" + end("3 passed"),
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rules at an eightieth of their sizes."""
    for name, value in {"FREE": FREE, "_ALIKE": 125, "_BAD": 600, "_OTHER": FREE, "_END": 3_000}.items():
        monkeypatch.setattr(feed, name, value)
    monkeypatch.setattr(tap, "BAD_LIMIT", 600)
    monkeypatch.setattr(flood_module, "RESULTS_FREE", FREE)
    monkeypatch.setattr(flood_module, "_END", 3_000)
    monkeypatch.setattr(flood_module, "_SMALL", 6_000)
    monkeypatch.setattr(feed, "_CONDENSED_LIMIT", FREE // 2)
    monkeypatch.setattr(lines, "CHUNK", 12_000)
    monkeypatch.setattr(flood_module, "FREE", FREE // 4)
    monkeypatch.setattr(flood_module, "END", 3_000)


def flood(line: str, size: int) -> str:
    return "".join(line.replace("{n}", str(number)) for number in range(size // len(line)))


@pytest.mark.parametrize("kind", FLOODS)
def test_memory_is_bounded(kind: str, tmp_path: Path) -> None:
    def peak(size: int) -> int:
        log = tmp_path / "log"
        log.write_text(flood(FLOODS[kind], size))
        gc.collect()
        tracemalloc.start()
        read(log, exit_code=1)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(14 * FREE)  # loads what is loaded once
    assert peak(14 * FREE) < max(peak(8 * FREE), 16 * FREE) * 1.3


@pytest.mark.parametrize("where", [0.3, 0.6, 0.999])
def test_one_failure_in_a_flood_of_passes_is_found(where: float) -> None:
    passes = flood(PASS, 2 * FREE).splitlines(keepends=True)
    at = int(len(passes) * where)
    passes.insert(at, "tests/test_a.py::test_bad FAILED                 [ 50%]\n")
    log = HEAD + "".join(passes) + end("1 failed, 9 passed")
    found = read(log.encode(), exit_code=0)
    assert found.verdict.value == "failed"
    assert [case.name for case in found.failing] == ["tests/test_a.py::test_bad"]
    assert not found.complete


@pytest.mark.parametrize("kind", ["tap", "go"])
def test_the_tests_of_a_flood_are_all_counted(kind: str) -> None:
    log = flood(FLOODS[kind], 4 * FREE)
    number = log.count("\n") // FLOODS[kind].count("\n")
    ends = {"tap": f"1..{number - 1}\n", "go": "PASS\nok  \texample.com/a\t0.01s\n"}
    found = read((log + ends[kind]).encode(), exit_code=0)
    assert (found.verdict.value, found.counts and found.counts.passed) == ("passed", number)


def test_planned_points_that_never_came_are_missed_in_a_flood() -> None:
    log = flood(FLOODS["tap"], 4 * FREE)
    found = read((log + f"1..{log.count(chr(10)) + 1}\n").encode(), exit_code=0)
    assert found.verdict.value == "crashed"


def test_a_flood_of_passes_is_a_pass_by_its_closing_line() -> None:
    log = HEAD + flood(PASS, 2 * FREE) + end("99999 passed")
    found = read(log.encode(), exit_code=0)
    assert (found.verdict.value, found.counts and found.counts.passed) == ("passed", 99999)


@pytest.mark.parametrize(
    "last", [HEAD + "test_a.py ..", HEAD + "test_a.py .F.\n" + end("1 failed, 2 passed")]
)
def test_the_last_of_very_many_runs_counts(last: str) -> None:
    log = flood(FLOODS["whole runs"], 2 * FREE) + last
    assert read(log.encode(), exit_code=0).verdict.value in ("failed", "crashed")


def test_what_cannot_be_read_whole_is_no_pass() -> None:
    bad = flood("FAILED tests/test_{n}.py::test_b - boom\n", 3 * FREE).replace("test_b", "test_b PASSED")
    log = HEAD + bad + end("3 passed")
    assert read(log.encode(), exit_code=0).verdict.value != "passed"


WORDY = {
    "pytest": ("tests/a.py::test_error_{n} PASSED          [ 50%]\nprints of test {n}\n", end("{n} passed")),
    "go": (
        "=== RUN   TestN{n}\n=== RUN   TestN{n}/no_error\nprints {n}\n--- PASS: TestN{n} (0.00s)\n"
        "    --- PASS: TestN{n}/no_error (0.00s)\n",
        "PASS\nok  \texample.com/a\t9.20s\n",
    ),
    "googletest": (
        "[ RUN      ] A.Error{n}\nprints {n}\n[       OK ] A.Error{n} (0 ms)\n",
        "[==========] {n} tests from 1 test suite ran. (9 ms total)\n[  PASSED  ] {n} tests.\n",
    ),
}


@pytest.mark.parametrize("kind", WORDY)
def test_the_name_of_a_test_that_passed_tells_of_nothing_bad(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tdd_orchestrator.testlog.feed.UNFILTERED", FREE)
    line, last = WORDY[kind]
    tests = 8_000
    body = "".join(line.replace("{n}", str(number)) for number in range(tests))
    heads = {
        "pytest": HEAD.replace("3 items", f"{tests} items"),
        "googletest": f"[==========] Running {tests} tests from 1 test suite.\n",
    }
    report = read((heads.get(kind, "") + body + last.replace("{n}", str(tests))).encode(), exit_code=0)
    assert report.verdict.value == "passed", report.why
    made = tests * (2 if kind == "go" else 1)
    assert report.counts
    # one, with what is in it, may lie across the border of the end
    assert made - made // tests <= report.counts.passed <= made
    bad = (
        line.replace("PASSED", "FAILED")
        .replace("PASS:", "FAIL:")
        .replace("       OK ", "  FAILED  ")
        .replace("{n}", "x")
    )
    report = read(
        (heads.get(kind, "") + body + bad + body + last.replace("{n}", str(tests))).encode(), exit_code=None
    )
    assert report.verdict.value != "passed"


CARGO = ("     Running unittests src/lib.rs (target/debug/deps/a-1)\n\nrunning {n} tests\n",
         "\ntest result: {said}. {p} passed; {f} failed; 0 ignored; 0 measured; 0 filtered out\n")  # fmt: skip


@pytest.mark.parametrize("bad", [0, 1])
def test_prints_that_are_alike_but_for_numbers_are_no_news_beyond_many(
    bad: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "_OFTEN", 100)
    lines = flood("test a::t{n} ... ok\nerror: no such key 1{n}\nerror: lost 1{n} of 3\n", FREE * 8)
    tests = lines.count("... ok")
    red = "test a::bad ... FAILED\n" * bad
    head, closing = CARGO
    log = f"{head}{lines}{red}{lines}{closing}".format(
        n=tests * 2 + bad, p=tests * 2, f=bad, said="FAILED" if bad else "ok"
    )
    found = read(log.encode(), exit_code=0)
    assert found.verdict.value == ("failed" if bad else "passed"), found.why


def test_a_number_that_is_nought_is_told_from_others_where_prints_are_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feed, "_OFTEN", 100)
    shown = feed.LineFilter([])
    shown._free = 0
    shown.sift([f"0 failed, {n} passed" for n in range(1, 5_000)])
    shown.sift(["." * 4_000])
    assert not shown.blind
    shown.sift(["3 failed, 2 passed"])
    shown.sift(["." * 4_000])
    shown.sift(["." * 4_000])
    assert shown.blind
