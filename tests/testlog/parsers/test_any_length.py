"""Any length of output keeps verdict and counts: no result is dropped, of any runner (E1)."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from tdd_orchestrator.model.report import Counts
from tdd_orchestrator.testlog import feed
from tdd_orchestrator.testlog.parsers import flood, go_package
from tdd_orchestrator.testlog.read import read

SMALL = 20_000  # bytes, in place of what is read line by line


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every limit much smaller, so that short logs are floods."""
    monkeypatch.setattr(feed, "FREE", SMALL)
    monkeypatch.setattr(feed, "_END", 2_000)
    monkeypatch.setattr(feed, "_ALIKE", 50)
    monkeypatch.setattr(feed, "_BAD", 100)
    monkeypatch.setattr(feed, "_OTHER", SMALL)
    monkeypatch.setattr(flood, "FREE", SMALL)
    monkeypatch.setattr(flood, "END", 2_000)
    monkeypatch.setattr(flood, "RESULTS_FREE", SMALL)
    monkeypatch.setattr(go_package, "FREE", SMALL)


def bad(number: int) -> bool:
    return number % 3 == 0


def tap(number: int) -> str:
    return f"{'not ' if bad(number) else ''}ok {number} - takes {number}\n"


def tap_explained(number: int) -> str:
    return tap(number) + (f"  ---\n  message: expected {number}\n  ...\n" if bad(number) else "")


def tap_noisy(number: int) -> str:
    return f"log line {number}\n" + tap(number) + (f"Error: no {number}\n" if bad(number) else "")


def go(number: int) -> str:
    word = "FAIL" if bad(number) else "PASS"
    return f"=== RUN   TestN{number}\n    a_test.go:3: log {number}\n--- {word}: TestN{number} (0.00s)\n"


def go_json(number: int) -> str:
    name, word = f"TestN{number}", "fail" if bad(number) else "pass"
    events = [
        ("run", {}),
        ("output", {"Output": f"    a_test.go:3: log {number}\n"}),
        (word, {"Elapsed": 0.1}),
    ]
    facts = [{"Action": action, "Package": "a", "Test": name} | more for action, more in events]
    return "".join(json.dumps(fact, separators=(",", ":")) + "\n" for fact in facts)


def teamcity(number: int) -> str:
    name = f"name='test {number}'"
    failed = (
        f"##teamcity[testFailed {name} message='expected {number}' details='no']\n" if bad(number) else ""
    )
    return f"##teamcity[testStarted {name}]\n{failed}##teamcity[testFinished {name} duration='0']\n"


def subunit(number: int) -> str:
    end = f"failure: t{number} [\na.c:{number}: error: no\n]\n" if bad(number) else f"success: t{number}\n"
    return f"test: t{number}\n{end}"


def mocha_stream(number: int) -> str:
    facts = {"title": f"t{number}", "fullTitle": f"t{number}", "file": "a.js"}
    word = "fail" if bad(number) else "pass"
    return json.dumps([word, facts | ({"err": "no", "stack": "Error: no"} if bad(number) else {})],
                      separators=(",", ":")) + "\n"  # fmt: skip


def japa(number: int) -> str:
    errors = [{"error": {"message": "no", "stack": "Error: no"}}] if bad(number) else []
    return json.dumps({"event": "test:end", "title": {"expanded": f"t{number}"}, "errors": errors},
                      separators=(",", ":")) + "\n"  # fmt: skip


READERS: dict[str, tuple[str, Callable[[int], str], Callable[[int, int], str]]] = {
    "tap": ("TAP version 13\n", tap, lambda passed, failed: f"1..{passed + failed}\n"),
    "tap, explained": ("TAP version 13\n", tap_explained, lambda passed, failed: f"1..{passed + failed}\n"),
    "tap, noisy": ("TAP version 13\n", tap_noisy, lambda passed, failed: f"1..{passed + failed}\n"),
    "go": (
        "",
        go,
        lambda passed, failed: "FAIL\nFAIL\ta\t0.1s\nFAIL\n" if failed else "PASS\nok  \ta\t0.1s\n",
    ),
    "go json": (
        '{"Action":"start","Package":"a"}\n',
        go_json,
        lambda passed, failed: f'{{"Action":"{"fail" if failed else "pass"}","Package":"a","Elapsed":0.1}}\n',
    ),
    "teamcity": (
        "##teamcity[testSuiteStarted name='s']\n",
        teamcity,
        lambda passed, failed: "##teamcity[testSuiteFinished name='s']\n",
    ),
    "subunit": ("", subunit, lambda passed, failed: ""),
    "mocha json-stream": (
        '["start",{"total":9}]\n',
        mocha_stream,
        lambda passed, failed: (
            f'["end",{{"suites":1,"tests":{passed + failed},"passes":{passed},"pending":0,"failures":{failed}}}]\n'
        ),
    ),
    "japa": (
        '{"event":"suite:start","name":"s"}\n',
        japa,
        lambda passed, failed: (
            f'{{"aggregates":{{"total":{passed + failed},"failed":{failed},"passed":{passed},"regression":0,'
            f'"skipped":0,"todo":0}},"hasError":{"true" if failed else "false"}}}\n'
        ),
    ),
}


def log(reader: str, tests: int) -> bytes:
    begin, one, end = READERS[reader]
    failed = sum(map(bad, range(1, tests + 1)))
    return (begin + "".join(map(one, range(1, tests + 1))) + end(tests - failed, failed)).encode()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("tests", [30, 5_000])
def test_counts_and_verdict_hold_for_any_length(reader: str, tests: int) -> None:
    found = read(log(reader, tests), exit_code=1)
    failed = tests // 3
    assert (found.verdict.value, found.counts) == ("failed", Counts(tests - failed, failed)), found.why


@pytest.mark.parametrize("reader", ["tap, explained", "tap, noisy"])
def test_a_flood_of_failures_is_counted_at_its_full_size(reader: str, tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(log(reader, 75_000))
    found = read(file, exit_code=1)
    assert (found.verdict.value, found.counts) == ("failed", Counts(50_000, 25_000)), found.why


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("reader", READERS)
def test_a_flood_that_was_cut_short_is_never_a_pass(reader: str) -> None:
    whole = log(reader, 3_000)
    for share in (0.3, 0.7, 0.95):
        part = whole[: int(len(whole) * share)]
        assert read(part[: part.rindex(b"\n") + 1], exit_code=0).verdict.value != "passed"


def test_memory_stays_bounded(tmp_path: Path) -> None:
    def peak(tests: int) -> int:
        file = tmp_path / "log"
        file.write_bytes(log("tap, explained", tests))
        gc.collect()
        tracemalloc.start()
        read(file, exit_code=1)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(150_000) < 160 << 20
