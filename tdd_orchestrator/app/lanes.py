"""The lanes of one command: the wired context of ``workshop`` several times, each with trees, port and
marker of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.app.sandboxes import proof_wrap
from tdd_orchestrator.app.workshop import wants_port
from tdd_orchestrator.cycle.recovery import PHASE_ROLE
from tdd_orchestrator.cycle.workshop import Watcher, Workshop
from tdd_orchestrator.fleet.turn import AttemptPlan, LaneClock
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.workspace.state_folders import Places

REPLANS = 3
"""How often a cycle goes on from a moved branch before it is parked."""


def lanes_of(
    opened: OpenRepository, context: Workshop, count: int, turn: AttemptPlan, watch: Callable[[int], Watcher]
) -> list[Workshop]:
    """Return ``count`` lanes; ``watch`` makes the watcher of a lane from its number, from 1. Refused
    where work cannot be done in several trees."""
    _fit_for_lanes(opened)
    return [_lane(opened, context, number, count, turn, watch(number)) for number in range(1, count + 1)]


def _lane(
    opened: OpenRepository, context: Workshop, number: int, count: int, turn: AttemptPlan, watch: Watcher
) -> Workshop:
    objects = opened.found.common_dir / "objects"
    places = _places(opened.places, number)
    run_marker = f"{context.run_marker}.{number}"
    proof = context.shared.tree(places.proof, objects)
    port = opened.port() if number > 1 and wants_port(opened) else context.port
    prover = replace(
        context.prover,
        tree=proof,
        environ={**context.prover.environ, **({"TDD_PORT": str(port)} if port else {})},
        wrap=proof_wrap(opened.config, opened, proof),
        run_marker=run_marker,
        say=watch.note,
        outside=turn.outside,
    )
    return replace(
        context,
        places=places,
        agent_tree=context.shared.tree(places.agent, objects),
        prover=prover,
        run_marker=run_marker,
        port=port,
        watch=watch,
        clock=LaneClock(turn),
        outside=turn.outside,
        settings=replace(context.settings, lanes=count, replans=REPLANS),
        records=[],
        items={},
        consulted=[],
    )


def _places(places: Places, number: int) -> Places:
    """The first lane works where a command without lanes does: what was set up there is used."""
    if number == 1:
        return places
    folder = places.root / "jobs" / str(number)
    folder.mkdir(parents=True, exist_ok=True)
    return replace(places, agent=folder / "agent", proof=folder / "proof")


def _fit_for_lanes(opened: OpenRepository) -> None:
    agents = opened.config.agents
    if opened.config.workspace.mode == "inplace":
        raise Refused(
            "Mode 'inplace' works in your own files, which are there only once.",
            "Use --jobs 1, or set workspace.mode = 'isolated'.",
        )
    for role in PHASE_ROLE.values():
        name = agents.for_role(role)
        table = agents.named.get(name)
        if (table.preset if table and table.preset else name) == "human":
            raise Refused(
                f"A person plays the role {role}, and can work in one tree at a time.",
                "Use --jobs 1, or give the role to another agent.",
            )
