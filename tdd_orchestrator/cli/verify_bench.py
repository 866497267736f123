"""What a replay works with: clean trees of its own, and a context without agents."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tdd_orchestrator.agents import sandbox
from tdd_orchestrator.app.agent_registry import ConfiguredAgents
from tdd_orchestrator.app.context import project_of, repository_of, settings_of
from tdd_orchestrator.app.open_repository import OpenRepository, secrets_of
from tdd_orchestrator.app.sandboxes import seen
from tdd_orchestrator.app.suites import services_of, shared_of, suites_of
from tdd_orchestrator.audit.run_trees import Runs, logs, slots
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.cycle.context import Agents, CommandRun, CycleContext, WallClock
from tdd_orchestrator.cycle.proof import Prover
from tdd_orchestrator.failures.escalation import FailureReporter
from tdd_orchestrator.redaction import redactor
from tdd_orchestrator.workspace.survey import linkable

if TYPE_CHECKING:
    from tdd_orchestrator.cli.watch import TerminalWatcher


@contextmanager
def bench(
    opened: OpenRepository,
    jobs: int,
    watcher: TerminalWatcher,
    config: Config | None = None,
    *,
    on_cluster: bool = False,
) -> Iterator[Callable[[], tuple[CycleContext, Runs]]]:
    """The means of a replay, made when they are first asked for: no run lock, no kept tree, nothing of the
    user's.

    ``on_cluster``: the tests run on the workers of ``fleet.scheduler``. The configuration (``config``, or the user's) and the test command are those of the user's tree as it is
    now, never of an old commit.
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


def _progress(watcher: TerminalWatcher) -> Callable[[int, int], None]:
    """Ten lines at most, however many trees."""

    def say(done: int, trees: int) -> None:
        if done == trees or done % max(1, trees // 10) == 0:
            watcher.doing(f"running the tests again: {done} of {trees} trees")

    return say


def _prover(
    opened: OpenRepository, config: Config, folder: Path, run_marker: str, watcher: TerminalWatcher
) -> Prover:
    root = opened.found.work_tree
    suites = suites_of(config, root)
    shared = shared_of(config, root, suites)
    tree = shared.tree(folder, opened.found.common_dir / "objects")
    kind = sandbox.choose(config.workspace.sandbox)
    readable = seen(config, opened)

    def wrap(argv: list[str]) -> list[str]:
        network, passed = config.workspace.test_network, tuple(config.test.pass_env)
        return sandbox.wrap_proof(
            argv,
            folder,
            kind=kind,
            network=network,
            writable=(logs(folder),),
            readable=readable,
            passed=passed,
        )

    return Prover(
        suites=suites,
        tree=tree,
        shared=shared,
        work=logs(folder),
        environ=dict(os.environ),
        blobs=opened.store,
        read_blob=lambda oid: opened.objects.read(oid)[1],
        pass_env=tuple(config.test.pass_env),
        services=services_of(config),
        wrap=None if kind == "none" else wrap,
        reruns=config.test.flaky_reruns,
        run_marker=run_marker,
        say=watcher.note,
        redact=redactor({}, secrets_of(opened)),
    )


def _context(
    opened: OpenRepository, config: Config, prover: Prover, watcher: TerminalWatcher
) -> CycleContext:
    """The gates' context: no agent is called from it."""
    root = opened.found.work_tree
    secrets = secrets_of(opened)
    redact = redactor({}, secrets)
    clock = WallClock()
    return CycleContext(
        repo=repository_of(opened),
        project=project_of(opened, prover.suites, prover.shared),
        agents=Agents(
            registry=ConfiguredAgents(config, root, watcher.note, None, None, redact),
            tree=prover.tree,
            compose=lambda role, brief: "",
            run_marker=prover.run_marker,
            secrets=secrets,
        ),
        prover=prover,
        settings=settings_of(config),
        reporter=FailureReporter.of(config, watcher.note),
        watch=watcher,
        clock=clock,
        redact=redact,
        run=CommandRun.begin(clock.now()),
    )
