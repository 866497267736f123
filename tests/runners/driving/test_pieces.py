"""The neutral environment, arguments and gathered reports."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict
from tdd_orchestrator.runners.framework import Ask
from tdd_orchestrator.runners.neutral import neutral_env
from tdd_orchestrator.runners.redacted_run import normalize_report
from tdd_orchestrator.runners.run import collect_reports, join_reports
from tdd_orchestrator.runners.select import add_report_arguments, select_cases
from tdd_orchestrator.runners.table import FRAMEWORKS, by_name
from tdd_orchestrator.runners.wrappers import Reach, reach
from tdd_orchestrator.testlog.read import read

VALUES = {"report": "/r.xml", "folder": "/f", "nonce": "n"}


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


def test_a_linked_environment_is_left_as_it_is(tmp_path):
    tree, theirs = tmp_path / "tree", tmp_path / "theirs/.venv"
    tree.mkdir()
    assert "UV_NO_SYNC" not in neutral_env(tree, {"PATH": "/usr/bin"}), "uv makes one where there is none"
    (tree / ".venv").symlink_to(theirs)
    assert neutral_env(tree, {"PATH": "/usr/bin"})["UV_NO_SYNC"] == "1"


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
    assert " ".join(add_report_arguments(by_name(name), command.split(), how, VALUES)) == expected


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
        " ".join(select_cases(by_name(name), command.split(), Reach.DIRECT, [case], tree) or []) == expected
    )


@pytest.mark.parametrize("how", [Reach.WRAPPER, Reach.OPAQUE])
def test_no_choice_through_a_wrapper(tmp_path, how):
    case = Case("i", "TestA", Outcome.PASSED)
    assert select_cases(by_name("go-test"), ["make"], how, [case], tmp_path) is None


def suite(name: str) -> str:
    return f'<testsuite name="{name}" tests="1"><testcase name="{name}"/></testsuite>'


def test_several_reports_become_one(tmp_path):
    (tmp_path / "a.xml").write_text(suite("a"))
    (tmp_path / "b.xml").write_text(f"<testsuites>{suite('b')}{suite('c')}</testsuites>")
    one = join_reports(sorted(tmp_path.glob("*.xml")), tmp_path / "all.xml")
    assert one is not None
    assert one.read_text().count("<testcase") == 3


def test_a_report_with_entities_is_handed_on_and_not_parsed(tmp_path):
    bad = tmp_path / "a.xml"
    bad.write_text('<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuite>&a;</testsuite>')
    assert join_reports([bad], tmp_path / "all.xml") == bad


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
    one = collect_reports(Ask("trx", file="reports/"), folder, tmp_path, 0)
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
    assert collect_reports(ask, tree.parent / "r.xml", tree, fresh + 60) is None
    one = collect_reports(ask, tree.parent / "r.xml", tree, fresh)
    assert one is not None
    assert one.read_text().count("<testcase") == 1


def test_two_tests_of_one_name_do_not_hide_each_other(tmp_path):
    cases = (Case("a", "a", Outcome.FAILED), Case("a", "a", Outcome.PASSED, f"{tmp_path}/x.js"))
    home = normalize_report(Report(RunVerdict.FAILED, cases=cases), tmp_path, "")
    assert [case.id for case in home.cases] == ["a", "a (2)"]
    assert home.cases[1].file == "x.js"


def test_tests_of_one_name_in_two_packages_are_told_apart(tmp_path):
    for name in ("packages/a/tests/test_core.py", "packages/b/tests/test_core.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    cases = tuple(
        Case(
            "tests/test_core.py::test_adds",
            "",
            Outcome.PASSED,
            f"{tmp_path}/packages/{one}/tests/test_core.py",
        )
        for one in "ab"
    )
    whole = normalize_report(Report(RunVerdict.PASSED, cases=cases), tmp_path, "")
    assert [case.id for case in whole.cases] == [
        f"packages/{one}/tests/test_core.py::test_adds" for one in "ab"
    ]
    unloaded = Case("tests/test_core.py", "", Outcome.ERROR, f"{tmp_path}/packages/b/tests/test_core.py")
    red = normalize_report(Report(RunVerdict.ERROR, cases=(unloaded,)), tmp_path, "")
    assert red.cases[0].id == "packages/b/tests/test_core.py"
    suite = normalize_report(Report(RunVerdict.PASSED, cases=cases[:1]), tmp_path, "packages/a")
    assert suite.cases[0].id == "tests/test_core.py::test_adds"


def test_log_and_reports_stay_outside_the_tree(write, drive, tmp_path):
    tree = write({"test_a.py": "def test_a():\n    assert 1\n"})
    ran = drive(tree)
    assert [log.name for log in (tmp_path / "work").glob("run-*/*.log")] == ["output.log"]
    assert "1 passed" in ran.output
    assert sorted(os.listdir(tree)) == [".pytest_cache", "test_a.py"]


def test_the_file_of_a_case_is_the_one_in_its_id(tmp_path):
    """Code under test can give a test function a code object of its own, and with it another place."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text("")
    case = Case("tests/test_a.py::test_a", "test_a", Outcome.PASSED, "double.py")
    words = select_cases(by_name("pytest"), ["pytest"], Reach.DIRECT, [case], tmp_path)
    assert words is not None
    assert words[-1] == "tests/test_a.py"
    elsewhere = replace(case, id="gone.py::test_a")
    assert select_cases(by_name("pytest"), ["pytest"], Reach.DIRECT, [elsewhere], tmp_path)[-1] == "double.py"


@pytest.mark.parametrize(
    "command",
    ["rake spec", "bundle exec rake test", "cmake --build build --target test", "ninja -C build test", "make test",
     "just test", "composer test", "rails spec", "tox -e py"],
)  # fmt: skip
def test_a_program_that_starts_the_runner_gets_no_argument_of_ours(tmp_path: Path, command: str) -> None:
    words = command.split()
    for row in FRAMEWORKS:
        how = reach(words, tmp_path, row.signs.words)
        assert add_report_arguments(row, words, how, {"report": "r", "folder": "f"}) == words, row.name


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm test", "npm test -- -t doubles test/double.test.js"),
        ("npm run -s test", "npm run -s test -- -t doubles test/double.test.js"),
        ("npm test -- test", "npm test -- -t doubles test/double.test.js"),
        ("yarn test test", "yarn test -t doubles test/double.test.js"),
        ("pnpm run test", "pnpm run test -t doubles test/double.test.js"),
    ],
)
def test_a_script_with_the_name_of_a_folder_is_no_path(tmp_path: Path, command: str, expected: str) -> None:
    (tmp_path / "test").mkdir()
    (tmp_path / "test/double.test.js").write_text("")
    case = Case("test/double.test.js::doubles", "doubles", Outcome.FAILED, "test/double.test.js")
    words = select_cases(by_name("vitest"), command.split(), Reach.SCRIPT, [case], tmp_path)
    assert " ".join(words or []) == expected
