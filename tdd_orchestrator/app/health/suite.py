"""How the tests stand: run as the next cycle will run them, in a clean tree, and beside that in the user's
own."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tdd_orchestrator.app.health.findings import Finding, Remedy
from tdd_orchestrator.model.errors import TddError
from tdd_orchestrator.model.report import Report, compare

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.cycle.context import CycleContext, Escalated, Watcher
    from tdd_orchestrator.cycle.state import CycleState
    from tdd_orchestrator.model.plan import Item
    from tdd_orchestrator.runners.run import Suite


@dataclass(frozen=True, slots=True)
class Standing:
    """``findings`` are what is wrong with the tests; ``counted`` are their counts where nothing is ("3
    passing")."""

    findings: tuple[Finding, ...]
    counted: str = ""


def baseline_standing(repository: OpenRepository, watch: Watcher, *, here: bool) -> Standing:
    """Prove the baseline of HEAD as the next cycle would, which then reuses the result.

    ``here``: also run the tests in the user's own checkout, and compare. The lock of the repository is taken.
    """
    from tdd_orchestrator.app.context import Surroundings, make_context
    from tdd_orchestrator.cycle.start import SuiteFails, SuiteUnjudged, baseline

    own = _run_here(repository) if here else []
    try:
        context = make_context(repository, Surroundings(watch, _NoFailures(), watch.note), everyone="human")
        repository.at_close(context.agents.tree.stop)
        state = context.state()
        if state is not None and not state.over:
            return Standing(())  # a cycle is under way: its baseline is known
        evidence, _ = baseline(context, repository.state.head or "")
    except SuiteFails as error:
        found = _differences(repository, own)
        return Standing(tuple(found) or (_known(repository, error.failing, error),))
    except TddError as error:
        if isinstance(error, SuiteUnjudged):
            own = own or _run_here(repository)  # is it so in the user's checkout?
        found = _differences(repository, own)
        sentence = f"{error.what} {error.todo}".strip()
        remedy = _unshared(repository) or _unfound(repository, error.what)
        return Standing(tuple(found) or (Finding("tests", sentence, remedy),))
    counts = evidence.counts
    total = sum(report.counts.passed for report in own if report.counts)
    passed = counts.passed if counts else 0
    if own and passed != total:
        return Standing(tuple(_differences(repository, own)), f"{passed} passing")
    if not passed:
        return Standing(tuple(_not_found_in_src(repository)), "no tests yet")
    return Standing((), f"{passed} passing")


def _known(repository: OpenRepository, failing: tuple[str, ...], error: TddError) -> Finding:
    known = [*repository.config.test.known_failing, *failing]
    some = "1 test" if len(failing) == 1 else f"{len(failing)} tests"
    remedy = Remedy(f"Take {some} as known to fail (test.known_failing)?", {"test.known_failing": known})
    return Finding("tests", f"{error.what} {error.todo}", remedy)


@dataclass(frozen=True, slots=True)
class _NoFailures:
    """The reporter of a baseline: no cycle begins, so none can fail."""

    def escalated(self, context: CycleContext, state: CycleState, item: Item, why: str) -> Escalated:
        raise AssertionError(why)

    def landed(self, context: CycleContext, state: CycleState) -> None:
        raise AssertionError(state.item)


def _run_here(repository: OpenRepository) -> list[Report]:
    from tdd_orchestrator.runners.run import RunEnvironment, neutral_env, run_suite

    root = repository.found.work_tree
    env = neutral_env(root, dict(os.environ), repository.shared.python_path())
    place = RunEnvironment(root, repository.places.root / "logs", env)
    return [run_suite(suite, place).report for suite in repository.suites]


def _differences(repository: OpenRepository, own: list[Report]) -> Iterator[Finding]:
    """Where the suites pass in the user's checkout and not in a clean tree; each is run there once more, by
    itself."""
    from tdd_orchestrator.app.health.trees import proof_tree
    from tdd_orchestrator.app.sandboxes import proof_wrap
    from tdd_orchestrator.runners.run import RunEnvironment, neutral_env, run_suite

    if not own:
        return
    tree = proof_tree(repository)
    env = neutral_env(tree.path, dict(os.environ), repository.shared.python_path())
    boxed = proof_wrap(repository.config, repository, tree)
    place = RunEnvironment(tree.path, repository.places.root / "logs", env)
    for suite, mine in zip(repository.suites, own, strict=True):
        clean = run_suite(suite, replace(place, wrap=boxed or _open)).report
        if boxed and _worse(mine, clean):
            unboxed = run_suite(suite, place).report
            if not _worse(mine, unboxed):
                yield Finding("tests", _of_sandbox(mine, clean))
                continue
        different = _difference(mine, clean, suite)
        if different:
            yield Finding("tests", different, _unshared(repository))


def _unshared(repository: OpenRepository) -> Remedy | None:
    """Share what git ignores and the work trees lack, such as packages installed after `tdd init`."""
    from tdd_orchestrator.workspace.survey import linkable, workspaces_linked

    root, workspace = repository.found.work_tree, repository.config.workspace
    names = [name for name in linkable(root, repository.git) if name not in workspace.link]
    if "node_modules" in names and workspaces_linked(root):
        names.remove("node_modules")
    if not names or workspace.setup:
        return None
    question = f"Share {', '.join(names)} with the work trees (workspace.link)?"
    return Remedy(question, {"workspace.link": [*workspace.link, *names]})


def _unfound(repository: OpenRepository, what: str) -> Remedy | None:
    """Let the tests import the project's own package that they do not find, where a sentence names it."""
    missing = re.search(r"No module named '(\w+)", what)
    return _of_src(repository, missing[1]) if missing else None


def _of_src(repository: OpenRepository, module: str) -> Remedy | None:
    """Let the tests import a module from ``src``, where it stands there: it is not installed."""
    known = repository.config.workspace.python_path
    package = repository.found.work_tree / "src" / module
    if "src" in known or not (package.is_dir() or package.with_suffix(".py").is_file()):
        return None
    question = f"{module} is the project's own. Let the tests import it from src (workspace.python_path)?"
    return Remedy(question, {"workspace.python_path": [*known, "src"]})


def _not_found_in_src(repository: OpenRepository) -> Iterator[Finding]:
    """The project's own package in ``src`` that the Python of the tests does not find, where there is no test that
    would show it."""
    from tdd_orchestrator.app.health.trees import origins_in

    programs = [Path(suite.command[0]).name for suite in repository.suites]
    if not any(name.startswith(("python", "pytest", "py.test")) for name in programs):
        return  # `make` or `uv` may have a Python of its own
    modules, origins = origins_in(repository, repository.found.work_tree)
    found = {origin.module for origin in origins}
    for module in modules:
        remedy = None if module in found else _of_src(repository, module)
        if remedy is not None:
            what = f"'{module}' is in src, where the tests would not find it: it is not installed."
            yield Finding("tests", what, remedy)
            return  # one answer puts all of src on the path


def _difference(mine: Report, clean: Report, suite: Suite) -> str:
    difference = compare(mine, clean)
    worse = [case.name for case in difference.newly_failing] + list(difference.vanished)
    if worse:
        return (
            f"{_passing(worse)} here and not in a clean tree ({', '.join(worse[:3])}): something "
            "untracked is missing "
            "there; name it in workspace.link, or make it with workspace.setup."
        )
    if mine.verdict != clean.verdict:
        why = clean.trouble.rstrip(".")
        return (
            f"Here the tests end as '{mine.verdict}', in a clean tree as '{clean.verdict}': {why}. "
            f"Run them yourself: {shlex.join(suite.command)}"
        )
    return ""


def _passing(names: list[str]) -> str:
    return "1 test passes" if len(names) == 1 else f"{len(names)} tests pass"


def _open(argv: list[str]) -> list[str]:
    """No sandbox."""
    return argv


def _worse(mine: Report, other: Report) -> bool:
    difference = compare(mine, other)
    return bool(difference.newly_failing or difference.vanished) or mine.verdict != other.verdict


def _of_sandbox(mine: Report, boxed: Report) -> str:
    names = [case.name for case in compare(mine, boxed).newly_failing]
    what = f"{_passing(names)} here and not in a sandbox ({', '.join(names[:3])})" if names else (
        f"Here the tests end as '{mine.verdict}', in a sandbox as '{boxed.verdict}' ({boxed.trouble})"
    )  # fmt: skip
    return (
        f"{what}: allow them the network (workspace.test_network = true) if that is what they need, "
        "make beforehand what they would make there (workspace.setup, which no sandbox holds), or do without "
        'a sandbox (workspace.sandbox = "none").'
    )
