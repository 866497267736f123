"""What one coordinator can do, with services that answer at once: ``scale.py [CYCLES] [LANES ...]``.

Agents and tests are instant and of no cost: an agent writes a file, a test run looks whether it is there. All else
is as with a cluster: items, trees, candidates, gates, records, the queue, landings. So what is left is the
coordinator's own work. For each number of lanes: processor seconds a cycle (its git processes included) and cycles a
second of processor time; then how many workers that feeds, for agents that work for some minutes.
"""

from __future__ import annotations

import json
import os
import re
import resource
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "fleet")]

from hall import Hall  # noqa: E402

from tdd_orchestrator.agents.agent import Agent, AgentStatus, Reply, Request  # noqa: E402
from tdd_orchestrator.model.report import Case, Counts, Outcome, Report, RunVerdict  # noqa: E402
from tdd_orchestrator.runners.run import Ran  # noqa: E402
from tdd_orchestrator.workspace.tree import Tree  # noqa: E402

MINUTES = 5.0  # of agents' work in a cycle, for the derived number of workers


class InstantAgents:
    """An agent place: the files stand there at once."""

    def work(
        self, tree: Tree, agent: Agent, request: Request, on_output: Callable[[bytes], None] | None
    ) -> Reply:
        found = re.search(r"adds ([a-z0-9]+)", request.prompt)
        assert found is not None
        name = found[1]
        if request.phase == "red":
            (tree.path / "tests" / f"test_{name}.sh").write_text(f". ./{name}.sh\n", encoding="utf-8")
        elif request.phase == "green":
            (tree.path / f"{name}.sh").write_text(f"{name}() {{ echo {name}; }}\n", encoding="utf-8")
        return Reply(agent.name, AgentStatus.SUCCESS)

    def stop(self) -> None: ...

    def apart(self) -> InstantAgents:
        return self


class InstantTests:
    """A test place: a test passes where its code is in the tree."""

    def run(
        self, tree: Tree, commit: str, chosen: Any, texts: Mapping[str, str], watched: Sequence[str]
    ) -> list[Ran]:
        tree.move_to(commit)
        cases = []
        for path in sorted((tree.path / "tests").glob("test_*.sh")):
            name = path.stem.removeprefix("test_")
            good = name == "greet" or (tree.path / f"{name}.sh").exists()
            file = f"tests/{path.name}"
            said = "" if good else f"{name}.sh: no such file"
            cases.append(Case(file, file, Outcome.PASSED if good else Outcome.FAILED, file, message=said))
        failed = sum(case.outcome is Outcome.FAILED for case in cases)
        verdict = RunVerdict.FAILED if failed else RunVerdict.PASSED
        report = Report(
            verdict, "tap", Counts(len(cases) - failed, failed), tuple(cases), complete=True,
            exit_code=int(bool(failed)), source="report",
        )  # fmt: skip
        return [Ran(report, 0.0, "") for _ in chosen]

    def stop(self) -> None: ...

    def apart(self) -> InstantTests:
        return self


class Silent:
    def doing(self, what: str) -> None: ...

    def working(self, what: str) -> None: ...

    def done(self, what: str, good: bool) -> None: ...

    def note(self, what: str) -> None: ...


def spent() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def measure(cycles: int, lanes: int) -> dict[str, float]:
    """Run a plan of so many items in so many lanes; return processor seconds and git calls a cycle."""
    from tdd_orchestrator.app.context import Surroundings, make_context
    from tdd_orchestrator.app.lanes import lanes_of
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.failures.escalation import FailureReporter
    from tdd_orchestrator.fleet.lanes import Fleet
    from tdd_orchestrator.fleet.turn import Turn

    with tempfile.TemporaryDirectory(prefix="tdd-scale-") as folder:
        hall = Hall(Path(folder), [])
        listing = "".join(f"- [ ] adds n{number}x\n" for number in range(cycles))
        hall.write("list.md", listing)
        assert hall.tdd("plan", "import", "list.md").code == 0
        os.environ.update(hall.env)
        with OpenRepository(hall.root) as opened:
            reporter = FailureReporter(opened.config, lambda _: None)
            context = make_context(opened, Surroundings(Silent(), reporter, lambda _: None))
            turn = Turn()
            lander, *made = lanes_of(opened, context, lanes, turn, lambda _: Silent())
            for lane in (lander, *made):
                lane.agents.place, lane.prover.place = InstantAgents(), InstantTests()
            begun = spent()
            done = list(Fleet(made, lander, turn, lambda lane, state: None).run())
            seconds = spent() - begun
            assert all(one.error is None for one in done), [one.error for one in done]
        assert [item["status"] for item in hall.tdd("plan", "list", "--json").json["items"]] == [
            "completed"
        ] * cycles
        return {"cycles": cycles, "lanes": lanes, "cpu_a_cycle": seconds / cycles}


def main(arguments: list[str]) -> bool:
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    cycles, *lanes = [int(word) for word in arguments if word.isdigit()] or [40]
    rows = [measure(cycles, count) for count in lanes or [2, 16, 64]]
    for row in rows:
        a_cycle = row["cpu_a_cycle"]
        print(
            f"{row['lanes']:4.0f} lanes, {row['cycles']:.0f} cycles: {a_cycle:.3f} s of the processor a cycle, "
            f"{1 / a_cycle:.1f} cycles a second of processor time; one core feeds {MINUTES * 60 / a_cycle:.0f} "
            f"workers whose agents work {MINUTES:g} minutes a cycle",
            flush=True,
        )
    print(json.dumps(rows))
    return True  # there is no bound: it is a measurement


if __name__ == "__main__":
    main(sys.argv[1:])
