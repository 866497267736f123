"""The same suite in two places: the user's checkout and a clean tree (W2)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tdd_orchestrator.model.report import Report, RunVerdict, compare

if TYPE_CHECKING:
    from tdd_orchestrator.app.opened import Opened
    from tdd_orchestrator.workspace.tree import Tree

_JUDGED = (RunVerdict.PASSED, RunVerdict.FAILED, RunVerdict.NO_TESTS)


def module_origins(repository: Opened) -> Iterator[str]:
    """Modules of the project that the test command's Python would import from somewhere else than the tree."""
    from tdd_orchestrator.app.suites import shared_of, suites_of
    from tdd_orchestrator.runners.neutral import neutral_env
    from tdd_orchestrator.workspace.project import project_names
    from tdd_orchestrator.workspace.survey import origins

    root = repository.found.work_tree
    suites = suites_of(repository.config, root)
    suite = next((suite for suite in suites if suite.framework.language == "python"), None)
    if suite is None:
        return
    tree = _moved_proof_tree(repository).path
    shared = shared_of(repository.config, root, suites)
    env = neutral_env(tree, dict(os.environ), shared.python_path())
    interpreter = _interpreter(suite.command, tree)
    if not interpreter:
        return
    names = tuple(sorted(name for name in project_names(root, "python") if name.isidentifier()))
    for origin in origins(names, tree, interpreter, env):
        if not origin.inside and Path(origin.path).resolve().is_relative_to(root.resolve()):
            yield (
                f"'{origin.module}' is imported from your checkout ({origin.path}), not from the work tree; "
                "set workspace.python_path to the folder that holds it, e.g. [\"src\"]."
            )  # fmt: skip


def compare_trees(repository: Opened) -> tuple[list[str], list[str]]:
    """Run each suite here and in the proof tree: (in what they differ or are in trouble, how they stand where none of
    them differs)."""
    from tdd_orchestrator.app.boxes import proof_wrap
    from tdd_orchestrator.app.suites import shared_of, suites_of
    from tdd_orchestrator.runners.run import neutral_env, run_suite

    root = repository.found.work_tree
    suites = suites_of(repository.config, root)
    shared = shared_of(repository.config, root, suites)
    tree = _moved_proof_tree(repository)
    logs = repository.places.root / "logs"
    env = neutral_env(tree.path, dict(os.environ), shared.python_path())
    boxed = proof_wrap(repository.config, repository, tree)
    found, standing = [], []
    for suite in suites:
        mine = run_suite(suite, root, work=logs, env=neutral_env(root, dict(os.environ))).report
        clean = run_suite(suite, tree.path, work=logs, env=env, wrap=boxed or _open).report
        if boxed and _worse(mine, clean):
            open_ = run_suite(suite, tree.path, work=logs, env=env).report
            if not _worse(mine, open_):
                found.append(_told_of_sandbox(mine, clean))
                continue
        different = _difference(mine, clean)
        if different:
            found.append(different)
        elif clean.verdict not in _JUDGED:
            found.append(
                f"The suite cannot be judged, neither here nor in a clean tree ({clean.verdict}): {clean.trouble.rstrip('.')}."
                f" Run it yourself: {' '.join(suite.command)}"
            )
        else:
            found += _failing_already(clean, repository)
            standing.append(f"{clean.counts.passed} passing" if clean.counts else "no tests yet")
    return found, standing if len(standing) == len(suites) else []


def _difference(mine: Report, clean: Report) -> str:
    difference = compare(mine, clean)
    worse = [case.name for case in difference.newly_failing] + list(difference.vanished)
    if worse:
        return (
            f"{_passing(worse)} here and not in a clean tree ({', '.join(worse[:3])}): something untracked is missing "
            "there; name it in workspace.link, or make it with workspace.setup."
        )
    if mine.verdict != clean.verdict:
        return f"Here the suite is '{mine.verdict}', in a clean tree '{clean.verdict}': {clean.trouble}"
    return ""


def _passing(names: list[str]) -> str:
    return "1 test passes" if len(names) == 1 else f"{len(names)} tests pass"


def _open(argv: list[str]) -> list[str]:
    """No sandbox."""
    return argv


def _worse(mine: Report, other: Report) -> bool:
    difference = compare(mine, other)
    return bool(difference.newly_failing or difference.vanished) or mine.verdict != other.verdict


def _told_of_sandbox(mine: Report, boxed: Report) -> str:
    names = [case.name for case in compare(mine, boxed).newly_failing]
    what = f"{_passing(names)} here and not in a sandbox ({', '.join(names[:3])})" if names else (
        f"Here the suite is '{mine.verdict}', in a sandbox '{boxed.verdict}' ({boxed.trouble})"
    )  # fmt: skip
    return (
        f"{what}: allow them the network (workspace.test_network = true) if that is what they need, or do without a "
        'sandbox (workspace.sandbox = "none").'
    )


def _failing_already(report: Report, repository: Opened) -> Iterator[str]:
    known = set(repository.config.test.known_failing)
    names = [case.id for case in report.failing if case.id not in known]
    if names:
        some = "1 test fails" if len(names) == 1 else f"{len(names)} tests fail"
        yield (
            f"{some} already ({', '.join(names[:3])}): mend them (`tdd fix`), or go on with these as known "
            "(test.known_failing)."
        )


def lacks(root: Path, command: tuple[str, ...], module: str) -> bool:
    """Whether the Python of a test command is known not to have a module."""
    from tdd_orchestrator.workspace.survey import origins

    interpreter = _interpreter(command, root)
    return bool(interpreter and module) and not origins((module,), root, interpreter, dict(os.environ))


def _moved_proof_tree(repository: Opened) -> Tree:
    from tdd_orchestrator.app.suites import shared_of, suites_of

    root = repository.found.work_tree
    shared = shared_of(repository.config, root, suites_of(repository.config, root))
    tree = shared.tree(repository.places.proof, repository.found.common_dir / "objects")
    repository.lock()
    tree.move_to(repository.state.head)
    shared.show_in(tree)
    shared.set_up(tree, dict(os.environ), cookie="", say=lambda _: None)
    return tree


def _interpreter(command: tuple[str, ...], tree: Path) -> str:
    """The Python that the command runs, where it names one; else the one that stands beside the program."""
    program = Path(command[0])
    if program.name.startswith("python"):
        return str(tree / program) if "/" in command[0] and not program.is_absolute() else command[0]
    beside = shutil.which(command[0])
    candidate = Path(beside).parent / "python" if beside else None
    return str(candidate) if candidate and candidate.exists() else ""
