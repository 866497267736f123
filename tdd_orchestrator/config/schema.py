"""Every key of the configuration, with its default and its bounds."""

from __future__ import annotations

import difflib
import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tdd_orchestrator.model.diagnosis import SPECIALISTS, ErrorType
from tdd_orchestrator.model.policy import RetryPolicy

_YEAR = 31_536_000
Seconds = Annotated[float, Field(ge=0, le=_YEAR, allow_inf_nan=False)]
"""A wait, or a limit (0 = none)."""
Limit = Annotated[float, Field(gt=0, le=_YEAR, allow_inf_nan=False)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SuiteConfig(Section):
    name: str
    command: str | list[str]
    cwd: str = "."
    framework: str = "auto"
    timeout: Limit = 600
    files: list[str] = []


class TestConfig(Section):
    __test__ = False
    command: str | list[str] = ""
    shell: bool = False
    timeout: Limit = 600
    framework: str = "auto"
    files: list[str] = []
    protect: list[str] = []
    known_failing: list[str] = []
    flaky_reruns: int = Field(2, ge=0, le=20)
    quarantine_days: int = Field(14, ge=0, le=36_500)
    pass_env: list[str] = []
    suite: list[SuiteConfig] = []


class AgentConfig(Section):
    preset: str = ""
    command: str | list[str] = []
    model: str = ""
    timeout: Limit = 900
    idle_timeout: Seconds = 0
    pass_env: list[str] = []
    fallback: str = ""
    recording: str = ""
    providers: list[str] = []
    inherit: bool = True


class AgentsConfig(BaseModel):
    """Role -> agent name, and agent name -> its table; ``default`` serves all other roles."""

    model_config = ConfigDict(frozen=True)
    default: str = ""
    roles: dict[str, str] = {}
    named: dict[str, AgentConfig] = {}

    @model_validator(mode="before")
    @classmethod
    def _split(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "roles" in data or "named" in data:
            return data
        roles = {key: value for key, value in data.items() if isinstance(value, str) and key != "default"}
        named = {key: value for key, value in data.items() if isinstance(value, dict)}
        for key, value in data.items():
            if not isinstance(value, str | dict):
                raise ValueError(f"{key}: a name of an agent or a table is needed")
        unknown = set(roles) - set(ROLES)
        if unknown:
            raise ValueError(unknown_key(sorted(unknown)[0], [*ROLES, "default"]))
        return {"default": data.get("default", ""), "roles": roles, "named": named}

    def for_role(self, role: str) -> str:
        return self.roles.get(role) or self.default


ROLES = ("test_list", "red", "green", "refactor", "analyze", *SPECIALISTS)


_RETRY = RetryPolicy()


class RetryConfig(Section):
    max_retries: int = Field(_RETRY.max_retries, ge=0, le=50)
    delays: list[Seconds] = list(_RETRY.delays)
    fix_delays: list[Seconds] = list(_RETRY.fix_delays)
    transient_retries: int = Field(_RETRY.transient_retries, ge=0, le=100)
    transient_delay: Seconds = _RETRY.transient_delay
    limit_wait: Seconds = _RETRY.limit_wait

    def policy(self) -> RetryPolicy:
        """Return the settings as the value that recovery reads."""
        lists = {"delays": tuple(self.delays), "fix_delays": tuple(self.fix_delays)}
        return RetryPolicy(**{**self.model_dump(), **lists})


class ServiceConfig(Section):
    """A program that tests need beside them. ``ready`` exits with 0 once it can be used; all may hold {port},
    {name} and {folder}."""

    command: str | list[str]
    ready: str | list[str] = []
    env: dict[str, str] = {}


class WorkspaceConfig(Section):
    mode: Literal["isolated", "inplace"] = "isolated"
    link: list[str] = []
    setup: str = ""
    sandbox: Literal["auto", "bubblewrap", "none"] = "auto"
    network: bool = True
    test_network: bool = False
    port: bool = False
    python_path: list[str] = []
    services: dict[str, ServiceConfig] = {}


class ProofConfig(Section):
    """How a phase is proven. ``questions``: the counterfactual questions that are asked about GREEN's
    targets, about those of a REFACTOR (poison and shift) and about the tests that a fix made pass (poison);
    ``require``: those that must have an answer; ``repeat``: how often RED's and GREEN's targets are run in
    all; ``removed_tests``: what becomes of a RED that removes tests; ``covered``: what becomes of changed
    lines that no test executes (one more run, unless "off")."""

    questions: list[Literal["poison", "shift", "stub"]] = ["poison", "shift", "stub"]
    require: list[Literal["poison", "shift", "stub"]] = []

    repeat: int = Field(1, ge=1, le=20)
    mutation: bool = False
    withhold: bool = False
    refactor_tests: bool = False
    removed_tests: Literal["ask", "refuse", "allow"] = "ask"
    covered: Literal["off", "warn", "require"] = "off"


class PlanConfig(Section):
    """``covered``: whether a person is asked before an item that seems covered is closed."""

    covered: Literal["ask", "close"] = "ask"


class ApprovalConfig(Section):
    after_failures: int = Field(0, ge=0)
    before_landing: bool = False


ADDRESS = re.compile(r"(?:(?:tcp|tls|wss?)://)?(?:\[[\w:.%]+\]|[^\s/:@\[\]]+):\d{1,5}")
"""Of a scheduler; Dask takes one without a protocol for tcp."""


class FleetConfig(Section):
    """How many items are worked on at the same time, and where."""

    jobs: int = Field(1, ge=1, le=64)
    scheduler: str = ""  # "" = this machine; "tcp://host:port" = Dask
    needs: list[str] = []  # names that a worker must have been given: tdd worker --has NAME
    remote: str = ""  # through which other clones take items of the same plan; "" = there are none

    @field_validator("scheduler")
    @classmethod
    def _addressed(cls, scheduler: str) -> str:
        if scheduler and not ADDRESS.fullmatch(scheduler):
            raise ValueError(f"{scheduler!r} is no address of a scheduler: tcp://HOST:PORT is needed")
        return scheduler


class RaceConfig(Section):
    """Agents that try a phase at the same time; the first that is proven wins, or the best."""

    red: list[str] = []
    green: list[str] = []
    refactor: list[str] = []
    best: bool = False  # all come to their end, and the smallest proven change wins


class BudgetConfig(Section):
    minutes: Amount = 0
    attempts: int = Field(0, ge=0)
    tokens: int = Field(0, ge=0)
    cost: Amount = 0
    run_minutes: Amount = 0
    run_attempts: int = Field(0, ge=0)
    run_tokens: int = Field(0, ge=0)
    run_cost: Amount = 0


class BreakerConfig(Section):
    window: int = Field(15, ge=1)
    limit: int = Field(8, ge=1)
    same_failure: int = Field(3, ge=1)
    cooldown: float = Field(30, ge=0)


class PriceConfig(Section):
    """US dollars for a million tokens."""

    input: Amount = 0
    cached: Amount = 0
    cache_creation: Amount = 0
    output: Amount = 0


class GitHubConfig(Section):
    repository: str = ""
    api: str = "https://api.github.com"
    token_env: str = "GITHUB_TOKEN"


_REF = re.compile(
    r"refs/notes/tdd(?!-plan(?:/|$))(?!.*(?:\.\.|//|\.lock(?:/|$)|/\.|\./))(?:[\w./-]*[\w-])?", re.ASCII
)
"""A valid name for a git ref; ``tdd-plan`` is reserved for the plan."""


class NotesConfig(Section):
    ref: str = "refs/notes/tdd"
    sign: bool = False

    @field_validator("ref")
    @classmethod
    def _named(cls, ref: str) -> str:
        if not _REF.fullmatch(ref):
            raise ValueError(f"{ref!r} cannot be used: refs/notes/tdd or refs/notes/tdd-NAME is needed")
        return ref


class NotifyConfig(Section):
    """``command`` gets the error report as JSON on standard input; ``webhook`` gets it as a POST."""

    command: str | list[str] = []
    webhook: str = ""

    @property
    def wanted(self) -> bool:
        return bool(self.command or self.webhook)


class Config(Section):
    test: TestConfig = TestConfig()
    agents: AgentsConfig = AgentsConfig()
    retry: RetryConfig = RetryConfig()
    workspace: WorkspaceConfig = WorkspaceConfig()
    proof: ProofConfig = ProofConfig()
    plan: PlanConfig = PlanConfig()
    approval: ApprovalConfig = ApprovalConfig()
    fleet: FleetConfig = FleetConfig()
    race: RaceConfig = RaceConfig()
    budget: BudgetConfig = BudgetConfig()
    breaker: BreakerConfig = BreakerConfig()
    prices: dict[str, PriceConfig] = {}
    cleanup: dict[ErrorType, Literal["now", "on_fix", "keep"]] = {}
    github: GitHubConfig = GitHubConfig()
    notes: NotesConfig = NotesConfig()
    notify: NotifyConfig = NotifyConfig()
    rules: list[dict[str, Any]] = []


def unknown_key(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, 1, 0.5)
    return f"unknown key '{key}'" + (f", did you mean '{near[0]}'?" if near else ".")
