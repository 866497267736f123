"""Replay a commit of ``tdd fix``: a failing test passes, no passing one is lost, no test was changed."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.audit.commits import Facts
from tdd_orchestrator.audit.findings import CommitResult, Finding, counted, recorded
from tdd_orchestrator.audit.run_trees import Run, Runs
from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.attempt.candidate import Candidate, changes_between, paths_of, rules_at
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.counterfactual.questions import question_fix
from tdd_orchestrator.cycle.fix.fix_attempt import judge_build_fix
from tdd_orchestrator.cycle.gates import Evidence, Judgement
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.records import Fix
from tdd_orchestrator.workspace.guard import check


def _judged(context: CycleContext, before: Facts, commit: Facts, was: Proof, now: Proof) -> Judgement:
    """Judge with the gate of ``tdd fix``. Any fixed test counts; the records do not say which it was for."""
    changes = changes_between(context.repo, before.tree, commit.tree)
    known = frozenset(paths_of(context.repo, before.oid))
    rules = rules_at(context, before.oid, changes)
    forbidden = check(Phase.GREEN, changes, rules, known=known)
    failed = {case.id for case in was.report.failing}
    repaired = sorted(failed & now.report.passing_ids - now.flaky)
    evidence = Evidence(
        baseline=was.report,
        now=now.report,
        changed=bool(changes),
        violations=tuple((one.path, one.why) for one in forbidden),
        targets=tuple(repaired),
        flaky=now.flaky,
        ignore=frozenset(failed) - set(repaired) | context.settings.known_failing,
    )
    found = gates.green(evidence)
    if forbidden or not changes or repaired:
        return found
    if was.report.build_error and not now.report.build_error:
        return judge_build_fix(evidence, now)
    return Judgement(Verdict.STILL_FAILING, ("no test that failed before it passes on it",))


def replay_fix(
    context: CycleContext, runs: Runs, before: Facts, commit: Facts, record: Fix
) -> tuple[CommitResult, list[Finding]]:
    """Return the row of one fix, and a finding if it is not proven.

    Unexpected failures are repeated, as the fix did.
    """
    was, now = runs.proofs[before.tree], runs.proofs[commit.tree]
    judged = _judged(context, before, commit, was, now)
    if judged.verdict is not Verdict.PROVEN and now.report.failing:
        now = runs.again(Run(commit.tree, commit.oid), lambda run: run.failing)
        judged = _judged(context, before, commit, was, now)
    if judged.verdict is Verdict.PROVEN:
        fixed = now.report.passing_ids - runs.proofs[before.tree].report.passing_ids
        asking = replace(context, prover=runs.provers[0])
        judged = question_fix(asking, Candidate(commit.tree, commit.oid), now, judged, fixed)
    ok, findings = judged.verdict is Verdict.PROVEN, list[Finding]()
    if not ok:
        why = "; ".join(judged.reasons[:3]) or str(judged.verdict)
        what = f"FIX {commit.oid[:12]} ({commit.subject[:60]}) is not proven: {judged.verdict}: {why}"
        findings.append(Finding("not-proven", what, commit.oid, record.id))
    row = CommitResult(
        commit.oid,
        commit.subject,
        "",
        0,
        record.item,
        "FIX",
        "commit",
        recorded(record),
        f"{judged.verdict}: {counted(now.report)}",
        ok,
        judged.reasons,
        record.id,
    )
    return row, findings
