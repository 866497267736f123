"""What a coordinator and a worker hand each other: plain values, and git objects as thin packs.

No value holds a secret: a worker reads keys from its own environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tdd_orchestrator.agents.agent import Reply, Request
from tdd_orchestrator.agents.table import AgentSettings
from tdd_orchestrator.agents.usage import Price
from tdd_orchestrator.cycle.places import Selection
from tdd_orchestrator.model.coverage import Coverage
from tdd_orchestrator.runners.run import Ran
from tdd_orchestrator.workspace.services import Service

SANDBOX = "sandbox"  # the Dask resource of a worker on which bubblewrap works


@dataclass(frozen=True, slots=True)
class Sources:
    """A commit of a repository; ``pack`` is empty as long as no worker asked for it, then for those that have
    all the ``bases``."""

    repository: str  # names the worker's clone
    commit: str
    pack: bytes = b""
    bases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """What a worker needs to know of the project's configuration."""

    setup: tuple[str, ...] = ()  # run once per tree
    python_path: tuple[str, ...] = ()
    services: tuple[Service, ...] = ()
    sandbox: str = "auto"
    network: bool = True  # for agents
    test_network: bool = True
    agent_env: tuple[str, ...] = ()  # names of variables that agents get of the worker's environment
    test_env: tuple[str, ...] = ()  # and tests
    prices: Mapping[str, Price] = field(default_factory=dict)
    needs: tuple[str, ...] = ()  # what a worker must have for any task of the project, as Dask resources


@dataclass(frozen=True, slots=True)
class AgentTask:
    """``id`` is this attempt's, at this try: a result with another one is not taken."""

    id: str
    sources: Sources
    settings: Settings
    agent: AgentSettings
    request: Request  # its tree and folder are the coordinator's


@dataclass(frozen=True, slots=True)
class AgentResult:
    """``files`` is the git tree that the agent left, in ``pack``; ``outputs`` its reports by name, ``left``
    what was not taken, with the reason."""

    id: str
    reply: Reply
    files: str
    pack: bytes
    outputs: Mapping[str, bytes]
    worker: str  # who can continue the reply's session
    left: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TestTask:
    __test__ = False

    id: str
    sources: Sources
    settings: Settings
    chosen: Selection
    texts: Mapping[str, str]
    watched: tuple[str, ...]
    port: bool = False  # whether the tests want one of their own
    limit: float = 0.0  # seconds of a run that measures which lines are executed; 0: a plain run


@dataclass(frozen=True, slots=True)
class TestResult:
    """``root``: the folder that the worker's tree stood in, as outputs name it."""

    __test__ = False

    id: str
    rans: tuple[Ran, ...]
    root: str
    coverage: Coverage = field(default_factory=Coverage)
    seconds: float = 0.0  # of the measured run


@dataclass(frozen=True, slots=True)
class Missing:
    """The worker has not got the commit; ``known`` are some that it has."""

    id: str
    worker: str
    known: tuple[str, ...]


Task = AgentTask | TestTask
