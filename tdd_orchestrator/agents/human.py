"""A person as the agent: gets the path of the tree and the task, is waited for, and is proven like any
other agent."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.agents.agent import AgentStatus, Reply, Request
from tdd_orchestrator.agents.parsed_output import ParsedOutput
from tdd_orchestrator.agents.validate import judge, new_incident, put, read_left, record
from tdd_orchestrator.model.errors import Waiting
from tdd_orchestrator.process import Finished

BRIEF = "brief.md"

Tell = Callable[[str], None]
Wait = Callable[[], None]
"""Returns when the person pressed Enter; raises EOFError where nobody answers."""


@dataclass(frozen=True, slots=True)
class HumanAgent:
    """``wait`` is None where there is no terminal: the work is then picked up by the next run of the
    command."""

    tell: Tell
    wait: Wait | None = None
    name: str = "human"
    model: str = ""  # where an editor's model does the person's work

    def work(self, request: Request, on_output: Callable[[bytes], None] | None = None) -> Reply:
        """Ask, and return when the person is done. Raises Waiting where no person can answer."""
        started = time.monotonic()
        put(request.output / BRIEF, request.prompt.replace("$TDD_OUTPUT_DIR", str(request.output)))
        mark = _mark(request.tree)
        work_id = f"{request.cycle_id} {request.output.name} {request.phase} {request.role} {request.attempt}"
        asked = mark is not None and (read_left(mark, 400) or b"").decode("utf-8", "replace") == work_id
        if self.wait is not None or not asked:  # asked before, and run again: the person is done
            self._ask(request, mark, work_id)
        return self._reply(request, time.monotonic() - started)

    def _ask(self, request: Request, mark: Path | None, work_id: str) -> None:
        brief = request.output / BRIEF
        last = "  check  tdd test        (what the referee will run)"
        if request.phase == "test_list":
            last = f"  write  {request.output / 'test-list.md'}        (a line for each: - [ ] BEHAVIOR)"
        self.tell(
            f"\nYour turn: {request.role.upper()}  {request.task}".rstrip()
            + f"\n  where  {request.tree}\n  brief  {brief}\n{last}"
        )
        if self.wait is not None:
            try:
                self.wait()
                return
            except EOFError:
                self.tell("Nobody answered.")
        if mark is not None:
            mark.parent.mkdir(exist_ok=True)
            put(mark, work_id)
        raise Waiting(
            f"Waiting for you: {request.role.upper()}.", "When you are done, run the same command again."
        )

    def _reply(self, request: Request, seconds: float) -> Reply:
        content = read_left(request.output / request.requires) if request.requires else None
        judgement = judge(
            Finished((), 0),
            ParsedOutput(completed=True),
            completion=True,
            required=request.requires,
            size=None if content is None else len(content.strip()),
        )
        failed = judgement.status is not AgentStatus.SUCCESS
        reply = Reply(
            agent=self.name,
            status=judgement.status,
            failure_reason=judgement.reason,
            exit_code=0,
            model=self.model,
            report=(content or b"").decode("utf-8", "replace"),
            seconds=seconds,
            incident=new_incident() if failed else "",
        )
        record(reply, request)
        return reply


def _mark(tree: Path) -> Path | None:
    """Where it is noted that the person was asked: in the tree's git dir; None where the tree has none of its
    own."""
    folder = tree / ".git"
    return folder / "tdd" / "asked" if folder.is_dir() and not folder.is_symlink() else None
