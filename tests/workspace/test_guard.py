"""What a phase may touch: a table of changes, and what the guard says of each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.runners.frameworks.python import PYTEST
from tdd_orchestrator.workspace.guard import Change, Rules, check, find_warnings, matches

RULES = Rules(
    test_files=PYTEST.test_files,
    support_files=PYTEST.support_files,
    config_files=PYTEST.config_files,
    config_keys=dict(PYTEST.config_keys),
    runner_modules=PYTEST.runner_modules,
    command_paths=("scripts/test.sh",),
    hooks=("tools/hooks/**",),
    protect=("vital.py",),
    packages=frozenset({"click", "a"}),
)
RUST = """pub fn double(n: i32) -> i32 { n * 2 }

#[cfg(test)]
mod tests {
    #[test]
    fn doubles() { assert_eq!(super::double(2), 4); }
}
"""
TEST = "from a import b\n\n\ndef test_b():\n    assert b() == 1\n"


def says(phase: Phase, path: str, after: str | None, before: str | None = None) -> str:
    how = "gone" if after is None else "new" if before is None else "changed"
    found = check(phase, (Change(path, how, before, after),), RULES, known=frozenset({"a.py"}))
    return found[0].why if found else ""


@pytest.mark.parametrize("path", ["conftest.py", "tests/deep/conftest.py"])
def test_only_red_may_touch_conftest(path: str) -> None:
    assert says(Phase.GREEN, path, "x = 1\n")
    assert says(Phase.REFACTOR, path, "x = 1\n")
    assert not says(Phase.RED, path, "x = 1\n")


def test_green_leaves_the_tests_in_a_file_as_they_were() -> None:
    assert not says(Phase.GREEN, "src/a.rs", RUST.replace("n * 2", "n + n"), RUST)
    assert says(Phase.GREEN, "src/a.rs", RUST.replace("(2), 4", "(2), 5"), RUST)


ONE_FILE = """import os

LIMIT = 9
CASES = [(1, 2)]


def double(n):
    return n * 2


@pytest.fixture
def four():
    return 4


def test_doubles(four):
    assert double(2) == four
    assert CASES
"""


@pytest.mark.parametrize(
    ("old", "new", "red", "green"),
    [
        ("n * 2", "n + n", False, True),
        ("LIMIT = 9", "LIMIT = 10", False, True),
        ("== four", "== 5", True, False),
        ("return 4", "return 5", True, False),
        ("CASES = [(1, 2)]", "CASES = [(1, 3)]", True, False),
        ("import os", "import os\nimport pytest", True, False),
        ("import os", "import os\nfrom test_evil import double", False, True),
        ("    assert CASES\n", "    assert CASES\n\n\ndef test_more():\n    pass\n", True, False),
    ],
)
def test_red_has_the_tests_of_a_one_file_project_and_green_the_code(
    old: str, new: str, red: bool, green: bool
) -> None:
    rules = replace(RULES, command_paths=("one.py",))
    change = Change("one.py", "changed", ONE_FILE, ONE_FILE.replace(old, new))
    assert (not check(Phase.RED, (change,), rules)) is red
    assert (not check(Phase.GREEN, (change,), rules)) is green


DOCTEST = 'def add(a, b):\n    """The sum.\n\n    >>> add(1, 2)\n    3\n    """\n    return a + b\n'


def test_an_example_in_a_docstring_is_reds_where_the_command_runs_it() -> None:
    more = DOCTEST.replace("    3\n", "    3\n    >>> add('1', '2')\n    3\n")
    rules = replace(RULES, doctests=("*.py", "*.md"))

    def why(phase: Phase, before: str, after: str, with_rules: Rules = rules) -> str:
        found = check(phase, (Change("a.py", "changed", before, after),), with_rules)
        return found[0].why if found else ""

    assert not why(Phase.RED, DOCTEST, more)
    assert why(Phase.RED, DOCTEST, more, RULES)
    assert why(Phase.RED, DOCTEST, more.replace("a + b", "a - b"))
    assert why(Phase.RED, DOCTEST, more.replace('    """\n    return', '    >>> x"""\n    pass\n    return'))
    assert not why(Phase.GREEN, more, more.replace("a + b", "int(a) + int(b)"))
    assert not why(Phase.GREEN, DOCTEST, more), "new code may come with examples of its own"
    assert why(Phase.GREEN, more, DOCTEST)
    assert not why(Phase.GREEN, more, DOCTEST, RULES)
    for name, allowed in (("README.md", True), ("README.rst", False)):  # a document that the command runs
        change = Change(name, "changed", DOCTEST, more)
        assert (not check(Phase.RED, (change,), rules)) is allowed


def test_a_test_file_that_the_command_names_is_a_test_file() -> None:
    named = replace(RULES, command_paths=("tests/test_a.py", "tests/run.py"))
    for path, allowed in (("tests/test_a.py", True), ("tests/run.py", False)):
        text = TEST if allowed else "import pytest\npytest.main()\n"
        change = Change(path, "changed", text, text + "\n\nprint()\n")
        assert (not check(Phase.RED, (change,), named)) is allowed


def test_code_whose_examples_the_command_runs_is_no_program_that_starts_tests() -> None:
    named = replace(RULES, command_paths=("calc.py",), doctests=("*.py",))  # python -m doctest calc.py
    text = '"""\n>>> 1 + 1\n2\n"""\n'
    change = Change("calc.py", "changed", text, text.replace("2\n", "2\n>>> 2 + 1\n3\n", 1))
    assert check(Phase.RED, (change,), named) == ()
    assert check(Phase.GREEN, (replace(change, after=text + "x = 1\n"),), named) == ()


@pytest.mark.parametrize(
    "path",
    [
        "pytest.ini", ".pytest.ini", "pytest.toml", "tests/pytest.ini", "sitecustomize.py",
        "src/usercustomize.py", "x.pth", ".env", "sub/.env.local", ".envrc", "tdd.toml", ".worktreeinclude", ".github/workflows/x.yml", ".gitattributes",
        ".gitmodules", "Makefile", "noxfile.py", "scripts/test.sh", "vital.py", "pytest.py", "_pytest/__init__.py", "json.py",
        "src/json.py", "random/__init__.py", "click.py", "src/click/__init__.py", "click/testing.py", "tests/click.py",
        "kata-1.dist-info/entry_points.txt", "src/kata.dist-info/METADATA", "id_rsa", "deploy.pem", ".tdd/prompts/red.md",
        ".claude/settings.json", ".claude/settings.local.json", ".claude/hooks/x.sh", ".mcp.json", ".codex/config.toml", ".cursor/mcp.json",
        ".gemini/settings.json", ".qwen/settings.json", "opencode.json", "opencode.jsonc", ".opencode/plugin/x.js", ".opencode/plugins/x.js",
        ".vscode/tasks.json", ".devcontainer/devcontainer.json", ".vscode/settings.json", "web/.vscode/launch.json", ".vscode/mcp.json",
        "kata.code-workspace", ".idea/runConfigurations/x.xml", ".run/x.run.xml", ".zed/tasks.json", "web/.zed/settings.json", ".exrc",
        ".claude/agents/red.md", ".claude/skills/x/SKILL.md", "web/.claude/settings.json", ".claude/.mcp.json", "web/.mcp.json",
        ".opencode/agent/x.md", ".roo/mcp.json", ".amazonq/mcp.json", ".kiro/hooks/x.kiro.hook", ".cursor/rules/x.mdc", ".cursorrules",
        ".windsurf/rules/x.md", ".windsurfrules", ".clinerules", ".clinerules/x.md", ".continue/config.yaml", ".gemini/extensions/x.json",
        ".aider.conf.yml", ".agents/skills/x/SKILL.md", "lefthook.yml", ".lefthook-local.toml", ".lefthook/pre-commit/x.sh",
        ".config/lefthook.yml", ".husky/pre-commit", "web/.husky/_/pre-commit", ".pre-commit-config.yaml", ".githooks/pre-commit",
        ".git-hooks/pre_commit/x.rb", ".overcommit.yml", ".simple-git-hooks.json", ".lintstagedrc.json", "mise.toml", ".mise.local.toml",
        "web/mise.toml", ".mise/config.toml", ".config/mise/config.toml", ".tool-versions", "tools/hooks/pre-commit", "tools/hooks/lib/x.sh",
    ],
)  # fmt: skip
@pytest.mark.parametrize("phase", [Phase.RED, Phase.GREEN, Phase.REFACTOR])
def test_no_phase_may_touch(phase: Phase, path: str) -> None:
    assert says(phase, path, "x = 1\n")


@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("a.py", "import random\nimport time\n"),
        ("pkg/json.py", "x = 1\n"),
        ("pkg/click.py", "x = 1\n"),
        ("a/more.py", "x = 1\n"),
        ("pkg/__init__.py", ""),
        ("README.md", "about pytest and unittest\n"),
        ("cli.py", "import sys\nsys.exit(main())\n"),
        ("pyproject.toml", "[project]\ndependencies = ['click']\n"),
        ("a.pyi", "def b() -> int: ...\n"),
        ("testing.py", "def sample(): ...\n"),
        ("shop/factories/cart.py", "def make(): ...\n"),
        ("shop/fakes/__init__.py", ""),
        ("shop/fixtures/initial.json", "[]\n"),
        ("docs/test/index.md", "# Test\n"),
        ("AGENTS.md", "Run make test.\n"),
        ("src/mise/config.py", "x = 1\n"),
        ("hooks/use_price.py", "x = 1\n"),
        ("src/cursor/rules.py", "x = 1\n"),
        (".vscode/extensions.json", "{}\n"),
        ("tools/hook.py", "x = 1\n"),
        ("idea/run.py", "x = 1\n"),
    ],
)
def test_green_may_write(path: str, after: str) -> None:
    assert says(Phase.GREEN, path, after) == ""


def test_what_agents_are_told_is_told() -> None:
    changes = (Change("web/AGENTS.md", "changed", "a", "b"), Change("a.py", "new", None, "x = 1\n"))
    assert find_warnings(Phase.GREEN, changes, RULES) == (
        "web/AGENTS.md is changed: your own agents read it at every start",
    )


@pytest.mark.parametrize(
    ("path", "before", "after", "warns"),
    [
        ("ruff.toml", "select = ['F']\n", "select = []\n", True),
        ("web/eslint.config.mjs", None, "export default [];\n", True),
        ("pyproject.toml", "[tool.mypy]\nstrict = true\n", "[tool.mypy]\nstrict = false\n", True),
        ("pyproject.toml", "[project]\nname = 'a'\n", "[project]\nname = 'b'\n", False),
        ("a.py", "", "x = 1\n", False),
    ],
)
def test_changed_settings_of_a_check_are_named(
    path: str, before: str | None, after: str, warns: bool
) -> None:
    change = Change(path, "changed", before, after)
    assert any("what a linter" in text for text in find_warnings(Phase.GREEN, (change,), RULES)) is warns


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (
            "pyproject.toml",
            "[project]\nname = 'a'\n",
            "[project]\nname = 'a'\n[tool.pytest.ini_options]\naddopts = '-k x'\n",
        ),
        ("setup.cfg", "[metadata]\nname = a\n", "[metadata]\nname = a\n[tool:pytest]\naddopts = -k x\n"),
        ("tox.ini", "[tox]\n", "[tox]\n[pytest]\naddopts = -k x\n"),
        ("tests/test_a.py", TEST, TEST.replace("== 1", "!= 1")),
        ("tests/test_a.py", TEST, None),
        ("tests/helper.py", None, "x = 1\n"),
        ("tests/helper.py", "x = 1\n", "x = 2\n"),
        ("tests/data/x.json", "{}", "[]"),
        ("tests/fakes/x.py", "a = 1\n", "a = 2\n"),
        ("factories/x.py", "a = 1\n", "a = 2\n"),
        ("e2e/fixtures/x.json", "{}", "[]"),
    ],
)
def test_green_may_not(path: str, before: str | None, after: str | None) -> None:
    assert says(Phase.GREEN, path, after, before)


INI = "[pytest]\naddopts = --strict-markers\nmarkers =\n    slow: takes long\n"
TOML = "[tool.pytest.ini_options]\naddopts = '--strict-markers'\nmarkers = ['slow: takes long']\n"
BARE = "[tool.pytest.ini_options]\naddopts = '--strict-markers'\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "allowed"),
    [
        ("pytest.ini", INI, INI + "    net: uses the network\n", True),
        ("pytest.ini", "[pytest]\naddopts = -q\n", "[pytest]\naddopts = -q\nmarkers =\n    slow: takes long\n", True),
        ("pytest.ini", INI, INI.replace("slow", "net"), False),
        ("pytest.ini", INI, INI.replace("--strict-markers", "-x") + "    net: uses the network\n", False),
        ("pytest.ini", INI, INI.replace("addopts", "ADDOPTS") + "    net: the network\n", False),
        ("pytest.ini", INI, INI.replace("[pytest]\n", "[pytest]\naddopts = -x\n") + "    net: the network\n", False),
        ("pytest.ini", None, INI, False),
        ("setup.cfg", f"[metadata]\nname = a\n\n[tool:pytest]\n{INI[9:]}", f"[metadata]\nname = a\n\n[tool:pytest]\n{INI[9:]}    net: the network\n", True),
        ("setup.cfg", f"[metadata]\nname = a\n\n[tool:pytest]\n{INI[9:]}", f"[metadata]\nname = b\n\n[tool:pytest]\n{INI[9:]}    net: the network\n", False),
        ("tox.ini", f"[tox]\nenvlist = py\n\n{INI}", f"[tox]\nenvlist = py\n\n{INI}    net: the network\n", True),
        ("pyproject.toml", TOML, TOML.replace("long']", "long', 'net: the network']"), True),
        ("pyproject.toml", BARE, TOML, True),
        ("pyproject.toml", TOML, BARE, False),
        ("pyproject.toml", TOML, TOML.replace("long']", "long', 'net: the network']\ntestpaths = ['x']"), False),
        ("pyproject.toml", TOML, "[tool.pytest.ini_options", False),
        ("pyproject.toml", "[tool.pytest]\nini_options = [1]\n", TOML, False),
        ("pyproject.toml", "[tool.pytest.ini_options]\nmarkers = 5\n", TOML, False),
    ],
)  # fmt: skip
def test_red_may_register_a_marker_with_pytest_and_nothing_else(
    path: str, before: str | None, after: str, allowed: bool
) -> None:
    assert (not says(Phase.RED, path, after, before)) is allowed
    assert says(Phase.GREEN, path, after, before)


CMAKE = "cmake_minimum_required(VERSION 3.10)\nadd_library(calc src/a.c)\nif(TESTS)\n  add_test(NAME a\n    COMMAND a)\nendif()\n"
CABAL = "library\n  exposed-modules: A\n\ntest-suite spec\n  main-is: Spec.hs\n"
GO_MOD = "module example.com/go\n\ngo 1.21\n\nrequire (\n\tgithub.com/google/go-cmp v0.6.0\n)\n"


@pytest.mark.parametrize(
    ("path", "keys", "before", "after", "allowed"),
    [
        ("CMakeLists.txt", ("add_test",), CMAKE, CMAKE.replace("src/a.c", "src/a.c src/b.c"), True),
        ("CMakeLists.txt", ("add_test",), CMAKE, CMAKE.replace("COMMAND a", "COMMAND true"), False),
        ("CMakeLists.txt", ("add_test",), CMAKE, f"# add_test\n{CMAKE}\n", True),
        ("calc.cabal", ("test-suite",), CABAL, CABAL.replace("A\n", "A, B\n"), True),
        ("calc.cabal", ("test-suite",), CABAL, CABAL.replace("Spec.hs", "Other.hs"), False),
        ("go.mod", ("replace", "go"), GO_MOD, GO_MOD.replace("v0.6.0", "v0.7.0"), True),
        ("go.mod", ("replace", "go"), GO_MOD, f"{GO_MOD}replace github.com/google/go-cmp => ./fake\n", False),
        ("go.mod", ("replace", "go"), GO_MOD, GO_MOD.replace("1.21", "1.24"), False),
    ],
)  # fmt: skip
def test_build_files_are_compared_by_the_blocks_that_name_a_key(
    path: str, keys: tuple[str, ...], before: str, after: str, allowed: bool
) -> None:
    rules = replace(RULES, config_keys={"*.cabal" if path.endswith(".cabal") else path: keys})
    changes = (Change(path, "changed", before, after),)
    assert (check(Phase.GREEN, changes, rules) == ()) is allowed


@pytest.mark.parametrize(
    ("path", "before", "after", "allowed"),
    [
        ("tests/CMakeLists.txt", CMAKE, f"{CMAKE}add_library(fake tests/fake.c)\n", True),
        ("CMakeLists.txt", CMAKE, CMAKE.replace("endif", "  add_executable(b tests/b.c)\n  add_test(NAME b COMMAND b)\nendif"), True),
        ("CMakeLists.txt", CMAKE, f"{CMAKE}add_test(NAME b COMMAND b)\n", True),
        ("CMakeLists.txt", CMAKE, f"{CMAKE}add_executable(test_b tests/b.c)\ntarget_link_libraries(test_b calc)\n", True),
        ("CMakeLists.txt", CMAKE, CMAKE.replace("src/a.c", "src/a.c src/b.c"), False),
        ("CMakeLists.txt", CMAKE, CMAKE.replace("src/a.c", "src/a.c tests/b.c"), False),
        ("CMakeLists.txt", CMAKE, None, False),
    ],
)  # fmt: skip
def test_red_changes_what_a_build_file_says_of_tests(
    path: str, before: str, after: str | None, allowed: bool
) -> None:
    rules = replace(RULES, config_keys={"CMakeLists.txt": ("add_test",)}, support_files=("**/tests/**",))
    changes = (Change(path, "changed" if after else "gone", before, after),)
    assert (check(Phase.RED, changes, rules) == ()) is allowed


def test_red_replaces_no_module_of_go() -> None:
    rules = replace(RULES, config_keys={"go.mod": ("replace",)})
    after = f"{GO_MOD}replace github.com/google/go-cmp => ./fake\n"
    assert check(Phase.RED, (Change("go.mod", "changed", GO_MOD, after),), rules)


def test_the_environments_of_tox_are_no_settings_of_a_command_that_does_not_start_it() -> None:
    before, after = "[testenv]\ndeps = pytest\n", "[testenv]\ndeps = pytest\n  attrs\n"
    assert not says(Phase.GREEN, "tox.ini", after, before)
    through = replace(RULES, command_paths=("tox.ini",))
    assert check(Phase.GREEN, (Change("tox.ini", "changed", before, after),), through)


@pytest.mark.parametrize(
    ("path", "before", "after", "allowed"),
    [
        ("tests/test_b.py", None, TEST, True),
        ("tests/test_a.py", TEST, TEST + "\n\ndef test_c():\n    assert b() == 2\n", True),
        ("tests/unit/__init__.py", None, "", True),
        ("tests/data/x.json", None, "{}", True),
        ("shop/fixtures/initial.json", None, "[]", True),
        ("shop/fixtures/initial.json", "[]", "[1]", False),
        ("shop/tests/fixtures/initial.json", "[]", "[1]", True),
        ("tests/test_a.py", TEST, TEST.replace("== 1", "== 2"), True),
        ("tests/test_a.py", TEST, None, True),
        ("tests/conftest.py", None, "import pytest\n", True),
        ("conftest.py", "x = 1\n", "x = 2\n", True),
        ("tests/pytest.ini", None, "[pytest]\n", False),
        ("src/__snapshots__/a.test.js.snap", "1\n", "2\n", True),
        ("src/a.rs", RUST, RUST.replace("(2), 4", "(2), 5"), True),
        ("src/a.rs", RUST, RUST.replace("n * 2", "n * 3"), False),
        ("src/b.rs", None, "pub fn b() {}\n", False),
        ("a.py", "x = 1\n", "x = 2\n", False),
        ("new.py", None, "x = 2\n", False),
        ("tests/double.py", None, "def b(): ...\n", True),
    ],
)
def test_red_may_change_tests_and_what_they_use(
    path: str, before: str | None, after: str | None, allowed: bool
) -> None:
    assert (says(Phase.RED, path, after, before) == "") is allowed


@pytest.mark.parametrize(
    ("pattern", "path", "hit"),
    [
        ("**/conftest.py", "conftest.py", True),
        ("**/conftest.py", "a/b/conftest.py", True),
        ("*.pem", "a/b.pem", True),
        (".github/**", ".github/a/b", True),
        ("a/*.py", "a/b/c.py", False),
        ("a?.py", "ab.py", True),
        ("**/{tests,test}/**", "tests/helper.py", True),
        ("**/{tests,test}/**/*.py", "src/test/a/b.py", True),
        ("**/*.{test,spec}.{js,ts}", "src/a.spec.ts", True),
        ("**/*.{test,spec}.{js,ts}", "src/a.ts", False),
    ],
)
def test_globs(pattern: str, path: str, hit: bool) -> None:
    assert matches(path, (pattern,)) is hit


def test_what_the_user_protects_stays_reds_alone() -> None:
    rules = replace(RULES, protect=("tests/api/*",))
    change = Change("tests/api/test_new.py", "new", None, TEST)
    refused = {
        phase: bool(check(phase, (change,), rules, known=frozenset()))
        for phase in (Phase.RED, Phase.GREEN, Phase.REFACTOR)
    }
    assert refused == {Phase.RED: False, Phase.GREEN: True, Phase.REFACTOR: True}


@pytest.mark.parametrize(
    "rules", [RULES, Rules(test_files=("*.test.js",))], ids=["python", "another language"]
)
@pytest.mark.parametrize("phase", [Phase.GREEN, Phase.REFACTOR])
def test_the_referees_table_in_pyproject_is_no_agents(phase: Phase, rules: Rules) -> None:
    """It is read beside tdd.toml, in every project: an agent there would choose the commands of the next run."""
    project = '[project]\nname = "x"\n'
    table = '[tool.tdd.workspace]\nsandbox = "none"\n'
    for before, after in (
        (None, table),
        (project, project + table),
        (project + table, project),
        (table, None),
    ):
        change = Change("pyproject.toml", "changed", before, after)
        assert check(phase, (change,), rules), (before, after)
    harmless = Change("pyproject.toml", "changed", project + table, f"{project}version = '2'\n{table}")
    assert not check(phase, (harmless,), rules)


@pytest.mark.parametrize("name", ["setup.cfg", "pyproject.toml", "tox.ini"])
@pytest.mark.parametrize("after", [None, "[metadata]\nname = \ufffd\n"])
def test_a_manifest_that_is_no_text_is_refused(name: str, after: str | None) -> None:
    change = Change(name, "changed", "[metadata]\n", after)
    assert check(Phase.GREEN, (change,), RULES)[0].why.endswith("UTF-8 text")
