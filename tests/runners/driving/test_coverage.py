"""Which lines a run executes, by the runner's own tool: real runners on small projects."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tdd_orchestrator.model.coverage import Coverage, merged, ranges
from tdd_orchestrator.runners.coverage import measure, read_lcov
from tdd_orchestrator.runners.neutral import neutral_env
from tdd_orchestrator.runners.run import RunEnvironment, Suite
from tdd_orchestrator.runners.table import by_name

PYTHON = (
    "def sign(n):\n    if n < 0:\n        return -1\n    return 1\n\n\ndef double(n):\n    return n + n\n"
)
NODE = "exports.sign = (n) => {\n  if (n < 0) {\n    return -1;\n  }\n  // positive: 𝒳\n  return 1;\n};\n"
GO = "package calc\n\nfunc Sign(n int) int {\n\tif n < 0 {\n\t\treturn -1\n\t}\n\treturn 1\n}\n"


def measured(tree: Path, framework: str, *command: str) -> Coverage:
    suite = Suite(framework, command, by_name(framework))
    work = tree.parent / "work"
    work.mkdir(exist_ok=True)
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    found, seconds = measure(suite, RunEnvironment(tree, work, neutral_env(tree, os.environ)))
    assert seconds > 0
    assert {path: path.read_bytes() for path in tree.rglob("*") if path in before} == before
    assert not list(work.glob("coverage-*")), "its reports are taken away again"
    return found


def project(tmp_path: Path, files: dict[str, str]) -> Path:
    tree = tmp_path / "tree"
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tree


@pytest.mark.skipif(find_spec("coverage") is None, reason="coverage.py is not installed")
def test_pytest_says_which_test_executes_which_line(tmp_path: Path) -> None:
    tree = project(tmp_path, {
        "calc.py": PYTHON,
        "never.py": "X = 1\n",
        "tests/test_calc.py": "import pytest\nfrom calc import double, sign\n\n\n@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_sign(n):\n    assert sign(n) == 1\n\n\ndef test_double():\n    assert double(2) == 5\n",
    })  # fmt: skip
    found = measured(tree, "pytest", sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert found.why == ""
    assert found.uncovered("calc.py", PYTHON, range(1, 9)) == (3,)
    assert found.uncovered("never.py", "X = 1\n", [1]) == (1,)
    assert found.affected({"calc.py": frozenset({4})}) == ("tests/test_calc.py::test_sign",)
    assert found.affected({"calc.py": frozenset({8})}) == ("tests/test_calc.py::test_double",), (
        "a failing test, too"
    )
    assert found.lines_of(["tests/test_calc.py::test_double"])["calc.py"] == {8}


def test_without_coverage_py_nothing_is_claimed(tmp_path: Path) -> None:
    tree = project(tmp_path, {
        "calc.py": PYTHON, "tests/test_calc.py": "from calc import sign\n\n\ndef test_sign():\n    assert sign(1)\n",
        "coverage.py": "raise ImportError('none here')\n",
    })  # fmt: skip
    found = measured(tree, "pytest", sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert found.why == "coverage.py is not installed where the tests run"
    assert found.uncovered("calc.py", PYTHON, range(1, 9)) == ()


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node_writes_what_v8_counted(tmp_path: Path) -> None:
    tree = project(tmp_path, {
        "calc.js": NODE,
        "never.js": "// nothing loads it\nexports.x = 1;\n",
        "package.json": '{"scripts": {"test": "node --test"}}',
        "test/calc.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { sign } = require('../calc.js');\ntest('sign', () => { assert.equal(sign(1), 1); });\n",
    })  # fmt: skip
    found = measured(tree, "node-test", "npm", "test")
    assert found.why == ""
    assert found.uncovered("calc.js", NODE, range(1, 8)) == (3,)
    assert found.uncovered("never.js", "// nothing loads it\nexports.x = 1;\n", [1, 2]) == (2,)
    assert found.uncovered("page.ts", "let x = 1\n", [1]) == (), "translated before it runs: no claim"


@pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")
def test_go_writes_a_profile(tmp_path: Path) -> None:
    tree = project(tmp_path, {
        "go.mod": "module example.org/calc\n\ngo 1.19\n",
        "calc.go": GO,
        "calc_test.go": 'package calc\n\nimport "testing"\n\nfunc TestSign(t *testing.T) {\n'
        "\tif Sign(1) != 1 {\n\t\tt.Fatal()\n\t}\n}\n",
        "Makefile": "test:\n\tgo test ./...\n",
    })  # fmt: skip
    for command in (["go", "test", "./..."], ["make", "test"]):
        found = measured(tree, "go-test", *command)
        assert found.why == ""
        assert found.uncovered("calc.go", GO, range(1, 9)) == (5,)


def test_a_runner_that_leaves_no_report_is_not_measured(tmp_path: Path) -> None:
    tree = project(tmp_path, {"calc.py": PYTHON})
    found = measured(tree, "go-test", "sh", "-c", "sleep 0.01")
    assert found.why == "'go-test' left no coverage report"
    found = measured(tree, "cargo-test", "sh", "-c", "sleep 0.01")
    assert "it needs cargo-llvm-cov (cargo install cargo-llvm-cov)" in found.why


def test_lcov_and_several_suites(tmp_path: Path) -> None:
    tree = project(tmp_path, {"src/lib.rs": "fn a() {}\n"})
    (tmp_path / "lcov.info").write_text(
        f"SF:{tree}/src/lib.rs\nDA:1,2\nDA:2,0\nend_of_record\nSF:/usr/x.rs\nDA:1,0\n"
    )
    found = read_lcov(tmp_path, tree, tree)
    assert (found.executed, found.missing) == ({"src/lib.rs": {1}}, {"src/lib.rs": {2}})
    other = Coverage({"src/lib.rs": frozenset({2})}, {"src/lib.rs": frozenset({1})})
    both = merged([found, other])
    assert both.executed["src/lib.rs"] == {1, 2}
    assert both.missing["src/lib.rs"] == frozenset()


def test_lines_as_people_write_them() -> None:
    assert ranges([7, 3, 5, 6, 9]) == "3, 5-7, 9"
