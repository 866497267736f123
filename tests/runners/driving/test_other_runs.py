"""Real runs of runners other than pytest, where they are installed."""

from __future__ import annotations

import os
import pwd
import shutil

import pytest

from tdd_orchestrator.model.report import BuildError, RunVerdict
from tdd_orchestrator.runners.reasons import Project, red_reason

NODE = {
    "package.json": '{"type": "module", "scripts": {"test": "node --test"}}',
    "sum.js": "export const add = (a, b) => a + b;\n",
    "test/sum.test.js": (
        "import test from 'node:test';\nimport assert from 'node:assert';\nimport { add } from '../sum.js';\n"
        "test('adds', () => assert.equal(add(1, 2), 3));\n"
    ),
}
NODE_RED = (
    "import test from 'node:test';\nimport assert from 'node:assert';\nimport { add } from '../sum.js';\n"
    "test('red', () => assert.equal(add(1, 2), 4));\n"
)
UNITTEST = {
    "kata.py": "def add(a, b):\n    return a + b\n",
    "tests/__init__.py": "",
    "tests/test_sum.py": (
        "import unittest\nfrom kata import add\n\n\nclass SumTest(unittest.TestCase):\n"
        "    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n"
    ),
}
GO = {
    "go.mod": "module x\n\ngo 1.19\n",
    "sum.go": "package x\n\nfunc Add(a, b int) int { return a + b }\n",
    "sum_test.go": (
        'package x\n\nimport "testing"\n\nfunc TestAdds(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n'
    ),
}
CARGO = {
    "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 { a + b }\n",
    "tests/sum.rs": "use x::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
}
PROVE = {"t/sum.t": "use Test::More tests => 1;\nis(1 + 2, 3, 'adds');\n"}
BATS = {"test/sum.bats": '@test "adds" {\n  [ $((1 + 2)) -eq 3 ]\n}\n'}
SPEC = {
    "Rakefile": "require 'rspec/core/rake_task'\nRSpec::Core::RakeTask.new(:spec)\n",
    "spec/sum_spec.rb": "RSpec.describe 'sum' do\n  it('adds') { expect(1 + 2).to eq 3 }\nend\n",
}

SUITES = {
    "node-test": (NODE, ("node", "--test")),
    "unittest": (UNITTEST, ("python", "-m", "unittest", "discover")),
    "go-test": (GO, ("go", "test", "./...")),
    "cargo-test": (CARGO, ("cargo", "test", "--offline")),
    "prove": (PROVE, ("prove", "t")),
    "bats": (BATS, ("bats", "test")),
    "rspec": (SPEC, ("rake", "spec")),  # no argument of ours is rake's
}


REAL_HOME = pwd.getpwuid(os.getuid()).pw_dir  # HOME may be a test's own
RUST = {"RUSTUP_HOME": f"{REAL_HOME}/.rustup", "CARGO_HOME": f"{REAL_HOME}/.cargo"}


def needs(program: str) -> None:
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed here")


@pytest.mark.parametrize("name", SUITES)
def test_a_green_run_names_its_test_twice_alike(write, drive, name):
    files, command = SUITES[name]
    needs(command[0])
    tree = write(files)
    first = drive(tree, command, framework=name, env=RUST)
    again = drive(tree, command, framework=name, env=RUST)
    assert (first.report.verdict, first.report.exit_code) == (RunVerdict.PASSED, 0), first.output
    assert again.report.passing_ids == first.report.passing_ids
    assert len(first.report.passing_ids) == 1
    assert str(tree) not in repr(first.report.cases)


WRONG = {
    "node-test": ("sum.js", "export const add = (a, b) => 0;\n"),
    "unittest": ("kata.py", "def add(a, b):\n    return 0\n"),
    "go-test": ("sum.go", "package x\n\nfunc Add(a, b int) int { return 0 }\n"),
    "cargo-test": ("src/lib.rs", "pub fn add(_a: i32, _b: i32) -> i32 { 0 }\n"),
    "prove": ("t/sum.t", "use Test::More tests => 1;\nis(1 + 2, 4, 'adds');\n"),
    "bats": ("test/sum.bats", '@test "adds" {\n  [ $((1 + 2)) -eq 4 ]\n}\n'),
    "rspec": ("spec/red_spec.rb", "RSpec.describe 'sum' do\n  it('red') { expect(1 + 2).to eq 4 }\nend\n"),
}


@pytest.mark.parametrize("name", SUITES)
def test_a_red_run_names_its_test(write, drive, name):
    files, command = SUITES[name]
    needs(command[0])
    path, text = WRONG[name]
    ran = drive(write({**files, path: text}), command, framework=name, env=RUST)
    assert ran.report.verdict is RunVerdict.FAILED, ran.output
    assert ran.report.exit_code
    assert len(ran.report.failing) == 1


@pytest.mark.parametrize("name", SUITES)
def test_a_green_run_before_a_step_that_fails_is_not_passed(write, drive, name):
    files, command = SUITES[name]
    needs(command[0])
    make = {"Makefile": f"test:\n\t{' '.join(command)}\n\tsh lint.sh\n", "lint.sh": "exit 3\n"}
    ran = drive(write({**files, **make}), ("make", "test"), framework=name, env=RUST)
    assert ran.report.verdict is not RunVerdict.PASSED, ran.report


@pytest.mark.parametrize("name", ["node-test", "go-test", "cargo-test", "bats"])
def test_chosen_tests_only(write, drive, name):
    files, command = SUITES[name]
    needs(command[0])
    tree = write(files)
    cases = drive(tree, command, framework=name, env=RUST).report.cases
    again = drive(tree, command, framework=name, only=cases, env=RUST)
    assert again.report.verdict is RunVerdict.PASSED, again.output
    assert again.report.passing_ids == {case.id for case in cases}


def test_chosen_go_tests_only_behind_make(write, drive):
    needs("go")
    files, command = SUITES["go-test"]
    more = {"more_test.go": 'package x\n\nimport "testing"\n\nfunc TestMore(t *testing.T) {}\n'}
    make = {"Makefile": f"test:\n\t{' '.join(command)}\n"}
    tree = write({**files, **more, **make})
    every = drive(tree, ("make", "test"), framework="go-test").report
    chosen = [case for case in every.cases if "TestMore" in case.id]
    assert len(every.cases) == 2
    report = drive(tree, ("make", "test"), framework="go-test", only=chosen).report
    assert [case.id for case in report.cases] == [case.id for case in chosen]
    assert report.verdict is RunVerdict.PASSED


def test_node_failure_is_named(write, drive):
    needs("node")
    ran = drive(
        write({**NODE, "test/red.test.js": NODE_RED}),
        ("node", "--test"),
        framework="node-test",
    )
    assert ran.report.verdict is RunVerdict.FAILED
    assert [case.name for case in ran.report.failing] == ["red"]


@pytest.mark.parametrize(
    "body", ["process.exit(0);", "process.kill(process.pid, 'SIGKILL');", "test.skip('x', () => {});"]
)
def test_node_ways_out_are_never_a_pass(write, drive, body):
    needs("node")
    tree = write(
        {"package.json": '{"type": "module"}', "a.test.js": f"import test from 'node:test';\n{body}\n"}
    )
    assert drive(tree, ("node", "--test"), framework="node-test").report.verdict is not RunVerdict.PASSED


def test_a_report_that_is_not_there_is_not_a_pass(write, drive):
    needs("node")
    fake = "#!/bin/sh\nprintf 'TAP version 13\\nok 1 - adds\\n1..1\\n# tests 1\\n# pass 1\\n# fail 0\\n'\n"
    tree = write({**NODE, "bin/node": fake})
    (tree / "bin/node").chmod(0o755)
    path = os.pathsep.join([str(tree / "bin"), os.environ["PATH"]])
    ran = drive(tree, ("node", "--test"), framework="node-test", env={"PATH": path})
    assert ran.report.verdict is RunVerdict.UNREADABLE


def test_npm_script_gets_the_runner_and_no_arguments_in_its_middle(write, drive):
    needs("npm")
    ran = drive(write(NODE), ("npm", "test"), framework="node-test")
    assert ran.report.verdict is RunVerdict.PASSED, ran.output


def test_go_missing_symbol_is_a_build_error_that_red_may_have(write, drive):
    needs("go")
    tree = write(
        {
            **GO,
            "sub_test.go": GO["sum_test.go"]
            .replace("TestAdds", "TestSubs")
            .replace("Add(1, 2)", "Sub(1, 2)"),
        }
    )
    report = drive(tree, ("go", "test", "./..."), framework="go-test").report
    assert report.verdict is RunVerdict.ERROR
    (error,) = report.build_errors
    assert isinstance(error, BuildError)
    assert red_reason(None, language="go", project=Project(frozenset({"x"})), error=error).acceptable


def test_any_command_goes_by_exit_code_and_text(write, drive):
    tree = write({"check.sh": "#!/bin/sh\nexit 1\n"})
    (tree / "check.sh").chmod(0o755)
    ran = drive(tree, ("./check.sh",), framework="unknown")
    assert ran.report.verdict is not RunVerdict.PASSED
