"""How a commit comes to a worker that has not got it: as a pack on top of what all who asked for it have."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tdd_orchestrator.fleet.cluster import pack_for
from tdd_orchestrator.fleet.tasks import Missing, Sources
from tdd_orchestrator.fleet.worker import known, receive
from tdd_orchestrator.repo.git import Git


class Machines:
    """A repository of four commits of one growing file, and workers with an empty clone each."""

    def __init__(self, folder: Path, held: ExitStack) -> None:
        self.folder, self.held = folder, held
        self.run("init", "-q", "project")
        self.git = held.enter_context(Git(folder / "project" / ".git"))
        self.commits = [self._commit(number) for number in range(4)]

    def run(self, *words: str) -> str:
        identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        return subprocess.run(
            ["git", *identity, *words], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout.strip()

    def _commit(self, number: int) -> str:
        lines = [f"line {index} of a file that git stores as a difference\n" for index in range(300 + number)]
        (self.folder / "project" / "file").write_text("".join(lines))
        self.run("-C", "project", "add", "-A")
        self.run("-C", "project", "commit", "-q", "-m", str(number))
        return self.run("-C", "project", "rev-parse", "HEAD")

    def worker(self, *commits: str) -> Git:
        name = f"worker{len(list(self.folder.glob('worker*')))}"
        self.run("init", "-q", "--bare", name)
        git = self.held.enter_context(Git(self.folder / name))
        for commit in commits:
            assert not receive(git, Sources("r", commit))
            assert receive(git, self.asked(Sources("r", commit), git))
        return git

    def asked(self, sources: Sources, worker: Git) -> Sources:
        """Return the sources as they are sent once this worker asked for them."""
        return pack_for(self.git, sources, Missing("t", "", known(worker)))


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    with ExitStack() as held:
        yield Machines(tmp_path, held)


def test_a_worker_gets_what_it_lacks_alone(machines: Machines) -> None:
    first, _, third, _ = machines.commits
    worker = machines.worker(first)
    sources = machines.asked(Sources("r", third), worker)
    assert sources.bases == (first,)
    assert len(sources.pack) < len(machines.asked(Sources("r", third), machines.worker()).pack) / 2
    assert receive(worker, sources)
    assert receive(worker, Sources("r", third)), "it is kept"


def test_a_pack_for_another_worker_is_asked_for_anew_and_then_fits_both(machines: Machines) -> None:
    first, second, third, newest = machines.commits
    one, other, empty = machines.worker(first, third), machines.worker(first, second), machines.worker()
    sources = machines.asked(Sources("r", newest), one)
    assert not receive(other, sources), "it stands on a commit that this one lacks"
    sources = machines.asked(sources, other)
    assert sources.bases == (first,)
    assert receive(other, sources)
    assert receive(one, sources)
    assert not receive(empty, sources)
    sources = machines.asked(sources, empty)
    assert sources.bases == ()
    assert receive(empty, sources)
    again = machines.asked(replace(sources, pack=sources.pack), one)
    assert again.bases == (), "it stays whole, so that no two workers ask in turns"


def test_a_coordinator_in_a_shallow_clone_sends_what_it_has(machines: Machines) -> None:
    machines.run("clone", "-q", "--depth", "1", (machines.folder / "project").as_uri(), "shallow")
    worker, newest = machines.worker(), machines.commits[-1]
    with Git(machines.folder / "shallow" / ".git") as git:
        sources = pack_for(git, Sources("r", newest), Missing("t", "", ()))
    assert receive(worker, sources)
    older = machines.asked(Sources("r", machines.commits[2]), worker)
    assert not receive(worker, older), "its base has no history there"
    assert receive(worker, machines.asked(older, worker))
