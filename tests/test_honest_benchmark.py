"""The honest agent of benchmarks/honest.py drops exactly the tests that it is told to drop."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from _commits import PASSED, Project, _short, provable
from _drop import without_tests
from honest import reasons

PYTHON = """import calc


class TestCalc:
    def test_adds(self):
        assert calc.add(1, 2) == 3


@slow
def test_doubles():
    assert calc.double(2) == 4


def test_halves():
    assert calc.half(4) == 2
"""
GO = "package calc\n\nfunc TestA(t *testing.T) {\n\tif true {\n\t}\n}\n\nfunc TestB(t *testing.T) {\n}\n"
JS = "test('a', () => {\n  ok();\n});\n\ndescribe('x', () => {\n  it('b', () => {\n    ok();\n  });\n});\n"


@pytest.mark.parametrize(
    ("path", "text", "name", "gone", "stays"),
    [
        ("test_calc.py", PYTHON, "test_doubles", "double", "calc.half"),
        ("test_calc.py", PYTHON, "TestCalc.test_adds", "test_adds", "calc.double"),
        ("calc_test.go", GO, "TestA", "TestA", "TestB"),
        ("calc.test.js", JS, "b", "it(", "test('a'"),
        ("calc.test.js", JS.replace(";", ""), "a", "test('a'", "it('b'"),
    ],
)
def test_a_named_test_is_dropped_whole(path: str, text: str, name: str, gone: str, stays: str) -> None:
    left = without_tests(path, text, None, {name})
    assert gone not in left
    assert stays in left


def test_a_test_that_the_base_has_is_put_back_as_it_was() -> None:
    before = PYTHON.replace("== 2", "== 2.0").replace("@slow\n", "")
    assert without_tests("test_calc.py", PYTHON, before, {"test_halves"}) == PYTHON.replace("== 2", "== 2.0")


def test_the_names_of_passing_tests_are_read_from_three_runners() -> None:
    output = "PASSED tests/test_a.py::TestA::test_b[1-2]\n--- PASS: TestC (0.00s)\n✔ adds one (0.5ms)\nok 2 - adds two\n"
    assert [_short(one) for one in PASSED.finditer(output)] == [
        "TestA.test_b",
        "TestC",
        "adds one",
        "adds two",
    ]


def test_the_files_of_red_are_those_that_a_pattern_names() -> None:
    project = Project("calc", ".", ["true"], ["tests/*", "*_test.go"], [], [], [])
    assert [project.is_test(path) for path in ("tests/unit/a.py", "calc_test.go", "calc.go")] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(("test", "provable_is"), [("grep -q new code", True), ("true", False)])
def test_a_runner_that_does_not_know_the_added_words_makes_no_commit_test_first(
    tmp_path: Path, test: str, provable_is: bool
) -> None:
    """`go test -rp` fails whatever the tests say."""
    clone = tmp_path / "clone"
    clone.mkdir()

    def git(*words: str) -> str:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        done = subprocess.run(
            ["git", *identity, *words], cwd=clone, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q")
    for code, check in (("old", "true"), ("new", test)):
        (clone / "code").write_text(code)
        (clone / "test_it").write_text(f"[ $# = 0 ] && {check}\n")
        git("add", "-A")
        git("commit", "-q", "-m", code)
    project = Project("it", str(clone), ["sh", "test_it"], ["test_it"], [], [], ["-rp"])
    assert (provable(project, git("rev-parse", "HEAD"), tmp_path) is not None) == provable_is


def test_only_what_a_refusal_says_is_dropped_not_what_a_diff_names() -> None:
    prompt = (
        "# RED\n- test_rule\n\n## What went wrong before\n\nAttempt 1, weakened_test.\n\n- t.py::test_a passes already\n"
        "\nIts rejected change:\n\n```diff\n- def test_b():\n+ def test_c():\n```\n\n## Context\n- test_d\n"
    )
    assert reasons(prompt) == "- t.py::test_a passes already"
