"""Reproduce a failure that was seen elsewhere: which of its tests fail in a clean tree of this repository."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tdd_orchestrator.model.report import BAD, Case, Report

_LEAF = re.compile(r"::|\s[>›»]\s|\.(?=[A-Za-z_]\w*$)|#")


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The tests that failed elsewhere, by their result here."""

    failing: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    build: str = ""  # a build error that was seen elsewhere and is here as well

    @property
    def reproduced(self) -> bool:
        return bool(self.failing or self.build)


def reproduce(seen: Report, here: Report) -> Reproduction:
    """Compare a run elsewhere with one here. A test is found by its id, else by its own name alone."""
    found: dict[str, list[str]] = {"failing": [], "passing": [], "absent": []}
    for case in seen.failing:
        same = _same(case, here.cases)
        bad = any(one.outcome in BAD for one in same)
        found["failing" if bad else "passing" if same else "absent"].append(case.id)
    build = here.trouble if seen.build_error and here.build_error else ""
    return Reproduction(tuple(found["failing"]), tuple(found["passing"]), tuple(found["absent"]), build)


def _same(case: Case, cases: Sequence[Case]) -> list[Case]:
    exact = [one for one in cases if one.id == case.id]
    return exact or [one for one in cases if leaf(one) == leaf(case)]


def leaf(case: Case) -> str:
    """Return a test's own name: CI and this machine may call its file and its class by other paths."""
    return _LEAF.split(case.id.split("[")[0])[-1].strip() or case.name
