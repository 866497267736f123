"""What `tdd init` says of the suite that it found: how it stands, before the first cycle would."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from kit import PYTEST, Kata

from tdd_orchestrator.agents.editors import AGENTS_BLOCK, BEGIN, END, with_agents_block


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


def test_the_suite_is_told_as_it_stands(kata: Kata) -> None:
    assert "The tests say the same here and in a clean tree: 1 passing." in kata.tdd("init").out


def test_a_suite_that_cannot_be_judged_is_told_at_once(kata: Kata) -> None:
    kata.configure("[test.more]\n")
    text = (
        (kata.root / "tdd.toml").read_text().replace("[test.more]", "").replace('"-q"', '"--no-such-option"')
    )
    kata.write("tdd.toml", text)
    out = kata.tdd("init").out
    assert "The suite cannot be judged before anything was changed" in out
    assert "unrecognized arguments: --no-such-option" in out
    assert "say the same" not in out


def test_tests_that_fail_already_are_told(kata: Kata) -> None:
    kata.write("greet.py", "def greet(name):\n    return 'bye'\n")
    kata.git("commit", "-q", "-am", "feat: another greeting")
    out = kata.tdd("init").out
    assert "The tests fail before anything was changed: tests/test_greet.py::test_greets" in out
    assert "tdd config set test.known_failing '[\"tests/test_greet.py::test_greets\"]'" in out
    assert "Next: fix this" in out
    assert kata.tdd("doctor").code == 1


def test_a_test_target_that_runs_more_is_named(kata: Kata) -> None:
    for recipe, more in (("echo done", False), ("ruff check .\n\tpython tools/size.py", True)):
        (kata.root / "tdd.toml").unlink(missing_ok=True)
        kata.write("Makefile", f"test:\n\tpython -m pytest -q\n\t{recipe}\n")
        said = " ".join(kata.tdd("init", "--dry-run").out.split())
        assert "test command: python -m pytest -q" in said
        assert ("`make test` also runs `ruff check .`, `python tools/size.py`" in said) is more
        assert ("tdd init --command 'make test'" in said) is more
    assert "also runs" not in kata.tdd("init", "--command", "make test", "--dry-run").out


@pytest.mark.parametrize(
    "recipe",
    ["cd backend && python -m pytest -q", "python -m pytest -q\n\truff check .", "mypy . && pytest -q"],
)
def test_a_test_target_that_does_more_than_start_the_runner_is_the_command(kata: Kata, recipe: str) -> None:
    (kata.root / "tdd.toml").unlink()
    kata.write("Makefile", f"test:\n\t{recipe}\n")
    kata.write("backend/tests/test_more.py", "def test_more():\n    assert 1\n")
    said = " ".join(kata.tdd("init", "--dry-run").out.split())
    assert "test command: make test" in said
    assert "also runs" not in said


@pytest.mark.parametrize(("flags", "parallel"), [("", True), ("-S", False)])
def test_the_parallel_mode_is_taken_only_where_it_is_installed(
    kata: Kata, flags: str, parallel: bool
) -> None:
    (kata.root / "tdd.toml").unlink()
    kata.write("pyproject.toml", '[dependency-groups]\ntests = ["pytest", "pytest-xdist"]\n')
    python = kata.agent / "python"  # -S: it sees nothing that is installed
    python.write_text(f'#!/bin/sh\nexec {sys.executable} {flags} "$@"\n')
    python.chmod(0o755)
    shown = kata.tdd("init", "--dry-run", env={"PATH": f"{kata.agent}:/usr/bin:/bin"}).out
    assert "python -m pytest -q" in shown
    assert ("-n auto" in shown) is parallel


def test_suites_that_differ_are_not_said_to_be_the_same(kata: Kata) -> None:
    kata.write("web/test_web.py", "def test_web():\n    open('data.txt')\n")
    kata.write(".gitignore", "__pycache__/\ndata.txt\n")
    kata.write("web/data.txt", "untracked")
    one = json.dumps(PYTEST)
    suites = f'[[test.suite]]\nname = "back"\ncommand = {json.dumps([*PYTEST, "tests"])}\n'
    suites += f'[[test.suite]]\nname = "web"\ncwd = "web"\ncommand = {one}\n'
    kata.write("tdd.toml", (kata.root / "tdd.toml").read_text().replace(f"[test]\ncommand = {one}\n", suites))
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "test: two suites")
    said = kata.tdd("init").out
    assert "note: 1 test passes here and not in a clean tree (test_web.py::test_web)" in said
    assert "The tests say the same" not in said


@pytest.mark.parametrize("link", ['["vendor"]', "[]"])
def test_packages_that_lead_back_into_the_checkout_are_made_anew_in_each_tree(kata: Kata, link: str) -> None:
    kata.configure(f"[workspace]\nlink = {link}\n")
    kata.write(".gitignore", "/vendor\n")
    kata.write("vendor/composer/autoload_real.php", "<?php\n")
    out = kata.tdd("doctor").out
    assert "vendor cannot be shared with the work trees: Composer's autoloader looks for" in out
    assert "tdd config set workspace.setup 'composer install'" in out
    assert ("tdd config set workspace.link" in out) is (link != "[]")
    kata.tdd("config", "set", "workspace.setup", "composer install")
    kata.tdd("config", "set", "workspace.link", "[]")
    assert "vendor cannot be shared" not in kata.tdd("doctor").out


@pytest.mark.parametrize(
    ("manifest", "text", "command", "said"),
    [
        ("composer.json", '{"require-dev": {"phpunit/phpunit": "^11"}}', "phpunit", "composer install"),
        ("composer.json", '{"require": {"php": ">=8"}}', "phpunit", ""),
        ("composer.json", '{"require": {"a/b": "1"}, "config": {"vendor-dir": "lib"}}', "phpunit", ""),
        ("package.json", '{"devDependencies": {"uvu": "1"}}', "npm test", "npm install"),
        ("package.json", '{"devDependencies": {"vite": "1"}}', "python -m pytest", ""),
        ("package.json", "[1]", "npm test", ""),
    ],
)
def test_packages_that_are_not_installed_are_told(
    kata: Kata, manifest: str, text: str, command: str, said: str
) -> None:
    kata.write(manifest, text)
    kata.tdd("config", "set", "test.command", command)
    for program in ("npm", "phpunit"):
        path = kata.agent / program
        path.write_text("#!/bin/sh\nexit 1\n")
        path.chmod(0o755)
    out = kata.tdd("doctor", env={"PATH": f"{kata.agent}:{os.environ['PATH']}"}).out
    assert f"Install them: {said}" in out if said else "are not installed" not in out


@pytest.mark.parametrize(
    ("before", "head", "tail"),
    [
        ("", "", ""),
        ("# Mine\n\nUse tabs.\n", "# Mine\n\nUse tabs.\n\n", ""),
        (f"# Mine\n{BEGIN}\nold words\n{END}\r\nAfter.\r\n", "# Mine\n", "\r\nAfter.\r\n"),
    ],
    ids=["none", "the user's", "an older block"],
)
def test_the_block_of_agents_md_and_nothing_else_of_the_file(before: str, head: str, tail: str) -> None:
    after = with_agents_block(before)
    assert after == head + AGENTS_BLOCK.rstrip("\n") + (tail or "\n")
    assert with_agents_block(after) == after


@pytest.mark.parametrize("broken", [BEGIN, END, f"{END}\n{BEGIN}", f"{BEGIN}\n{BEGIN}\n{END}"])
def test_markers_that_enclose_no_block_are_left_to_a_person(broken: str) -> None:
    with pytest.raises(ValueError, match="do not enclose one block"):
        with_agents_block(broken)


def test_agents_md_is_written_on_request(kata: Kata) -> None:
    assert "would write into AGENTS.md" in kata.tdd("init", "--agents-md", "--dry-run").out
    assert not (kata.root / "AGENTS.md").exists()
    assert "written: AGENTS.md" in kata.tdd("init", "--agents-md").out
    assert (kata.root / "AGENTS.md").read_text() == AGENTS_BLOCK
    assert "AGENTS.md has this block already" in kata.tdd("init", "--agents-md").out
    kata.write("AGENTS.md", BEGIN)
    done = kata.tdd("init", "--agents-md")
    assert done.code == 2
    assert "AGENTS.md is left as it is" in done.err


def test_the_projects_own_package_in_src_is_found_when_the_person_agrees(kata: Kata) -> None:
    kata.write("src/calc/__init__.py", "def add(a, b):\n    return a + b\n")
    kata.write(
        "tests/test_calc.py", "from calc import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n"
    )
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "feat: a package that is not installed")
    assert "tdd config set workspace.python_path '[\"src\"]'" in kata.tdd("init").out
    assert "The tests say the same here and in a clean tree: 2 passing." in kata.tdd("--yes", "init").out


def test_a_package_in_src_is_found_before_there_is_a_test(kata: Kata) -> None:
    for path in list((kata.root / "tests").iterdir()):
        path.unlink()
    kata.write("src/shop/__init__.py", "")
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "feat: a package without a test")
    said = kata.tdd("init").out
    assert "'shop' is in src, where the tests would not find it" in said
    assert "tdd config set workspace.python_path '[\"src\"]'" in said
    kata.tdd("config", "set", "workspace.python_path", '["src"]')
    assert "where the tests would not find it" not in kata.tdd("init").out
    kata.tdd("config", "set", "workspace.python_path", "[]")
    kata.write("pytest.ini", "[pytest]\npythonpath = src\n")
    assert "where the tests would not find it" not in kata.tdd("init").out


_NOT_STARTED = "gone/python -m pytest -q"  # so that doctor runs no tests


def test_tests_in_another_language_that_the_command_leaves_out_are_told(kata: Kata) -> None:
    kata.tdd("config", "set", "test.command", _NOT_STARTED)
    kata.write("web/package.json", '{"scripts": {"test": "node --test"}}')
    kata.write("web/add.test.mjs", "import test from 'node:test'\ntest('adds', () => {})\n")
    out = kata.tdd("doctor").out
    assert "There are more tests, which the test command does not run: node-test in web." in out
    kata.tdd("--yes", "init")
    assert 'cwd = "web"' in (kata.root / "tdd.toml").read_text()
    assert "There are more tests" not in kata.tdd("doctor").out


def test_an_examples_own_tests_are_not_the_projects(kata: Kata) -> None:
    kata.tdd("config", "set", "test.command", _NOT_STARTED)
    kata.write("examples/web/package.json", '{"scripts": {"test": "node --test"}}')
    kata.write("examples/web/add.test.mjs", "import test from 'node:test'\n")
    assert "There are more tests" not in kata.tdd("doctor").out


def test_a_configuration_that_git_ignores_is_told(kata: Kata) -> None:
    kata.tdd("config", "set", "test.command", _NOT_STARTED)
    assert "git ignores" not in kata.tdd("doctor").out
    kata.git("rm", "-q", "--cached", "--ignore-unmatch", "tdd.toml")
    kata.write(".gitignore", "/*\n!tests\n")
    assert "git ignores tdd.toml, so other clones and CI do not have it" in kata.tdd("doctor").out


def test_tests_of_another_language_that_cannot_run_yet_are_told_and_not_offered(kata: Kata) -> None:
    kata.tdd("config", "set", "test.command", _NOT_STARTED)
    kata.write("web/package.json", '{"scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "^3"}}')
    kata.write("web/add.test.ts", "import { test } from 'vitest'\n")
    kata.tdd("--yes", "init")
    assert "test.suite" not in (kata.root / "tdd.toml").read_text()
    assert "vitest in web" in kata.tdd("doctor").out
