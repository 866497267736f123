"""The Action's own steps, run as a runner would run them: in a fresh clone, with the event's variables."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from change_repository import CODE, Repository
from test_prove_verdicts import TEST_TRIPLE, TRIPLE
from warm import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
GITLAB = yaml.safe_load((ROOT / "ci" / "gitlab-prove.yml").read_text())[".tdd-prove"]
COMMENT = yaml.safe_load((ROOT / "comment" / "action.yml").read_text())


def script(action: Any, name: str) -> str:
    (found,) = [step["run"] for step in action["runs"]["steps"] if step.get("name") == name]
    return str(found)


def pull_request(repository: Repository, tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A clone at refs/pull/1/merge, as actions/checkout leaves it."""
    base = repository.git("rev-parse", "HEAD")
    repository.git("switch", "-q", "-c", "feature")
    head = repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_triple.py": TEST_TRIPLE})
    repository.git("switch", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(repository.root), str(clone)], check=True)
    return clone, {
        **environment(tmp_path), "EVENT": "pull_request", "REF": "refs/pull/1/merge",
        "WANTED": "", "BASE": base, "HEAD_SHA": head, "REMOTE": "origin", "JOBS": "1", "EACH": "false", "ARGS": "",
        "SARIF": "", "JUNIT": "", "REPORTS": str(tmp_path / "reports"), "TRUNK": "main",
    }  # fmt: skip


def environment(tmp_path: Path) -> dict[str, str]:
    """A runner's environment: nothing of ours but the path, and an empty home folder."""
    tool = tmp_path / "tdd"
    tool.write_text(f"#!/bin/sh\nexec '{sys.executable}' -P -m tdd_orchestrator \"$@\"\n")
    tool.chmod(0o755)
    return {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "TDD": str(tool),
        "TDD_STATE_DIR": str(tmp_path / "state"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }  # fmt: skip


def run(text: str, clone: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
    return subprocess.run(command, cwd=clone, env=env, capture_output=True, text=True, check=False)


@pytest.mark.journey
def test_a_pull_request_is_proven_in_a_fresh_clone(repository: Repository, tmp_path: Path) -> None:
    clone, env = pull_request(repository, tmp_path)
    done = run(script(ACTION, "tdd prove"), clone, env)
    assert done.returncode == 0, done.stderr
    assert "✅ Proven" in (tmp_path / "summary.md").read_text()
    assert {path.name for path in (tmp_path / "reports").iterdir()} == {
        "comment.md",
        "ctrf.json",
        "prove.svg",
        "statements.jsonl",
    }


@pytest.mark.journey
def test_a_merge_group_is_proven_against_its_base(repository: Repository, tmp_path: Path) -> None:
    """The queue's own branch holds the merge that would land; the trunk has moved since the branch began."""
    clone, env = pull_request(repository, tmp_path)
    moved = repository.git("rev-parse", "HEAD~1")
    queue = {
        "EVENT": "merge_group", "REF": "refs/heads/gh-readonly-queue/main/pr-1", "BASE": moved,
        "HEAD_SHA": repository.git("rev-parse", "HEAD"),
    }  # fmt: skip
    done = run(script(ACTION, "tdd prove"), clone, {**env, **queue})
    assert done.returncode == 0, done.stderr
    assert "✅ Proven" in (tmp_path / "summary.md").read_text()


@pytest.mark.journey
@pytest.mark.parametrize("merged", [False, True], ids=["the branch's pipeline", "merged results"])
def test_a_merge_request_of_gitlab_is_proven_without_what_the_target_did(
    repository: Repository, tmp_path: Path, merged: bool
) -> None:
    """The last line of the template, in the folder and with the variables that GitLab gives it."""
    clone, env = pull_request(repository, tmp_path)
    begun, branch = env["BASE"], env["HEAD_SHA"]
    repository.git("reset", "-q", "--hard", begun)
    target = repository.commit("test: others drop one", {"tests/test_calc.py": None})
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    subprocess.run(["git", "fetch", "-q"], cwd=clone, check=True)
    given = {
        "CI_PROJECT_DIR": str(clone), "CI_MERGE_REQUEST_DIFF_BASE_SHA": begun,
        "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": target if merged else "",
        "CI_COMMIT_SHA": repository.git("rev-parse", "HEAD") if merged else branch,
    }  # fmt: skip
    (tmp_path / "clone.venv" / "bin").mkdir(parents=True)
    (tmp_path / "clone.venv" / "bin" / "tdd").symlink_to(env["TDD"])
    done = run(GITLAB["script"][-1], clone, {**environment(tmp_path), **given})
    assert done.returncode == 0, done.stderr
    assert "✅ Proven" in (clone / "tdd-prove.md").read_text()
    assert (clone / "tdd-prove.xml").exists()


def ranges_of(clone: Path, tmp_path: Path, env: dict[str, str]) -> list[str]:
    """The arguments that `tdd` gets from the step."""
    tool = tmp_path / "echo"
    tool.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$HOME/words"\n')
    tool.chmod(0o755)
    done = run(script(ACTION, "tdd prove"), clone, {**env, "TDD": str(tool)})
    assert done.returncode == 0, done.stderr
    return (tmp_path / "words").read_text().splitlines()


def test_each_commit_of_a_pull_request_is_one_of_its_branch(repository: Repository, tmp_path: Path) -> None:
    clone, env = pull_request(repository, tmp_path)
    assert ranges_of(clone, tmp_path, env)[-1] == "HEAD"
    words = ranges_of(clone, tmp_path, {**env, "EACH": "true"})
    assert "--each" in words
    assert words[-1] == "HEAD^1..HEAD^2"


def test_arguments_are_given_as_they_stand(repository: Repository, tmp_path: Path) -> None:
    """A pattern of paths is for `tdd`, not for the shell."""
    clone, env = pull_request(repository, tmp_path)
    assert "*.py" in ranges_of(clone, tmp_path, {**env, "ARGS": "--revert *.py --allow-removed"})


def test_what_a_push_brings(repository: Repository, tmp_path: Path) -> None:
    """What its branch gained; for a new, rewritten or reset branch what it holds beside the trunk."""
    old = repository.git("rev-parse", "main")
    trunk = repository.commit("feat: other", {"other.py": "X = 1\n"})
    repository.git("switch", "-q", "-c", "feature")
    one = repository.commit("feat: one", {"one.py": "X = 1\n"})
    two = repository.commit("feat: two", {"two.py": "X = 1\n"})
    repository.git("switch", "-q", "-c", "was", old)
    was = repository.commit("feat: one, before its rebase", {"one.py": "X = 2\n"})
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "-b", "feature", str(repository.root), str(clone)], check=True)
    none = "0" * 40
    env = {
        **environment(tmp_path), "EVENT": "push", "WANTED": "", "REMOTE": "origin", "JOBS": "1", "EACH": "false",
        "ARGS": "", "SARIF": "", "JUNIT": "", "REPORTS": str(tmp_path / "reports"), "TRUNK": "main",
    }  # fmt: skip
    for branch, before, after, wanted in (
        ("feature", one, two, f"{one}..{two}"),
        ("feature", none, two, f"origin/main..{two}"),
        ("feature", was, two, f"origin/main..{two}"),
        ("feature", "1" * 40, two, f"origin/main..{two}"),
        ("feature", two, one, f"origin/main..{one}"),
        ("feature", two, old, old),
        ("main", old, trunk, f"{old}..{trunk}"),
        ("main", was, trunk, f"{was}..{trunk}"),
        ("main", trunk, old, old),
        ("main", none, trunk, trunk),
    ):
        given = {"REF": f"refs/heads/{branch}", "BASE": before, "HEAD_SHA": after}
        assert ranges_of(clone, tmp_path, {**env, **given})[-1] == wanted, (branch, before, after)


def test_a_change_that_was_not_judged_is_not_called_proven(repository: Repository, tmp_path: Path) -> None:
    """The comment of an earlier push must not stand where this one could not be judged."""
    clone, env = pull_request(repository, tmp_path)
    done = run(script(ACTION, "tdd prove"), clone, {**env, "WANTED": "nothing..HEAD"})
    assert done.returncode == 2
    for place in ("reports/comment.md", "summary.md"):
        text = (tmp_path / place).read_text()
        assert text.startswith("<!-- tdd prove -->\n### ⚠️ Not judged\n")


def test_an_event_with_secrets_is_refused(repository: Repository, tmp_path: Path) -> None:
    clone, env = pull_request(repository, tmp_path)
    done = run(script(ACTION, "tdd prove"), clone, {**env, "EVENT": "pull_request_target"})
    assert done.returncode == 2
    assert not (tmp_path / "reports").exists(), "nothing was run"


def test_the_step_that_runs_code_gets_no_secret() -> None:
    for step in ACTION["runs"]["steps"]:
        given = str({**step.get("env", {}), **step.get("with", {})})
        assert "token" not in given.lower()
        assert "secrets." not in given


def test_one_comment_is_updated_in_place(tmp_path: Path) -> None:
    """With a `gh` that answers from a file: the first call makes the comment, the second one changes it."""
    folder, calls = tmp_path / "report", tmp_path / "calls"
    folder.mkdir()
    (folder / "comment.md").write_text("<!-- tdd prove -->\n### ✅ Proven\n")
    gh = tmp_path / "gh"
    gh.write_text(
        f'#!/bin/sh\necho "$@" >> {calls}\n'
        f'case "$*" in *--paginate*) cat {tmp_path}/known 2>/dev/null || true ;; *POST*) echo 42 > {tmp_path}/known ;; esac\n'
    )
    gh.chmod(0o755)
    env = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "REPOSITORY": "o/r",
        "NUMBER": "7",
        "FOLDER": str(folder),
    }
    for _ in range(2):
        done = run(script(COMMENT, "tdd comment"), tmp_path, env)
        assert done.returncode == 0, done.stderr
    made = [line for line in calls.read_text().splitlines() if "--paginate" not in line]
    assert [line.split("--method ")[1].split()[0] for line in made] == ["POST", "PATCH"]
    assert "issues/comments/42" in made[1]
    assert run(script(COMMENT, "tdd comment"), tmp_path, {**env, "NUMBER": ""}).returncode == 0
    (folder / "comment.md").unlink()
    assert run(script(COMMENT, "tdd comment"), tmp_path, env).returncode == 0
    assert (folder / "body.md").read_text().startswith("<!-- tdd prove -->\n### ⚠️ Not judged\n")
    assert "--method PATCH" in calls.read_text().splitlines()[-1], (
        "an older comment says what is true no more"
    )


@pytest.mark.parametrize("name", ["tdd prove", "tdd verify"])
def test_the_steps_use_options_that_exist(name: str) -> None:
    from tdd_orchestrator.cli.prove import prove
    from tdd_orchestrator.cli.verify import verify

    text = script(ACTION, name)
    known = {
        option
        for parameter in {"tdd prove": prove, "tdd verify": verify}[name].params
        for option in parameter.opts
    }
    used = set(re.findall(r"(?<![\w-])--[a-z-]+", text))
    assert used - {
        "--is-shallow-repository",
        "--quiet",
        "--unshallow",
        "--verify",
        "--is-ancestor",
    } <= known | {"-o"}


def test_what_was_merged_is_adopted_and_proven_apart() -> None:
    """The job that runs the project's code may not write."""
    jobs = yaml.safe_load((ROOT / "ci" / "github-adopt.yml").read_text(encoding="utf-8"))["jobs"]
    modes = {name: job["steps"][-1].get("with", {}).get("mode", "prove") for name, job in jobs.items()}
    assert modes == {"adopt": "adopt", "prove": "prove"}
    assert jobs["adopt"]["permissions"] == {"contents": "write"}
    assert jobs["prove"]["permissions"] == {"contents": "read"}
    assert jobs["prove"]["steps"][0]["with"]["persist-credentials"] is False


def test_templates_are_yaml() -> None:
    for name in ("github-prove.yml", "github-adopt.yml", "gitlab-prove.yml"):
        assert yaml.safe_load((ROOT / "ci" / name).read_text())
    github = yaml.safe_load((ROOT / "ci" / "github-prove.yml").read_text())
    assert github["jobs"]["prove"]["permissions"] == {"contents": "read"}
    assert "checkout" not in str(github["jobs"]["comment"])


HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}


def test_the_pre_commit_entries_call_prove() -> None:
    assert (HOOKS["tdd-prove"]["entry"], HOOKS["tdd-prove"]["stages"]) == (
        "tdd prove --staged --message",
        ["commit-msg"],
    )
    assert HOOKS["tdd-prove-push"]["stages"] == ["pre-push"]


def test_the_hook_of_a_push_proves_what_it_brings(repository: Repository, tmp_path: Path) -> None:
    """And lets pass what brings nothing: a branch set back, a repository with one commit."""
    tool = tmp_path / "tdd"
    tool.write_text('#!/bin/sh\necho "$@"\n')
    tool.chmod(0o755)
    begin = repository.git("rev-parse", "HEAD")
    end = repository.commit("feat: one", {"one.py": "X = 1\n"})

    def hook(**given: str) -> str:
        env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", **given}
        words = shlex.split(HOOKS["tdd-prove-push"]["entry"])
        done = subprocess.run(words, cwd=repository.root, env=env, capture_output=True, text=True, check=True)
        assert not done.stderr
        return done.stdout.strip()

    assert hook(PRE_COMMIT_FROM_REF=begin, PRE_COMMIT_TO_REF=end) == f"prove {begin}..{end}"
    assert hook() == "prove HEAD^..HEAD"
    first = hook(PRE_COMMIT_LOCAL_BRANCH="refs/heads/main")
    assert first == "prove refs/heads/main^..refs/heads/main", "a first push of another branch than HEAD's"
    assert hook(PRE_COMMIT_FROM_REF=end, PRE_COMMIT_TO_REF=begin).startswith("Nothing to prove")
    assert hook(PRE_COMMIT_TO_REF=begin).startswith("Nothing to prove")
