"""What a prompt is made from: plain values, all optional but the phase."""

from __future__ import annotations

from dataclasses import dataclass

from tdd_orchestrator.model.diagnosis import Diagnosis
from tdd_orchestrator.model.phase import Verdict


@dataclass(frozen=True, slots=True)
class Try:
    """One earlier attempt of this phase: what the gate said, its rejected diff (unified, any length), and the
    last words of its agent."""

    attempt: int
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    diff: str = ""
    last_words: str = ""


@dataclass(frozen=True, slots=True)
class FixRequest:
    """What a specialist is given (A8). ``console`` is cut to its last 50 entries."""

    test_id: str = ""
    test_name: str = ""
    failed_step: str = ""
    error_type: str = ""
    message: str = ""
    stack: str = ""
    screenshot: str = ""  # path
    console: tuple[str, ...] = ()
    network: tuple[str, ...] = ()  # one line per request/response
    file: str = ""
    line: int = 0
    sql: str = ""
    table: str = ""  # or policy
    task: str = "Fix this error so the test can pass"
    signal: str = "Fix applied successfully"  # looked for in the output


@dataclass(frozen=True, slots=True)
class Brief:
    """One piece of work, as the cycle knows it. Texts may be of any length: composing cuts them to a
    budget."""

    phase: str  # test_list, red, green, refactor, analyze, fix
    item_id: str = ""
    title: str = ""
    description: str = ""
    item_type: str = "behaviour"
    attempt: int = 1
    max_attempts: int = 4
    # the project
    test_command: str = ""
    framework: str = ""
    language: str = ""
    test_patterns: tuple[str, ...] = ()  # where tests go
    test_file: str = ""  # hint of the plan item
    impl_file: str = ""
    mutant: str = ""  # the fault that RED's test is to notice
    style_path: str = ""  # an existing test whose style is to be followed
    style_code: str = ""
    # the evidence
    target_tests: tuple[str, ...] = ()  # names
    affected_tests: tuple[str, ...] = ()  # names of tests that execute the code around the change
    failing_output: str = ""
    broken_tests: tuple[str, ...] = ()  # that passed before and do not now
    forbidden: tuple[str, ...] = ()  # patterns of paths that this phase may not touch
    smells: tuple[str, ...] = ()
    cycle_diff: str = ""  # what the cycle changed so far, unified
    minutes: float = 0.0  # until the agent is stopped; 0 = not known
    changed_files: tuple[str, ...] = ()  # by this cycle so far
    # what was before
    tries: tuple[Try, ...] = ()  # oldest first
    kept: bool = False  # the last try's change is still in the tree
    diagnosis: Diagnosis | None = None
    known_fix: str = ""  # how an error of this fingerprint was fixed before
    investigation: str = ""  # the Error Analyzer's report
    note: str = ""  # an instruction that answers the last attempt
    handoff: str = ""  # the summary for the next agent
    hints: tuple[str, ...] = ()  # from the user; of a fix, what was said of those that were rejected
    done_items: tuple[str, ...] = ()
    pending_items: tuple[str, ...] = ()
    # test list and re-planning
    feature: str = ""
    existing_tests: tuple[str, ...] = ()
    problem: str = ""  # why the last answer was refused
    # analysis and fixes
    source: str = ""  # agent and step that failed
    context: str = ""  # file, line, library, code around it
    request: FixRequest | None = None
    room: float = 1.0  # share of the usual lengths that the prompt may fill
