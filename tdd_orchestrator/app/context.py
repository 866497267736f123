"""From the configuration to the context of a cycle."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tdd_orchestrator.app.agent_registry import ConfiguredAgents, composer
from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.app.sandboxes import agent_wrap, proof_wrap, trees
from tdd_orchestrator.app.suites import rules_of, services_of, shared_of, suites_of
from tdd_orchestrator.config.schema import Config, RaceConfig
from tdd_orchestrator.cycle.context import (
    Agents,
    Clock,
    Codebase,
    CommandRun,
    CycleContext,
    Reporter,
    Repository,
    Settings,
    WallClock,
    Watcher,
)
from tdd_orchestrator.cycle.extra_checks import fit
from tdd_orchestrator.cycle.proof import Prover, tests_marker
from tdd_orchestrator.events import hide
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.policy import BreakerPolicy, Budget
from tdd_orchestrator.redaction import redactor
from tdd_orchestrator.repo import refs
from tdd_orchestrator.workspace.landing import Checkout
from tdd_orchestrator.workspace.project import declared_dependencies, project_names

if TYPE_CHECKING:
    from tdd_orchestrator.cycle.plan.claims import Claims
    from tdd_orchestrator.diagnosis.rules import Rule
    from tdd_orchestrator.runners.run import Suite
    from tdd_orchestrator.workspace.shared import Shared
    from tdd_orchestrator.workspace.tree import Tree


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a command is run beside: who is shown and told what happens and asked to wait, and the time.

    ``tell``: what a person is asked to do; ``wait`` returns once it is done (None: nobody can be asked).
    """

    watch: Watcher
    reporter: Reporter
    tell: Callable[[str], None]
    wait: Callable[[], None] | None = None
    clock: Clock = field(default_factory=WallClock)


def make_context(
    opened: OpenRepository,
    around: Surroundings,
    *,
    command: tuple[str, ...] = (),
    everyone: str = "",
    giving_up: bool = False,
) -> CycleContext:
    """Everything a cycle needs, under the run lock. ``everyone``: one agent plays every role; ``giving_up``:
    a cycle is only to be ended. Refused where the repository is not fit for it."""
    fit_to_work(opened, giving_up=giving_up)
    config, root = opened.test_config, opened.found.work_tree
    _prompts_fit(root)
    lock = opened.lock()
    opened.store.recover()
    suites = suites_of(config, root, command)
    fit(config.proof.mutation, suites[0].framework.language)
    shared = shared_of(config, root, suites)
    objects_dir = opened.found.common_dir / "objects"
    proof, agent_tree = trees(opened, shared, objects_dir, around.watch.note)
    hide(opened.secrets)
    port = opened.port() if opened.wants_port() else 0
    marker = tests_marker(lock.run_marker)
    prover = prover_of(opened, config, suites, shared, proof, marker, around.watch.note)
    if port:
        prover.environ = {**prover.environ, "TDD_PORT": str(port)}
    agents = Agents(
        registry=ConfiguredAgents(
            config, root, around.tell, around.wait, agent_wrap(config, opened), prover.redact, everyone
        ),
        tree=agent_tree,
        compose=composer(root, prover.redact),
        run_marker=lock.run_marker,
        secrets=opened.secrets,
        port=port,
        services=services_of(config),
    )
    context = context_of(opened, config, around, agents, prover)
    if config.fleet.scheduler:
        from tdd_orchestrator.app.cluster import cluster_of, move_to_cluster

        move_to_cluster(opened, context, cluster_of(opened, config))
    if config.race != RaceConfig():
        set_race(opened, context)
    if config.workspace.mode == "inplace":
        _in_these_files(context)
    return context


def context_of(
    opened: OpenRepository, config: Config, around: Surroundings, agents: Agents, prover: Prover
) -> CycleContext:
    """Return the context of a command with these agents and this prover, whose text is redacted alike."""
    return CycleContext(
        repo=repository_of(opened),
        project=project_of(opened, prover.suites, prover.shared),
        agents=agents,
        prover=prover,
        settings=settings_of(config),
        reporter=around.reporter,
        watch=around.watch,
        clock=around.clock,
        redact=prover.redact,
        run=CommandRun.begin(around.clock.now()),
    )


def set_race(
    opened: OpenRepository, context: CycleContext, agents: tuple[str, ...] = (), best: bool = False
) -> None:
    """Let agents race: these in every phase, or those of the configuration. ``best``: to the end."""
    from tdd_orchestrator.app.lanes import race_of
    from tdd_orchestrator.fleet.turn import Turn

    table = opened.config.race
    named = {"red": table.red, "green": table.green, "refactor": table.refactor}
    chosen = {phase: agents or tuple(names) for phase, names in named.items()}
    context.agents.race = race_of(opened, context, Turn(), chosen, best or table.best)


def repository_of(opened: OpenRepository) -> Repository:
    """Return the opened repository as a cycle uses it."""
    return Repository(
        git=opened.git,
        objects=opened.objects,
        store=opened.store,
        plan=opened.plan_repository,
        places=opened.places,
        checkout=lambda branch: checkout_of(opened, branch),
        identity=opened.state.identity_line,
        claims=_claims(opened),
    )


def _claims(opened: OpenRepository) -> Claims | None:
    """Return the claims on items where other clones take items too: by the person's name and the clone's own."""
    remote = opened.config.fleet.remote
    if not remote:
        return None
    from tdd_orchestrator.cycle.plan.claims import Claims, name_of

    who = name_of(opened.state.identity_line, opened.found.common_dir)
    return Claims(opened.git, opened.objects, opened.plan_repository, remote, who)


def project_of(opened: OpenRepository, suites: tuple[Suite, ...], shared: Shared) -> Codebase:
    """Return what is known of the code in the repository; its language is the first suite's."""
    root, language = opened.found.work_tree, suites[0].framework.language
    return Codebase(
        language=language,
        rules=rules_of(opened.config, suites, root, opened.state.hooks),
        shared=shared,
        known_names=project_names(root, language),
        declared=declared_dependencies(root),
    )


def _in_these_files(context: CycleContext) -> None:
    """Mode 'inplace': Refused where the files are not as the last command left them, before anything is
    moved."""
    state = context.state()
    running = state is not None and not state.over
    branch = state.branch if state is not None and running else ""
    awaited = state is not None and running and state.interrupted and state.interrupted_agent == "human"
    context.agents.tree.begin(branch, awaited=awaited)


def prover_of(
    opened: OpenRepository,
    config: Config,
    suites: tuple[Suite, ...],
    shared: Shared,
    tree: Tree,
    run_marker: str,
    say: Callable[[str], None],
    logs: Path | None = None,
) -> Prover:
    """Return what runs the suites in a work tree; ``logs``: the folder of their output (None: the repository's)."""
    return Prover(
        suites=suites,
        tree=tree,
        shared=shared,
        work=logs or opened.places.root / "logs",
        environ=dict(os.environ),
        blobs=opened.store,
        read_blob=lambda oid: opened.objects.read(oid)[1],
        pass_env=tuple(config.test.pass_env),
        services=services_of(config),
        wrap=proof_wrap(config, opened, tree, logs),
        reruns=config.test.flaky_reruns,
        run_marker=run_marker,
        say=say,
        redact=redactor({}, opened.secrets),
    )


def fit_to_work(opened: OpenRepository, *, giving_up: bool = False) -> None:
    """Raise Refused for a repository in which nothing can begin (T47).

    A cycle that is only ended needs no branch, and no clean tree.
    """
    state = opened.state
    if state.operation:
        raise Refused(
            f"A {state.operation} is in progress.", "Finish it or abort it, then run the same command again."
        )
    if state.conflicted:
        raise Refused(
            "There are unresolved merge conflicts.", "Resolve them, then run the same command again."
        )
    if state.unborn:
        raise Refused(
            "The repository has no commit yet.",
            "Make the first one: git commit --allow-empty -m 'chore: begin'.",
        )
    if state.detached and not giving_up:
        raise Refused("HEAD is detached: a cycle lands on a branch.", "Check one out: git switch BRANCH.")
    if not state.identity:
        raise Refused(
            "Git does not know who you are, and the commits need an author.",
            'Set git config user.name "Your Name" and git config user.email you@example.org.',
        )
    under_way = (opened.places.root / "inplace.users").exists()  # a cycle of ours is under way in these files
    needs_clean = opened.config.workspace.mode == "inplace" and not under_way and not giving_up
    if needs_clean and (state.dirty or state.untracked):
        raise Refused(
            "Mode 'inplace' works in your own files and needs a clean tree.",
            "Commit or move your changes aside, or set workspace.mode = 'isolated'.",
        )


def _prompts_fit(root: Path) -> None:
    """Check the user's own prompts before anything begins, not when their role is needed."""
    from tdd_orchestrator.prompting.templates import own_files

    if own_files(root):
        from tdd_orchestrator.prompting.compose import check_own

        check_own(root)


def settings_of(config: Config) -> Settings:
    extra: tuple[Rule, ...] = ()
    if config.rules:
        from tdd_orchestrator.diagnosis.user_rules import user_rules

        extra = user_rules(config.rules)
    return Settings(
        retry=config.retry.policy(),
        breaker=BreakerPolicy(**config.breaker.model_dump()),
        budget=Budget(**config.budget.model_dump()),
        known_failing=frozenset(config.test.known_failing),
        quarantine_days=config.test.quarantine_days,
        repeat=config.proof.repeat,
        questions=tuple(config.proof.questions),
        require=tuple(config.proof.require),
        removed_tests=config.proof.removed_tests,
        covered=config.plan.covered,
        coverage=config.proof.covered,
        mutation=config.proof.mutation,
        withhold=config.proof.withhold,
        ask_after_failures=config.approval.after_failures,
        ask_before_landing=config.approval.before_landing,
        inplace=config.workspace.mode == "inplace",
        sandbox=config.workspace.sandbox,
        extra_rules=extra,
        agent_timeout={
            name: (agent.timeout, agent.idle_timeout) for name, agent in config.agents.named.items()
        },
    )


def checkout_of(opened: OpenRepository, branch: str) -> Checkout:
    """Where the branch is checked out: here, or nowhere. Refused where another work tree has it."""
    if refs.head_branch(opened.git) == branch:
        return Checkout(opened.git, opened.found.work_tree, opened.objects, opened.state.filters)
    listing = opened.git.run("worktree", "list", "--porcelain", "-z").split(b"\0")
    if f"branch refs/heads/{branch}".encode() in listing:
        raise Refused(
            f"The branch {branch} is checked out in another work tree.", "Run the same command there."
        )
    return Checkout(opened.git, None, opened.objects)
