"""How often flaky tests cause a false rollback, and whether a real regression ever gets through (E4).

Two worlds in which 1.5 % of runs flake: one where every run of a test flakes with that chance, and one where a few tests
are flaky (16 % of them, 1.5 % of all test runs). Run it: python benchmarks/flaky.py [cycles]
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass

from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict
from tdd_orchestrator.runners.flaky import History, confirm, still_open

RATE = 0.015  # of runs
FLAKY_SHARE = 0.16  # of tests, in the second world
TESTS = 40
GATES = 3  # full runs in a cycle: after RED, GREEN and REFACTOR
REGRESSIONS = 0.2  # share of cycles in which the change really breaks a test
ALLOWED = 0.001  # false rollbacks by cycle


@dataclass
class Count:
    cycles: int = 0
    false_rollbacks: int = 0
    regressions: int = 0
    let_through: int = 0
    flakes: int = 0
    reruns: int = 0
    false_without: int = 0  # rollbacks, had nobody run anything again


def rates(world: str, dice: random.Random) -> dict[str, float]:
    names = [f"t{number}" for number in range(TESTS)]
    if world == "every run":
        return dict.fromkeys(names, RATE / TESTS)  # one run of the suite flakes with 1.5 %
    if world == "every test run":
        return dict.fromkeys(names, RATE)
    mean = RATE / FLAKY_SHARE
    return {
        name: min(0.5, dice.expovariate(1 / mean)) if dice.random() < FLAKY_SHARE else 0.0 for name in names
    }


def report(outcomes: dict[str, bool]) -> Report:
    cases = tuple(
        Case(name, name, Outcome.PASSED if good else Outcome.FAILED) for name, good in outcomes.items()
    )
    return Report(RunVerdict.PASSED, cases=cases)


def gate(
    chances: dict[str, float], broken: str, past: dict[str, History], dice: random.Random, count: Count
) -> frozenset[str]:
    """One full run and its reruns; returns what is taken for broken."""
    bad = frozenset(name for name, chance in chances.items() if name == broken or dice.random() < chance)
    count.flakes += len(bad - {broken})
    reruns: list[Report] = []
    while again := still_open(bad, reruns, past):
        reruns.append(report({name: name != broken and dice.random() >= chances[name] for name in again}))
        count.reruns += len(again)
    found = confirm(bad, reruns)
    for name in chances:
        past[name] = past.get(name, History()).and_then(1, int(name in found.flaky))
    return found.broken


def simulate(world: str, cycles: int, seed: int) -> Count:
    dice, count = random.Random(seed), Count()
    chances, past = rates(world, dice), {}
    for _ in range(cycles):
        count.cycles += 1
        broken = dice.choice(list(chances)) if dice.random() < REGRESSIONS else ""
        when = dice.randrange(GATES)
        caught = false = plain = False
        for number in range(GATES):
            before = count.flakes
            taken = gate(chances, broken if number == when else "", past, dice, count)
            plain = plain or count.flakes > before
            caught = caught or (number == when and broken in taken)
            false = false or bool(taken - {broken if number == when else ""})
        count.regressions += bool(broken)
        count.let_through += bool(broken) and not caught
        count.false_rollbacks += false
        count.false_without += plain
    return count


def main(arguments: list[str]) -> bool:
    numbers = [int(word) for word in arguments if word.isdigit()]
    cycles = numbers[0] if numbers else 2_000 if "--quick" in arguments else 20_000
    failed = False
    print(f"{TESTS} tests, {GATES} full runs in a cycle, {cycles:,} cycles a world")
    for world in ("every run", "every test run", "flaky tests"):
        seeds = 10 if world == "flaky tests" else 1  # a world of its own each: which tests are flaky
        counts = [simulate(world, cycles // seeds, seed) for seed in range(seeds)]
        total = sum(one.cycles for one in counts)
        false = sum(one.false_rollbacks for one in counts) / total
        through = sum(one.let_through for one in counts)
        real = sum(one.regressions for one in counts)
        plain = sum(one.false_without for one in counts) / total
        runs = sum(one.reruns for one in counts) / total
        good = false < ALLOWED and through == 0
        failed = failed or not good
        print(
            f"{world:15}  false rollbacks {false:.5f} of cycles (allowed {ALLOWED}; without reruns {plain:.3f}), "
            f"regressions let through {through} of {real}, {runs:.2f} single tests run again per cycle: "
            f"{'ok' if good else 'TOO MANY'}"
        )
    return not failed


if __name__ == "__main__":
    raise SystemExit(0 if main(sys.argv[1:]) else 1)
