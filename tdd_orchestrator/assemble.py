"""Configuration in, workshop out: the one place where rooms are wired together."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.agents import sandbox
from tdd_orchestrator.agents.agent import Agent
from tdd_orchestrator.agents.command import Wrap
from tdd_orchestrator.agents.presets import Preset
from tdd_orchestrator.agents.table import AgentSettings, Surroundings, make_agent
from tdd_orchestrator.audit.signing import signer
from tdd_orchestrator.config.load import Loaded, load, words
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.cycle.book import Book
from tdd_orchestrator.cycle.prove import Prover
from tdd_orchestrator.cycle.stronger import fit
from tdd_orchestrator.cycle.workshop import Clock, Desk, Settings, WallClock, Watcher, Workshop
from tdd_orchestrator.model.errors import BadConfig, Refused
from tdd_orchestrator.model.policy import BreakerPolicy, Budget, RetryPolicy
from tdd_orchestrator.notes.plan_ref import PlanRef
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.prompting.brief import Brief
from tdd_orchestrator.prompting.compose import compose, kinds_of
from tdd_orchestrator.prompting.secrets import redactor
from tdd_orchestrator.prompting.skills import choose, load_skills
from tdd_orchestrator.prompting.templates import find_role
from tdd_orchestrator.repo.discovery import Found, RepoState, discover, state
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.refs import RunLock
from tdd_orchestrator.runners.detect import detect
from tdd_orchestrator.runners.framework import Framework
from tdd_orchestrator.runners.run import Suite
from tdd_orchestrator.runners.table import by_name
from tdd_orchestrator.workspace.guard import Rules
from tdd_orchestrator.workspace.landing import Checkout
from tdd_orchestrator.workspace.places import Places, places_for, state_home
from tdd_orchestrator.workspace.ports import slot
from tdd_orchestrator.workspace.project import declared_dependencies, project_names
from tdd_orchestrator.workspace.shared import Shared
from tdd_orchestrator.workspace.tree import InPlaceTree, Tree

if TYPE_CHECKING:
    from tdd_orchestrator.diagnosis.rules import Rule


class Opened:
    """One repository, opened for one command: git, objects, notes, plan, configuration. Close it."""

    def __init__(self, start: Path) -> None:
        self.found: Found = discover(start)
        self.git: Git = self.found.git()
        self.objects = Objects(self.git)
        self._stack = ExitStack()
        self._lock: RunLock | None = None
        self._stack.callback(self.git.close)
        self._stack.callback(self.objects.close)

    def __enter__(self) -> Opened:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @cached_property
    def loaded(self) -> Loaded:
        from platformdirs import user_config_path

        return load(self.found.work_tree, user_file=user_config_path("tdd") / "config.toml")

    @property
    def config(self) -> Config:
        return self.loaded.config

    @cached_property
    def state(self) -> RepoState:
        return state(self.git)

    @cached_property
    def store(self) -> Store:
        sign = signer(self.git) if self.config.notes.sign else None
        return Store(self.git, self.objects, self.config.notes.ref, sign=sign)

    @cached_property
    def book(self) -> Book:
        return Book(PlanRef(self.git, self.objects), _Records(self.store))

    @cached_property
    def places(self) -> Places:
        return places_for(self.found.common_dir, self.found.work_tree.name)

    def port(self) -> int:
        """A port of our own, held until this repository is closed."""
        return self._stack.enter_context(slot(state_home() / "ports"))

    def lock(self) -> RunLock:
        """The run lock, held until this repository is closed; what a dead owner left is swept."""
        if self._lock is not None:
            return self._lock
        from tdd_orchestrator import process

        lock = self._stack.enter_context(RunLock(self.git))
        if lock.taken_over is not None:
            process.sweep(lock.taken_over.cookie)
        lock.sweep_locks()
        self._lock = lock
        return lock


@dataclass(frozen=True, slots=True)
class _Records:
    store: Store

    def trail(self) -> Iterator[Mapping[str, Any]]:
        return (entry.record for entry in self.store.trail(newest_first=False))


def workshop(
    opened: Opened,
    *,
    watch: Watcher,
    desk: Desk,
    tell: Callable[[str], None],
    wait: Callable[[], None] | None = None,
    clock: Clock | None = None,
    command: tuple[str, ...] = (),
    everyone: str = "",
) -> Workshop:
    """Everything a cycle needs, under the run lock. ``everyone``: one agent plays every role. Refused where the repository is not fit for one."""
    fit_to_work(opened)
    lock = opened.lock()
    opened.store.recover()
    config, root = opened.config, opened.found.work_tree
    suites = suites_of(config, root, command)
    fit(config.proof.mutation, config.proof.hidden, suites[0].framework.language)
    shared = shared_of(config, root, suites)
    objects_dir = opened.found.common_dir / "objects"
    proof, agent_tree = _trees(opened, shared, objects_dir)
    redact = redactor(os.environ)
    places, port = opened.places, opened.port()
    prover = Prover(
        suites=suites,
        tree=proof,
        shared=shared,
        work=places.root / "logs",
        environ={**os.environ, "TDD_PORT": str(port)},
        blobs=opened.store,
        read_blob=lambda oid: opened.objects.read(oid)[1],
        pass_env=tuple(config.test.pass_env),
        wrap=_proof_wrap(config, opened, proof),
        control=config.proof.control,
        reruns=config.test.flaky_reruns,
        cookie=lock.cookie,
        say=watch.note,
    )
    return Workshop(
        git=opened.git,
        objects=opened.objects,
        store=opened.store,
        book=opened.book,
        places=places,
        agent_tree=agent_tree,
        prover=prover,
        shared=shared,
        rules=rules_of(config, suites),
        cast=Company(config, root, tell, wait, _agent_wrap(config, opened), redact, everyone),
        compose=_composer(root, redact),
        redact=redact,
        checkout=lambda branch: checkout_of(opened, branch),
        desk=desk,
        identity=opened.state.identity_line,
        settings=settings_of(config),
        watch=watch,
        clock=clock or WallClock(),
        cookie=lock.cookie,
        port=port,
        language=suites[0].framework.language,
        known_names=project_names(root, suites[0].framework.language),
        declared=declared_dependencies(root),
    )


def fit_to_work(opened: Opened) -> None:
    """The states of a repository in which nothing is begun, each with its sentence (T47)."""
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
    if state.detached:
        raise Refused("HEAD is detached: a cycle lands on a branch.", "Check one out: git switch BRANCH.")
    if not state.identity:
        raise Refused(
            "Git does not know who you are, and the commits need an author.",
            'Set git config user.name "Your Name" and git config user.email you@example.org.',
        )
    begun = (opened.places.root / "inplace.users").exists()  # a cycle of ours is under way in these files
    if opened.config.workspace.mode == "inplace" and not begun and (state.dirty or state.untracked):
        raise Refused(
            "Mode 'inplace' works in your own files and needs a clean tree.",
            "Commit or move your changes aside, or set workspace.mode = 'isolated'.",
        )


def suites_of(config: Config, root: Path, instead: tuple[str, ...] = ()) -> tuple[Suite, ...]:
    """What is run, from the configuration or found in the repository. Refused where there is no test command."""
    test = config.test
    if instead:
        return (
            Suite("tests", instead, _framework("auto", root, instead), "", test.timeout, tuple(test.files)),
        )
    if test.suite:
        return tuple(
            Suite(one.name, words(one.command), _framework(one.framework, root / one.cwd, words(one.command)),
                  "" if one.cwd == "." else one.cwd.rstrip("/"), one.timeout, tuple(one.files))
            for one in test.suite
        )  # fmt: skip
    command = words(test.command, shell=test.shell) if test.command else ()
    framework = _framework(test.framework, root, command)
    command = command or framework.command
    if not command:
        raise Refused(
            "No test command is known for this repository.",
            "Run `tdd init`, or set test.command in tdd.toml.",
        )
    return (Suite("tests", tuple(command), framework, "", test.timeout, tuple(test.files)),)


def _framework(name: str, root: Path, command: tuple[str, ...]) -> Framework:
    import shlex

    if name not in ("", "auto"):
        return by_name(name)
    return detect(root, shlex.join(command)).framework


def rules_of(config: Config, suites: tuple[Suite, ...]) -> Rules:
    """The guard's rules, of all suites together."""
    rows = [suite.framework for suite in suites]
    named = {
        word.removeprefix("./") for suite in suites for word in suite.command if "/" in word or "." in word
    }
    return Rules(
        test_files=(
            *(p for row in rows for p in row.test_files),
            *(g for s in suites for g in s.test_globs),
            *config.test.files,
        ),
        support_files=tuple(p for row in rows for p in row.support_files),
        config_files=tuple(p for row in rows for p in row.config_files),
        config_keys={name: keys for row in rows for name, keys in row.config_keys},
        runner_modules=tuple(name for row in rows for name in row.runner_modules),
        protect=tuple(config.test.protect),
        command_paths=tuple(sorted(named)),
        refactor_tests=config.proof.refactor_tests,
    )


def shared_of(config: Config, root: Path, suites: tuple[Suite, ...]) -> Shared:
    setup = words(config.workspace.setup, shell=True) if config.workspace.setup else ()
    return Shared(
        root,
        tuple(name.strip("/") for name in config.workspace.link),
        setup,
        extra_python=tuple(config.workspace.python_path),
        environments=_environments(suites),
    )


def _environments(suites: tuple[Suite, ...]) -> tuple[Path, ...]:
    """Python environments outside the checkout that the command would use: the active one, or its program's."""
    found = []
    if os.environ.get("VIRTUAL_ENV"):
        found.append(Path(os.environ["VIRTUAL_ENV"]))
    for suite in suites:
        program = shutil.which(suite.command[0])
        if suite.framework.language == "python" and program:
            found.append(Path(program).parent.parent)
    return tuple(dict.fromkeys(found))


def settings_of(config: Config) -> Settings:
    extra: tuple[Rule, ...] = ()
    if config.rules:
        from tdd_orchestrator.diagnosis.user_rules import user_rules

        extra = user_rules(config.rules)
    retry = config.retry
    return Settings(
        retry=RetryPolicy(
            retry.max_retries,
            tuple(retry.delays),
            tuple(retry.fix_delays),
            retry.transient_retries,
            retry.transient_delay,
        ),
        breaker=BreakerPolicy(**config.breaker.model_dump()),
        budget=Budget(**config.budget.model_dump()),
        known_failing=frozenset(config.test.known_failing),
        quarantine_days=config.test.quarantine_days,
        repeat=config.proof.repeat,
        hidden=config.proof.hidden,
        mutation=config.proof.mutation,
        ask_after_failures=config.approval.after_failures,
        ask_before_landing=config.approval.before_landing,
        inplace=config.workspace.mode == "inplace",
        sandbox=config.workspace.sandbox,
        specialists=frozenset({"build-doctor", "database", "debugger", "code-review"}),
        extra_rules=extra,
        agent_timeout={
            name: (agent.timeout, agent.idle_timeout) for name, agent in config.agents.named.items()
        },
    )


@dataclass(frozen=True, slots=True)
class Company:
    """Which agent plays which role, made when it is first needed."""

    config: Config
    root: Path
    tell: Callable[[str], None]
    wait: Callable[[], None] | None
    wrap: Callable[[Preset], Wrap | None] | None
    redact: Callable[[str], str]
    everyone: str = ""

    def agent(self, role: str, name: str = "") -> Agent:
        chosen = self.everyone or name or self.config.agents.for_role(role)
        if not chosen:
            raise BadConfig(
                f"No agent is set for the role '{role}'.",
                "Set agents.default in tdd.toml; `tdd agents` shows which are installed, and 'human' always works.",
            )
        return make_agent(chosen, self._settings(chosen), self._around())

    def fallback(self, name: str) -> str:
        return self._settings(name).fallback

    def can(self, role: str) -> bool:
        """Whether an agent other than a person or a recording plays this role."""
        if self.everyone:
            return False
        chosen = self.config.agents.for_role(role)
        kind = self._settings(chosen).preset or chosen
        return bool(chosen) and (kind not in ("human", "replay") or role in self.config.agents.roles)

    def _settings(self, name: str) -> AgentSettings:
        table = self.config.agents.named.get(name)
        if table is None:
            return AgentSettings(name)
        return AgentSettings(
            name, table.preset, words(table.command), table.model, table.timeout, table.idle_timeout,
            tuple(table.pass_env), table.fallback, table.recording,
        )  # fmt: skip

    def _around(self) -> Surroundings:
        return Surroundings(self.tell, self.wait, self.wrap, self.redact, self.root)


def _composer(root: Path, redact: Callable[[str], str]) -> Callable[[str, Brief], str]:
    def composed(role: str, brief: Brief) -> str:
        card = find_role(role, root)
        skills, _ = load_skills(root, Path.home() if os.environ.get("HOME") else None)
        return compose(card, brief, choose(skills, card, kinds_of(brief)), redact=redact)

    return composed


def checkout_of(opened: Opened, branch: str) -> Checkout:
    """Where the branch is checked out: here, or nowhere. Refused where another work tree has it."""
    if opened.git.line("rev-parse", "--symbolic-full-name", "HEAD") == f"refs/heads/{branch}":
        return Checkout(opened.git, opened.found.work_tree)
    listing = opened.git.run("worktree", "list", "--porcelain", "-z").split(b"\0")
    if f"branch refs/heads/{branch}".encode() in listing:
        raise Refused(
            f"The branch {branch} is checked out in another work tree.", "Run the same command there."
        )
    return Checkout(opened.git, None)


def _trees(opened: Opened, shared: Shared, objects_dir: Path) -> tuple[Tree, Tree]:
    """(where proof is run, where agents work)."""
    if opened.config.workspace.mode == "inplace":
        tree = InPlaceTree(opened.found.work_tree, objects_dir, opened.places.root / "inplace.git")
        return tree, tree
    keep = shared.keep()
    return Tree(opened.places.proof, objects_dir, keep), Tree(opened.places.agent, objects_dir, keep)


def _agent_wrap(config: Config, opened: Opened) -> Callable[[Preset], Wrap | None] | None:
    kind = sandbox.choose(config.workspace.sandbox)
    if kind == "none":
        return None
    seen = _seen(config, opened)
    return lambda preset: sandbox.agent_wrap(
        preset, kind=kind, network=config.workspace.network, readable=seen
    )


def _proof_wrap(config: Config, opened: Opened, tree: Tree) -> Callable[[list[str]], list[str]] | None:
    kind = sandbox.choose(config.workspace.sandbox)
    if kind == "none":
        return None
    seen, logs, network = _seen(config, opened), opened.places.root / "logs", config.workspace.test_network
    return lambda argv: sandbox.wrap_proof(
        argv, tree.path, kind=kind, network=network, writable=(logs,), readable=seen
    )


def _seen(config: Config, opened: Opened) -> tuple[Path, ...]:
    """What a sandbox must show although it may lie in a temporary folder: objects, links, programs named."""
    root = opened.found.work_tree
    named = [words(agent.command) for agent in config.agents.named.values()]
    programs = [Path(word) for argv in named for word in argv if os.path.isabs(word) and Path(word).exists()]
    links = [root / name for name in config.workspace.link]
    return (opened.found.common_dir / "objects", *links, *programs)
