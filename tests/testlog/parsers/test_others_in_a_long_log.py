"""A log of many megabytes: another runner is heard wherever it stands between whole runs, not only near the ends."""

from __future__ import annotations

import pytest

from tdd_orchestrator.testlog.read import read

MANY = 60_000
JEST_RED = "FAIL src/a.test.js\n  ● adds\n\n    expect(received).toBe(expected)\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\nSnapshots:   0 total\nTime:        1 s\n"
CARGO_RED = "error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:3:5\n\nerror: could not compile `demo` (lib test) due to 1 previous error\n"


def pytest_run(line: str) -> str:
    body = "".join(line.format(n=number) for number in range(MANY))
    return f"{' test session starts ':=^80}\ncollected {MANY} items\n\n{body}\n{f' {MANY} passed in 9.10s ':=^80}\n"


LONG = {
    "results": pytest_run("tests/test_a.py::test_number_{n} PASSED            [ 50%]\n"),
    "noise": pytest_run(""),
}
NOISE = "".join(
    f"2024-05-01 10:00:00 INFO request {number} handled in 3 ms by worker\n" for number in range(MANY)
)


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize(("said", "verdict"), [(JEST_RED, "failed"), (CARGO_RED, "error")])
def test_another_runner_in_the_middle_is_heard(kind: str, said: str, verdict: str) -> None:
    run = LONG[kind]
    around = NOISE if kind == "noise" else ""
    log = f"{run}{around}\n{said}\n{around}{run}"
    assert len(log) > 5 << 20
    assert read(log.encode(), exit_code=0).verdict.value == verdict
    assert read(log.replace(said, "").encode(), exit_code=0).verdict.value == "passed"
