"""Write and check the Error Analyzer's report (D5). ``analyzer`` fills it without a model."""

from __future__ import annotations

from collections.abc import Iterable

from tdd_orchestrator.diagnosis.investigation_reader import NotAnInvestigation, parse
from tdd_orchestrator.diagnosis.places import is_project, paths_in, relative
from tdd_orchestrator.model.diagnosis import Action, Belief, Investigation

__all__ = ["Action", "Belief", "Investigation", "NotAnInvestigation", "believable", "parse", "write"]


def write(found: Investigation) -> str:
    """Return the report as Markdown, which ``parse`` reads back to the same value."""

    def bullets(rows: Iterable[str]) -> list[str]:
        return [f"- {_flat(row)}" for row in rows]

    def belief(name: str, one: Belief) -> str:
        return f"- {name}: {one.level:.2f}" + (f" — {_flat(one.reason)}" if one.reason else "")

    lines = [
        "# Investigation report",
        "## Classification",
        f"- category: {found.category.value}",
        f"- severity: {found.severity.value}",
        f"- recoverable: {'yes' if found.recoverable else 'no'}",
        "## Root cause",
        _flat(found.root_cause),
        "## Evidence",
        *bullets(found.evidence),
        "## Patterns",
        *bullets(f"{skill}: {saw}" for skill, saw in found.patterns),
        "## Recommendation",
        f"- strategy: {_flat(found.strategy)}",
        "### Steps",
        *(f"{number}. {_flat(step)}" for number, step in enumerate(found.steps, 1)),
        "### Alternatives",
        *bullets(found.alternatives),
        "## Confidence",
        belief("diagnosis", found.diagnosis_confidence),
        belief("recommendation", found.recommendation_confidence),
        "## Action",
        found.action.value,
    ]
    return "\n".join(lines) + "\n"


def _flat(text: str) -> str:
    return " ".join(text.split())


def believable(found: Investigation, known_files: Iterable[str]) -> list[str]:
    """Return a sentence for each file that the report names and the tree does not have."""
    known = set(known_files)
    endings = {path.rsplit("/", 1)[-1] for path in known}
    doubts = []
    for place, text in (("root cause", found.root_cause), *(("evidence", row) for row in found.evidence)):
        for path in paths_in(text):
            name = relative(path)
            if not is_project(path) or name in known or any(one.endswith("/" + name) for one in known):
                continue
            if "/" not in name and name in endings:
                continue
            doubts.append(f"The {place} names {name}, which is not in the tree.")
    return list(dict.fromkeys(doubts))
