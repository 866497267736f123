"""Random deeds of a user between the steps of a cycle: theirs stays theirs, and nothing false is said (hypothesis)."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)
from wreck import Room

GREEN = "feat: doubles a number"


class Days(RuleBasedStateMachine):
    """What the user made is remembered: files with their bytes, staged paths, commits that must stay reachable.

    A deed that does not fit is none: how far a killed step came depends on the moment, and what may be drawn must not.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="tdd-days-"))
        self.room = Room(self.folder)
        self.mine: dict[str, str] = {"scratch.txt": "untracked\n", "README.md": "# Mine, not committed\n"}
        self.commits = {self.room.git("rev-parse", "HEAD")}
        self.count = 0
        self.done = False

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @property
    def on_main(self) -> bool:
        return self.room.git("symbolic-ref", "--short", "HEAD") == "main"

    @rule(kill=st.integers(0, 40))
    def step(self, kill: int) -> None:
        """One phase; now and then the orchestrator is killed at one of its git calls."""
        if self.done:
            return
        env = self.room.shimmed(before=kill if kill > 20 else 0)
        done = self.room.ran("cycle", "next", "--phase", env=env)
        assert done.code in (0, 2, -9), done.err
        assert "bug of ours" not in done.err
        self.done = done.code == 0 and "landed" in done.out
        if self.done:
            self.clean_checkout_passes()

    def clean_checkout_passes(self) -> None:
        """What is said to be complete is green where nobody has been before."""
        clean = self.folder / "clean"
        self.room.git("clone", "-q", "--no-local", str(self.room.root), "-b", "main", str(clean))
        assert subprocess.run(["sh", "run.sh"], cwd=clean, capture_output=True, check=False).returncode == 0
        assert (clean / "double.sh").exists()
        shutil.rmtree(clean)

    @rule()
    def edits(self) -> None:
        self.count += 1
        self.mine["README.md"] = f"# Mine {self.count}\n"
        self.room.write("README.md", self.mine["README.md"])

    @rule()
    def stages(self) -> None:
        self.room.git("add", "README.md", "scratch.txt")

    @rule()
    def commits_a_file(self) -> None:
        self.count += 1
        self.room.write(f"note-{self.count}.md", "mine\n")
        self.mine[f"note-{self.count}.md"] = "mine\n"
        self.room.git("add", f"note-{self.count}.md")
        self.room.git("commit", "-q", "-m", f"docs: note {self.count}", "--", f"note-{self.count}.md")
        self.commits.add(self.room.git("rev-parse", "HEAD"))

    @rule()
    def amends(self) -> None:
        if not self.room.git("log", "-1", "--format=%s").startswith("docs:"):
            return
        self.commits.discard(self.room.git("rev-parse", "HEAD"))
        self.room.git("commit", "-q", "--amend", "--only", "-m", "docs: said better")
        self.commits.add(self.room.git("rev-parse", "HEAD"))

    @rule()
    def rebases_everything(self) -> None:
        """Every commit but the first is another one afterwards, with the same content."""
        before = self.room.git("log", "--format=%s")
        first = self.room.git("rev-list", "--max-parents=0", "HEAD")
        self.room.git("-c", "user.name=Grace", "rebase", "-q", "--autostash", "--force-rebase", first)
        assert self.room.git("log", "--format=%s") == before
        self.commits = set(self.room.git("rev-list", "HEAD").splitlines())

    @rule()
    def two_at_once(self) -> None:
        """The second says who holds the repository and leaves, or comes when the first has left."""
        if self.done:
            return
        first = self.room.start("cycle", "next", "--phase")
        second = self.room.tdd("cycle", "status")
        assert second.code == 0, second.err
        other = self.room.ran("cycle", "next", "--phase")
        said, err = first.communicate(timeout=120)
        assert {first.returncode, other.code} <= {0, 2, 5}, (err, other.err)
        assert 0 in (first.returncode, other.code) or 2 in (first.returncode, other.code)
        assert "bug of ours" not in err + other.err
        self.done = any(
            code == 0 and "landed" in out for code, out in ((first.returncode, said), (other.code, other.out))
        )
        if self.done:
            self.clean_checkout_passes()

    @rule()
    def switches_branch_and_back(self) -> None:
        self.room.git("switch", "-q", "-C", "aside")
        self.room.git("switch", "-q", "main")

    @rule()
    def stashes_and_pops(self) -> None:
        if self.room.git("stash", "push", "-q", "--", "README.md", check=False) == "" and self.room.git(
            "stash", "list"
        ):
            self.room.git("stash", "pop", "-q")

    @rule()
    def collects_garbage(self) -> None:
        self.room.git("gc", "-q", "--prune=now")

    @invariant()
    def nothing_of_the_users_is_lost(self) -> None:
        for name, text in self.mine.items():
            assert (self.room.root / name).read_text() == text, name
        reachable = set(self.room.git("rev-list", "--branches").splitlines())
        assert self.commits <= reachable
        fsck = subprocess.run(["git", "fsck", "--strict", "--no-dangling", "--no-progress"], cwd=self.room.root, capture_output=True, text=True, check=False)  # fmt: skip
        assert fsck.returncode == 0, fsck.stderr
        assert self.room.locks() == []


def days(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        Days,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, database=None,
            derandomize=True, suppress_health_check=list(HealthCheck), print_blob=False,
        ),
    )  # fmt: skip


def test_a_few_days() -> None:
    days(2, 6)


@pytest.mark.slow
def test_many_days() -> None:
    days(int(os.environ.get("CRASH_DAYS", "60")), 20)
