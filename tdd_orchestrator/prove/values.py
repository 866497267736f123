"""The values of a proof: what is compared, what each test did, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from tdd_orchestrator.cycle.counterfactual.answers import Asked
from tdd_orchestrator.model.report import Counts, Report


class ChangeClass(StrEnum):
    """What a change is, which decides what must be shown of it."""

    BEHAVIOR = "behavior"  # code and tests: the tests fail on BASE and pass at HEAD
    REFACTORING = "refactoring"  # code alone, the same by its source or by a claim: the same outcomes
    RENAME = "rename"  # names alone, everywhere they stand: the same outcomes under the new names
    DOCUMENTATION = "documentation"  # no code at all, or comments and docstrings only
    DEPENDENCIES = "dependencies"  # manifests, lock files and configuration: the same outcomes
    TESTS = "tests"  # tests alone: they pass, and none is weakened or removed
    DEAD_CODE = "dead_code"  # code and its tests removed: the tests fail without the code
    REVERT = "revert"  # an older commit taken back exactly: a person accepts that its tests go


class ChangeVerdict(StrEnum):
    """The result of one change. Everything but PROVEN is a refusal; REMOVED_TEST asks a person."""

    PROVEN = "proven"
    NO_TEST = "no_test"
    PASSES_ON_BASE = "passes_on_base"
    NEVER_RAN = "never_ran"
    FAILS_ON_BASE = "fails_on_base"
    WEAKENED_TEST = "weakened_test"
    REMOVED_TEST = "removed_test"
    INVALID_TEST = "invalid_test"
    VACUOUS_TEST = "vacuous_test"
    STILL_FAILING = "still_failing"
    BREAKS_EXISTING = "breaks_existing"
    TEST_VANISHED = "test_vanished"
    BUILD_ERROR = "build_error"
    UNCOVERED = "uncovered"
    FLAKY = "flaky"
    TAMPERED = "tampered"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    UNREADABLE = "unreadable"


MEANING: dict[ChangeVerdict, str] = {
    ChangeVerdict.PROVEN: "proven",
    ChangeVerdict.NO_TEST: "no test for this change",
    ChangeVerdict.PASSES_ON_BASE: "the new tests pass on the base",
    ChangeVerdict.NEVER_RAN: "a new test never ran",
    ChangeVerdict.FAILS_ON_BASE: "the base fails anyway",
    ChangeVerdict.WEAKENED_TEST: "a test was weakened",
    ChangeVerdict.REMOVED_TEST: "a test was removed",
    ChangeVerdict.INVALID_TEST: "a new test fails on the base for a reason of its own",
    ChangeVerdict.VACUOUS_TEST: "a new test cannot fail",
    ChangeVerdict.STILL_FAILING: "a new test fails at HEAD",
    ChangeVerdict.BREAKS_EXISTING: "a test that passed fails now",
    ChangeVerdict.TEST_VANISHED: "a test that passed does not run any more",
    ChangeVerdict.BUILD_ERROR: "HEAD does not build",
    ChangeVerdict.UNCOVERED: "no test executes some of the changed lines",
    ChangeVerdict.FLAKY: "a test fails only sometimes",
    ChangeVerdict.TAMPERED: "the code keeps its tests from failing",
    ChangeVerdict.CRASHED: "the test run crashed",
    ChangeVerdict.TIMED_OUT: "the test run took too long",
    ChangeVerdict.UNREADABLE: "the test run cannot be read",
}
"""Each verdict as a phrase for the screen."""

ADVICE: dict[ChangeVerdict, str] = {
    ChangeVerdict.NO_TEST: "Add a test that fails without the change.",
    ChangeVerdict.PASSES_ON_BASE: "Change a test so that it fails without the change, or add one that does.",
    ChangeVerdict.NEVER_RAN: "Put the test where the runner finds it, and do not skip it.",
    ChangeVerdict.FAILS_ON_BASE: "Fix the base branch first, or name the code to put back: `--revert PATHS`.",
    ChangeVerdict.WEAKENED_TEST: "Let the test ask for as much as before, or say in the review why it may not.",
    ChangeVerdict.REMOVED_TEST: "A person must accept this: `--allow-removed`.",
    ChangeVerdict.INVALID_TEST: "Fix the test: without the change it must fail at what it asks for.",
    ChangeVerdict.VACUOUS_TEST: "Let the test compare what the new code returns or does.",
    ChangeVerdict.STILL_FAILING: "Make the new tests pass.",
    ChangeVerdict.BREAKS_EXISTING: "Make what passed before pass again.",
    ChangeVerdict.TEST_VANISHED: "Bring the test back, or remove it in the source, where it can be seen.",
    ChangeVerdict.UNCOVERED: "Add a test that executes these lines, or take them out.",
    ChangeVerdict.FLAKY: "Make the test's result the same each time.",
    ChangeVerdict.TAMPERED: "Take out what keeps the tests from failing.",
}
"""What to do about a refusal, where that can be told from the verdict alone."""


@dataclass(frozen=True, slots=True)
class ChangeRange:
    """One change to prove: two commits with their trees. ``claim`` is the class of its trailer, if any;
    ``undoes``: the older commit that it takes back exactly."""

    name: str  # as shown: a short commit id, a range, "staged"
    subject: str
    base: str
    base_tree: str
    head: str
    head_tree: str
    claim: str = ""
    undoes: str = ""


@dataclass(frozen=True, slots=True)
class TestRow:
    """One new, changed or removed test. ``on_base``: its result with BASE's code; ``at_head``: at HEAD."""

    __test__ = False
    test: str
    how: str  # added | changed | removed
    verdict: str  # proven, or the ChangeVerdict that this test alone would give
    on_base: str = ""
    at_head: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """The verdict of one change, with everything that it rests on."""

    change: ChangeRange
    kind: ChangeClass
    verdict: ChangeVerdict
    reasons: tuple[str, ...] = ()
    tests: tuple[TestRow, ...] = ()
    warnings: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()  # "path:lines" that no test executes
    asked: Asked | None = None
    run: Report | None = None  # the whole run of HEAD
    seconds: float = 0.0  # that its examination took, beside the whole runs

    @property
    def proven(self) -> bool:
        return self.verdict is ChangeVerdict.PROVEN

    @property
    def counts(self) -> Counts | None:
        return self.run.counts if self.run else None


@dataclass(frozen=True, slots=True)
class ProveOptions:
    """What the command line decides. ``revert``: patterns of paths to put back instead of BASE's whole
    code."""

    revert: tuple[str, ...] = ()
    allow_removed: bool = False
    questions: bool = True


@dataclass(slots=True)
class ProveReport:
    """The answer to one ``tdd prove``. ``trees``: how many were run whole; ``seconds`` in test commands."""

    results: list[ChangeResult] = field(default_factory=list)
    trees: int = 0
    seconds: float = 0.0

    @property
    def proven(self) -> bool:
        return all(result.proven for result in self.results)
