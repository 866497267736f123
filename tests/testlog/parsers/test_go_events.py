"""The event stream of ``go test -json``: every result is read, however much the tests print."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tdd_orchestrator.model.report import Counts
from tdd_orchestrator.testlog.parsers import go_package
from tdd_orchestrator.testlog.read import read

PACKAGE = "example.com/a"


def event(action: str, test: str = "", **more: object) -> str:
    facts = {"Time": "2026-01-01T00:00:00.123456789Z", "Action": action, "Package": PACKAGE}
    return json.dumps({**facts, **({"Test": test} if test else {}), **more}, separators=(",", ":")) + "\n"


def stream(tests: int, logs: int, failing: int = -1, ended: bool = True) -> Iterator[str]:
    yield event("start")
    for number in range(tests):
        name = f"TestNumber{number}"
        outcome = "fail" if number == failing else "pass"
        yield event("run", name)
        yield event("output", name, Output=f"=== RUN   {name}\n")
        for line in range(logs):
            yield event(
                "output", name, Output=f"    a_test.go:9: line {line} of what an ordinary test logs\n"
            )
        if outcome == "fail":
            yield event("output", name, Output="    a_test.go:31: boom: 4 is not 5\n")
        yield event("output", name, Output=f"--- {outcome.upper()}: {name} (0.01s)\n")
        yield event(outcome, name, Elapsed=0.01)
    if ended:
        outcome = "pass" if failing < 0 else "fail"
        yield event("output", Output=f"{outcome.upper()}\n")
        yield event("output", Output=f"{'ok  ' if failing < 0 else 'FAIL'}\t{PACKAGE}\t0.5s\n")
        yield event(outcome, Elapsed=0.5)


def log(path: Path, **shape: int | bool) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(stream(**shape))  # type: ignore[arg-type]
    return path


SHAPES = [(200, 400), (16_000, 2)]


@pytest.mark.parametrize(("tests", "logs"), SHAPES)
def test_a_green_suite_is_green_however_long_its_log_is(tests: int, logs: int, tmp_path: Path) -> None:
    file = log(tmp_path / "log", tests=tests, logs=logs)
    assert file.stat().st_size > 10 << 20
    found = read(file, exit_code=0)
    assert (found.verdict.value, found.counts) == ("passed", Counts(tests)), found.why


@pytest.mark.parametrize(("tests", "logs"), SHAPES)
@pytest.mark.parametrize("where", [0.0, 0.99])
def test_a_test_that_failed_is_named_with_what_it_printed(
    tests: int, logs: int, where: float, tmp_path: Path
) -> None:
    number = int(tests * where)
    found = read(log(tmp_path / "log", tests=tests, logs=logs, failing=number), exit_code=1)
    assert (found.verdict.value, found.counts) == ("failed", Counts(tests - 1, 1)), found.why
    assert [case.name for case in found.failing] == [f"TestNumber{number}"]
    assert "boom: 4 is not 5" in found.failing[0].message or logs > 40


def test_a_stream_that_was_cut_short_is_no_pass(tmp_path: Path) -> None:
    found = read(log(tmp_path / "log", tests=200, logs=400, ended=False), exit_code=0)
    assert found.verdict.value == "crashed"


def test_what_a_panic_prints_stays_where_it_is() -> None:
    filter_ = go_package.GoEvents()
    filter_.filter_block(b" " * (go_package.FREE + 1))
    before = event("output", "TestA", Output="noise\n")
    panic = event("output", "TestA", Output="panic: boom\n")
    frames = [event("output", "TestA", Output=f"\t/app/a.go:{number} +0x1\n") for number in range(3)]
    block = "".join([before, panic, *frames]).encode()
    assert filter_.filter_block(block) == block


def test_memory_holds_the_open_tests_alone() -> None:
    filter_ = go_package.GoEvents()
    filter_.filter_block(b" " * (go_package.FREE + 1))
    for _ in range(50):
        lines = [event("output", "TestA", Output=f"line {number}\n") for number in range(1_000)]
        assert filter_.filter_block("".join(lines).encode()) == b""
    shown = filter_.filter_block(event("fail", "TestA", Elapsed=0.1).encode()).count(b"\n")
    assert shown == 81
    assert filter_.filter_block(event("fail", "TestA", Elapsed=0.1).encode()).count(b"\n") == 1


def test_what_a_compiler_says_when_it_stops_counting_is_no_error() -> None:
    """Go shows ten errors; each name below is missing, and the eleventh line is no eleventh reason."""
    lines = [f"./a_test.go:{number}:5: undefined: F{number}" for number in range(1, 11)]
    text = "\n".join(["# example.com/a [example.com/a.test]", *lines, "./a_test.go:10:5: too many errors"])
    report = read(f"{text}\nFAIL\texample.com/a [build failed]\nFAIL\n".encode(), exit_code=1)
    assert [error.message for error in report.build_errors] == [f"undefined: F{n}" for n in range(1, 11)]
