"""A HEAD that git cannot read for once: git calls it no repository. It is said, and nothing is taken from it (T43)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tdd_orchestrator.cli.boundary import fault
from tdd_orchestrator.cycle.attempt.candidate import Candidate, with_diff
from tdd_orchestrator.cycle.rebase import rebased_tree
from tdd_orchestrator.cycle.start import where_we_stand
from tdd_orchestrator.model.errors import GitFailed
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.workspace.guard import Change
from tdd_orchestrator.workspace.landing import Checkout, follow_late

_ADA = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")


class Two:
    """A repository with two commits, as much of a context as is needed here."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._git("init", "-q", "-b", "main")
        self.first, self.second = self._commit("1"), self._commit("2")
        self.git = Git(root / ".git", root)
        self.context: Any = SimpleNamespace(
            repo=SimpleNamespace(git=self.git, objects=Objects(self.git)),
            redact=str,
            agents=SimpleNamespace(secrets=()),
        )

    def _git(self, *words: str) -> str:
        return subprocess.check_output(["git", "-C", str(self.root), *_ADA, *words], text=True).strip()

    def _commit(self, text: str) -> str:
        (self.root / "code.py").write_text(f"x = {text}\n")
        self._git("add", "code.py")
        self._git("commit", "-qm", text)
        return self._git("rev-parse", "HEAD")


def _diff(two: Two) -> str:
    change = Change("code.py", "changed", None, "")
    return with_diff(two.context, Candidate(base=two.first, tree=two.second, changes=(change,))).diff


ROWS: tuple[tuple[Callable[[Two], object], object], ...] = (
    (lambda two: "-x = 1\n+x = 2" in _diff(two), True),
    (lambda two: where_we_stand(two.context)[0], "main"),
    (
        lambda two: len(rebased_tree(two.context.repo, two.first, two.second, "main")),
        40,
    ),  # type: ignore[arg-type]
    (lambda two: two.git.holds(two.second, two.first), True),
    (
        lambda two: follow_late(
            Checkout(two.git, two.root, Objects(two.git)), "main", two.first, two.second, 0
        ),
        False,
    ),
)


@pytest.mark.parametrize(("asks", "answer"), ROWS)
def test_a_head_that_cannot_be_read_is_said(
    tmp_path: Path, asks: Callable[[Two], object], answer: object
) -> None:
    two = Two(tmp_path)
    assert asks(two) == answer
    head = tmp_path / ".git/HEAD"
    head.rename(tmp_path / "away")
    two.git.close()  # what had been started before still knows the repository
    with pytest.raises(GitFailed, match="not a git repository") as raised:
        asks(two)
    said = fault(raised.value)
    assert said is not None
    assert said.exit_code == 4
