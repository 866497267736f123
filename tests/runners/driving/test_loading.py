"""A test file that fails as a whole: its source says why; what it prints does not."""

from __future__ import annotations

import shutil

import pytest

from tdd_orchestrator.model.report import BuildError, Case, Outcome, Report, RunVerdict
from tdd_orchestrator.runners.loading import UNBORNE, add_load_errors, find_syntax_error
from tdd_orchestrator.runners.reasons import Project, red_reason

RED = (
    "import test from 'node:test';\nimport assert from 'node:assert';\n{load}\n"
    "test('doubles', () => assert.equal(double(2), 4));\n"
)
LOADS = {
    "a module": "import {{ double }} from '../double.js';",
    "a name": "import {{ double }} from '../sum.js';",
}
LIES = {
    "no such module": "console.error(\"Error [ERR_MODULE_NOT_FOUND]: Cannot find module '../double.js' imported from a\");",
    "as the loader throws": "throw Object.assign(new Error(\"Cannot find module '../double.js'\"), { code: 'MODULE_NOT_FOUND' });",
    "an assertion": "console.error('AssertionError [ERR_ASSERTION]: 1 == 2');",
    "no such function": "console.error('TypeError: double is not a function');",
    "silence": "",
}
TREE = {"package.json": '{"type": "module"}', "sum.js": "export const add = (a, b) => a + b;\n",
        "test/old.test.js": "import test from 'node:test';\ntest('old', () => {});\n"}  # fmt: skip


def acceptable(report: Report) -> bool:
    names = frozenset({"sum", "test"})
    return bool(report.build_errors) and all(
        red_reason(None, language="javascript", project=Project(names), error=error).acceptable
        for error in report.build_errors
    )


@pytest.mark.parametrize("name", LOADS)
@pytest.mark.parametrize("cwd", ["", "web"])
def test_a_silent_runner_is_answered_by_the_source(write, name, cwd):
    tree = write({f"{cwd}/{path}".lstrip("/"): text for path, text in TREE.items()})
    file = tree / cwd / "test/double.test.js"
    file.write_text(RED.format(load=LOADS[name].format()))
    case = Case("x", "test/double.test.js", Outcome.FAILED, message="test failed")
    found = add_load_errors(Report(RunVerdict.FAILED, cases=(case,)), tree, cwd)
    (error,) = found.build_errors
    assert (error.file, error.line) == (f"{cwd}/test/double.test.js".lstrip("/"), 3)
    assert acceptable(found)


def test_a_failing_test_of_a_file_is_none_of_a_file(write):
    tree = write({**TREE, "test/double.test.js": RED.format(load=LOADS["a module"].format())})
    report = Report(
        RunVerdict.FAILED, cases=(Case("a", "doubles", Outcome.FAILED, file="test/double.test.js"),)
    )
    assert add_load_errors(report, tree) == report


@pytest.mark.parametrize(("runners", "kept"), [((), True), (("node-test",), False)])
def test_what_a_compiler_says_before_any_test_ran_is_a_reason(write, runners, kept):
    """`tsc && node --test`: where the runner spoke as well, a test may have printed it."""
    tree = write({**TREE, "test/a.test.ts": "import { add } from '../sum.js';\nadd(1, 2, 3);\n"})
    error = BuildError("Expected 2 arguments, but got 3.", "test/a.test.ts", 2, "TS2554")
    report = Report(RunVerdict.ERROR, build_errors=(error,), runners=runners)
    assert (add_load_errors(report, tree) == report) is kept


def test_a_bad_reason_stays_as_it_was_told(write):
    tree = write({**TREE, "test/a.test.js": "import x from 'left-pad';\n"})
    error = BuildError("Cannot find package 'left-pad' imported from test/a.test.js", "test/a.test.js")
    report = Report(RunVerdict.ERROR, build_errors=(error,))
    assert add_load_errors(report, tree) == report


@pytest.mark.parametrize("suffix", [".js", ".mjs"])
def test_a_file_that_does_not_parse_is_told_even_where_it_lacks_a_module(write, drive, suffix):
    if not shutil.which("node"):
        pytest.skip("node is not installed here")
    text = RED.format(load=LOADS["a module"].format()) + "\n}}} )))\n"
    tree = write({**TREE, f"test/double.test{suffix}": text})
    report = drive(tree, ("node", "--test"), framework="node-test").report
    (error,) = report.build_errors
    assert (
        red_reason(None, language="javascript", project=Project(frozenset()), error=error).reason == "syntax"
    )
    assert error.file == f"test/double.test{suffix}"


def test_a_missing_package_is_told_beside_a_missing_module(write):
    tree = write({**TREE, "test/a.test.js": "import x from 'left-pad';\nimport y from '../nope.js';\n"})
    error = BuildError("Cannot find package 'left-pad' imported from test/a.test.js", "test/a.test.js")
    found = add_load_errors(Report(RunVerdict.ERROR, build_errors=(error,)), tree)
    assert error in found.build_errors
    assert len(found.build_errors) == 2
    assert not acceptable(found)


def test_a_package_that_is_not_installed_is_told_by_the_source_alone(write):
    loads = "const x = require('left-pad');\nrequire('node:fs');\nconst p = require('path');\nconst y = require('@acme/there/deep');\n"
    tree = write({**TREE, "test/a.test.js": loads, "node_modules/@acme/there/package.json": "{}"})
    case = Case("x", "test/a.test.js", Outcome.FAILED, message="test failed")
    (error,) = add_load_errors(Report(RunVerdict.FAILED, cases=(case,)), tree).build_errors
    assert error.message == "Cannot find package 'left-pad' imported from test/a.test.js"
    assert (
        red_reason(None, language="javascript", project=Project(frozenset()), error=error).reason
        == "third_party"
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("/x/a.js:3\n}\n^\n\nSyntaxError: Unexpected token '}'\n    at x", "SyntaxError: Unexpected token '}'"),
        ("SyntaxError: Cannot use import statement outside a module", ""),
        ("SyntaxError: Unexpected token 'export'", ""),
        ("node: bad option: --check", ""),
    ],
)  # fmt: skip
def test_another_kind_of_module_is_no_syntax_error(said, told):
    assert find_syntax_error(said) == told


def test_files_outside_the_tree_are_not_read(write, tmp_path):
    tree = write(TREE)
    (tmp_path / "secret.test.js").write_text("import '../nope.js';\n")
    (tree / "link.test.js").symlink_to(tmp_path / "secret.test.js")
    for name in ("link.test.js", "../secret.test.js", "a\0b.js", "x" * 5_000):
        report = Report(RunVerdict.FAILED, cases=(Case(name, name, Outcome.FAILED),))
        assert add_load_errors(report, tree) == report


@pytest.mark.parametrize("name", LOADS)
def test_node_says_or_does_not_say(write, drive, name):
    if not shutil.which("node"):
        pytest.skip("node is not installed here")
    tree = write({**TREE, "test/double.test.js": RED.format(load=LOADS[name].format())})
    report = drive(tree, ("node", "--test"), framework="node-test").report
    assert report.verdict in (RunVerdict.FAILED, RunVerdict.ERROR)
    assert acceptable(report)


@pytest.mark.parametrize("name", LIES)
def test_nothing_that_a_test_prints_is_a_reason(write, drive, name):
    if not shutil.which("node"):
        pytest.skip("node is not installed here")
    lying = RED.format(load="const double = (n) => n;") + f"{LIES[name]}\nprocess.exit(1);\n"
    report = drive(
        write({**TREE, "test/lie.test.js": lying}), ("node", "--test"), framework="node-test"
    ).report
    assert report.verdict is not RunVerdict.PASSED
    assert not acceptable(report)
    assert {error.message for error in report.build_errors} <= {UNBORNE}
