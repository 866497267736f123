"""One repository, opened for one command; and the secrets that a run in it may meet."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tdd_orchestrator.audit.signing import signer
from tdd_orchestrator.config.load import Loaded, load, users_file
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.cycle.plan.repository import PlanRepository, StatusRecords, statuses_file
from tdd_orchestrator.model.errors import StoreDamaged, raise_if_of_machine
from tdd_orchestrator.notes.plan_ref import PlanRef
from tdd_orchestrator.notes.selection import Shortcut
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.redaction import dotenv, secret_values
from tdd_orchestrator.repo.diff import differing
from tdd_orchestrator.repo.discovery import Found, RepoState, discover, state
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.lock import RunLock
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.workspace.folders import Places, listed, places_for
from tdd_orchestrator.workspace.services import slot

if TYPE_CHECKING:
    from tdd_orchestrator.app.suites import FoundTests
    from tdd_orchestrator.runners.run import Suite
    from tdd_orchestrator.workspace.shared import Shared
    from tdd_orchestrator.workspace.tree import Tree


INCLUDE = ".worktreeinclude"
"""Patterns, as in .gitignore, of ignored files that other work trees are to have too."""

_PORT = "TDD_PORT"
_FILES = (0o100644, 0o100755)
_FEW = 200  # files that are read in place of a search through all


def _included(root: Path, git: Git) -> list[str]:
    """Return the ignored files and folders of the checkout that ``.worktreeinclude`` names."""
    patterns = root / INCLUDE
    if not patterns.is_file():
        return []
    words = ("-z", "--others", "--ignored", "--directory", f"--exclude-from={patterns}")
    named = git.run("ls-files", *words)
    ignored = git.run("check-ignore", "-z", "--stdin", stdin=named, ok=(0, 1))
    return [os.fsdecode(name).rstrip("/") for name in ignored.split(b"\0") if name]


class OpenRepository:
    """One repository, opened for one command: git, objects, notes, plan, configuration. Close it."""

    def __init__(self, start: Path) -> None:
        self.found: Found = discover(start)
        self.git: Git = self.found.git()
        self.objects = Objects(self.git)
        self._stack = ExitStack()
        self._lock: RunLock | None = None
        self._stack.callback(self.git.close)
        self._stack.callback(self.objects.close)

    def __enter__(self) -> OpenRepository:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @cached_property
    def loaded(self) -> Loaded:
        return load(self.found.work_tree, user_file=users_file())

    @cached_property
    def config(self) -> Config:
        """The configuration, with what ``.worktreeinclude`` names among the links."""
        config = self.loaded.config
        links = [*dict.fromkeys((*config.workspace.link, *_included(self.found.work_tree, self.git)))]
        space = config.workspace.model_copy(update={"link": links})
        return config.model_copy(update={"workspace": space})

    def reload_config(self) -> None:
        """Read the configuration anew at its next use: its file has changed."""
        for name in ("loaded", "config", "suites", "shared"):
            self.__dict__.pop(name, None)

    @property
    def test_config(self) -> Config:
        """The configuration; without a file, with the test command and the links that `tdd init` would
        write."""
        config = self.config
        if self.loaded.file is not None or config.test.command or config.test.suite:
            return config
        found = self._found_tests
        known = {"command": found.command, "shell": found.shell, "framework": found.framework}
        test = config.test.model_copy(update=known)
        links = config.workspace.link or [*found.links]
        space = config.workspace.model_copy(update={"link": links})
        return config.model_copy(update={"test": test, "workspace": space})

    @cached_property
    def _found_tests(self) -> FoundTests:
        from tdd_orchestrator.app.suites import find_tests

        return find_tests(self.found.work_tree, self.git)

    @cached_property
    def suites(self) -> tuple[Suite, ...]:
        """The suites of ``test_config``. Refused where there is no test command."""
        from tdd_orchestrator.app.suites import suites_of

        return suites_of(self.test_config, self.found.work_tree)

    @cached_property
    def shared(self) -> Shared:
        """What the work trees get of the checkout. Refused where there is no test command."""
        from tdd_orchestrator.app.suites import shared_of

        return shared_of(self.test_config, self.found.work_tree, self.suites)

    def tree(self, folder: Path) -> Tree:
        """Return the work tree in a folder; nothing is made yet."""
        return self.shared.tree(folder, self.found.common_dir / "objects")

    @cached_property
    def state(self) -> RepoState:
        return state(self.git)

    @cached_property
    def store(self) -> Store:
        sign = signer(self.git) if self.config.notes.sign else None
        return Store(self.git, self.objects, self.config.notes.ref, sign=sign)

    @cached_property
    def plan_repository(self) -> PlanRepository:
        statuses = StatusRecords(self.store, statuses_file(self.found.common_dir))
        return PlanRepository(PlanRef(self.git, self.objects), statuses)

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """Secret values that a run may meet, longest first."""
        return secrets_of(self)

    @cached_property
    def places(self) -> Places:
        return places_for(self.found.common_dir, self.found.work_tree.name)

    def port(self) -> int:
        """A port of our own, held until this repository is closed."""
        return self._stack.enter_context(slot())

    def wants_port(self) -> bool:
        """Whether the project asks for a port of its own: by workspace.port, or by using TDD_PORT in a
        tracked file."""
        if self.config.workspace.port:
            return True
        if self.state.unborn:
            return False
        tree = self.objects.read_commit(self.state.head).tree
        portless = Shortcut(self.found.common_dir / "tdd" / "portless", "HEAD", _PORT)
        known = portless.read("tree")
        if known is None or not self._still_portless(str(known[0]), tree):
            words = ("grep", "--quiet", "--fixed-strings", "-e", _PORT, tree, "--")
            if self.git.finished(*words).exit_code == 0:
                return True
        if known != [tree]:
            portless.write(tree=tree)
        return False

    def _still_portless(self, before: str, tree: str) -> bool:
        """Whether no file that a tree has otherwise than another one without ports uses one; False also where that
        cannot be told in little time."""
        try:
            changed = differing(self.objects, before, tree)
        except StoreDamaged:
            return False
        blobs = [new[1] for _, _, new in changed if new is not None and new[0] in _FILES]
        return len(blobs) <= _FEW and all(
            _PORT.encode() not in data for data in self.objects.read_many(blobs)
        )

    def at_close(self, callback: Callable[[], None]) -> None:
        self._stack.callback(callback)

    def lock(self) -> RunLock:
        """Return the run lock, held until this repository is closed; what a dead owner left is removed."""
        if self._lock is not None:
            return self._lock
        from tdd_orchestrator import process

        lock = self._stack.enter_context(RunLock(self.git))
        if lock.taken_over is not None:
            process.sweep(lock.taken_over.run_marker)
        lock.sweep_locks()
        self._lock = lock
        return lock


_LARGEST = 1 << 20  # bytes of an environment file


def secrets_of(opened: OpenRepository) -> tuple[str, ...]:
    """Return secret values, longest first. A committed value is no secret, so tracked files are skipped."""
    values = set(secret_values(os.environ))
    for path in _untracked(opened):
        values.update(secret_values(dotenv(_text(path))))
    return tuple(sorted(values, key=lambda value: (-len(value), value)))


def _untracked(opened: OpenRepository) -> list[Path]:
    root = opened.found.work_tree
    linked = [root / name for name in opened.config.workspace.link if Path(name).name.startswith(".env")]
    files = [path for path in (*listed(root, ".env*"), *linked) if path.is_file()]
    if not files:
        return []
    names = [os.fsencode(path.relative_to(root)) for path in files]
    raw = opened.git.run("--literal-pathspecs", "ls-files", "-z", "--", *map(os.fsdecode, names))
    tracked = set(raw.split(b"\0"))
    return [path for path, name in zip(files, names, strict=True) if name not in tracked]


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST).decode("utf-8", "replace")
    except OSError as error:
        raise_if_of_machine(error)
        return ""  # who may not read it does not let it out either
