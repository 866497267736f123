"""A forge squashes a branch with records: its commit stands for them, and it is said how many are reachable."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import yaml
from kit import Kata
from warm import ROOT

MEANWHILE = "from importlib.util import find_spec\n\n\ndef test_nothing_doubles_yet():\n    assert find_spec('double') is None\n"


def test_a_squash_commit_stands_for_the_records_of_its_branch(kata: Kata) -> None:
    """The two cycles of the fixture, squashed onto the first commit as a forge does."""
    begin = kata.git("rev-list", "--max-parents=0", "HEAD")
    kata.git("branch", "feature")
    kata.git("reset", "-q", "--hard", begin)
    kata.git("merge", "--squash", "-q", "feature")
    kata.git("commit", "-q", "-m", "feat: doubles and triples (#1)")
    before = kata.tdd("sync", "--adopt", "HEAD")
    assert before.code == 0, before.err
    squash = kata.git("rev-parse", "HEAD")
    assert f"{squash[:9]} stands for the records of" in before.out
    assert "5 of 5 records reachable" in before.out
    assert f"✓ {squash[:9]}" in before.out
    assert "Proven: 2 trees run" in before.out
    again = kata.tdd("sync", "--adopt", "HEAD")
    assert "stands for" not in again.out
    assert "5 of 5 records reachable" in again.out
    assert "Proven" not in again.out


def test_an_adopted_commit_that_is_not_proven_fails_the_command(kata: Kata) -> None:
    """Its patch is that of the branch, and the trunk has a test meanwhile that fails with it."""
    begin = kata.git("rev-list", "--max-parents=0", "HEAD")
    kata.git("branch", "feature")
    kata.git("reset", "-q", "--hard", begin)
    kata.write("tests/test_meanwhile.py", MEANWHILE)
    kata.git("add", "tests/test_meanwhile.py")
    kata.git("commit", "-q", "-m", "test: meanwhile")
    kata.git("merge", "--squash", "-q", "feature")
    kata.git("commit", "-q", "-m", "feat: doubles and triples (#1)")
    done = kata.tdd("sync", "--adopt", "HEAD^..HEAD")
    assert "5 of 5 records reachable" in done.out
    assert "breaks_existing" in done.out
    assert done.code == 1


def test_records_are_found_without_a_run(kata: Kata) -> None:
    begin = kata.git("rev-list", "--max-parents=0", "HEAD")
    kata.git("branch", "feature")
    kata.git("reset", "-q", "--hard", begin)
    kata.git("merge", "--squash", "-q", "feature")
    kata.git("commit", "-q", "-m", "feat: doubles and triples (#1)")
    done = kata.tdd("sync", "--adopt", "HEAD", "--no-prove")
    assert "5 of 5 records reachable" in done.out
    assert "Proven" not in done.out
    assert f"Prove it: tdd prove {kata.git('rev-parse', '--short=9', 'HEAD')}" in done.err


def test_records_that_nothing_stands_for_are_counted(kata: Kata) -> None:
    begin = kata.git("rev-list", "--max-parents=0", "HEAD")
    kata.git("branch", "feature")
    kata.git("reset", "-q", "--hard", begin)
    kata.write("other.py", "OTHER = 1\n")
    kata.git("add", "other.py")
    kata.git("commit", "-q", "-m", "feat: other")
    done = kata.tdd("sync", "--adopt", f"{begin}..HEAD")
    assert "0 of 5 records reachable" in done.out
    head = kata.git("rev-parse", "--short=9", "HEAD")
    assert (
        f"{head} has no record, and none fits its tree or its patch.\nProve it: tdd prove {head}" in done.err
    )


def test_a_squash_onto_a_branch_that_moved_is_found_by_its_patch(kata: Kata) -> None:
    begin = kata.git("rev-list", "--max-parents=0", "HEAD")
    kata.git("branch", "feature")
    kata.git("reset", "-q", "--hard", begin)
    kata.write("other.py", "OTHER = 1\n")
    kata.git("add", "other.py")
    kata.git("commit", "-q", "-m", "feat: meanwhile")
    moved = kata.git("rev-parse", "HEAD")
    kata.git("merge", "--squash", "-q", "feature")
    kata.git("commit", "-q", "-m", "feat: doubles and triples (#1)")
    squash = kata.git("rev-parse", "HEAD")
    done = kata.tdd("sync", "--adopt", f"{moved}..HEAD")
    assert (
        f"{squash[:9]} stands for the records of {kata.git('rev-parse', 'feature')[:9]}, by its patch."
        in done.out
    )
    assert "5 of 5 records reachable" in done.out
    assert "stands for" not in kata.tdd("sync", "--adopt", f"{moved}..HEAD").out
    reattached = next(record for record in kata.records() if record["kind"] == "reattached")
    assert not reattached["known_good"], "its tree is another: nothing says that the tests pass there"


def test_the_action_adopts_after_a_merge_and_pushes_the_notes(kata: Kata, tmp_path: Path) -> None:
    begin = kata.git("rev-list", "--max-parents=0", "HEAD")
    kata.git("branch", "feature")
    kata.git("reset", "-q", "--hard", begin)
    kata.git("merge", "--squash", "-q", "feature")
    kata.git("commit", "-q", "-m", "feat: doubles and triples (#1)")
    head = kata.git("rev-parse", "HEAD")
    clone, tool, summary = tmp_path / "clone", tmp_path / "tdd", tmp_path / "summary.md"
    subprocess.run(["git", "clone", "-q", str(kata.root), str(clone)], check=True)
    tool.write_text(f"#!/bin/sh\nexec '{sys.executable}' -P -m tdd_orchestrator \"$@\"\n")
    tool.chmod(0o755)
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    (script,) = [step["run"] for step in steps if step.get("name") == "tdd adopt"]
    env = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "TDD": str(tool),
        "TDD_STATE_DIR": str(tmp_path / "state"), "GITHUB_STEP_SUMMARY": str(summary), "WANTED": "",
        "BASE": begin, "HEAD_SHA": head, "REMOTE": "origin",
    }  # fmt: skip
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    done = subprocess.run(
        command, cwd=clone, env={**env, "EVENT": "push"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert f"{head[:9]} stands for the records of" in summary.read_text()
    assert "reattached" in kata.git("notes", "--ref=tdd", "show", head), (
        "the trunk's repository has the notes"
    )
    refused = subprocess.run(
        command, cwd=clone, env={**env, "EVENT": "pull_request"}, capture_output=True, check=False
    )
    assert refused.returncode == 2
