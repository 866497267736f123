"""The parts of records: agent, tests, files, move."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from tdd_orchestrator.model.plan import Mutant

SHAPE = ConfigDict(extra="ignore", frozen=True, defer_build=True)
"""For every model in a note: fields of later versions are ignored; built on first use."""


class Value(BaseModel):
    model_config = SHAPE


_OF_THE_PROVIDER = frozenset({"wait", "pause", "other_agent"})


class AgentInfo(Value):
    name: str = ""
    role: str = ""
    model: str = ""
    session: str = ""
    status: str = ""
    version: str = ""
    seconds: float = 0.0
    tokens: int = 0
    input_tokens: int = 0  # neither read from a cache nor written to one
    cached_tokens: int = 0  # read from a cache
    cache_creation_tokens: int = 0  # written to a cache
    output_tokens: int = 0
    turns: int = 0  # requests to the model
    cost: float | None = None  # US dollars; None = not known
    cost_from: str = ""  # client | prices: who says the cost
    exit_code: int | None = None
    failure_reason: str = ""
    fault: str = ""  # of its provider or of itself
    last_words: str = ""  # the end of its final answer, 500 characters at most
    # what its last words are, where it brought no work: refusal, question, already_there, missing_package
    said: str = ""
    incident: str = ""
    signalled: bool = False  # the completion signal that it was given was in its output (A8)
    transcript: str = ""  # path below the user's state folder, on the machine that ran it


class CountsInfo(Value):
    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    xfailed: int = 0
    xpassed: int = 0


class TestEvidence(Value):
    """One test run. ``evidence``: id of a blob with every case; ``key``: tree + command."""

    __test__ = False
    command: list[str] = []
    framework: str = ""
    tree: str = ""
    key: str = ""
    exit_code: int | None = None
    run_verdict: str = ""
    counts: CountsInfo | None = None
    target_tests: list[str] = []
    failing_tests: list[str] = []
    flaky_tests: list[str] = []
    quarantined_until: dict[str, str] = {}
    disagreements: list[str] = []
    control: bool | None = None
    seconds: float = 0.0
    evidence: str = ""
    evidence_sha256: str = ""


class QuestionInfo(Value):
    """One counterfactual question (E7): how many targets were asked, failed as required, or were not
    asked."""

    asked: int = 0
    failed: int = 0
    not_asked: dict[str, str] = {}


class MutantInfo(Value):
    """A small fault in the project's code, see ``Mutant``."""

    path: str
    line: int
    count: int
    old: str
    new: str

    @property
    def mutant(self) -> Mutant:
        """The fault itself."""
        return Mutant(self.path, self.line, self.count, self.old, self.new)


class QuestionsInfo(Value):
    """The answers about one GREEN. ``functions``: those that were replaced by stubs; ``seconds`` of the
    runs."""

    poison: QuestionInfo | None = None
    shift: QuestionInfo | None = None
    stub: QuestionInfo | None = None
    functions: list[str] = []
    seconds: float = 0.0


class FixResult(Value):
    """The result of ``tdd fix`` for one failing test."""

    test: str = ""
    status: str = ""
    retry_count: int = 0
    agents: list[str] = []
    errors: list[str] = []
    error_type: str = ""
    routing_type: str = ""
    message: str = ""
    file: str = ""
    line: int = 0
    fingerprint: str = ""
    reused: bool = False


class ErrorDetails(Value):
    type: str
    message: str


class MoveInfo(Value):
    """Recovery's choice after a rejected attempt; the next start continues from here."""

    kind: str = ""
    counts: bool = True  # uses up one of the phase's retries
    delay: float = 0.0  # seconds
    role: str = ""
    agent: str = ""  # another agent than the role's own
    on_candidate: bool = False  # go on from what was refused, not from the phase's start
    longer: float = 1.0  # factor on the agent's time limit
    until: str = ""  # when the provider's limit ends, as it said: nothing is started on this agent before
    shorter: bool = False  # the prompt is cut: it was larger than the model's context
    feedback: str = ""
    note: str = ""  # an instruction for the next attempt, in its prompt
    why: str = ""

    @property
    def provider_away(self) -> bool:
        """Whether the agent's provider was unavailable: nothing was attempted, nothing is counted."""
        return not self.counts and self.kind in _OF_THE_PROVIDER


class FilesChanged(Value):
    added: list[str] = []
    modified: list[str] = []
    deleted: list[str] = []
