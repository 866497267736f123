"""Several commits at once, and what is not committed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from change_repository import CODE, TEST, Repository
from test_prove_verdicts import TEST_TRIPLE, TRIPLE
from warm import ROOT

pytestmark = pytest.mark.journey

HALVE = "\n\ndef halve(number):\n    return number / 2\n"
TEST_HALVE = TEST_TRIPLE.replace("triple(2) == 6", "halve(4) == 2").replace("triple", "halve")


def test_each_commit_is_proven_and_a_tree_is_run_once(repository: Repository, tmp_path: Path) -> None:
    """Three commits have four trees; the whole suite ran so often, beside the runs of their targets."""
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE})
    repository.commit("feat: quadruple", {"calc.py": CODE + TRIPLE + TRIPLE.replace("triple", "quadruple")})
    repository.commit("feat: halve", {"calc.py": CODE + TRIPLE + HALVE, "tests/test_halve.py": TEST_HALVE})
    answer = repository.prove("--each", "--jobs", "2", "HEAD~3..HEAD")
    assert [change["verdict"] for change in answer["changes"]] == ["proven", "no_test", "proven"]
    assert [change["subject"] for change in answer["changes"]] == [
        "feat: triple",
        "feat: quadruple",
        "feat: halve",
    ]
    assert (answer["trees"], answer["code"]) == (4, 1)


def test_a_test_that_is_committed_before_its_code_is_judged_with_it(repository: Repository) -> None:
    """Each commit by itself, as ever, but a commit whose tests alone make HEAD fail waits for those that follow."""
    repository.commit("test: triple", {"tests/test_triple.py": TEST_TRIPLE})
    repository.commit("docs: say what comes", {"README.md": "triple\n"})
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE})
    repository.commit("feat: halve", {"calc.py": CODE + TRIPLE + HALVE, "tests/test_halve.py": TEST_HALVE})
    answer = repository.prove("--each", "HEAD~4..HEAD")
    first = repository.git("rev-parse", "--short=9", "HEAD~4")
    assert [(one["verdict"], one["subject"]) for one in answer["changes"]] == [
        ("proven", "test: triple (and 2 more commits)"),
        ("proven", "feat: halve"),
    ]
    assert answer["changes"][0]["name"].startswith(f"{first}..")
    assert (answer["trees"], answer["code"]) == (5, 0)


def test_a_test_whose_code_never_comes_stays_refused(repository: Repository) -> None:
    repository.commit("test: triple", {"tests/test_triple.py": TEST_TRIPLE})
    repository.commit("feat: halve", {"calc.py": CODE + HALVE})
    answer = repository.prove("--each", "HEAD~2..HEAD")
    assert [one["verdict"] for one in answer["changes"]] == ["build_error", "fails_on_base"]


def test_what_is_staged_is_proven_before_it_is_committed(repository: Repository) -> None:
    repository.write({"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE})
    repository.git("add", "calc.py")
    assert repository.prove_one("--staged")["verdict"] == "no_test"
    assert repository.prove_one("--worktree")["verdict"] == "proven"


def test_a_base_that_does_not_build_and_the_code_put_back(repository: Repository) -> None:
    repository.commit("chore: broken", {"tests/conftest.py": "import nowhere_at_all\n"})
    repository.commit("fix: it", {
        "tests/conftest.py": "", "calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE,
    })  # fmt: skip
    change = repository.prove_one()
    assert change["verdict"] == "proven"
    assert "compared with HEAD without its change of the code" in change["warnings"][0]
    assert "nowhere_at_all" in change["warnings"][0]
    assert repository.prove_one("--revert", "calc.py")["verdict"] == "proven"
    assert repository.prove_one("--revert", "**/*.py")["verdict"] == "proven", "tests are not put back"
    refused = repository.tdd("prove", "--revert", "src/**")
    assert refused.code == 2
    assert "--revert src/** matches no code" in refused.err


def test_a_base_that_does_not_build_proves_no_test_that_passes_without_the_change(
    repository: Repository,
) -> None:
    repository.commit("chore: broken", {"tests/conftest.py": "import nowhere_at_all\n"})
    repository.commit("fix: it", {
        "tests/conftest.py": "", "calc.py": CODE + TRIPLE, "tests/test_more.py": TEST.replace("doubles", "more"),
    })  # fmt: skip
    change = repository.prove_one()
    assert change["verdict"] == "fails_on_base"
    assert any("test_more passes without the change" in reason for reason in change["reasons"])


def test_a_commit_hook_proves_what_git_commits_and_reads_its_claim(repository: Repository) -> None:
    hook = repository.root / ".git/hooks/commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec '{sys.executable}' -m tdd_orchestrator prove --staged --message \"$1\"\n"
    )
    hook.chmod(0o755)
    repository.write({"calc.py": CODE.replace("number + number", "number * 2")})
    head = repository.git("rev-parse", "HEAD")
    refused = subprocess.run(
        ["git", "commit", "-q", "-a", "-m", "feat: times"],
        cwd=repository.root,
        capture_output=True,
        text=True,
    )
    assert refused.returncode == 1
    assert "(no_test)" in refused.stdout + refused.stderr
    assert repository.git("rev-parse", "HEAD") == head
    repository.git("commit", "-q", "-a", "-m", "feat: times\n\nTdd-Class: refactor")
    assert repository.git("show", "--format=", "--name-only") == "calc.py"
    repository.git("commit", "-q", "--amend", "-m", "feat: in other words\n\nTdd-Class: refactor")
    assert repository.git("log", "-1", "--format=%s") == "feat: in other words", (
        "a message alone is no change"
    )


def test_a_commit_hook_lets_the_first_commit_be_made(repository: Repository, tmp_path: Path) -> None:
    """It has nothing to be compared with."""
    repository.git("checkout", "-q", "--orphan", "other")
    message = tmp_path / "message"
    message.write_text("chore: begin again\n")
    done = repository.tdd("prove", "--staged", "--message", str(message))
    assert (done.code, done.out) == (
        0,
        "Nothing to prove: the commit changes no file, or is the first one.\n",
    )
    assert repository.tdd("prove", "--staged").code == 2, "who asks by hand gets an answer or an error"


@pytest.mark.parametrize(
    "words",
    [
        ["--sign"],
        ["--attest", "x.jsonl", "--sign", "HEAD"],
        ["--message", "calc.py"],
        ["--staged", "HEAD"],
        ["--sarif", "no/folder/x.sarif", "HEAD"],
    ],
    ids=" ".join,
)
def test_options_that_would_do_nothing_are_refused_before_anything_runs(
    repository: Repository, words: list[str]
) -> None:
    done = repository.tdd("prove", *words)
    assert done.code == 2
    assert ("sign" if "--sign" in words else words[0].strip("-")) in done.err
    assert "running" not in done.out + done.err


def test_the_seconds_in_test_commands_are_those_of_every_run(repository: Repository, tmp_path: Path) -> None:
    """The questions' runs too: the command writes down how long each took."""
    runs = tmp_path / "runs"
    script = tmp_path / "tests.sh"
    script.write_text(
        f'begun=$(date +%s%N); {sys.executable} -m pytest -q "$@"; code=$?\n'
        f"echo $(($(date +%s%N) - begun)) >> {runs}; exit $code\n"
    )
    repository.commit("chore: a command that is timed", {
        "tdd.toml": f"[test]\ncommand = ['sh', '{script}']\nframework = 'pytest'\n[workspace]\nsandbox = 'none'\n",
    })  # fmt: skip
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE})
    answer = repository.prove("HEAD")
    assert answer["changes"][0]["verdict"] == "proven"
    times = [int(one) / 1e9 for one in runs.read_text().split()]
    assert len(times) >= 5
    assert answer["seconds"] >= sum(times) - 0.01


def test_an_environment_that_git_does_not_ignore_is_shared_and_no_part_of_the_change(
    repository: Repository,
) -> None:
    """Without a tdd.toml the tests run with the project's own environment, as `git status` would not hint."""
    repository.commit("chore: no configuration", {"tdd.toml": None})
    venv = repository.root / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    packages = next(venv.glob("lib/python*/site-packages"))
    (packages / "parent.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")))
    (packages / "only_here.py").write_text("")
    test = TEST_TRIPLE.replace("from calc", "import only_here\nfrom calc")
    repository.write({"calc.py": CODE + TRIPLE, "tests/test_triple.py": test})
    change = repository.prove_one("--worktree")
    assert change["verdict"] == "proven"
    assert ".venv" not in repository.git("ls-tree", "--name-only", change["head_tree"])


def test_a_source_that_an_installation_wrote_is_in_each_tree(repository: Repository) -> None:
    """hatch-vcs and setuptools-scm write the version into a module that git ignores."""
    written = "_version.py"
    repository.commit("chore: generated", {
        "tdd.toml": None,
        ".gitignore": f"__pycache__/\n.pytest_cache/\n{written}\n",
        "pyproject.toml": f'[tool.hatch.build.hooks.vcs]\nversion-file = "{written}"\n[tool.pytest]\n',
        "calc.py": "import _version\n\n\n" + CODE,
    })  # fmt: skip
    (repository.root / written).write_text("version = '1'\n")
    repository.commit("feat: triple", {
        "calc.py": "import _version\n\n\n" + CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE,
    })  # fmt: skip
    change = repository.prove_one()
    assert change["verdict"] == "proven", change["reasons"]
