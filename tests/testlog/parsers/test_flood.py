"""A flood of passed tests is cut short, and reads as it did before."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pace import within

from tdd_orchestrator.model.report import Outcome, Report
from tdd_orchestrator.testlog.parsers import choose, flood, lines
from tdd_orchestrator.testlog.parsers.choose import rows
from tdd_orchestrator.testlog.parsers.flood import cut_short, until_end, without_floods
from tdd_orchestrator.testlog.parsers.tap_point import Numbers
from tdd_orchestrator.testlog.read import read
from tdd_orchestrator.testlog.reading import Passed, Passes, TextRow

# One passed test as the runner prints it, by the row's name
PASSES = {
    "pytest": "tests/test_a.py::test_error_{n} PASSED          [ 50%]\n",
    "go test": "=== RUN   TestError{n}\n--- PASS: TestError{n} (0.00s)\n",
    "tap": "ok {n} - no error {n}\n",
    "cargo test": "test a::error_{n} ... ok\n",
    "jest": "PASS src/a{n}.test.js\n  suite\n    ✓ has no error {n} (3 ms)\n",
    "mocha": "\n  Suite\n    ✔ has no error {n}\n",
    "vitest": "\n ✓ src/error.test.ts > suite > has no error {n} 3ms\n",
    "swift test": "Test Case 'A.testError{n}' started at 2026-01-01 10:00:00.000\nTest Case 'A.testError{n}' passed (0.001 seconds)\n",
    "googletest": "[ RUN      ] A.Error{n}\n[       OK ] A.Error{n} (0 ms)\n",
    **dict.fromkeys(
        ("unittest", "django", "nose2", "xmlrunner"), "test_error_{n} (tests.A.test_error_{n}) ... ok\n"
    ),
}
OTHER_FORMS = {
    "pytest": "tests/test_a.py::test_{n} \n[gw1] [ 50%] PASSED tests/test_a.py::test_{n} \n",
    "pytest, skipped": "tests/test_a.py::test_{n} SKIPPED (not on this machine) [ 50%]\n",
    "pytest, expected to fail": "tests/test_a.py::test_{n} XFAIL          [ 50%]\n",
    "pytest, skipped elsewhere": "[gw1] [ 50%] SKIPPED tests/test_a.py::test_{n} \n",
    "go test, with others in it": "=== RUN   TestA{n}\n=== RUN   TestA{n}/one\n=== RUN   TestA{n}/one/two\n"
    "--- PASS: TestA{n} (0.00s)\n    --- PASS: TestA{n}/one (0.00s)\n        --- PASS: TestA{n}/one/two (0.00s)\n",
    "tap": "# Subtest: works {n}\nok {n} - works {n}\n  ---\n  duration_ms: 0.5\n  type: 'test'\n  ...\n",
    "go test, that says more": "=== RUN   TestA{n}\n    a_test.go:3: error - of {n}\n=== RUN   TestA{n}/one\n"
    "        a_test.go:4: no\n--- PASS: TestA{n} (0.00s)\n    --- PASS: TestA{n}/one (0.00s)\n",
    "jest": "    ✓ {n}\n",
    "jest, after a print": "\n\nPASS a.js\n\n    ✓ {n}\n",
    "mocha": "    ✓ {n}\n",
    "vitest": " ↓ |unit| a.test.js > {n}\n",
    "swift test, on a Mac": "Test Case '-[A.B testError{n}]' started.\nTest Case '-[A.B testError{n}]' passed (0.001 seconds).\n",
    "swift test, Swift Testing": "◇ Test error{n}() started.\n",
    "swift test, its end": '✔ Test "has no error {n}" with 3 test cases passed after 0.001 seconds.\n',
    "swift test, its end on a Mac": "\U00100133  Test `no error {n}`() passed after 0.001 seconds.\n",
    "googletest": "[----------] 1 test from A\n[ RUN      ] A.a/{n}\n[       OK ] A.a/{n}, where GetParam() = 1 (2 ms)\n",
}
NO_NEWS = {Outcome.PASSED, Outcome.SKIPPED, Outcome.XFAILED}
# What is never taken for a passed test
OTHERS = (
    "FAILED\n", "tests/test_a.py::test_b FAILED [ 50%]\n", "tests/test_a.py::test_b ERROR [ 50%]\n",
    "tests/a.py::b FAILED a.py::c PASSED [ 50%]\n", "tests/a.py::b SKIPPED (why) FAILED [ 50%]\n",
    "tests/a.py::b XPASS [ 50%]\n", "tests/a.py::b SKIPPED (a) (b) [ 50%]\n", "=== RUN   TestA\n--- FAIL: TestA (0.00s)\n",
    "=== RUN   TestA\n    a_test.go:3: --- FAIL: TestB (0.00s)\n--- PASS: TestA (0.00s)\n",
    " × a.test.ts > b 3ms\n", " ❯ a.test.ts > b\n", " FAIL  a.test.ts > b\n", "=== RUN   TestA\n--- PASS: TestB (0.00s)\n", "--- PASS: TestA (0.00s)\n", "not ok 3 - name\n", "ok 3 - a # TODO b\n",
    "ok 3 - a.test.js\n", "test a::b ... FAILED\n", "test a ... ok, or not\n", "    ✕ bad\n", "  1) bad\n", "  2 failing\n",
    "test_b (tests.A.test_b) ... FAIL\n", "test_b (tests.A.test_b) ... ok?\n", "[ RUN      ] A.b\n[  FAILED  ] A.b (0 ms)\n",
    "[ RUN      ] A.b\n[       OK ] A.c (0 ms)\n", "noise of two words\n",
    "Test Case 'A.b' started at 1\nTest Case 'A.c' passed (0.1 seconds)\n", "✘ Test b() failed after 0.1 seconds with 1 issue.\n",
    "Test Case 'A.b' started at 1\nTest Case 'A.b' failed (0.1 seconds)\n", "✔ Test run with 3 tests passed after 0.1 seconds.\n",
)  # fmt: skip
FLOODED = {row.name: row for row in rows() if row.passes}
MANY = 4_000  # bytes that stand for a flood here


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rules at small sizes."""
    for module, values in (
        (flood, {"FREE": MANY, "END": MANY}),
        (lines, {"CHUNK": 3_000}),
        (choose, {"_HEAD": 50, "_TAIL": 50}),
    ):
        for name, value in values.items():
            monkeypatch.setattr(module, name, value)


def passed(kind: str, first: int, number: int) -> list[str]:
    return [PASSES[kind].replace("{n}", str(n)) for n in range(first, first + number)]


def test_every_row_that_is_read_fast_is_tried_here() -> None:
    assert set(FLOODED) == set(PASSES)


@pytest.mark.parametrize("row", FLOODED.values(), ids=FLOODED)
def test_a_unit_is_one_passed_test_and_nothing_else(row: TextRow) -> None:
    assert row.passes
    others = [form for name, form in OTHER_FORMS.items() if name.partition(",")[0] == row.name]
    for form in (PASSES[row.name], *others):
        unit = form.replace("{n}", "7")
        assert row.passes.unit.fullmatch(unit.encode())
        reader = row.reader()
        for line in unit.splitlines():
            reader.feed(line)
        assert {case.outcome for case in reader.finish().cases} <= NO_NEWS
    assert not [other for other in OTHERS if row.passes.unit.match(other.encode())]


@pytest.mark.parametrize("row", FLOODED.values(), ids=FLOODED)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    stretches=st.lists(st.tuples(st.integers(0, 60), st.sampled_from(OTHERS)), min_size=1, max_size=8),
    free=st.sampled_from([0, 500, 3_000]),
)
def test_stretches_are_cut_where_they_were_made(
    row: TextRow, stretches: list[tuple[int, str]], free: int
) -> None:
    """Against the plain rule: of each stretch that is long enough, all but its first and its last test."""
    assert row.passes
    cut = flood.Flood(row.passes)
    cut._free = free
    expected: list[str | Passed] = []
    made, number = "", 1
    for count, other in stretches:
        units = passed(row.name, number, count)
        size = len("".join(units).encode())
        free -= size if size > flood._SHORT else 0
        if size > flood._SHORT and free <= 0:
            expected += [units[0], told(row, number + 1, count - 2), units[-1]]
        else:
            expected += units
        expected.append(other)
        made += "".join(units) + other
        number += count
    found = [part if isinstance(part, Passed) else part.decode() for part in cut.cut(made.encode())]
    assert joined(found) == joined(expected)


def told(row: TextRow, first: int, number: int) -> Passed:
    assert row.passes
    if row.passes.numbered:
        return Passed(number, first, first + number - 1)
    return Passed(number if row.passes.mark else 0)


def joined(parts: list[str | Passed]) -> list[str | Passed]:
    """The same with lines that stand side by side as one."""
    whole: list[str | Passed] = []
    for part in parts:
        if isinstance(part, str) and whole and isinstance(whole[-1], str):
            whole[-1] += part
        elif part:
            whole.append(part)
    return whole


@pytest.mark.parametrize("row", FLOODED.values(), ids=FLOODED)
@pytest.mark.parametrize("odd", ["\x1b[31m", "\r", "\x08", "\x9b1m", "\ufeff", "\x00"])
def test_a_block_that_may_read_otherwise_is_left_whole(row: TextRow, odd: str) -> None:
    block = ("".join(passed(row.name, 1, 900)) + f"odd {odd} line\n").encode()
    assert row.passes
    assert list(flood.Flood(row.passes).cut(block)) == [block]


def test_a_test_within_another_that_never_ended_is_not_taken_for_passed() -> None:
    kind = FLOODED["go test"].passes
    assert kind
    whole = OTHER_FORMS["go test, with others in it"]
    units = [whole.replace("{n}", str(number)) for number in range(40)]
    assert parts(kind, "".join(units)).count(Passed(38 * 3)) == 1
    units[20] = units[20].replace("        --- PASS: TestA20/one/two (0.00s)\n", "")
    assert parts(kind, "".join(units)) == ["".join(units).encode()]


def parts(kind: Passes, text: str) -> list[bytes | Passed]:
    cut = flood.Flood(kind)
    cut._free = 0
    return [part for part in cut.cut(text.encode()) if part]


def test_lines_that_end_as_on_windows_are_cut_too() -> None:
    kind = FLOODED["pytest"].passes
    assert kind
    block = "".join(passed("pytest", 1, 900)).replace("\n", "\r\n").encode()
    assert len(b"".join(part for part in flood.Flood(kind).cut(block) if isinstance(part, bytes))) < 200


@pytest.mark.parametrize(
    "numbers", [[*range(1, 400), *range(401, 800)], [*range(1, 400), *range(390, 800)], [1] * 800]
)
def test_points_whose_numbers_have_gaps_or_repeats_are_left(numbers: list[int]) -> None:
    kind = FLOODED["tap"].passes
    assert kind
    block = "".join(PASSES["tap"].replace("{n}", str(number)) for number in numbers).encode()
    assert list(flood.Flood(kind).cut(block)) == [block]


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 20)), max_size=30))
def test_numbers_are_a_set(added: list[tuple[int, int]]) -> None:
    numbers, known = Numbers(), set[int]()
    for first, more in added:
        fresh = set(range(first, first + more + 1)) - known
        assert numbers.add(first, first + more) == len(fresh)
        known |= fresh


@pytest.mark.parametrize("size", [300, 7_000, 1 << 20])
def test_the_end_is_as_it_is(size: int) -> None:
    kind = FLOODED["cargo test"].passes
    text = "".join(passed("cargo test", 1, 900)).encode()
    parts = list(cut_short(lines._whole_lines(text), kind, bytes))
    shown = [part for part in parts if isinstance(part, bytes)]
    assert b"".join(shown).endswith(text[-MANY:])
    assert len(shown[-1]) < MANY + 100
    blocks = [text[at : at + size] for at in range(0, len(text), size)]
    assert b"".join(block for block, _ in until_end(blocks)) == text
    assert list(cut_short(blocks, None, bytes)) == blocks


@pytest.mark.parametrize("colour", ["", "\x1b[32m"])
def test_the_sample_skips_a_flood_alone(colour: str) -> None:
    kinds = [row.passes.unit for row in FLOODED.values() if row.passes]
    flooded = "".join(passed("mocha", 1, 80)).replace("✓", f"{colour}✓").encode()
    other = f"another {colour}line\n".encode() * 300
    blocks = [flooded] * 9 + [other] + [flooded] * 9
    seen = list(without_floods(blocks, kinds))
    assert other in seen
    assert len(seen) < len(blocks)
    assert (seen[0], seen[-1]) == (flooded, flooded)


@pytest.mark.parametrize("row", FLOODED.values(), ids=FLOODED)
@pytest.mark.parametrize(
    "line", ["  heading\n", "\n", "[----------] 1 test from A\n", "tests/a.py::b \n", "ok 1 - a", "a::", "✓"]
)
def test_time_is_linear(row: TextRow, line: str) -> None:
    assert row.passes
    begun = time.process_time()
    list(flood.Flood(row.passes).cut((line * ((1 << 20) // len(line))).encode() + b"\n"))
    assert time.process_time() - begun < within(2)


# How a whole run of each runner looks: its head, a failed test, its end when all passed and when one failed
RUNS = {
    "pytest": (
        "============================= test session starts ==============================\n\n",
        "tests/test_a.py::test_bad FAILED           [ 50%]\n",
        "\n============================== {n} passed in 1.00s ===============================\n",
        "\n=================================== FAILURES ===================================\n"
        "___________________________________ test_bad ___________________________________\n\n>   assert 1 == 2\n"
        "E   assert 1 == 2\n\ntests/test_a.py:3: AssertionError\n"
        "=========================== short test summary info ============================\n"
        "FAILED tests/test_a.py::test_bad - assert 1 == 2\n"
        "========================= 1 failed, {n} passed in 1.00s ==========================\n",
    ),
    "go test": (
        "",
        "=== RUN   TestBad\n    a_test.go:3: boom\n--- FAIL: TestBad (0.00s)\n",
        "PASS\nok  \texample.com/a\t0.01s\n",
        "FAIL\nFAIL\texample.com/a\t0.01s\nFAIL\n",
    ),
    "tap": ("TAP version 13\n", "not ok {n} - bad\n  ---\n  message: boom\n  ...\n", "1..{n}\n", "1..{n}\n"),
    "cargo test": (
        "     Running unittests src/lib.rs (target/debug/deps/a-1)\n\nrunning {n} tests\n",
        "test a::bad ... FAILED\n",
        "\ntest result: ok. {n} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        "\nfailures:\n\n---- a::bad stdout ----\nthread 'a::bad' panicked at src/lib.rs:3:5:\nboom\n\n\nfailures:\n    a::bad\n\n"
        "test result: FAILED. {p} passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
    ),
    "jest": (
        "",
        "FAIL src/bad.test.js\n  suite\n    ✕ is bad (1 ms)\n\n  ● suite › is bad\n\n    boom\n\n",
        "\nTest Suites: {n} passed, {n} total\nTests:       {n} passed, {n} total\nSnapshots:   0 total\n",
        "\nTest Suites: 1 failed, {p} passed, {n} total\nTests:       1 failed, {p} passed, {n} total\nSnapshots:   0 total\n",
    ),
    "mocha": (
        "\n",
        "    1) is bad\n",
        "\n\n  {n} passing (12ms)\n\n",
        "\n\n  {p} passing (12ms)\n  1 failing\n\n  1) Suite\n       is bad:\n     Error: boom\n\n",
    ),
    "vitest": (
        " RUN  v1.2.3 /app\n\n",
        " × src/bad.test.ts > is bad 3ms\n",
        "\n Test Files  2 passed (2)\n      Tests  {n} passed ({n})\n   Duration  1.00s\n",
        "\n⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯\n\n FAIL  src/bad.test.ts > is bad\nError: boom\n ❯ src/bad.test.ts:3:5\n\n"
        "⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯\n\n"
        " Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | {p} passed ({n})\n   Duration  1.00s\n",
    ),
    "unittest": (
        "",
        "test_bad (tests.A.test_bad) ... FAIL\n",
        "\n" + "-" * 70 + "\nRan {n} tests in 1.000s\n\nOK\n",
        "\n" + "=" * 70 + "\nFAIL: test_bad (tests.A.test_bad)\n" + "-" * 70 + "\nTraceback (most recent call last):\n"
        '  File "/a.py", line 3, in test_bad\n    self.fail()\nAssertionError: None\n\n'
        + "-" * 70 + "\nRan {n} tests in 1.000s\n\nFAILED (failures=1)\n",
    ),
    "googletest": (
        "[==========] Running {n} tests from 1 test suite.\n",
        "[ RUN      ] A.Bad\na.cc:3: Failure\nboom\n[  FAILED  ] A.Bad (0 ms)\n",
        "[==========] {n} tests from 1 test suite ran. (1 ms total)\n[  PASSED  ] {n} tests.\n",
        "[==========] {n} tests from 1 test suite ran. (1 ms total)\n[  PASSED  ] {p} tests.\n"
        "[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.Bad\n\n 1 FAILED TEST\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", RUNS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    counts=st.lists(st.integers(1, 400), min_size=1, max_size=4),
    between=st.lists(st.sampled_from(OTHERS), min_size=4, max_size=4),
    noisy=st.booleans(),
    bad_at=st.sampled_from([None, 0, 1, 3]),
    lie=st.booleans(),
    whole=st.booleans(),
)
def test_the_reading_is_the_same_with_and_without(
    kind: str,
    counts: list[int],
    between: list[str],
    noisy: bool,
    bad_at: int | None,
    lie: bool,
    whole: bool,
) -> None:
    """Runs of several stretches, with a failed test between them or none, noise, cut short or not, any exit code."""
    head, bad, green, red = RUNS[kind]
    log, number, failed = "", 1, False
    for index, count in enumerate(counts):
        log += "".join(passed(kind, number, count))
        number += count
        if index == bad_at:
            log, number, failed = log + bad.replace("{n}", str(number)), number + 1, True
        elif noisy:
            log += between[index]
    log = head + log + (red if failed else green) * whole
    log = as_wide_as_its_head(log.replace("{n}", str(number - 1)).replace("{p}", str(number - 2)))
    code = 1 if failed and not lie else 0
    with pytest.MonkeyPatch.context() as patch:
        cut = read(log.encode(), exit_code=code)
        patch.setattr(flood, "FREE", 1 << 30)
        plain = read(log.encode(), exit_code=code)
    if (
        kind == "go test" and noisy
    ):  # what tests print may look like the result of another one: of one that is not shown?
        assert cut.verdict == plain.verdict
        assert {case.id for case in plain.failing} <= {case.id for case in cut.failing}
        return
    assert answer(cut) == answer(plain)
    green_run = whole and not failed
    if noisy:  # a test that never ended, a failed one among what others print: no yes is honest too
        assert cut.verdict.value != "passed" or (green_run and not cut.failing)
    else:
        assert (cut.verdict.value == "passed") == green_run


def as_wide_as_its_head(log: str) -> str:
    """pytest fills its last line up to the width of its first, however long the number in it is."""
    return re.sub(
        r"^=+( (?:1 failed, )?\d+ passed in 1\.00s )=+$",
        lambda line: line[1].center(80, "="),
        log,
        flags=re.MULTILINE,
    )


def answer(found: Report) -> object:
    shown = [replace(case, message="") for case in found.failing]
    return (
        found.verdict,
        found.framework,
        found.counts,
        shown,
        found.build_errors,
        found.why,
        found.disagreements,
    )
