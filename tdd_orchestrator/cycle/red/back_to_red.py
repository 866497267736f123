"""Find what no implementation can fix: a failure of the test itself, so that the cycle goes back to RED once
(S4)."""

from __future__ import annotations

from collections.abc import Iterable

from tdd_orchestrator.cycle.attempt.candidate import Candidate, file_at, paths_between, tree_of
from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.red.loading import language_of_suites
from tdd_orchestrator.cycle.red.red_evidence import project_at
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.languages.source import results_of_calls
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import RedReason
from tdd_orchestrator.runners.reasons import red_reason
from tdd_orchestrator.text import one_line
from tdd_orchestrator.workspace.guard import is_test

_FAILED = frozenset(
    {Verdict.STILL_FAILING, Verdict.PARTLY_FAILING, Verdict.BUILD_ERROR, Verdict.BREAKS_EXISTING}
)
_READ = 1 << 18  # bytes of a test file


def fault_of_test(
    context: CycleContext, state: CycleState, candidate: Candidate, judged: Judgement, proof: Proof | None
) -> str:
    """Return what is wrong with the test, as a clause; "" where the code may be wrong."""
    if judged.verdict not in _FAILED or proof is None or not state.red:
        return ""
    if any(
        error.file and not is_test(error.file, context.project.rules) for error in proof.report.build_errors
    ):
        return ""
    reasons = _reasons(context, state, candidate, judged, proof)
    if reasons and all(reason.of_the_test for reason in reasons):
        return one_line(f"{reasons[0].reason}: {reasons[0].evidence}", 300)
    written = [
        path
        for path in paths_between(context.repo, state.base, state.red)
        if is_test(path, context.project.rules)
    ]
    return contradiction((path, _text(context.repo, state.red, path)) for path in written)


def _reasons(
    context: CycleContext, state: CycleState, candidate: Candidate, judged: Judgement, proof: Proof
) -> list[RedReason]:
    project, language = project_at(context, state, candidate), language_of_suites(context)
    found = [
        red_reason(None, language=language, project=project, error=error)
        for error in proof.report.build_errors
    ]
    failing = [case for case in proof.report.failing if case.id in judged.failing]
    return found or [red_reason(case, language=language, project=project) for case in failing]


def contradiction(files: Iterable[tuple[str, str]]) -> str:
    """Return two assertions of test files (path, text) that want different values of the same call, as a clause."""
    wanted: dict[str, str] = {}
    for path, text in files:
        for call, value in results_of_calls(text, path):
            if wanted.setdefault(call, value) != value:
                return f"the tests want {call} to be {wanted[call]} and {value}"
    return ""


def _text(repo: Repository, commit: str, path: str) -> str:
    return (file_at(repo, tree_of(repo, commit), path) or b"")[:_READ].decode("utf-8", "replace")
