"""A log with more runs than one and an exit code of nought (``mvn test; mvn test``, ``make -i``, ``|| true``): a run that
did not build, load or end is heard before, after and between green ones of the same runner."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from zlib import crc32

import pytest

from tdd_orchestrator.testlog.parsers.choose import rows
from tdd_orchestrator.testlog.parsers.whole import OCAML, WholeRuns
from tdd_orchestrator.testlog.read import read
from tdd_orchestrator.testlog.reading import Passed, Reading, whole

OURS = Path(__file__).parents[1] / "samples"
DESCRIBED = Path(__file__).parent / "described"
CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus" / "dev"
LARGE = 300_000  # bytes: floods are read elsewhere
ORDERS = ("rg", "gr", "grg")

# Logs in which nothing tells the first run from the second.
UNHEARD = {
    "mocha/s10_sigsegv": "mocha has no header, and the shell was silent",
    "mocha10/s10_sigsegv": "mocha has no header, and the shell was silent",
    "pytest8/s11_os_exit0_quiet": "a dot, without an end of its line",
    "trial/summary_error": "a line of five numbers, as any program may print",
    "gtest/s16_quiet": "nothing but failures, as a test of a whole run may print them",
}
ODD = {"odd", "home-made"}  # not one runner


@dataclass(frozen=True)
class Log:
    folder: Path
    verdict: str
    accept: tuple[str, ...]

    @property
    def runner(self) -> str:
        return self.folder.parent.name

    @property
    def text(self) -> bytes:
        return (self.folder / "output.txt").read_bytes().rstrip(b"\n") + b"\n"


def _logs(root: Path) -> Iterator[Log]:
    for file in sorted(root.glob("*/*/truth.json")):
        output = file.parent / "output.txt"
        if output.exists() and output.stat().st_size <= LARGE:
            truth = json.loads(file.read_text(encoding="utf-8"))
            yield Log(file.parent, truth["verdict"], tuple(truth["accept"]))


def _red(log: Log) -> bool:
    """Read as a failure by itself, too, whatever its exit code was: some print nothing at all."""
    if log.runner in ODD or {"passed", "no_tests", "unknown"} & set(log.accept):
        return False
    return read(log.text, exit_code=0).verdict.value not in ("passed", "no_tests")


@cache
def _greens() -> dict[str, bytes]:
    """The shortest green log of each runner that is read as one by itself, too."""
    found: dict[str, bytes] = {}
    for root in (OURS, DESCRIBED, CORPUS):
        for log in _logs(root):
            text = log.text
            shorter = log.runner not in found or len(text) < len(found[log.runner])
            if log.accept == ("passed",) and shorter and read(text, exit_code=0).verdict.value == "passed":
                found[log.runner] = text
    return found


def _passed(log: Log, order: str, beside: str = "") -> bool:
    green = _greens()[beside or log.runner]
    text = b"".join(green if one == "g" else log.text for one in order)
    return read(text, exit_code=0).verdict.value == "passed"


def _wrong(logs: Iterator[Log]) -> tuple[list[str], int]:
    wrong, tried = [], 0
    for log in logs:
        name = f"{log.runner}/{log.folder.name}"
        if log.runner not in _greens() or name in UNHEARD or not _red(log):
            continue
        for order in ORDERS:
            tried += 1
            wrong += [f"{name} {order}"] if _passed(log, order) else []
    return wrong, tried


@pytest.mark.parametrize("root", [OURS, DESCRIBED], ids=["real", "described"])
def test_a_run_that_failed_is_heard_beside_a_green_one(root: Path) -> None:
    wrong, tried = _wrong(_logs(root))
    assert wrong == []
    assert tried > 20


SHARES = [pytest.param(5, id="a fifth"), pytest.param(1, id="whole", marks=pytest.mark.slow)]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the project")
@pytest.mark.parametrize("every", SHARES)
def test_a_run_of_the_corpus_that_failed_is_heard_beside_a_green_one(every: int) -> None:
    wrong, tried = _wrong(islice(_logs(CORPUS), 0, None, every))
    assert wrong == []
    assert tried > 1_000 // every


@pytest.mark.parametrize("every", SHARES)
@pytest.mark.parametrize("root", [OURS, DESCRIBED, CORPUS], ids=["real", "described", "corpus"])
def test_a_run_that_failed_is_heard_beside_a_green_one_of_another_runner(root: Path, every: int) -> None:
    """Each beside two others, which are not the same from log to log: by its name, so that a new sample moves no other.

    The command ended with exit code 0. Where both print alike, one in a hundred is not heard.
    """
    runners = sorted(set(_greens()) - ODD)
    wrong, tried = [], 0
    for log in (log for log in islice(_logs(root), 0, None, every) if _red(log)):
        name = f"{log.runner}/{log.folder.name}"
        number = crc32(name.encode())
        for order, step in (("rg", 0), ("gr", 0), ("grg", 7)):
            beside = runners[(number + step) % len(runners)]
            if beside != log.runner and name not in UNHEARD:
                tried += 1
                wrong += [f"{name} {order} {beside}"] if _passed(log, order, beside) else []
    assert len(wrong) <= tried // 100, wrong


def test_green_runs_in_a_row_stay_green() -> None:
    wrong = [
        name for name, text in _greens().items() if read(text * 3, exit_code=0).verdict.value != "passed"
    ]
    assert wrong == []


def test_every_row_that_names_where_its_runs_begin_names_where_they_end() -> None:
    for row in rows():
        kinds = set(re.compile(row.whole.form.pattern).groupindex) if row.whole else set()
        assert ("begins" in kinds) == ("ends" in kinds), row.name
        assert ("opens" in kinds) == ("closes" in kinds), row.name


MAVEN = "[INFO] Scanning for projects...\n[INFO]  T E S T S\n[INFO] Running a.ATest\n{0}{1}\n[INFO] Results:\n[INFO] \n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n"
MAVEN_CLASS = "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in a.ATest"
BOOST = "Running 2 test cases...\n{0}\n*** No errors detected\n"
GTEST = (
    "[==========] Running 1 test from 1 test suite.\n[ RUN      ] A.a\n{0}[       OK ] A.a (0 ms)\n"
    "[==========] 1 test from 1 test suite ran. (0 ms total)\n[  PASSED  ] 1 test.\n"
)
EUNIT = "======================== EUnit ========================\nmodule 'a'\n  a: a_test...ok\n{0}  All 2 tests passed.\n"
EXUNIT = "Running ExUnit with seed: 1, max_cases: 4\n\n{0}..\nFinished in 0.1 seconds (0.1s async, 0.0s sync)\n2 tests, 0 failures\n"
HSPEC = "  Calc\n    adds [✔]\n{0}\nFinished in 0.0003 seconds\n1 example, 0 failures\n"
DENO = "running 1 test from ./a_test.ts\n{0}a ... ok (1ms)\n\nok | 1 passed | 0 failed (3ms)\n"
TESTTHAT = "{0}[ FAIL 0 | WARN 0 | SKIP 0 | PASS 2 ]\n"
CATCH = "{0}" + "=" * 79 + "\nAll tests passed (2 assertions in 2 test cases)\n\n"
CTEST = "Test project /r/build\n    Start 1: adds\n1/1 Test #1: adds ...   Passed    0.01 sec\n{0}\n100% tests passed, 0 tests failed out of 1\n"
RUST = "running 1 test\n{0}test a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"

PHPUNIT_HEAD = "PHPUnit 9.6.7 by Sebastian Bergmann and contributors."
PHPUNIT = f"{PHPUNIT_HEAD}\n\n..                             2 / 2 (100%)\n\nTime: 00:00.001\n\nOK (2 tests, 2 assertions)\n"

GCC = "t.cpp:3:5: error: 'x' was not declared in this scope\n    3 |   x();\n      |   ^\n"
BEFORE = {
    "Boost, killed without a word": (BOOST, "Running 2 test cases...\n"),
    "Boost, killed, and the shell says so": (BOOST, "Running 2 test cases...\nSegmentation fault (core dumped)\n"),
    "GoogleTest, dead at once": (GTEST, "./run.sh: line 3:  4711 Aborted                 (core dumped) ./t\n"),
    "GoogleTest, dead in a test": (GTEST, GTEST.split("{0}", 1)[0] + "Segmentation fault (core dumped)\n"),
    "Catch2, not compiled": (CATCH, GCC),
    "Catch2, dead": (CATCH, "Segmentation fault\n"),
    "CTest, make gave up": (CTEST, "gmake: *** [Makefile:101: all] Error 2\n"),
    "rebar3": (EUNIT, "===> Compiling src/calc.erl failed\nsrc/calc.erl:5:3: function x/0 undefined\n"),
    "mix": (EXUNIT, "** (Mix) Could not find a Mix.Project, please ensure you are running Mix in a directory\n"),
    "cabal": (HSPEC, "Error: [Cabal-7125]\nFailed to build demo-0.1.\n"),
    "ghci": (HSPEC, "Failed, no modules loaded.\n"),
    "deno, a type": (DENO, "error: TS2304 [ERROR]: Cannot find name 'x'.\n"),
    "deno, nobody caught it": (DENO, "error: Uncaught (in promise) Error: boom\n"),
    "R": (TESTTHAT, "Error in library(nosuch) : there is no package called ‘nosuch’\nExecution halted\n"),
    "cargo": (RUST, "error: could not compile `demo` (lib test) due to 1 previous error\n"),
    "PHPUnit, ended in a test": (PHPUNIT, f"{PHPUNIT_HEAD}\n\n."),
    "PHPUnit, ended in a test, told by name": (PHPUNIT, f"{PHPUNIT_HEAD}\n\nCalc\n ✔ Adds\n"),
    "PHPUnit, killed": (PHPUNIT, f"{PHPUNIT_HEAD}\n\nRuntime:       PHP 8.3.1\nConfiguration: /r/phpunit.xml\n\nKilled\n"),
    "Maven, quiet": (
        MAVEN.format("", MAVEN_CLASS),
        "[ERROR] COMPILATION ERROR : \n[ERROR] /r/A.java:[3,1] ';' expected\n",
    ),
    "Maven, killed": (MAVEN.format("", MAVEN_CLASS), "[INFO] Scanning for projects...\n[INFO] \nKilled\n"),
}  # fmt: skip


@pytest.mark.parametrize("what", BEFORE)
@pytest.mark.parametrize("order", ORDERS)
def test_what_failed_as_a_whole_is_heard(what: str, order: str) -> None:
    green, red = BEFORE[what][0].format(""), BEFORE[what][1]
    assert read(green.encode(), exit_code=0).verdict.value == "passed"
    found = read("".join(green if one == "g" else red for one in order).encode(), exit_code=0)
    assert found.verdict.value in ("error", "crashed"), found.why
    assert found.disagreements


FAILURE = "[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal x: y\n"
INSIDE = {
    "a test of a build tool, in Maven": MAVEN.format(FAILURE, MAVEN_CLASS),
    "a test that starts a compiler, in GoogleTest": GTEST.format(GCC + "collect2: error: ld returned 1 exit status\n"),
    "a test that lets a child die, in GoogleTest": GTEST.format("Segmentation fault (core dumped)\n"),
    "a compiler's error in Boost.Test": BOOST.format(GCC),
    "a test of a compiler in ExUnit": EXUNIT.format("== Compilation error in file lib/a.ex ==\n** (CompileError) lib/a.ex:1\n"),
    "a child that dies in EUnit": EUNIT.format("a.erl:3:5: syntax error before: '.'\n"),
    "a test of cargo": RUST.format("error: could not compile `x` (lib) due to 1 previous error\n"),
    "what a Deno test prints": DENO.format(
        "a ...\n------- output -------\nerror: Uncaught (in promise) Error: boom\n----- output end -----\n"
    ),
    "a parser's error in Catch2": CATCH.format("t.c:3:5: error: expected ';'\n"),
    "a run within a test, whole": BOOST.format(BOOST.format("")),
    "PHPUnit is asked what it is": f"{PHPUNIT_HEAD}\n\n> vendor/bin/phpunit\n{PHPUNIT}",
    "CTest is asked what it has": "Test project /r/build\n  Test #1: adds\n\nTotal Tests: 1\n" + CTEST.format(""),
    "rebar3, with all its words": "===> Performing EUnit tests...\n" + EUNIT.format(""),
    "a failure of make's that is not one": CTEST.format("make: [Makefile:2: clean] Error 1 (ignored)\n"),
}  # fmt: skip


@pytest.mark.parametrize("what", INSIDE)
@pytest.mark.parametrize("times", [1, 2])
def test_what_a_test_printed_is_no_run_s_failure(what: str, times: int) -> None:
    found = read((INSIDE[what] * times).encode(), exit_code=0)
    assert found.verdict.value == "passed", (found.why, found.build_errors)


def test_what_broke_in_a_test_that_never_ended_is_heard() -> None:
    head = MAVEN.split("{0}", 1)[0]
    log = head + FAILURE + MAVEN.format("", MAVEN_CLASS)
    assert read(log.encode(), exit_code=0).verdict.value in ("error", "crashed")


@pytest.mark.parametrize("cut", range(1, 4))
def test_a_message_of_several_lines_is_found_where_it_comes_in_pieces(cut: int) -> None:
    runs = WholeRuns(whole(broken=OCAML))
    lines = ['File "a.ml", line 3, characters 4-7:', "3 | let x = y", "        ^^^", "Error: Unbound value y"]
    for part in (["more"] * 30, lines[:cut], [Passed(3)], lines[cut:], ["more"] * 30):
        runs.look(part)
    reading = Reading()
    runs.finish(reading, gaps=False)
    assert [error.message for error in reading.build_errors] == ["\n".join(lines)]


def test_what_came_in_pieces_is_counted_once() -> None:
    runs = WholeRuns(whole(begins="begin$", ends="end$"))
    for line in ("begin", "x", "begin", "x", "end"):
        runs.look([line])
    assert runs.open == 1
