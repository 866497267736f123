"""Why a new test failed: every row by its sample, real runs of ten runners, and judgements on whose a name is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pace import within

from tdd_orchestrator.model.report import PROPER_RED, BuildError, Case, Outcome, Reason
from tdd_orchestrator.runners.reason_frames import Layout
from tdd_orchestrator.runners.reason_owners import ReasonRow
from tdd_orchestrator.runners.reason_rows import ROWS
from tdd_orchestrator.runners.reasons import Project, red_reason

REAL = json.loads(Path(__file__).with_name("real_runs.json").read_text(encoding="utf-8"))
PROJECT = frozenset({"kata", "x", "sum", "lib"})
LAYOUT = Layout(
    frozenset({"kata.py", "tests/test_a.py", "tests/test_a", "tests/test_r.py"}),
    lambda path, line: path.startswith("tests/"),
)


def case_of(facts: dict) -> Case:
    outcome = Outcome.ERROR if facts["phase"] == "setup" else Outcome.FAILED
    return Case(outcome=outcome, **facts)


@pytest.mark.parametrize("run", REAL, ids=lambda run: f"{run['framework']}-{run['variant']}")
def test_real_runs(run):
    judged = red_reason(
        case_of(run["case"]) if run["case"] else None,
        language=run["language"],
        project=Project(PROJECT, layout=LAYOUT),
        error=BuildError(**run["error"]) if run["error"] else None,
    )
    assert judged.reason == run["expected"], judged
    assert judged.acceptable is (judged.reason in PROPER_RED)
    assert judged.evidence


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.language}-{row.sample[:40]}")
def test_every_row_decides_its_sample(row: ReasonRow):
    first = next(one for one in ROWS if one.language == row.language and one.pattern.search(row.sample))
    assert first is row


def judge(
    exception: str,
    message: str,
    *,
    detail: str = "",
    phase: str = "call",
    declared=frozenset(),
    language="python",
):
    file = "tests/test_a.py" if language == "python" else "tests/test_a"
    case = Case("t", "t", Outcome.FAILED, file, 3, message, exception, phase, detail)
    return red_reason(case, language=language, project=Project(PROJECT, frozenset(declared), LAYOUT))


@pytest.mark.parametrize(
    ("exception", "message", "detail", "declared", "expected"),
    [
        ("ModuleNotFoundError", "No module named 'inventory'", "", (), Reason.MISSING_SYMBOL),
        ("ModuleNotFoundError", "No module named 'inventory'", "", ("inventory",), Reason.THIRD_PARTY),
        ("ModuleNotFoundError", "No module named 'my_dep'", "", ("my-dep",), Reason.THIRD_PARTY),
        ("ModuleNotFoundError", "No module named 'numpy'", "", (), Reason.THIRD_PARTY),
        ("ModuleNotFoundError", "No module named 'tomllib'", "", (), Reason.THIRD_PARTY),
        ("ModuleNotFoundError", "No module named 'kata.deep.new'", "", (), Reason.MISSING_SYMBOL),
        ("ImportError", "cannot import name 'nope' from 'collections' (/usr/lib/x.py)", "", (), Reason.THIRD_PARTY),
        ("AttributeError", "module 'math' has no attribute 'cube'", "", (), Reason.THIRD_PARTY),
        ("AttributeError", "'list' object has no attribute 'push'", "", (), Reason.EXCEPTION),
        ("AttributeError", "type object 'Stack' has no attribute 'of'", "", (), Reason.MISSING_SYMBOL),
        ("AttributeError", "'Stack' object has no attribute '_items'", "tests/test_a.py:3: in test\nkata.py:9: in pop", (),
         Reason.PROJECT_EXCEPTION),
        ("NotImplementedError", "", "tests/test_a.py:3: in test_r\nkata.py:2: in push", (), Reason.MISSING_SYMBOL),
        ("NotImplementedError", "", "tests/test_a.py:3: in test_r", (), Reason.EXCEPTION),
        ("AssertionError", "", "tests/test_a.py:3: in test_r\nkata.py:2: in push", (), Reason.PROJECT_EXCEPTION),
        ("AssertionError", "assert 1 == 2", ">   with raises(SyntaxError): ...\nfixture 'x' not found", (), Reason.ASSERTION),
        ("TypeError", "unhashable type: 'Money'", "", (), Reason.MISSING_SYMBOL),
        ("TypeError", "unhashable type: 'list'", "", (), Reason.EXCEPTION),
        ("TypeError", "type Money doesn't define __round__ method", "", (), Reason.MISSING_SYMBOL),
        ("TypeError", "'Money' object cannot be interpreted as an integer", "", (), Reason.MISSING_SYMBOL),
        ("TypeError", "'str' object cannot be interpreted as an integer", "", (), Reason.EXCEPTION),
        ("TypeError", "object Money can't be used in 'await' expression", "", (), Reason.MISSING_SYMBOL),
        ("AttributeError", "<module 'kata' from '/x/kata.py'> does not have the attribute 'sub'", "", (), Reason.MISSING_SYMBOL),
        ("AttributeError", "<module 'kata' from '/x/kata.py'> has no attribute 'sub'", "", (), Reason.MISSING_SYMBOL),
        ("AttributeError", "<class 'kata.Stack'> does not have the attribute 'peek'", "", (), Reason.MISSING_SYMBOL),
        ("AttributeError", "<module 'os' from '/usr/lib/os.py'> does not have the attribute 'sub'", "", (), Reason.THIRD_PARTY),
        ("TypeError", "unsupported operand type(s) for +: 'Money' and 'Money'", "", (), Reason.MISSING_SYMBOL),
        ("TypeError", "unsupported operand type(s) for +: 'int' and 'str'", "", (), Reason.EXCEPTION),
        ("TypeError", "Stack.push() takes 1 positional argument but 2 were given", "", (), Reason.MISSING_SYMBOL),
        ("TypeError", "Stack.__init__() missing 1 required positional argument: 'n'", "", (), Reason.MISSING_SYMBOL),
        ("RuntimeError", "expected 3 to equal 4, AssertionError", "", (), Reason.EXCEPTION),
        ("Failed", "Timeout >1.0s", "", (), Reason.TIMEOUT),
        ("Failed", "DID NOT RAISE <class 'ValueError'>", "", (), Reason.ASSERTION),
    ],
)  # fmt: skip
def test_whose_a_name_is(exception, message, detail, declared, expected):
    assert judge(exception, message, detail=detail, declared=declared).reason is expected


def test_an_exception_in_set_up_is_a_fixture_matter():
    assert judge("KeyError", "'x'", phase="setup").reason is Reason.FIXTURE
    assert judge("AssertionError", "assert 0", phase="teardown").reason is Reason.FIXTURE


def test_an_expectation_may_stand_in_a_fixture():
    warning = "DID NOT WARN. No warnings of type (<class 'DeprecationWarning'>,) were emitted."
    assert judge("Failed", warning, phase="setup").reason is Reason.ASSERTION


def test_a_fixture_may_load_what_the_project_is_to_define():
    missing = "No module named 'inventory'"
    assert judge("ModuleNotFoundError", missing, phase="setup").reason is Reason.MISSING_SYMBOL
    assert judge("ModuleNotFoundError", missing, phase="teardown").reason is Reason.FIXTURE
    told = judge("ModuleNotFoundError", missing, phase="setup", declared={"inventory"})
    assert told.reason is Reason.FIXTURE
    told = judge("AttributeError", "module 'kata' has no attribute 'x'", phase="setup")
    assert told.reason is Reason.FIXTURE


def test_a_language_without_rows_goes_by_what_the_runner_calls_it():
    failed = Case("t", "t", Outcome.FAILED, message="got 3")
    assert red_reason(failed, language="tcl", project=Project(frozenset())).reason is Reason.ASSERTION
    errored = Case("t", "t", Outcome.ERROR, message="boom")
    assert red_reason(errored, language="tcl", project=Project(frozenset())).reason is Reason.EXCEPTION


def test_nothing_known_is_not_acceptable():
    judged = red_reason(
        None, language="python", project=Project(frozenset()), error=BuildError("what is this")
    )
    assert (judged.reason, judged.acceptable) == (Reason.UNKNOWN, False)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("csharp", "x"),
        ("c", "`E0432: "),
        ("c", "'x`"),
        ("c", "expected "),
        ("elixir", "Assert"),
        ("elixir", "A."),
        ("javascript", "x"),
        ("go", "x"),
        ("java", "x"),
        ("php", "x"),
        ("rust", "x"),
        ("python", "x"),
        ("ruby", "x"),
    ],
)
def test_a_pattern_begins_again_in_no_time(language, said):
    import time

    begun = time.perf_counter()
    judge("", said * 12_000, language=language)
    assert time.perf_counter() - begun < within(1.0)


@pytest.mark.parametrize("language", sorted({row.language for row in ROWS}))
def test_hostile_text_is_judged_in_no_time(language):
    import time

    text = "at " * 20_000 + "'" * 5_000 + "expected " * 5_000
    begun = time.perf_counter()
    red_reason(
        Case("t", "t", Outcome.FAILED, message=text, detail=text), language=language, project=Project(PROJECT)
    )
    assert time.perf_counter() - begun < within(1.0)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("double", Reason.MISSING_SYMBOL), ("nokogiri", Reason.THIRD_PARTY), ("pry", Reason.THIRD_PARTY)],
)
def test_a_bare_require_of_ruby_is_the_projects_unless_a_gem_is_known_by_it(
    name: str, reason: Reason
) -> None:
    error = BuildError(f"LoadError: cannot load such file -- {name}", "test/double_test.rb", 1, "LoadError")
    judged = red_reason(
        None, language="ruby", project=Project(frozenset({"test"}), frozenset({"pry"})), error=error
    )
    assert judged.reason is reason


@pytest.mark.parametrize(
    ("language", "exception", "message"),
    [
        ("python", "Failed", "DID NOT RAISE SyntaxError"),
        ("python", "Failed", "DID NOT RAISE <class 'TimeoutError'>"),
        ("python", "AssertionError", "SyntaxError not raised by parse"),
        ("python", "AssertionError", "assert 'ok' == 'request timed out after 3s'"),
        ("python", "AssertionError", "assert 'x' == \"fixture 'db' not found\""),
        ("javascript", "AssertionError", "Missing expected exception (SyntaxError)."),
        ("javascript", "SyntaxError", "Missing expected exception (SyntaxError)."),
        ("javascript", "AssertionError", "x' == 'Test timed out after 3s"),
        ("javascript", "Error", "expect(received).toThrow(expected)\n\nExpected constructor: SyntaxError"),
        ("javascript", "", "expected [Function] to throw SyntaxError"),
        ("go", "", "expected panic: none came"),
        ("go", "", 'got "x", want "panic: boom"'),
        ("java", "org.opentest4j.AssertionFailedError", "expected: <a> but was: <timed out after 3 s>"),
        ("java", "", "the words ==> expected: <a> but was: <timed out after 3 s>"),
        ("java", "java.lang.AssertionError", "\nExpected: \"timed out after 3 s\"\n     but: was \"x\""),
        ("ruby", "", "SyntaxError expected but nothing was raised."),
        ("ruby", "", "Timeout::Error expected but nothing was raised."),
        ("ruby", "", "expected SyntaxError but nothing was raised"),
        ("ruby", "", 'Expected: "execution expired"\nActual: "x"'),
        ("ruby", "", '--- expected\n+++ actual\n@@ -1 +1 @@\n-"undefined local variable or method"\n+"x"'),
        ("php", "", 'Failed asserting that exception of type "ParseError" is thrown.'),
        ("c", "", "Expected equality of these values:\n  status()\n    Which is: Timeout\n  Done"),
        ("lua", "", "Expected objects to be equal.\nPassed in:\n(string) 'x'\nExpected:\n(string) 'unexpected symbol near'"),
        ("elixir", "", "Expected exception SyntaxError but nothing was raised"),
        ("elixir", "", 'Assertion with == failed\ncode:  assert x == "undefined variable"'),
        ("shell", "", "`[ \"$output\" = \"syntax error\" ]' failed"),
    ],
)  # fmt: skip
def test_an_assertion_is_one_whatever_it_asks_for(language, exception, message):
    assert judge(exception, message, language=language).reason is Reason.ASSERTION


@pytest.mark.parametrize(
    ("language", "message", "reason"),
    [
        ("go", "panic: runtime error: index out of range [0] with length 0", Reason.EXCEPTION),
        ("go", "test panicked: runtime error: invalid memory address", Reason.EXCEPTION),
        ("go", "test panicked: not implemented", Reason.MISSING_SYMBOL),
        ("python", "Failed: Timeout >1.0s", Reason.TIMEOUT),
        ("javascript", "SyntaxError: expected ) to close (", Reason.SYNTAX),
        ("ruby", "RuntimeError: expected a number", Reason.EXCEPTION),
        ("ruby", "Kata::ParseError: did not close", Reason.EXCEPTION),
        ("ruby", "Test::Unit::AssertionFailedError: <4> was expected but was <3>", Reason.ASSERTION),
        ("java", "org.opentest4j.AssertionFailedError: execution timed out after 100 ms", Reason.TIMEOUT),
        ("shell", "`double 2' failed with status 127\ndouble: command not found", Reason.MISSING_SYMBOL),
    ],
)
def test_what_an_exception_says_of_expectations_makes_it_no_assertion(language, message, reason):
    assert judge("", message, language=language).reason is reason


def test_a_test_that_is_a_script_is_read_in_its_own_language() -> None:
    """A TAP line that names a shell script, in a project whose runner was taken for another's."""
    said = "tests/double.sh: 1: .: cannot open ./double.sh: No such file"
    script = Case("tests/double.sh", "tests/double.sh", Outcome.FAILED, message=said)
    found = red_reason(
        script, language="python", project=Project(layout=Layout(paths=frozenset({"tests/double.sh"})))
    )
    assert (found.reason, found.symbol, found.acceptable) == (Reason.MISSING_SYMBOL, "double.sh", True)
    assert red_reason(script, language="python", project=Project()).reason is Reason.UNKNOWN


def test_a_test_is_judged_in_the_language_of_its_file() -> None:
    """`make test` runs pytest, then node: its framework is pytest's."""
    said = Case("doubles", "doubles", Outcome.FAILED, "web/calc.test.js", 6,
                "double is not a function", "TypeError")  # fmt: skip
    layout = Layout(frozenset({"web/calc.js", "web/calc.test.js"}), lambda path, line: ".test." in path)
    found = red_reason(said, language="python", project=Project(layout=layout))
    assert (found.reason, found.symbol) == (Reason.MISSING_SYMBOL, "double")


@pytest.mark.parametrize(
    ("paths", "module", "proper"),
    [
        ({"src/shop/__init__.py"}, "shop", False),
        ({"src/shop.py"}, "shop", False),
        ({"packages/a/src/shop/__init__.py"}, "shop", False),
        ({"src/shop/__init__.py"}, "shop.greet", True),
        ({"src/other/__init__.py"}, "shop", True),
    ],
)
def test_a_module_that_stands_in_src_and_is_not_found_is_no_missing_code(
    paths: set[str], module: str, proper: bool
) -> None:
    error = BuildError(f"ModuleNotFoundError: No module named '{module}'", "tests/test_shop.py", 1)
    layout = Layout(frozenset({*paths, "tests/test_shop.py"}), lambda path, line: path.startswith("tests/"))
    project = Project(frozenset({"shop"}), layout=layout)
    reason = red_reason(None, language="python", project=project, error=error)
    assert reason.acceptable is proper
    assert ("workspace.python_path" in reason.evidence) is not proper
