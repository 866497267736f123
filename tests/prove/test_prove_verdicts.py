"""What `tdd prove` says of changes that no cycle made: each verdict, in a real repository with a real run."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from change_repository import CODE, TEST, Repository

from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import Report, RunVerdict
from tdd_orchestrator.prove.decide import decide
from tdd_orchestrator.prove.values import ChangeClass, ChangeVerdict, TestRow

pytestmark = pytest.mark.journey

TRIPLE = "\n\ndef triple(number):\n    return number * 3\n"
TEST_TRIPLE = "from calc import triple\n\n\ndef test_triples():\n    assert triple(2) == 6\n"
CHECKS = """\
import test from "node:test"
import assert from "node:assert"
import * as sums from "../sum.mjs"

test("adds", () => assert.equal(sums.sum(1, 2), 3))
"""


def verdicts(change: Any) -> dict[str, str]:
    return {row["test"].rpartition("::")[2]: row["verdict"] for row in change["tests"]}


def test_a_new_function_with_its_test_is_proven(repository: Repository) -> None:
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE})
    answer = repository.prove()
    (change,) = answer["changes"]
    assert answer["code"] == 0, change
    assert (change["verdict"], change["class"]) == ("proven", "behavior")
    assert verdicts(change) == {"test_triples": "proven"}
    assert "triple" in change["tests"][0]["on_base"]
    assert change["tests"][0]["at_head"] == "passed"
    assert {one["question"] for one in change["questions"]} == {"poison", "shift", "stub"}


def test_changed_behavior_with_a_changed_test_is_proven(repository: Repository) -> None:
    repository.commit("fix: doubles a text", {
        "calc.py": "def double(number):\n    return 2 * int(number)\n",
        "tests/test_calc.py": TEST.replace("double(2)", "double('2')"),
    })  # fmt: skip
    change = repository.prove_one()
    assert (change["verdict"], verdicts(change)) == ("proven", {"test_doubles": "proven"})


def test_code_without_a_test_is_no_test(repository: Repository) -> None:
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE})
    answer = repository.prove()
    assert answer["code"] == 1
    assert answer["changes"][0]["verdict"] == "no_test"


def test_a_test_that_passes_on_the_base(repository: Repository) -> None:
    repository.commit("feat: triple", {
        "calc.py": CODE + TRIPLE,
        "tests/test_more.py": "from calc import double\n\n\ndef test_zero():\n    assert double(0) == 0\n",
    })  # fmt: skip
    change = repository.prove_one()
    assert change["verdict"] == "passes_on_base"
    assert verdicts(change) == {"test_zero": "passes_on_base"}


def test_a_runner_that_says_nothing_of_what_passes_is_no_reason_where_its_test_passes_on_the_base() -> None:
    """`go test ./...` names and counts no test that passes."""
    row = TestRow("sum_test.go::TestSum", "changed", "passes_on_base", "passed", "passed", "sum_test.go", 3)
    green, red = Judgement(Verdict.PROVEN), Judgement(Verdict.UNREADABLE, ("no counts",))
    said = decide(ChangeClass.BEHAVIOR, (row,), green, red, Report(RunVerdict.PASSED))
    assert said == (ChangeVerdict.PASSES_ON_BASE, ("sum_test.go::TestSum passes without the change",))


def test_a_test_whose_name_another_takes_is_named() -> None:
    row = TestRow("test_a.py::test_sum#2", "added", "never_ran", "not run", "not run", "test_a.py", 9)
    proven = Judgement(Verdict.PROVEN)
    verdict, (why,) = decide(ChangeClass.BEHAVIOR, (row,), proven, proven, Report(RunVerdict.PASSED))
    assert verdict == ChangeVerdict.NEVER_RAN
    assert (
        why
        == "test_a.py::test_sum is defined 2 times, and the runner finds fewer: give each a name of its own"
    )


def test_a_test_that_never_ran(repository: Repository) -> None:
    repository.commit("feat: triple", {
        "calc.py": CODE + TRIPLE,
        "tests/test_triple.py": "from calc import triple\n\n\nclass Triple:\n"
        "    def test_triples(self):\n        assert triple(2) == 6\n",
    })  # fmt: skip
    assert repository.prove_one()["verdict"] == "never_ran"


def test_a_test_of_another_runner_never_ran(repository: Repository) -> None:
    """The test command knows one runner only; the change's test is another's."""
    repository.commit("feat: sum", {
        "web/sum.js": "exports.sum = (a, b) => a + b;\n",
        "web/sum.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { sum } = require('./sum');\ntest('sums', () => { assert.strictEqual(sum(1, 2), 3); });\n",
    })  # fmt: skip
    change = repository.prove_one()
    assert change["verdict"] == "never_ran", change
    assert "web/sum.test.js holds tests that the test command does not run" in change["reasons"][0]
    assert "[[test.suite]]" in change["reasons"][0]


def test_a_skipped_test_never_ran(repository: Repository) -> None:
    skipped = "import pytest\n" + TEST_TRIPLE.replace("def test", "@pytest.mark.skip\ndef test")
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": skipped})
    change = repository.prove_one()
    assert (change["verdict"], verdicts(change)) == ("never_ran", {"test_triples": "never_ran"})


def test_a_weakened_test_is_named(repository: Repository) -> None:
    """The code breaks what the old test wanted, and the test was edited so that it passes with both."""
    repository.commit("feat: triple", {
        "calc.py": "def double(number):\n    return number * 3\n" + TRIPLE,
        "tests/test_calc.py": TEST.replace("== 4", ">= 4"),
        "tests/test_triple.py": TEST_TRIPLE,
    })  # fmt: skip
    change = repository.prove_one()
    assert change["verdict"] == "weakened_test"
    assert verdicts(change) == {"test_doubles": "weakened_test", "test_triples": "proven"}
    assert change["reasons"][0].endswith("its old version fails with the new code"), change["reasons"]

    repository.git("reset", "-q", "--hard", "HEAD~1")
    repository.commit("chore: two", {"tests/test_calc.py": TEST + "    assert double(3) == 6\n"})
    repository.commit("feat: triple", {
        "calc.py": CODE + TRIPLE, "tests/test_calc.py": TEST, "tests/test_triple.py": TEST_TRIPLE,
    })  # fmt: skip
    assert repository.prove_one()["reasons"] == [
        "tests/test_calc.py::test_doubles asserts less, compared with the base"
    ]


def test_no_test_is_proven_where_head_does_not_build(repository: Repository) -> None:
    repository.commit("feat: triple", {
        "calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE,
        "tests/conftest.py": "import no_such_package\n",
    })  # fmt: skip
    change = repository.prove_one()
    assert (change["verdict"], verdicts(change)["test_triples"]) == ("build_error", "build_error")
    assert "no result" in {row["at_head"] for row in change["tests"]}


def test_an_edit_of_a_test_that_hides_nothing_is_no_weakening(repository: Repository) -> None:
    more = TEST + "    assert double(3) == 6\n"
    repository.commit("feat: triple", {
        "calc.py": CODE + TRIPLE, "tests/test_calc.py": more, "tests/test_triple.py": TEST_TRIPLE,
    })  # fmt: skip
    change = repository.prove_one()
    assert (change["verdict"], verdicts(change)["test_doubles"]) == ("proven", "passes_on_base")


def test_a_removed_test_that_still_passes_needs_a_person(repository: Repository) -> None:
    repository.commit("chore: more", {"tests/test_more.py": TEST.replace("doubles", "doubles_again")})
    repository.commit("feat: triple", {
        "calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE, "tests/test_calc.py": None,
    })  # fmt: skip
    answer = repository.prove()
    (change,) = answer["changes"]
    assert (change["verdict"], answer["code"]) == ("removed_test", 3)
    assert verdicts(change)["test_doubles"] == "removed_test"
    assert repository.prove("--allow-removed")["code"] == 0
    assert "    to do: A person must accept this: `--allow-removed`.\n" in repository.tdd("prove").out


def test_a_short_test_of_the_shape_of_a_removed_one_does_not_take_its_place(repository: Repository) -> None:
    instead = "from calc import triple\n\n\ndef test_triples():\n    assert triple(2) == 6\n"
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_calc.py": instead})
    answer = repository.prove()
    (change,) = answer["changes"]
    assert (change["verdict"], answer["code"]) == ("removed_test", 3)
    assert {row["test"]: row["how"] for row in change["tests"]} == {
        "tests/test_calc.py::test_triples": "added",
        "tests/test_calc.py::test_doubles": "removed",
    }


def test_a_broken_old_test(repository: Repository) -> None:
    repository.commit("feat: triple", {
        "calc.py": "def double(number):\n    return 0\n" + TRIPLE, "tests/test_triple.py": TEST_TRIPLE,
    })  # fmt: skip
    change = repository.prove_one()
    assert change["verdict"] == "breaks_existing"
    assert "test_doubles" in " ".join(change["reasons"])


def test_a_test_that_fails_at_head(repository: Repository) -> None:
    repository.commit("feat: triple", {
        "calc.py": CODE + TRIPLE.replace("3", "4"), "tests/test_triple.py": TEST_TRIPLE,
    })  # fmt: skip
    assert repository.prove_one()["verdict"] == "still_failing"


def test_a_failure_of_the_base_is_not_this_change(repository: Repository) -> None:
    repository.commit("chore: red", {"tests/test_red.py": "def test_red():\n    assert False\n"})
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE})
    change = repository.prove_one()
    assert change["verdict"] == "proven"
    assert any("test_red" in warning for warning in change["warnings"])


def test_a_base_that_cannot_run(repository: Repository) -> None:
    repository.commit("chore: broken", {"tests/conftest.py": "import nowhere_at_all\n"})
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE})
    change = repository.prove_one()
    assert change["verdict"] == "fails_on_base"
    assert "nowhere_at_all" in " ".join(change["reasons"])


def test_a_command_that_does_not_run_here_is_named_with_what_it_said(repository: Repository) -> None:
    repository.commit("chore: another runner", {
        "tdd.toml": '[test]\ncommand = ["sh", "gems.sh"]\nframework = "rspec"\n[workspace]\nsandbox = "none"\n',
        "gems.sh": "echo \"Could not find gem 'rake' in locally installed gems.\"; exit 7\n",
    })  # fmt: skip
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE})
    change = repository.prove_one()
    assert change["verdict"] == "unreadable"
    assert "Could not find gem 'rake' in locally installed gems" in change["reasons"][0]
    assert change["reasons"][1] == "run it yourself: sh gems.sh"


def test_a_runner_that_is_not_installed_is_no_fault_of_the_base(repository: Repository) -> None:
    python = repository.root.parent / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    table = f'[test]\ncommand = ["{python}", "-m", "pytest", "-q"]\n[workspace]\nsandbox = "none"\n'
    repository.commit("chore: another python", {"tdd.toml": table})
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE})
    change = repository.prove_one()
    assert change["verdict"] == "unreadable"
    assert "No module named pytest" in change["reasons"][0]
    assert (
        change["reasons"][1]
        == f"pytest is not installed for {python}. Install it: {python} -m pip install pytest"
    )


@pytest.mark.parametrize(
    ("command", "framework", "manifest", "text", "installer"),
    [
        ('["sh", "-c", "exit 7"]', "phpunit", "composer.json", '{"require-dev": {"phpunit/phpunit": "^9"}}', "composer"),
        ('["npm", "test"]', "auto", "package.json",
         '{"scripts": {"test": "no-such-runner"}, "devDependencies": {"no-such-runner": "1"}}', "npm"),
    ],
    ids=["composer", "npm"],
)  # fmt: skip
def test_packages_that_are_not_installed_are_what_a_person_is_told(
    repository: Repository, command: str, framework: str, manifest: str, text: str, installer: str
) -> None:
    if installer == "npm" and not shutil.which("npm"):
        pytest.skip("npm is not here")
    test = f'[test]\ncommand = {command}\nframework = "{framework}"\n[workspace]\nsandbox = "none"\n'
    repository.commit("chore: another language", {"tdd.toml": test, manifest: text})
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE})
    assert repository.prove_one()["reasons"][-1].endswith(f"Install them: {installer} install")


@pytest.mark.skipif(not shutil.which("npm"), reason="npm is not here")
def test_without_a_configuration_the_command_is_the_one_that_init_would_write(repository: Repository) -> None:
    repository.commit("chore: JavaScript", {
        "tdd.toml": None, "calc.py": None, "tests/test_calc.py": None,
        "package.json": '{"scripts": {"test": "node --test checks/all.mjs"}}\n',
        "sum.mjs": "export const sum = (a, b) => a + b\n",
        "checks/all.mjs": CHECKS,
    })  # fmt: skip
    more = 'test("differs", () => assert.equal(sums.difference(3, 2), 1))\n'
    repository.commit("feat: difference", {
        "sum.mjs": "export const sum = (a, b) => a + b\nexport const difference = (a, b) => a - b\n",
        "checks/all.mjs": CHECKS + more,
    })  # fmt: skip
    change = repository.prove_one()
    assert change["verdict"] == "proven", change
    assert [row["test"] for row in change["tests"]] == ["checks/all.mjs::differs"]


def test_a_test_that_fails_by_itself(repository: Repository) -> None:
    bad = TEST_TRIPLE.replace("assert triple(2) == 6", "import nowhere_at_all")
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": bad})
    assert repository.prove_one()["verdict"] in ("invalid_test", "still_failing")


def test_an_exception_in_the_test_that_the_change_takes_away(repository: Repository) -> None:
    repository.commit("feat: names the unit", {
        "calc.py": CODE.replace("number + number", "{'value': number + number, 'unit': 'm'}"),
        "tests/test_calc.py": TEST.replace("double(2) == 4", "double(2)['unit'] == 'm'"),
    })  # fmt: skip
    assert repository.prove_one()["verdict"] == "proven"


def test_a_test_that_ends_the_run_of_the_old_code(repository: Repository) -> None:
    old = "import os, signal\n\n\ndef triple(number):\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    repository.commit("feat: triple", {"calc.py": f"{old}\n\n{CODE}"})
    new = f"def triple(number):\n    return number * 3\n\n\n{CODE}"
    repository.commit("fix: lives on", {"calc.py": new, "tests/test_triple.py": TEST_TRIPLE})
    change = repository.prove_one()
    assert change["verdict"] == "proven", change
    assert "ends with these tests" in change["tests"][0]["on_base"]


def test_a_test_that_can_never_fail(repository: Repository) -> None:
    vacuous = TEST_TRIPLE.replace("assert triple(2) == 6", "triple\n    assert True")
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": vacuous})
    assert repository.prove_one()["verdict"] == "vacuous_test"


def test_a_new_class_with_tests_of_the_same_names(repository: Repository) -> None:
    head = "import unittest\n\nfrom calc import double\n"
    suite = "\n\nclass {0}Test(unittest.TestCase):\n    def test_two(self):\n        self.assertEqual({1}(2), {2})\n"
    config = '[test]\ncommand = ["python", "-m", "unittest", "discover", "-s", "tests"]\n'
    old = suite.format("Double", "double", 4)
    repository.commit("test: unittest", {"tests/test_calc.py": head + old, "tdd.toml": config})
    new = suite.format("Triple", "triple", 6)
    repository.commit("feat: triple", {
        "calc.py": CODE + TRIPLE, "tests/test_calc.py": f"{head}from calc import triple\n{old}{new}",
    })  # fmt: skip
    change = repository.prove_one()
    assert change["verdict"] == "proven", change


def test_a_test_that_does_not_need_the_new_code_beside_one_that_does(repository: Repository) -> None:
    """Their file does not load on the base: what the second one needs of it is asked with a stub."""
    zero = "\n\ndef test_zero():\n    from calc import double\n    assert double(0) == 0\n"
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE + zero})
    change = repository.prove_one()
    assert change["verdict"] == "proven", change
    assert verdicts(change) == {"test_triples": "proven", "test_zero": "passes_on_base"}


def test_a_flaky_suite_is_named(repository: Repository, tmp_path: Path) -> None:
    flaky = (
        f"import pathlib\n\n\ndef test_flaky():\n    mark = pathlib.Path('{tmp_path}', 'mark')\n"
        "    seen = mark.exists()\n    mark.touch()\n    assert seen\n"
    )
    mark = "import pathlib\n\n\ndef test_flaky():\n    assert True\n"
    repository.commit("chore: more", {"tests/test_flaky.py": mark})
    repository.commit("feat: triple", {
        "calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE, "tests/test_flaky.py": flaky,
    })  # fmt: skip
    change = repository.prove_one()
    assert change["verdict"] == "proven"
    assert any("test_flaky is flaky" in warning for warning in change["warnings"])


@pytest.mark.parametrize(("condition", "verdict"), [("seen", "flaky"), ("triple(2) == 7", "still_failing")])
def test_a_new_test_that_fails_is_run_again(
    repository: Repository, tmp_path: Path, condition: str, verdict: str
) -> None:
    """One that fails first and passes then is flaky; one that fails each time fails at HEAD, and breaks nothing
    that was there."""
    test = (
        f"\n\ndef test_new():\n    import pathlib\n    mark = pathlib.Path('{tmp_path}', 'mark')\n"
        f"    seen = mark.exists()\n    mark.touch()\n    assert triple(2) and {condition}\n"
    )
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE + test})
    change = repository.prove_one()
    assert change["verdict"] == verdict, change["reasons"]
    assert "test_new" in change["reasons"][0]
    assert verdicts(change) == {"test_triples": "proven", "test_new": verdict}


def test_a_new_test_that_fails_for_itself_breaks_nothing_that_was_there(repository: Repository) -> None:
    """It passes with a stub on the base, so it is none that must fail there."""
    test = "\n\ndef test_other():\n    import inspect\n    assert 'number * 3' not in inspect.getsource(triple)\n"
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE + test})
    change = repository.prove_one()
    assert change["verdict"] == "still_failing", (change["verdict"], change["reasons"])


@pytest.mark.parametrize(
    ("message", "files", "kind"),
    [
        ("docs: a comment", {"calc.py": "# doubles\n" + CODE, "README.md": "# Calc\n"}, "documentation"),
        ("docs: a docstring", {"calc.py": CODE.replace(":\n", ':\n    """Double it."""\n')}, "documentation"),
        ("chore: newer", {"requirements.txt": "pytest\n"}, "dependencies"),
        ("test: zero", {"tests/test_calc.py": TEST + "    assert double(0) == 0\n"}, "tests"),
        ("x\n\nTdd-Class: refactor", {"calc.py": CODE.replace("number + number", "2 * number")}, "refactoring"),
    ],
)  # fmt: skip
def test_classes_that_need_no_new_behavior(
    repository: Repository, message: str, files: dict[str, str | None], kind: str
) -> None:
    repository.commit(message, files)
    change = repository.prove_one()
    assert (change["verdict"], change["class"]) == ("proven", kind), change


def test_a_claimed_refactoring_that_changes_an_outcome(repository: Repository) -> None:
    repository.commit("x\n\nTdd-Class: refactor", {"calc.py": CODE.replace("number + number", "3 * number")})
    assert repository.prove_one()["verdict"] == "breaks_existing"


def test_dead_code_goes_with_its_tests(repository: Repository) -> None:
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE})
    repository.commit("chore: drop triple", {"calc.py": CODE, "tests/test_triple.py": None})
    change = repository.prove_one()
    assert (change["verdict"], change["class"]) == ("proven", "dead_code"), change


def test_dead_code_that_a_list_of_imports_named(repository: Repository) -> None:
    both = TEST.replace("import double", "import double, triple")
    tests = both + "\n\ndef test_triples():\n    assert triple(2) == 6\n"
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_calc.py": tests})
    repository.commit("chore: drop triple", {"calc.py": CODE, "tests/test_calc.py": TEST})
    change = repository.prove_one()
    assert (change["verdict"], change["class"]) == ("proven", "dead_code"), change
    assert verdicts(change) == {"test_triples": "proven"}


def test_a_rename_is_the_same_under_other_names(repository: Repository) -> None:
    repository.commit("x\n\nTdd-Class: docs", {
        "calc.py": CODE.replace("double", "twice"),
        "tests/test_calc.py": TEST.replace("double", "twice"),
    })  # fmt: skip
    change = repository.prove_one()
    assert (change["verdict"], change["class"]) == ("proven", "rename"), change
    assert change["warnings"] == ["the commit claims the class docs, but its change is of the class rename"]


def test_code_that_moves_with_its_tests_has_the_same_outcomes(repository: Repository) -> None:
    moved = TEST.replace("from calc", "from sums.calc")
    repository.commit("refactor: sums is a package", {
        "calc.py": None, "sums/__init__.py": "", "sums/calc.py": CODE,
        "tests/test_calc.py": None, "tests/sums/test_sums.py": moved,
    })  # fmt: skip
    change = repository.prove_one()
    assert (change["verdict"], change["class"]) == ("proven", "refactoring"), change


def test_code_that_moves_and_breaks_its_test_is_named(repository: Repository) -> None:
    repository.commit("refactor: sums is a package", {
        "calc.py": None, "sums/__init__.py": "", "sums/calc.py": CODE,
        "tests/test_calc.py": None, "tests/sums/test_sums.py": TEST,
    })  # fmt: skip
    assert repository.prove_one()["verdict"] in ("breaks_existing", "build_error")


def test_a_rename_that_forgets_a_use_breaks(repository: Repository) -> None:
    repository.commit("chore: use", {
        "use.py": "from calc import double\n", "tests/test_use.py": "import use\n\n\ndef test_use():\n    assert use\n",
    })  # fmt: skip
    repository.commit("refactor: twice", {
        "calc.py": CODE.replace("double", "twice"),
        "tests/test_calc.py": TEST.replace("double", "twice"),
    })  # fmt: skip
    change = repository.prove_one()
    assert change["class"] == "rename"
    assert change["verdict"] in ("build_error", "breaks_existing", "test_vanished"), change


def test_another_part_of_the_command_that_is_red(repository: Repository) -> None:
    text = (repository.root / "tdd.toml").read_text()
    command = text.splitlines()[1].partition("= ")[2].strip("[]").replace('", "', " ").strip('"')
    both = f'[test]\ncommand = "{command} && ! grep -q TODO calc.py"\nshell = true\n[workspace]\nsandbox = "none"\n'
    repository.commit("chore: lint", {"tdd.toml": both})
    repository.commit("feat: triple", {
        "calc.py": CODE + TRIPLE + "# TODO\n", "tests/test_triple.py": TEST_TRIPLE,
    })  # fmt: skip
    assert repository.prove_one()["verdict"] == "breaks_existing"


def test_a_test_with_another_title_in_each_run_has_not_vanished(repository: Repository) -> None:
    rows = "import uuid\n\nimport pytest\n\n\n@pytest.mark.parametrize('word', [uuid.uuid4().hex])\ndef test_any(word):\n    assert word\n"
    repository.commit("test: rows by chance", {"tests/test_chance.py": rows})
    new = "\n\ndef test_triples():\n    from calc import triple\n\n    assert triple(2) == 6\n"
    code = CODE + "\n\ndef triple(number):\n    return 3 * number\n"
    repository.commit("feat: triple", {"calc.py": code, "tests/test_calc.py": TEST + new})
    change = repository.prove_one()
    assert change["verdict"] == "proven", change
    assert any("another title in each run" in warning for warning in change["warnings"]), change
