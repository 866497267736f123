"""What a runner says below a failing test, or of a file that it could not load, is told: RED's reason hangs on it."""

from __future__ import annotations

import pytest

from tdd_orchestrator.model.report import Outcome, RunVerdict
from tdd_orchestrator.testlog.read import read

BATS = """\
1..2
not ok 1 doubles
# (in test file test/double.bats, line 2)
#   `double 2' failed with status 127
# test/double.bats: line 2: double: command not found
not ok 2 loads
# (from function `setup' in test file test/load.bats, line 4)
#   `source lib/none.sh' failed
# test/load.bats: line 4: lib/none.sh: No such file or directory
"""
BUSTED = """\
+
1 success / 0 failures / 1 error / 0 pending : 0.0019 seconds

Error -> spec/double_spec.lua:3: ')' expected near '5'
spec/double_spec.lua
"""
PROVE = """\
nothing at t/double.t line 2.
# Tests were run but no plan was declared and done_testing() was not seen.
# Looks like your test exited with 255 just after 1.
t/double.t ..
not ok 1 - doubles
Dubious, test returned 255 (wstat 65280, 0xff00)
No subtests run
t/greet.t ...
ok 1 - greets
1..1
ok

Test Summary Report
-------------------
t/double.t (Wstat: 65280 (exited 255) Tests: 0 Failed: 0)
  Non-zero exit status: 255
  Parse errors: No plan found in TAP output
Files=2, Tests=1,  0 wallclock secs ( 0.02 usr  0.00 sys +  0.05 cusr  0.01 csys =  0.08 CPU)
Result: FAIL
"""


def test_bats_says_why_below_the_place() -> None:
    first, second = read(BATS.encode(), exit_code=1, framework="bats").cases
    assert (first.file, first.line) == ("test/double.bats", 2)
    assert first.message == (
        "`double 2' failed with status 127\ntest/double.bats: line 2: double: command not found"
    )
    assert (second.file, second.line) == ("test/load.bats", 4)
    assert "lib/none.sh: No such file or directory" in second.message
    assert "from function `setup'" in second.detail


def test_busted_names_the_file_that_does_not_parse() -> None:
    found = read(BUSTED.encode(), exit_code=1, framework="busted")
    (error,) = found.build_errors
    assert (error.file, error.line, error.message) == ("spec/double_spec.lua", 3, "')' expected near '5'")
    assert found.counts is not None
    assert (found.counts.errors, found.counts.passed) == (0, 1)


def test_prove_names_the_script_that_died() -> None:
    dead = PROVE.replace("not ok 1 - doubles\n", "")
    found = read(dead.encode(), exit_code=1, framework="prove")
    case = found.cases[-1]
    assert (case.id, case.phase, case.file, case.line, case.message) == (
        "t/double.t",
        "call",
        "t/double.t",
        2,
        "nothing",
    )
    assert [one.outcome for one in found.cases] == [Outcome.PASSED, Outcome.ERROR]
    assert (found.verdict, found.build_errors) == (RunVerdict.FAILED, ())
    dead = dead.replace(
        "nothing at t/double.t line 2.",
        "nothing at t/double.t line 2.\nBEGIN failed--compilation aborted at t/double.t line 2.",
    )
    found = read(dead.encode(), exit_code=1, framework="prove")
    assert [error.file for error in found.build_errors] == ["t/double.t"]
    assert found.verdict is RunVerdict.ERROR


def test_pytest_says_what_is_wrong_with_its_options() -> None:
    usage = "ERROR: usage: {0} [options] [file_or_dir] [file_or_dir] [...]\n{0}: error: unrecognized arguments: -n\n  rootdir: /repo\n"
    for program in ("pytest", "python -m pytest", "/opt/app/bin/python3.11 -m pytest", "__main__.py"):
        found = read(usage.format(program).encode(), exit_code=4)
        assert found.framework == "pytest"
        assert [error.message for error in found.build_errors] == [
            f"{program}: error: unrecognized arguments: -n"
        ]


def test_a_file_that_bats_cannot_load_is_an_error_of_the_file() -> None:
    text = "1..2\nnot ok 1 setup_file failed\n# bats_load_safe: Could not find 'lib/double.sh'[.bash]\nok 2 greets\n"
    found = read(text.encode(), exit_code=1, framework="bats")
    assert [error.message for error in found.build_errors] == [
        "bats_load_safe: Could not find 'lib/double.sh'[.bash]"
    ]


MAVEN = """\
[INFO] Scanning for projects...
[ERROR] COMPILATION ERROR
[INFO] -------------------------------------------------------------
[ERROR] /x/src/test/java/com/acme/TwiceTest.java:[10,30] cannot find symbol
  symbol:   method shout(java.lang.String)
  location: class com.acme.Greet
[INFO] 1 error
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.14.0:testCompile (default-testCompile) on project kata: Compilation failure
[ERROR] /x/src/test/java/com/acme/TwiceTest.java:[10,30] cannot find symbol
[ERROR]   symbol:   method shout(java.lang.String)
[ERROR]   location: class com.acme.Greet
[ERROR] -> [Help 1]
"""
JAVAC = """\
> Task :compileTestJava FAILED
/x/src/test/java/com/acme/TwiceTest.java:10: error: cannot find symbol
        assertEquals("x", Greet.shout("ada"));
                               ^
  symbol:   method shout(String)
  location: class Greet
1 error

BUILD FAILED in 1s
"""


def test_javac_says_which_symbol_it_did_not_find_and_where() -> None:
    for text, framework, place in ((MAVEN, "maven", "com.acme.Greet"), (JAVAC, "gradle", "Greet")):
        (error,) = read(text.encode(), exit_code=1, framework=framework).build_errors
        assert error.line == 10
        first, symbol, location = error.message.splitlines()
        assert first == "cannot find symbol"
        assert symbol.startswith("  symbol:   method shout(")
        assert location == f"  location: class {place}"


RSPEC = """\
FF

Failures:

  1) parse refuses
     Failure/Error: it("refuses") { expect { parse("1+") }.to raise_error(SyntaxError) }
       expected SyntaxError but nothing was raised
     # ./spec/a_spec.rb:3:in `block (2 levels) in <top (required)>'

  2) parse reads
     Failure/Error: expect(parse("1")).to eq 1

       expected: 1
            got: nil

       (compared using ==)
     # ./spec/a_spec.rb:4:in `block (2 levels) in <top (required)>'

Finished in 0.04069 seconds (files took 0.1682 seconds to load)
2 examples, 2 failures

Failed examples:

rspec ./spec/a_spec.rb:3 # parse refuses
rspec ./spec/a_spec.rb:4 # parse reads
"""


def test_rspecs_words_of_one_line_stand_right_below_the_code() -> None:
    refuses, reads = read(RSPEC.encode(), exit_code=1).failing
    assert refuses.message == "expected SyntaxError but nothing was raised"
    assert reads.message.splitlines()[0] == "expected: 1"


def test_go_before_1_20_says_on_a_line_of_its_own_which_method_is_missing() -> None:
    said = """\
# example.com/kata [example.com/kata.test]
./a_test.go:3:41: cannot use Square{} (value of type Square) as type Shape in variable declaration:
\tSquare does not implement Shape (missing Area method)
./a_test.go:4:2: undefined: Two
FAIL\texample.com/kata [build failed]
FAIL
"""
    missing, undefined = read(said.encode(), exit_code=2).build_errors
    assert missing.message.endswith(": Square does not implement Shape (missing Area method)")
    assert undefined.message == "undefined: Two"


@pytest.mark.parametrize(
    ("head", "tail", "failed"),
    [
        (
            "Run options: --seed 1\n\n# Running:\n\nF\n\nFinished in 0.1s, 1.0 runs/s, 1.0 assertions/s.\n",
            "\n120 runs, 120 assertions, 120 failures, 0 errors, 0 skips\n",
            "\n{number}) Failure:\nATest#test_{at} [test/a_test.rb:{at}]:\nExpected: 1\n  Actual: 2\n",
        ),
        (
            "Running ExUnit with seed: 0, max_cases: 4\n\n",
            "\nFinished in 0.1 seconds (0.00s async, 0.1s sync)\n120 tests, 120 failures\n",
            "\n{number}) test t{at} (ATest)\n     test/a_test.exs:{at}\n     Assertion with == failed\n",
        ),
    ],
    ids=["minitest", "exunit"],
)
def test_failures_beyond_the_ninth_are_read_too(head: str, tail: str, failed: str) -> None:
    body = "".join(failed.format(number=str(at).rjust(3), at=at) for at in range(1, 121))
    report = read((head + body + tail).encode(), exit_code=1)
    assert len({case.name for case in report.failing}) == 120


DOCTESTS = """\
running 3 tests
test src/lib.rs - (line {}) ... ok
test src/lib.rs - (line {}) ... ok
test src/stack.rs - stack::Stack::pop (line {}) ... FAILED

failures:

---- src/stack.rs - stack::Stack::pop (line {}) stdout ----
Test executable failed (exit status: 101).

failures:
    src/stack.rs - stack::Stack::pop (line {})

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
"""


def test_a_doctest_keeps_its_name_when_lines_are_added_above_it() -> None:
    runs = (DOCTESTS.format(30, 12, 5, 5, 5), DOCTESTS.format(13, 31, 9, 9, 9))
    before, after = (
        [(case.id, case.outcome) for case in read(text.encode(), exit_code=101).cases] for text in runs
    )
    assert sorted(before) == sorted(after)
    assert [name for name, _ in before] == [
        "::src/stack.rs - stack::Stack::pop",
        "::src/lib.rs #2",
        "::src/lib.rs",
    ]
