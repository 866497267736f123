"""The lanes and racers of one command: the wired context of ``make_context`` several times, each with
trees, port and marker of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from tdd_orchestrator.agents.table import check_name
from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.app.sandboxes import proof_wrap
from tdd_orchestrator.cycle.context import CycleContext, Watcher
from tdd_orchestrator.cycle.proof import tests_marker
from tdd_orchestrator.cycle.recovery import PHASE_ROLE
from tdd_orchestrator.fleet.cluster import ClusterTests
from tdd_orchestrator.fleet.race import Race
from tdd_orchestrator.fleet.turn import LaneClock, Turn
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.workspace.folders import Places

REPLANS = 3
"""How often a cycle goes on from a moved branch before it is parked."""


def lanes_of(
    opened: OpenRepository, context: CycleContext, count: int, turn: Turn, watch: Callable[[int], Watcher]
) -> list[CycleContext]:
    """Return ``count`` lanes, with the place of the landing before them; ``watch`` makes the watcher of a lane
    from its number. Refused where work cannot be done in several trees."""
    _fit_for_lanes(opened, context)
    return [_lane(opened, context, number, count, turn, watch(number)) for number in range(count + 1)]


def _lane(
    opened: OpenRepository, context: CycleContext, number: int, count: int, turn: Turn, watch: Watcher
) -> CycleContext:
    port = opened.port() if number != 1 and opened.wants_port() else context.agents.port
    seated = replace(
        _seat(opened, context, _places(opened.places, number), f"{context.agents.run_marker}.{number}", port),
        watch=watch,
        clock=LaneClock(turn),
        settings=replace(context.settings, lanes=count, replans=REPLANS),
        run=context.run.beside(context.clock.now(), empty=True),
    )
    seated.agents.place = context.agents.place.apart()
    if seated.prover.place is not None:
        seated.prover.place = seated.prover.place.apart()
    seated.agents.outside = turn.outside
    seated.prover.say, seated.prover.outside = watch.note, turn.outside
    if isinstance(context.agents.race, Race):
        race = context.agents.race
        seated.agents.race = race_of(opened, seated, turn, race.names, race.best)
    return seated


def race_of(
    opened: OpenRepository,
    context: CycleContext,
    turn: Turn,
    names: Mapping[str, tuple[str, ...]],
    best: bool,
) -> Race | None:
    """Return the race of a context, None where no phase is raced for: its first racer works in the
    context's own trees, each other one beside them. Refused where an agent cannot race."""
    names = {phase: agents for phase, agents in names.items() if agents}
    for phase, agents in names.items():
        if len(set(agents)) != len(agents) or len(agents) == 1:
            raise Refused(
                f"A race needs different agents, and {phase} has {', '.join(agents)}.", "Name two or more."
            )
        for name in agents:
            check_name(name, opened.config.agents.named)
            _fit_to_work_beside(opened, phase, name)
    if not names:
        return None
    _fit_for_trees(opened)
    most = max(map(len, names.values()))
    return Race(turn, names, [_racer(opened, context, number) for number in range(1, most + 1)], best)


def _racer(
    opened: OpenRepository, context: CycleContext, number: int
) -> Callable[[CycleContext], CycleContext]:
    places, port = context.repo.places, context.agents.port
    if number > 1:
        folder = places.agent.parent / "race" / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        places = replace(places, agent=folder / "agent", proof=folder / "proof")
        port = opened.port() if opened.wants_port() else 0

    def seat(now: CycleContext) -> CycleContext:
        seated = _seat(opened, now, places, f"{now.agents.run_marker}.r{number}", port)
        seated.agents.place = now.agents.place.apart()
        if isinstance(now.prover.place, ClusterTests):
            seated.prover.place = replace(now.prover.place, stopping=threading.Event())
        return seated

    return seat


def _seat(
    opened: OpenRepository, context: CycleContext, places: Places, run_marker: str, port: int
) -> CycleContext:
    """Return the context with trees, port and marker of its own."""
    objects = opened.found.common_dir / "objects"
    proof = context.project.shared.tree(places.proof, objects)
    prover = replace(
        context.prover,
        tree=proof,
        environ={**context.prover.environ, **({"TDD_PORT": str(port)} if port else {})},
        wrap=proof_wrap(opened.config, opened, proof),
        run_marker=tests_marker(run_marker),
    )
    tree = context.project.shared.tree(places.agent, objects)
    return replace(
        context,
        repo=replace(context.repo, places=places),
        agents=replace(context.agents, tree=tree, run_marker=run_marker, port=port),
        prover=prover,
        run=context.run.beside(context.clock.now()),
    )


def _places(places: Places, number: int) -> Places:
    """Return the folders of a lane, or of the landing (0).

    The first one uses those of a command without lanes, which are set up already.
    """
    if number == 1:
        return places
    folder = places.root / "jobs" / str(number)
    folder.mkdir(parents=True, exist_ok=True)
    return replace(places, agent=folder / "agent", proof=folder / "proof")


def _fit_for_lanes(opened: OpenRepository, context: CycleContext) -> None:
    _fit_for_trees(opened)
    for role in PHASE_ROLE.values():
        _fit_to_work_beside(opened, role, context.agents.registry.agent(role).name)


def _fit_for_trees(opened: OpenRepository) -> None:
    if opened.config.workspace.mode == "inplace":
        raise Refused(
            "Mode 'inplace' works in your own files, which are there only once.",
            "Work on one thing at a time (no --jobs, no --race), or set workspace.mode = 'isolated'.",
        )


def _fit_to_work_beside(opened: OpenRepository, role: str, name: str) -> None:
    table = opened.config.agents.named.get(name)
    if (table.preset if table and table.preset else name) == "human":
        raise Refused(
            f"A person plays the role {role}, and can work in one tree at a time.",
            "Use --jobs 1 and no --race, or give the role to another agent.",
        )
