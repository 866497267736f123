"""A wired context whose agents work, and whose commits are proven, on the cluster of ``fleet.scheduler``."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.agents.usage import Price
from tdd_orchestrator.app.agent_registry import settings_of
from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.app.suites import services_of
from tdd_orchestrator.config.load import words
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.proof import Prover
from tdd_orchestrator.fleet.cluster import Cluster, ClusterAgents, ClusterTests
from tdd_orchestrator.fleet.tasks import SANDBOX, Settings
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.workspace.shared import Shared


def move_to_cluster(opened: OpenRepository, context: CycleContext, cluster: Cluster) -> None:
    """Give the context the cluster's places. What a setup command makes is made on the workers alone."""
    config = opened.config
    context.agents.place = ClusterAgents(cluster, lambda name: settings_of(config, name), context.watch.note)
    context.prover = prover_on(context.prover, cluster, bool(context.agents.port))
    context.project = replace(context.project, shared=context.prover.shared)
    context.agents.services = ()


def prover_on(prover: Prover, cluster: Cluster, port: bool = False) -> Prover:
    """Return the prover with its runs on the cluster."""
    return replace(
        prover,
        shared=Shared(prover.shared.checkout),
        place=ClusterTests(cluster, prover.redact, port),
    )


def cluster_of(opened: OpenRepository, config: Config) -> Cluster:
    """Return the cluster of the configuration; it is connected when it is first needed, and left when the
    repository is closed. Refused where the project cannot be worked on elsewhere."""
    space = config.workspace
    if not config.fleet.scheduler:
        raise Refused("No cluster is configured.", "Set it: tdd config set fleet.scheduler tcp://HOST:PORT")
    if space.mode == "inplace":
        raise Refused(
            "Mode 'inplace' works in your own files, which no worker has.",
            "Set workspace.mode = 'isolated', or take fleet.scheduler out.",
        )
    if space.link and not space.setup:
        raise Refused(
            f"workspace.link shows {', '.join(space.link)} of your checkout, which no worker has.",
            "Set workspace.setup to a command that makes it in a fresh tree.",
        )
    passed = tuple(name for agent in config.agents.named.values() for name in agent.pass_env)
    settings = Settings(
        setup=words(space.setup, shell=True) if space.setup else (),
        python_path=tuple(space.python_path),
        services=services_of(config),
        sandbox=space.sandbox,
        network=space.network,
        test_network=space.test_network,
        agent_env=passed,
        test_env=tuple(config.test.pass_env),
        prices={
            model: Price(row.input, row.cached, row.cache_creation, row.output)
            for model, row in config.prices.items()
        },
        needs=(*config.fleet.needs, *([SANDBOX] if space.sandbox == "bubblewrap" else [])),
    )
    cluster = Cluster(config.fleet.scheduler, opened.places.root.name, settings)
    opened.at_close(cluster.close)
    return cluster
