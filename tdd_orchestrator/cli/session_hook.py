"""Answer a coding agent's hook: continue, or stop.

Events and answers follow Claude Code's public documentation of hooks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.cli import command_context
from tdd_orchestrator.model.errors import Refused, TddError
from tdd_orchestrator.text import one_line
from tdd_orchestrator.workspace.folders import write_whole

if TYPE_CHECKING:
    import click

    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.prove.values import ProveReport

_MOST_BLOCKS = 3  # times in a row that a hook sends a session on, before it is left to a person
_ENDS = ("Stop", "SubagentStop", "TaskCompleted")
_READ = 1 << 20  # bytes of a file that is to be edited
_BY_EXIT_CODE = 2  # how a task's completion is kept back; its reason is read from standard error


@dataclass(frozen=True, slots=True)
class Session:
    """The state of one session: the commit that it began at, and how often in a row each hook blocked it."""

    base: str = "HEAD"
    blocks: Mapping[str, int] = field(default_factory=dict)


def answer(ctx: click.Context, event: bytes) -> tuple[str, int]:
    """Return the text to print and the exit code.

    Where nothing can be proven, the session may stop, with a message.
    """
    try:
        facts = json.loads(event or b"{}")
    except ValueError as error:
        raise Refused(
            "The event on standard input is no JSON.", "The hooks of the plugin call this."
        ) from error
    kind, identity = str(facts.get("hook_event_name", "")), str(facts.get("session_id", ""))
    try:
        with command_context.opened(ctx) as repository:
            if kind == "PreToolUse":
                return _advice(repository, facts.get("tool_input"))
            return _answered(ctx, repository, kind, identity)
    except TddError as error:
        return _let_go(f"Not proven by tdd: {error.what}") if kind in _ENDS else ("", 0)


def _answered(ctx: click.Context, repository: OpenRepository, kind: str, identity: str) -> tuple[str, int]:
    kept = _file(repository, identity)
    if kind == "SessionStart" and not kept.exists():  # else it is resumed, or its context was compacted
        _keep(kept, Session(repository.git.line("rev-parse", "--verify", "HEAD")))
    if kind not in _ENDS:
        return "", 0
    session = _known(kept)
    report = _proven(repository, session.base)
    if report is None or report.proven:
        _keep(kept, Session(session.base))
        return "", 0
    reason, blocks = reason_of(report), session.blocks.get(kind, 0) + 1
    given_up = blocks > _MOST_BLOCKS
    _keep(kept, replace(session, blocks={**session.blocks, kind: 0 if given_up else blocks}))
    if given_up:
        return _let_go(f"Still not proven after {_MOST_BLOCKS} rounds; a person must look. {reason}")
    return decision(kind, f"{reason} Fix it, or say why it cannot be; then stop again.")


def _advice(repository: OpenRepository, given: Any) -> tuple[str, int]:
    """Refuse an edit of the cycle's tree that the proof of this phase would refuse. Early advice: a shell goes
    around it, and the proof does not rest on it."""
    from tdd_orchestrator.app.suites import rules_of
    from tdd_orchestrator.cli.standing import newest
    from tdd_orchestrator.model.phase import WORKING, Phase
    from tdd_orchestrator.workspace import guard

    root, config = repository.found.work_tree, repository.config
    record = newest(root).cycle or {}
    tree = (root if config.workspace.mode == "inplace" else repository.places.agent).resolve()
    named = given.get("file_path") or given.get("notebook_path") if isinstance(given, Mapping) else None
    file = Path(str(named)).resolve() if named else root
    if record.get("kind") != "intent" or record["phase"] not in WORKING or not file.is_relative_to(tree):
        return "", 0
    text = file.read_bytes()[:_READ].decode("utf-8", "replace") if file.is_file() else None
    content = given.get("content") if isinstance(given, Mapping) else None  # of Write alone
    after = content[:_READ] if isinstance(content, str) else text or ""
    change = guard.Change(str(file.relative_to(tree)), "new" if text is None else "changed", text, after)
    rules = rules_of(config, repository.suites, root, repository.state.hooks)
    refused = guard.check(Phase(record["phase"]), (change,), rules)
    if not refused:
        return "", 0
    why = (
        f"{change.path} may not be changed in {record['phase']}: {refused[0].why}. The proof would refuse it."
    )
    verdict = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": why}
    return json.dumps({"hookSpecificOutput": verdict}), 0


def decision(kind: str, reason: str) -> tuple[str, int]:
    """Return how an event of this kind is blocked."""
    if kind == "TaskCompleted":
        return reason, _BY_EXIT_CODE
    return json.dumps({"decision": "block", "reason": reason}), 0


def reason_of(report: ProveReport) -> str:
    """Why the change is not proven, in a few sentences."""
    from tdd_orchestrator.prove.values import MEANING

    result = next(one for one in report.results if not one.proven)
    why = [f"{one_line(reason, 300).rstrip('.')}." for reason in result.reasons[:3]]
    return " ".join([f"tdd does not accept this change: {MEANING[result.verdict]} ({result.verdict}).", *why])


def _proven(repository: OpenRepository, base: str) -> ProveReport | None:
    """Prove what the session changed; None where nothing changed."""
    from tdd_orchestrator.app.replay_bench import bench, config_with_links
    from tdd_orchestrator.cli.watch import TerminalWatcher
    from tdd_orchestrator.prove import revisions
    from tdd_orchestrator.prove.run import prove
    from tdd_orchestrator.prove.values import ProveOptions

    git = repository.git
    if not git.line("status", "--porcelain") and git.line("rev-parse", "HEAD") == git.line("rev-parse", base):
        return None
    changes = revisions.find_worktree(
        git, repository.objects, repository.found.work_tree, repository.state.identity_line, base
    )
    watcher = TerminalWatcher(quiet=True)
    with bench(repository, 1, watcher, config_with_links(repository)) as means:
        try:
            return prove(changes, ProveOptions(), means)
        finally:
            watcher.close()


def _let_go(what: str) -> tuple[str, int]:
    return json.dumps({"systemMessage": what}), 0


def _file(repository: OpenRepository, identity: str) -> Path:
    name = hashlib.sha256(identity.encode()).hexdigest()[:16]
    return repository.places.root / "sessions" / f"{name}.json"


def _known(kept: Path) -> Session:
    """Return the stored state of the session; a fresh one where nothing readable is stored."""
    try:
        data: Mapping[str, Any] = json.loads(kept.read_text("utf-8"))
        return Session(str(data["base"]), {str(kind): int(count) for kind, count in data["blocks"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Session()


def _keep(kept: Path, session: Session) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, json.dumps(asdict(session)).encode())
