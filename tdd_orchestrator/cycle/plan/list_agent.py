"""The Test List agent: turns a feature text into plan items.

A bad list is asked for once more, then refused (S1, T18).
"""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.agents.agent import AgentStatus
from tdd_orchestrator.agents.human import HumanAgent
from tdd_orchestrator.agents.last_words import MessageKind, answer_to, for_a_person, words_of
from tdd_orchestrator.cycle.attempt.agent_run import note_words
from tdd_orchestrator.cycle.attempt.candidate import file_at, paths_of
from tdd_orchestrator.cycle.attempt.consult import Question, ask
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.start import where_we_stand
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.model.errors import NotProven, Refused
from tdd_orchestrator.model.plan import Item, Status
from tdd_orchestrator.notes.codec import new_id
from tdd_orchestrator.prompting.brief import Brief
from tdd_orchestrator.prompting.compose import BUDGET
from tdd_orchestrator.prompting.listing import BadList, read_list, same
from tdd_orchestrator.text import one_line
from tdd_orchestrator.workspace.guard import tests_among

ANSWERS = ("test-list.json", "test-list.md", "report.md")
_ASKED = 3  # times at most
_ANEW = "it begins anew, and the plan is as it was"


def plan_from(context: CycleContext, feature: str, issue: int = 0) -> list[Item]:
    """Items in their order, without ids. Refused where no answer could be used; whatever the agent did to its
    tree is discarded."""
    if not feature.strip():
        raise Refused("The feature text is empty.", "Say in a few sentences what is to be built.")
    agent = context.agents.registry.agent("test_list")
    if (
        isinstance(agent, HumanAgent) and agent.wait is None
    ):  # each run would ask in a new folder, and read it never
        raise Refused(
            "You are the Test List agent (human), and there is no terminal to wait for you at.",
            "Write the list yourself: tdd plan edit, or tdd plan import FILE",
        )
    if len(feature) > BUDGET["feature"]:
        size = f"the feature text has {len(feature)} characters"
        context.watch.note(f"{size}: {BUDGET['feature']} of its beginning and its end are given to the agent")
    _, head = where_we_stand(context)
    planned = tuple(
        item.title for item in context.repo.plan.plan().items if item.status is not Status.CANCELLED
    )
    brief = _brief(context, head, feature, planned)
    problem, correction, about = "", "", f"list-{new_id()[:12].lower()}"
    todo, before = "Make the feature text clearer, or add items by hand: tdd plan add.", set[MessageKind]()
    for number in range(1, _ASKED + 1):
        asked = replace(brief, problem=f"{problem}. {correction}".strip() if problem else "", attempt=number)
        question = Question("test_list", "test_list", asked, head, about, number, ANSWERS, after=_ANEW)
        reply, answer = ask(context, question)
        try:
            listed = read_list(answer)
        except BadList as error:
            failed = reply.status is not AgentStatus.SUCCESS and not answer.strip()
            problem = reply.failure_reason.rstrip(".") if failed else str(error)
            context.watch.done(f"test list: {problem}", False)
            words = words_of(reply)
            note_words(context.watch, "the agent", words.text)
            correction = answer_to(words, "TEST_LIST")
            if words.row and (not correction or words.said in before):
                again = "again " if correction else ""
                problem = f"the agent {again}{words.row.means}: {one_line(words.text, 500)}"
                if words.said is MessageKind.MISSING_PACKAGE:
                    todo = for_a_person(words, brief.language)
                break
            before.add(words.said)
            continue
        known = {same(title) for title in planned}
        fresh = [one for one in listed if same(one.title) not in known]
        context.watch.done(f"test list: {_counted(len(fresh), len(listed) - len(fresh), reply.agent)}", True)
        return [replace(one.item("", float(order)), issue=issue) for order, one in enumerate(fresh)]
    raise NotProven(
        f"The Test List agent gave no usable list in {number} answer{'s'[: number != 1]}: {problem.rstrip('.')}.",
        todo,
    )


def _counted(fresh: int, known: int, agent: str) -> str:
    new = f"{fresh} item{'s'[: fresh != 1]} from {agent}" if fresh else f"nothing new from {agent}"
    return f"{new}; {known} {'stands' if known == 1 else 'stand'} in the plan already" if known else new


def _brief(context: CycleContext, head: str, feature: str, planned: tuple[str, ...]) -> Brief:
    suite = context.prover.suites[0]
    return Brief(
        phase="test_list",
        feature=feature,
        existing_tests=_existing(context, head),
        pending_items=planned,
        framework=suite.framework.name,
        language=suite.framework.language,
        test_command=" ".join(suite.command),
        test_patterns=suite.framework.test_files,
    )


def _existing(context: CycleContext, head: str) -> tuple[str, ...]:
    found: list[str] = []
    for path in tests_among(paths_of(context.repo, head), context.project.rules):
        held = file_at(context.repo, head, path) or b""
        found += _named(held[: 1 << 20].decode("utf-8", "replace"), path)
    return tuple(found)


def _named(text: str, path: str) -> list[str]:
    return [test.id for test in find_tests(text, path)]
