"""What a replay works with: clean trees of its own, and a context without agents."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tdd_orchestrator.app.agent_registry import ConfiguredAgents
from tdd_orchestrator.app.context import Surroundings, context_of, prover_of
from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.app.suites import shared_of, suites_of
from tdd_orchestrator.audit.run_trees import Runs, logs, slots
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.cycle.context import Agents, CycleContext, Watcher
from tdd_orchestrator.cycle.proof import Prover
from tdd_orchestrator.failures.escalation import FailureReporter
from tdd_orchestrator.workspace.survey import linkable


@contextmanager
def bench(
    opened: OpenRepository,
    jobs: int,
    watcher: Watcher,
    config: Config | None = None,
    *,
    on_cluster: bool = False,
) -> Iterator[Callable[[], tuple[CycleContext, Runs]]]:
    """The means of a replay, made when they are first asked for: no run lock, no kept tree, nothing of the
    user's.

    ``on_cluster``: the tests run on the workers of ``fleet.scheduler``. The configuration (``config``, or the user's)
    and the test command are those of the user's tree as it is now, never of an old commit.
    """
    with ExitStack() as held:

        def means() -> tuple[CycleContext, Runs]:
            folders = held.enter_context(slots(opened.places.root / "verify", jobs))
            mark = secrets.token_hex(8)
            chosen = config or opened.test_config
            provers = [
                _prover(opened, chosen, folder, f"{mark}-{folder.name}.", watcher) for folder in folders
            ]
            if on_cluster:
                from tdd_orchestrator.app.cluster import cluster_of, prover_on

                cluster = cluster_of(opened, chosen)
                provers = [prover_on(prover, cluster) for prover in provers]
            return _context(opened, chosen, provers[0], watcher), Runs(provers, _progress(watcher))

        yield means


def config_with_links(opened: OpenRepository) -> Config:
    """Return the configuration; where it names no set-up, with what tests commonly need (.venv,
    node_modules)."""
    config = opened.test_config
    if config.workspace.link or config.workspace.setup:
        return config
    root = opened.found.work_tree
    links = linkable(root, opened.git)
    return config.model_copy(update={"workspace": config.workspace.model_copy(update={"link": list(links)})})


def _progress(watcher: Watcher) -> Callable[[int, int], None]:
    """Ten lines at most, however many trees."""

    def say(done: int, trees: int) -> None:
        if done == trees or done % max(1, trees // 10) == 0:
            watcher.doing(f"running the tests again: {done} of {trees} trees")

    return say


def _prover(
    opened: OpenRepository, config: Config, folder: Path, run_marker: str, watcher: Watcher
) -> Prover:
    root = opened.found.work_tree
    suites = suites_of(config, root)
    shared = shared_of(config, root, suites)
    tree = shared.tree(folder, opened.found.common_dir / "objects")
    return prover_of(opened, config, suites, shared, tree, run_marker, watcher.note, logs(folder))


def _context(opened: OpenRepository, config: Config, prover: Prover, watcher: Watcher) -> CycleContext:
    """The gates' context: no agent is called from it."""
    agents = Agents(
        registry=ConfiguredAgents(config, opened.found.work_tree, watcher.note, None, None, prover.redact),
        tree=prover.tree,
        compose=lambda role, brief: "",
        run_marker=prover.run_marker,
        secrets=opened.secrets,
    )
    around = Surroundings(watcher, FailureReporter(config, watcher.note), watcher.note)
    return context_of(opened, config, around, agents, prover)
