"""The control's planting, the neutral environment, arguments and gathered reports."""

from __future__ import annotations

import os
import re

import pytest
from tdd_orchestrator.runners.control import Planted, fits, planted

from tdd_orchestrator.model.report import CHANGED, Case, Counts, Outcome, Report, RunVerdict
from tdd_orchestrator.runners.framework import Ask
from tdd_orchestrator.runners.gather import gathered, joined
from tdd_orchestrator.runners.neutral import neutral_env
from tdd_orchestrator.runners.select import asked, narrowed
from tdd_orchestrator.runners.settle import at_home, without_control
from tdd_orchestrator.runners.table import by_name
from tdd_orchestrator.runners.wrappers import Reach
from tdd_orchestrator.testlog.read import read

VALUES = {"report": "/r.xml", "folder": "/f", "nonce": "n"}


def test_control_is_removed_when_the_run_raises(write):
    tree = write({"tests/test_a.py": ""})
    manager = planted(by_name("pytest"), tree, "tests/test_a.py")
    control = manager.__enter__()
    assert control is not None
    assert (tree / control.path).is_file()
    assert not manager.__exit__(RuntimeError, RuntimeError(), None)
    assert os.listdir(tree / "tests") == ["test_a.py"]


def test_control_takes_the_package_of_its_neighbour(write):
    tree = write({"a/a_test.go": "// words\npackage inner\n"})
    with planted(by_name("go-test"), tree, "a/a_test.go") as control:
        assert control is not None
        assert (tree / control.path).read_text().startswith("package inner\n")


@pytest.mark.parametrize(
    ("neighbour", "attribute"),
    [
        ("using Xunit;\npublic class A { [Fact] public void B() {} }\n", "[Fact]"),
        ("using NUnit.Framework;\npublic class A { [Test] public void B() {} }\n", "[Test]"),
        (
            "using Microsoft.VisualStudio.TestTools.UnitTesting;\n[TestClass]\npublic class A {}\n",
            "[TestMethod]",
        ),
    ],
)
def test_control_is_of_its_neighbours_framework_in_csharp(write, neighbour, attribute):
    tree = write({"A.Tests/ATests.cs": neighbour})
    with planted(by_name("dotnet"), tree, "A.Tests/ATests.cs") as control:
        assert control is not None
        text = (tree / control.path).read_text()
        assert attribute in text
        assert neighbour.splitlines()[0] in text


def test_control_fits_its_neighbours_kind(write):
    four, five = "import org.junit.Test;\n", "import org.junit.jupiter.api.Test;\n"
    tree = write({"x/ATest.java": "package x;\n" + four, "y/BTest.java": "package y;\n" + five})
    for near, sign in (("x/ATest.java", "org.junit.Test"), ("y/BTest.java", "org.junit.jupiter.api.Test")):
        with planted(by_name("maven-surefire"), tree, near) as control:
            assert control is not None
            assert sign in (tree / control.path).read_text()


@pytest.mark.parametrize(
    ("near", "shape"),
    [
        ("test.js", r"test-\w+\.js"),
        ("src/test.mjs", r"src/test-\w+\.mjs"),
        ("test-sum.js", r"test-\w+\.js"),
        ("src/test_sum.js", r"src/test_\w+\.js"),
        ("src/sum-test.js", r"src/\w+-test\.js"),
        ("src/sum.test.ts", r"src/\w+\.test\.ts"),
        ("test/sum.js", r"test/\w+\.js"),
    ],
)
def test_control_is_named_as_its_neighbour_is(write, near, shape):
    """A runner finds its tests by their names: one of another shape would not be run, and so would not fail."""
    with planted(by_name("node-test"), write({near: 'import test from "node:test";\n'}), near) as control:
        assert control is not None
        assert re.fullmatch(shape, control.path)


LOADING = {
    "node-test": ("test/a.test.js", 'const { a } = require("../a.js");\n', "a.js", 'require("../a.js")'),
    "vitest": ("test/a.test.ts", 'import { a } from "../a";\n', "a.ts", 'import "../a";'),
    "prove": ("t/a.t", "use strict;\nuse Test::More;\nuse A::B;\n", "lib/A/B.pm", "require A::B"),
    "bats": ("test/a.bats", 'setup() {\n  source "$BATS_TEST_DIRNAME/../a.sh"\n}\n', "a.sh", 'source "$BATS_TEST_DIRNAME/../a.sh"'),
    "busted": ("spec/a_spec.lua", 'local a = require("kata.a")\n', "kata/a.lua", 'require, "kata.a"'),
}  # fmt: skip


@pytest.mark.parametrize("name", LOADING)
def test_control_loads_what_its_neighbour_loads(write, name):
    near, text, module, line = LOADING[name]
    for files, there in (({near: text, module: ""}, True), ({near: text}, name == "bats")):
        tree = write(files, f"{name}-{there}-{len(files)}")
        with planted(by_name(name), tree, near) as control:
            assert control is not None
            assert (line in (tree / control.path).read_text()) is there
            assert "{" + "requires}" not in (tree / control.path).read_text()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            'const assert = require("node:assert");\nit("a", () => { assert.strictEqual(1, 1); });\n',
            "assert.strictEqual(",
        ),
        ('import { expect } from "chai";\ntest("a", () => {});\n', ").to.equal("),
        ('it("a", () => { if (1 !== 1) throw new Error(); });\n', "throw new Error"),
    ],
)
def test_mochas_control_asserts_with_what_its_neighbour_asserts_with(write, text, line):
    with planted(by_name("mocha"), write({"test/a.js": text}), "test/a.js") as control:
        assert control is not None
        said = (write({}) / control.path).read_text()
        assert line in said
        assert "{" + "head}" not in said


def test_control_fits_beside_test_files_only(write):
    tree = write({"test/a.test.js": "test('a', () => {});\n", "test/b.txt": ""})
    assert fits(by_name("jest"), tree, "test/a.test.js")
    assert not fits(by_name("jest"), tree, "test/b.txt")
    assert not fits(by_name("unknown"), tree, "test/a.test.js")


@pytest.mark.parametrize(
    ("code", "how", "told"), [(0, Reach.DIRECT, True), (1, Reach.DIRECT, False), (0, Reach.WRAPPER, False)]
)
def test_a_run_whose_control_failed_does_not_end_with_0(code, how, told):
    cases = (Case("a", "a", Outcome.PASSED), Case("orange_ribbon", "orange_ribbon", Outcome.FAILED))
    report = Report(RunVerdict.FAILED, cases=cases, counts=Counts(passed=1, failed=1), exit_code=code)
    left, held = without_control(report, Planted("x.py", "orange_ribbon"), how)
    assert held is True
    assert any(one.startswith(CHANGED) for one in left.disagreements) is told


def test_control_is_not_planted_through_a_link_out_of_the_tree(write, tmp_path):
    tree = write({"keep": ""})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "test_a.py").write_text("")
    (tree / "tests").symlink_to(tmp_path / "outside")
    with pytest.raises(FileNotFoundError), planted(by_name("pytest"), tree, "tests/test_a.py"):
        pass
    assert os.listdir(tmp_path / "outside") == ["test_a.py"]


@pytest.mark.parametrize("near", ["", "README.md", "nowhere/test_gone.txt"])
def test_no_control_where_none_fits(write, near):
    with planted(by_name("pytest"), write({"README.md": ""}), near) as control:
        assert control is None


def test_neutral_environment_is_an_allow_list(tmp_path):
    base = {
        "PATH": os.pathsep.join(["/usr/bin", "node_modules/.bin", "", "."]), "HOME": "/h", "LC_TIME": "C", "AWS_SECRET_ACCESS_KEY": "s",
        "OPENAI_API_KEY": "k", "GITHUB_TOKEN": "t", "PYTEST_ADDOPTS": "-x", "NODE_OPTIONS": "-r x", "PYTHONSTARTUP": "x",
        "PYTHONPATH": "/x", "LD_PRELOAD": "x", "https_proxy": "p", "RUBYOPT": "-rx", "JAVA_TOOL_OPTIONS": "x", "LC_API_TOKEN": "t",
        "BASH_ENV": "x", "TERM": "xterm", "PERL5OPT": "x", "GIT_DIR": "x",
    }  # fmt: skip
    env = neutral_env(tmp_path, base)
    assert (env["PATH"], env["TERM"], env["HOME"], env["LC_TIME"]) == ("/usr/bin", "dumb", "/h", "C")
    assert set(env) & set(base) == {"PATH", "HOME", "LC_TIME", "TERM"}
    assert env["PYTHONNOUSERSITE"] == "1"


def test_the_trees_own_environment_comes_first(write):
    tree = write({".venv/bin/python": "", "node_modules/.bin/jest": ""})
    env = neutral_env(tree, {"PATH": "/usr/bin"}, ("src", "."))
    assert env["PATH"].split(os.pathsep) == [
        str(tree / ".venv/bin"),
        "/usr/bin",
        str(tree / "node_modules/.bin"),
    ]
    assert env["VIRTUAL_ENV"] == str(tree / ".venv")
    assert env["PYTHONPATH"] == os.pathsep.join([str(tree / "src"), str(tree)])


@pytest.mark.parametrize(
    ("name", "command", "how", "expected"),
    [
        ("go-test", "go test ./...", Reach.DIRECT, "go test -count=1 -json ./..."),
        ("cargo-test", "cargo test -- --nocapture", Reach.DIRECT, "cargo test --no-fail-fast -- --nocapture"),
        ("jest", "npm test", Reach.SCRIPT, "npm test -- --bail=0 --json --outputFile=/r.xml --testLocationInResults"),
        ("jest", "yarn test", Reach.SCRIPT, "yarn test --bail=0 --json --outputFile=/r.xml --testLocationInResults"),
        ("jest", "make test", Reach.WRAPPER, "make test"),
        ("phpunit", "phpunit --log-junit mine.xml", Reach.DIRECT,
         "phpunit --log-junit mine.xml --do-not-cache-result --colors=never"),
        ("paratest", "paratest -p 4", Reach.DIRECT, "paratest -p 4 --log-junit /r.xml"),
        ("dotnet", "dotnet test -c Release", Reach.DIRECT,
         "dotnet test --logger trx --results-directory /r.xml -c Release"),
        ("dotnet", "dotnet vstest a.dll", Reach.DIRECT, "dotnet vstest a.dll"),
        ("node-test", "npm test", Reach.SCRIPT, "npm test"),
    ],
)  # fmt: skip
def test_arguments_for_a_report(name, command, how, expected):
    assert " ".join(asked(by_name(name), command.split(), how, VALUES)) == expected


@pytest.mark.parametrize(
    ("name", "command", "case", "expected"),
    [
        ("jest", "npx jest", Case("i", "sum › adds (a)", Outcome.PASSED, "a.test.js"), r"npx jest -t adds\ \(a\) a.test.js"),
        ("go-test", "go test ./...", Case("x::TestA/sub", "TestA/sub", Outcome.PASSED), "go test ./... -run ^(TestA)$"),
        ("cargo-test", "cargo test", Case("i", "stack::tests::adds", Outcome.PASSED), "cargo test -- stack::tests::adds"),
        ("maven-surefire", "mvn test", Case("i", "x.SumTest.adds", Outcome.PASSED),
         "mvn test -Dtest=SumTest -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false"),
        ("rspec", "rspec spec", Case("i", "sum adds", Outcome.PASSED, "spec/a_spec.rb"), "rspec -e sum adds spec/a_spec.rb"),
        ("pest", "pest", Case("i", '`sum` → it adds 1/2 @x with data set "dataset "a > b → c""', Outcome.PASSED),
         r"pest --filter (it\ adds\ 1/2\ @x)i"),
        ("pest", "pest", Case("i", "sum → of → it adds with (1, 2)", Outcome.PASSED), r"pest --filter (it\ adds)i"),
        ("pest", "pest", Case("i", "it has a very long…", Outcome.PASSED), r"pest --filter (it\ has\ a\ very\ long)i"),
        ("dotnet", "dotnet test", Case("A.B.C", "A.B.C", Outcome.PASSED), "dotnet test --filter FullyQualifiedName~A.B.C"),
        ("dotnet", "dotnet test", Case("A.B.Gen(<Int32>(x: 1))", "A.B.Gen<Int32>(x: 1)", Outcome.PASSED),
         "dotnet test --filter FullyQualifiedName~A.B.Gen"),
        ("dotnet", "dotnet test", Case("A.B+In.C(adds (two), at once)", "adds (two), at once", Outcome.PASSED),
         "dotnet test --filter FullyQualifiedName~A.B+In.C"),
        ("dotnet", "dotnet test", Case('A.Box<Int32>.C("x(y)|z")', 'C("x(y)|z")', Outcome.PASSED),
         "dotnet test --filter FullyQualifiedName~.C"),
        ("dotnet", "dotnet test", Case("A.Tests/BTests.cs::BTests::C", "C", Outcome.PASSED, "A.Tests/BTests.cs"),
         "dotnet test --filter FullyQualifiedName~C"),
    ],
)  # fmt: skip
def test_arguments_for_chosen_tests(write, name, command, case, expected):
    tree = write({"spec/a_spec.rb": "", "a.test.js": ""})
    assert (
        " ".join(narrowed(by_name(name), command.split(), Reach.DIRECT, [case], [], tree) or []) == expected
    )


@pytest.mark.parametrize("how", [Reach.WRAPPER, Reach.OPAQUE])
def test_no_choice_through_a_wrapper(tmp_path, how):
    case = Case("i", "TestA", Outcome.PASSED)
    assert narrowed(by_name("go-test"), ["make"], how, [case], [], tmp_path) is None


def suite(name: str) -> str:
    return f'<testsuite name="{name}" tests="1"><testcase name="{name}"/></testsuite>'


def test_several_reports_become_one(tmp_path):
    (tmp_path / "a.xml").write_text(suite("a"))
    (tmp_path / "b.xml").write_text(f"<testsuites>{suite('b')}{suite('c')}</testsuites>")
    one = joined(sorted(tmp_path.glob("*.xml")), tmp_path / "all.xml")
    assert one is not None
    assert one.read_text().count("<testcase") == 3


def test_a_report_with_entities_is_handed_on_and_not_parsed(tmp_path):
    bad = tmp_path / "a.xml"
    bad.write_text('<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuite>&a;</testsuite>')
    assert joined([bad], tmp_path / "all.xml") == bad


def test_reports_of_several_projects_are_one(tmp_path):
    """``dotnet test`` on a solution writes one TRX for every project, each with a run of its own."""
    run = (
        '<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>'
        '<UnitTestResult testId="{n}" testName="C" outcome="{outcome}"/></Results><TestDefinitions><UnitTest id="{n}">'
        '<TestMethod className="N.T{n}" name="C"/></UnitTest></TestDefinitions></TestRun>'
    )
    folder = tmp_path / "reports"
    folder.mkdir()
    for number, outcome in enumerate(("Failed", "Passed")):
        (folder / f"r[{number}].trx").write_text(run.format(n=number, outcome=outcome))
    one = gathered(Ask("trx", file="reports/"), folder, tmp_path, 0)
    report = read(b"", exit_code=1, report=one)
    assert {(case.id, case.outcome) for case in report.cases} == {
        ("N.T0.C", Outcome.FAILED),
        ("N.T1.C", Outcome.PASSED),
    }


def test_reports_in_the_tree_count_only_if_this_run_wrote_them(write):
    tree = write(
        {
            "target/surefire-reports/TEST-a.xml": suite("a"),
            "node_modules/target/surefire-reports/TEST-b.xml": suite("b"),
        }
    )
    ask = Ask("junit", collect=("**/target/surefire-reports/TEST-*.xml",))
    fresh = (tree / "target/surefire-reports/TEST-a.xml").stat().st_mtime
    assert gathered(ask, tree.parent / "r.xml", tree, fresh + 60) is None
    one = gathered(ask, tree.parent / "r.xml", tree, fresh)
    assert one is not None
    assert one.read_text().count("<testcase") == 1


def test_two_tests_of_one_name_do_not_hide_each_other(tmp_path):
    cases = (Case("a", "a", Outcome.FAILED), Case("a", "a", Outcome.PASSED, f"{tmp_path}/x.js"))
    home = at_home(Report(RunVerdict.FAILED, cases=cases), tmp_path, "")
    assert [case.id for case in home.cases] == ["a", "a (2)"]
    assert home.cases[1].file == "x.js"


CONTROL = Planted("test_word.py", "word")


def red(*cases: Case, counts: Counts | None = None, verdict: RunVerdict = RunVerdict.FAILED) -> Report:
    return Report(verdict, cases=cases, counts=counts)


WORD = Case("word", "word", Outcome.FAILED)
OTHER = Case("other", "other", Outcome.FAILED)


@pytest.mark.parametrize(
    ("report", "how", "verdict", "held"),
    [
        (red(WORD, counts=Counts(passed=2, failed=1)), Reach.DIRECT, RunVerdict.PASSED, True),
        (red(WORD, counts=Counts(failed=1)), Reach.DIRECT, RunVerdict.NO_TESTS, True),
        (red(WORD, OTHER, counts=Counts(passed=2, failed=2)), Reach.DIRECT, RunVerdict.FAILED, True),
        (red(WORD, counts=Counts(passed=2, failed=2)), Reach.DIRECT, RunVerdict.FAILED, True),
        (red(WORD), Reach.DIRECT, RunVerdict.FAILED, True),
        (red(counts=Counts(passed=2), verdict=RunVerdict.PASSED), Reach.DIRECT, RunVerdict.PASSED, False),
        (red(counts=Counts(passed=2), verdict=RunVerdict.PASSED), Reach.WRAPPER, RunVerdict.PASSED, None),
        (
            red(Case("word", "word", Outcome.PASSED), verdict=RunVerdict.PASSED),
            Reach.DIRECT,
            RunVerdict.PASSED,
            False,
        ),
        (red(verdict=RunVerdict.CRASHED), Reach.DIRECT, RunVerdict.CRASHED, None),
        (
            red(WORD, counts=Counts(passed=2, failed=1), verdict=RunVerdict.CRASHED),
            Reach.DIRECT,
            RunVerdict.CRASHED,
            True,
        ),
    ],
)
def test_what_is_left_without_the_control(report, how, verdict, held):
    left, told = without_control(report, CONTROL, how)
    assert (left.verdict, told) == (verdict, held)
    assert WORD not in left.cases


def test_log_and_reports_stay_outside_the_tree(write, drive, tmp_path):
    tree = write({"test_a.py": "def test_a():\n    assert 1\n"})
    ran = drive(tree)
    assert [log.name for log in (tmp_path / "work").glob("run-*/*.log")] == ["output.log"]
    assert "1 passed" in ran.output
    assert os.listdir(tree) == ["test_a.py"]
