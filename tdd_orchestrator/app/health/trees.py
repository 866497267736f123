"""Check that a clean tree holds what the tests need, and that they would test that tree and nothing else."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.app.health.findings import Finding, Remedy
from tdd_orchestrator.workspace.fixtures import PYTEST_SETTINGS

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.workspace.survey import Origin
    from tdd_orchestrator.workspace.tree import Tree


def not_ignored(repository: OpenRepository) -> Iterator[Finding]:
    """Environments and packages that git neither tracks nor ignores: a commit of everything would have them."""
    from tdd_orchestrator.workspace.survey import LINKABLE, ignored_of

    root = repository.found.work_tree
    present = [name for name in LINKABLE if (root / name).exists()]
    ignored = ignored_of(repository.git, present)
    for name in present:
        tracked = repository.git.run("ls-files", "-z", "--", name)
        if name in ignored or tracked:
            continue
        linked = [*repository.config.workspace.link]
        settings: dict[str, Any] = {} if name in linked else {"workspace.link": [*linked, name]}
        settings |= _its_python(repository, name)
        line = f"{name}/" if (root / name).is_dir() else name
        yield Finding(
            "trees",
            f"{name} is not ignored by git, so `git add .` would take it into a commit.",
            Remedy(f"Add {line} to .gitignore, and share it with the work trees?", settings, (line,)),
        )


def _its_python(repository: OpenRepository, name: str) -> dict[str, str]:
    """The test command with the Python of a project's environment, where it names none yet."""
    command = repository.config.test.command
    program = re.match(r"(?:python3?|pytest)(?= |$)", command) if isinstance(command, str) else None
    if program and (repository.found.work_tree / name / "bin" / program[0]).exists():
        return {"test.command": f"{name}/bin/{command}"}
    return {}


def in_environment(repository: OpenRepository, command: tuple[str, ...]) -> Iterator[Finding]:
    """The environment of the project that has what the test command lacks, the first one of them."""
    from tdd_orchestrator.workspace.survey import module_missing

    root, linked = repository.found.work_tree, repository.config.workspace.link
    for name in (".venv", "venv"):
        settings: dict[str, Any] = {**_its_python(repository, name)}
        if not settings or module_missing(root, "python", (f"{name}/bin/{command[0]}", *command[1:])):
            continue
        settings |= {} if name in linked else {"workspace.link": [*linked, name]}
        what = command[2] if command[1:2] == ("-m",) else command[0]
        sentence = f"{what} is not installed for {command[0]}, but it is in {name}."
        if what == command[0]:
            sentence = f"The program of the test command is not there, but in {name}: {what}."
        yield Finding("tests", sentence, Remedy(f"Run the tests with {name}, and share it?", settings))
        return


def trees(repository: OpenRepository) -> Iterator[Finding]:
    """The traps of editable installs, installed copies and linked packages."""
    from tdd_orchestrator.workspace.survey import unshareable

    if not repository.state.head:
        return
    yield from _origins(repository)
    space = repository.config.workspace
    for name, (why, setup) in unshareable(repository.found.work_tree, repository.git).items():
        others = [link for link in space.link if link != name]
        if others == space.link and space.setup:
            continue
        settings = {"workspace.link": others} if others != space.link else {}
        yield Finding(
            "trees",
            f"{name} cannot be shared with the work trees: {why}, so that they would test your files and not "
            "the agent's.",
            Remedy(
                f"Run `{setup}` in each work tree instead (workspace.setup)?",
                settings | ({} if space.setup else {"workspace.setup": setup}),
            ),
            stops=bool(settings),  # where it is not shared, the tests may do without it
        )


def _origins(repository: OpenRepository) -> Iterator[Finding]:
    """Modules of the project that the test command's Python would import from somewhere else than the
    tree."""
    for origin in origins_in(repository, None)[1]:
        if not origin.inside:
            yield _from_outside(repository, origin.module, Path(origin.path))


def origins_in(repository: OpenRepository, tree: Path | None) -> tuple[tuple[str, ...], tuple[Origin, ...]]:
    """Return the project's Python modules, and where the tests would import each from that they find; nothing
    where no Python runs the tests, or pytest's settings name folders for it. ``tree``: where the tests run; None: a
    clean tree."""
    from tdd_orchestrator.runners.neutral import neutral_env
    from tdd_orchestrator.workspace.project_modules import modules_of
    from tdd_orchestrator.workspace.survey import interpreter_of, origins

    root = repository.found.work_tree
    suite = next((suite for suite in repository.suites if suite.framework.language == "python"), None)
    settings = ((root / name) for name in PYTEST_SETTINGS)
    if suite is None or any(
        "pythonpath" in path.read_text("utf-8", "replace") for path in settings if path.is_file()
    ):
        return (), ()
    place = tree or proof_tree(repository).path
    interpreter = interpreter_of(suite.command, place)
    if not interpreter:
        return (), ()
    env = neutral_env(place, dict(os.environ), repository.shared.python_path())
    paths = repository.git.run("ls-files", "-z").decode("utf-8", "surrogateescape").split("\0")
    modules = modules_of(root, paths)
    return modules, origins(modules, place, interpreter, env)


def _from_outside(repository: OpenRepository, module: str, path: Path) -> Finding:
    root = repository.found.work_tree
    folder = "src" if (root / "src" / module).exists() or (root / "src" / f"{module}.py").exists() else "."
    known = [*repository.config.workspace.python_path]
    remedy = None
    if folder not in known:
        remedy = Remedy(
            f"Let the tests import from {folder} of the work tree first (workspace.python_path)?",
            {"workspace.python_path": [*known, folder]},
        )
    where = "your checkout" if path.resolve().is_relative_to(root.resolve()) else "an installed copy"
    return Finding(
        "trees",
        (
            f"'{module}' is imported from {where} ({path}), not from the work tree: the tests would "
            "not see an agent's changes."
        ),
        remedy,
    )


def proof_tree(repository: OpenRepository) -> Tree:
    """The clean tree in which proofs run, moved to HEAD and set up."""
    tree = repository.tree(repository.places.proof)
    repository.lock()
    tree.move_to(repository.state.head or "")
    repository.shared.show_in(tree)
    repository.shared.set_up(tree, dict(os.environ), run_marker="", say=lambda _: None)
    return tree
