"""Collect what a specialist is given (A8): the failing test, its step, stack, console, network, SQL and
screenshot."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.prove import Proof, Prover
from tdd_orchestrator.diagnosis.context import Evidence, Exchange, SpecialistRequest, request_for
from tdd_orchestrator.diagnosis.evidence import gather
from tdd_orchestrator.model.diagnosis import Diagnosis
from tdd_orchestrator.model.report import Case
from tdd_orchestrator.prompting.brief import FixRequest

_CONSOLE = 50  # entries
_LINE = 300  # characters of one request or response that a prompt shows


def enriched(context: CycleContext, proof: Proof, case: Case, diagnosis: Diagnosis, keep: Path) -> FixRequest:
    """The request for one failing test; its screenshot is copied to ``keep``, since the tree is cleaned."""
    found = gather(context.prover.tree.path, case)
    if not found.console and case.stdout:
        found = found.plus(Evidence(console=tuple(case.stdout.splitlines()[-_CONSOLE:])))
    request = request_for(case, diagnosis, found, context.agents.secrets)
    return _for_prompt(request, _kept(context.prover, request.screenshot, keep))


def browser_of(prover: Prover) -> Callable[[Case], tuple[Sequence[str], Sequence[str]]]:
    """What finds a test's browser console and its failed requests, while the tree still holds them."""

    def look(case: Case) -> tuple[Sequence[str], Sequence[str]]:
        found = gather(prover.tree.path, case)
        failed = tuple(
            f"{one.method} {one.url} {one.status or one.failure}" for one in found.network if one.bad
        )
        return found.console, failed

    return look


def stored(request: FixRequest) -> dict[str, Any]:
    """Return the fields for the record, without the empty ones."""
    return {key: value for key, value in asdict(request).items() if value not in ("", 0, ())}


def _for_prompt(request: SpecialistRequest, screenshot: str) -> FixRequest:
    return FixRequest(
        test_id=request.test_id,
        test_name=request.test_name,
        failed_step=request.failed_step,
        error_type=request.error_type,
        message=request.message,
        stack=request.stack,
        screenshot=screenshot,
        console=request.console,
        network=tuple(_exchange_text(exchange) for exchange in request.network),
        file=request.file,
        line=request.line,
        sql=request.sql,
        table=request.table or request.policy,
        task=request.task,
    )


def _exchange_text(one: Exchange) -> str:
    answer = str(one.status) if one.status else f"no answer ({one.failure})"
    bodies = "".join(
        f" {name}: {body[:_LINE]}"
        for name, body in (("sent", one.request_body), ("got", one.response_body))
        if body
    )
    return f"{one.method} {one.url} -> {answer}{bodies}"


def _kept(prover: Prover, screenshot: str, keep: Path) -> str:
    if not screenshot:
        return ""
    path = prover.tree.path / screenshot
    if not path.is_file() or path.is_symlink() or not keep.is_dir():
        return screenshot
    copy = keep / f"screenshot{path.suffix}"
    shutil.copyfile(path, copy)
    return str(copy)
