"""How fast the public command reads large logs, in processor time, start included, and in how much memory.

python benchmarks/reading.py [--megabytes N] [--only WORD]     (a green log of N MB of each kind; 128)
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tdd_orchestrator.model.report import RunVerdict

GOAL = 50  # MB/s of one processor
WORDS = (
    "parses",
    "urls",
    "errors",
    "timeouts",
    "empty",
    "names",
    "retries",
    "caches",
    "unicode",
    "merges",
    "fails",
)


def name(n: int) -> str:
    return f"{WORDS[n % 11]}_{WORDS[n // 11 % 11]}_{n}"


def pytest(n: int, mark: str = "PASSED", colour: str = "", end: str = "") -> str:
    return f"tests/test_{WORDS[n % 7]}.py::test_{name(n)} {colour}{mark}{end}{' ' * 12}[ 50%]\n"


def go_subtests(n: int) -> str:
    test, below = f"Test{n}", [f"Test{n}/{name(n + more)}" for more in range(3)]
    begun = "".join(f"=== RUN   {one}\n" for one in (test, *below))
    return begun + f"--- PASS: {test} (0.00s)\n" + "".join(f"    --- PASS: {one} (0.00s)\n" for one in below)


def suites(line: str) -> Callable[[int], str]:
    """Twelve tests below a heading, as reporters for JavaScript have them."""
    return lambda n: (line if n % 12 == 0 else "").format(n=n) + f"    ✓ {name(n)}\n"


def prints(n: int) -> str:
    """What a program says beside its tests."""
    return (
        f"connection to {WORDS[n % 11]} failed, retrying in {n} ms",
        f"error: no such key {n}",
        f"read {name(n)}",
    )[n % 3]


PYTEST_HEAD = " test session starts ".center(80, "=") + "\n\n"
PYTEST_END = "\n{closing}\n"
# name: what comes first, the n-th test, what comes last, whether the goal is for it
KINDS: dict[str, tuple[str, Callable[[int], str], str, bool]] = {
    "pytest -v": (PYTEST_HEAD, pytest, PYTEST_END, True),
    "pytest -v -n 4": (
        PYTEST_HEAD,
        lambda n: f"tests/a.py::test_{name(n)} \n[gw{n % 4}] [ 50%] PASSED tests/a.py::test_{name(n)} \n",
        PYTEST_END,
        True,
    ),
    "unittest -v": ("", lambda n: f"test_{name(n)} (tests.test_a.A.test_{name(n)}) ... ok\n",
                    "\n" + "-" * 70 + "\nRan {n} tests in 99.000s\n\nOK\n", True),
    "go test -v": ("", lambda n: f"=== RUN   Test{name(n)}\n--- PASS: Test{name(n)} (0.00s)\n",
                   "PASS\nok  \texample.com/a\t99.20s\n", True),
    "TAP": ("TAP version 13\n", lambda n: f"ok {n + 1} - {name(n)}\n", "1..{n}\n", True),
    "node --test, TAP": (
        "TAP version 13\n",
        lambda n: f"# Subtest: {name(n)}\nok {n + 1} - {name(n)}\n  ---\n  duration_ms: 0.5\n  type: 'test'\n  ...\n",
        "1..{n}\n# tests {n}\n# pass {n}\n# fail 0\n",
        True,
    ),
    "cargo test": ("     Running unittests src/lib.rs (target/debug/deps/a-1)\n\nrunning {n} tests\n",
                   lambda n: f"test a::tests::{name(n)} ... ok\n",
                   "\ntest result: ok. {n} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n\n", True),
    "jest --verbose": ("", suites("PASS src/a{n}.test.js\n  suite {n}\n"),
                       "\nTest Suites: 9 passed, 9 total\nTests:       {n} passed, {n} total\nSnapshots:   0 total\n", True),
    "mocha": ("\n", suites("\n  Suite {n}\n"), "\n\n  {n} passing (99s)\n\n", True),
    "googletest": ("[==========] Running {n} tests from 1 test suite.\n",
                   lambda n: f"[ RUN      ] A.{name(n)}\n[       OK ] A.{name(n)} (0 ms)\n",
                   "[==========] {n} tests from 1 test suite ran. (9 ms total)\n[  PASSED  ] {n} tests.\n", True),
    "swift test, XCTest": (
        "Test Suite 'All tests' started at 2026-01-01 10:00:00.000\n",
        lambda n: f"Test Case 'A.test{name(n)}' started at 2026-01-01 10:00:00.000\n"
        f"Test Case 'A.test{name(n)}' passed (0.001 seconds)\n",
        "Test Suite 'All tests' passed at 2026-01-01 10:09:00.000\n"
        "\t Executed {n} tests, with 0 failures (0 unexpected) in 9.0 (9.0) seconds\n", True),
    "swift test, Swift Testing": (
        "\u25c7 Test run started.\n",
        lambda n: f"\u25c7 Test {name(n)}() started.\n\u2714 Test {name(n)}() passed after 0.001 seconds.\n",
        "\u2714 Test run with {n} tests passed after 9.000 seconds.\n", True),
    "noise with words like errors, then a few tests": ("", lambda n: f"INFO worker-{n % 9}: {name(n)} took {n % 97} ms\n",
                                PYTEST_HEAD + "tests/a.py ...  [100%]\n" + PYTEST_END, False),
    "pytest -v, each twentieth skipped": (
        PYTEST_HEAD, lambda n: pytest(n, "SKIPPED (no)" if n % 20 == 0 else "PASSED"), PYTEST_END, False),
    "pytest -v in colour": (PYTEST_HEAD, lambda n: pytest(n, colour="\x1b[32m", end="\x1b[0m"), PYTEST_END, False),
    "go test -v, with subtests": ("", go_subtests, "PASS\nok  \texample.com/a\t99.20s\n", False),
    "pytest -v -s, a print a test": (PYTEST_HEAD, lambda n: f"reads {name(n)}\n" + pytest(n), PYTEST_END, False),
    "go test -v, logs in each test": (
        "", lambda n: f"=== RUN   Test{n}\n    a_test.go:{n % 90}: {prints(n)}\n--- PASS: Test{n} (0.00s)\n",
        "PASS\nok  \texample.com/a\t99.20s\n", False),
    "vitest, prints of each third test": (
        " RUN  v1.0.0 /app\n\n",
        lambda n: (f"stdout | src/a.test.ts > {name(n)}\n{prints(n)}\n\n" if n % 3 == 0 else "")
        + f" ✓ src/a.test.ts > {name(n)} {n % 9}ms\n",
        "\n Test Files  9 passed (9)\n      Tests  {n} passed ({n})\n   Duration  9.00s\n", False),
    "stamped lines of all levels, then a few tests": (
        "", lambda n: f"2024-05-01 10:{n // 60 % 60:02}:{n % 60:02},{n % 1000:03} "
        f"{('INFO', 'WARN', 'ERROR')[n % 3]} app.{WORDS[n % 11]}: {prints(n)}\n",
        PYTEST_HEAD + "tests/a.py ...  [100%]\n" + PYTEST_END, False),
    "pytest -v, a bar in each test": (
        PYTEST_HEAD, lambda n: "".join(f"\rloads {part}%" for part in range(0, 101, 20)) + f"\n{pytest(n)}",
        PYTEST_END, False),
    "lines of 20 bytes, then a few tests": (
        "", lambda n: f"{WORDS[n % 11]} {n}"[:19].ljust(19, ".") + "\n",
        PYTEST_HEAD + "tests/a.py ...  [100%]\n" + PYTEST_END, False),
}  # fmt: skip


def write(kind: str, size: int, into: Path) -> None:
    head, line, end, _ = KINDS[kind]
    tests = written = 0
    with into.open("w", encoding="utf-8", newline="") as file:
        body = into.with_suffix(".body")
        with body.open("w", encoding="utf-8", newline="") as lines:
            while written < size:
                some = "".join(map(line, range(tests, tests + 1_000)))
                tests += 1_000
                written += lines.write(some)
        file.write(head.format(n=tests))
        with body.open(encoding="utf-8", newline="") as lines:
            while some := lines.read(1 << 20):
                file.write(some)
        file.write(end.format(n=tests, closing=f" {tests} passed in 9.99s ".center(80, "=")))
    body.unlink()


def measure(log: Path) -> tuple[float, float, str]:
    """Seconds of processor time, MiB at the peak, and the verdict, of one reading."""
    command = [
        sys.executable,
        "-m",
        "tdd_orchestrator",
        "report",
        "read",
        str(log),
        "--exit-code",
        "0",
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        said = started.stdout.read()
        _, _, used = os.wait4(started.pid, 0)
        started.returncode = 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, str(json.loads(said)["verdict"])


def main(arguments: list[str]) -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=128)
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args(arguments)
    size = (16 if options.quick else options.megabytes) * 1_000_000
    good = True
    with tempfile.TemporaryDirectory(prefix="tdd-bench-") as folder:
        log = Path(folder, "log")
        for kind in (kind for kind in KINDS if options.only in kind):
            write(kind, size, log)
            seconds, memory, verdict = measure(log)
            speed = log.stat().st_size / 1e6 / seconds
            reached = speed >= GOAL or not KINDS[kind][3] or options.quick
            good &= reached and verdict == RunVerdict.PASSED
            print(
                f"{kind:48} {speed:6.0f} MB/s {memory:6.0f} MiB  {verdict}{'' if reached else '  too slow'}",
                flush=True,
            )
    return good


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
