"""The reports that travel: one self-contained HTML page, or Markdown for a check's summary; from cycles,
nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from tdd_orchestrator import __version__
from tdd_orchestrator.history.cycles import Attempt, Cycle, Reader
from tdd_orchestrator.text import markdown_text, middle_cut, one_line
from tdd_orchestrator.web import diffs
from tdd_orchestrator.web.render import as_text, duration, number, render, style

_CHANGE = 10_000  # characters of one attempt's change
_CHANGES = 1_400_000  # bytes of all changes with their markup, so that fifty cycles stay below two megabytes
_LINE = 28  # bytes of markup around a changed line
_OUTPUT = 3_000  # characters of failing output
_MARKDOWN = 60_000  # GitHub takes 65,536 characters for a comment
_PHASES = ("RED", "GREEN", "REFACTOR")


@dataclass(frozen=True, slots=True)
class ReportedItem:
    """A cycle made ready for a report: its accepted phases with their changes, and what RED's test said."""

    cycle: Cycle
    phases: tuple[tuple[Attempt, tuple[diffs.File, ...], bool], ...]
    output: str
    tests: tuple[str, ...]

    @property
    def rejected(self) -> tuple[Attempt, ...]:
        return tuple(one for one in self.cycle.attempts if not one.accepted and not one.open)


def _changes(cycle: Cycle, reader: Reader) -> list[tuple[Attempt, str]]:
    """The accepted phases with what they changed, one character more than is shown where it is too long."""
    accepted = (cycle.accepted(phase) for phase in _PHASES)
    return [(one, reader.change(one)[: _CHANGE + 1]) for one in accepted if one is not None]


def _shown_length(texts: Sequence[str]) -> int:
    """How many characters of each change are shown: as many as keep all of them together within ``_CHANGES``."""
    length = _CHANGE
    while sum(_size(text[:length]) for text in texts) > _CHANGES:
        length = length * 3 // 4
    return length


def _size(text: str) -> int:
    return len(escape(text).encode("utf-8", "replace")) + _LINE * text.count("\n")


def _reported(
    cycle: Cycle, changes: Iterable[tuple[Attempt, str]], length: int, reader: Reader
) -> ReportedItem:
    phases = [(one, tuple(diffs.files(text[:length])), len(text) > length) for one, text in changes]
    red = cycle.accepted("RED")
    output = middle_cut(reader.failing_output(red), _OUTPUT) if red else ""
    return ReportedItem(cycle, tuple(phases), output, red.targets if red else ())


def totals(cycles: Iterable[Cycle]) -> dict[str, Any]:
    rows = [cycle.row for cycle in cycles]
    return {
        "cycles": len(rows),
        "items": len({row["item_id"] for row in rows}),
        "landed": sum(row["outcome"] == "landed" for row in rows),
        "attempts": sum(row["attempts"] or 0 for row in rows),
        "rejected": sum(row["refused"] or 0 for row in rows),
        "tokens": sum(row["tokens"] or 0 for row in rows) or None,  # None: no agent reported any
        "cost": sum(row["cost"] or 0 for row in rows) or None,
        "minutes": sum(row["minutes"] or 0 for row in rows),
    }


def html(cycles: Iterable[Cycle], reader: Reader, *, title: str, scope: str) -> str:
    """One page that needs nothing else: no script, no network."""
    listed = list(cycles)
    changes = [_changes(cycle, reader) for cycle in listed]
    length = _shown_length([text for of_cycle in changes for _, text in of_cycle])
    values: Mapping[str, Any] = {
        "title": title,
        "scope": scope,
        "version": __version__,
        "items": [_reported(one, texts, length, reader) for one, texts in zip(listed, changes, strict=True)],
        "totals": totals(listed),
        "css": style("base.css") + style("report.css"),
    }
    return render("report.html", values)


def markdown(cycles: Iterable[Cycle], *, title: str, scope: str) -> str:
    """A summary and a table, for a pull request; bounded, the newest cycles first."""
    listed = sorted(cycles, key=lambda cycle: cycle.row["number"] or 0, reverse=True)
    sums = totals(listed)
    tokens = f"{number(sums['tokens'])} tokens" if sums["tokens"] else "tokens unknown"
    cost = f"${sums['cost']:.2f}" if sums["cost"] else "cost unknown"
    head = [
        f"## {_cell(title)}",
        "",
        f"{sums['landed']} of {sums['items']} items landed ({_cell(scope)}); "
        f"{sums['attempts']} attempts, "
        f"{sums['rejected']} of them rejected; {tokens}, {cost}, "
        f"{duration(sums['minutes'] * 60) or '0 s'}.",
        "",
        "| # | item | result | attempts | test | agent | cost |",
        "|---:|---|---|---:|---|---|---:|",
    ]
    used = sum(map(len, head))
    for position, cycle in enumerate(listed):
        line = _line(cycle)
        used += len(line) + 1
        if used > _MARKDOWN:
            head.append(f"\n{len(listed) - position} older cycles are not shown.")
            break
        head.append(line)
    return "\n".join(head) + "\n"


def _line(cycle: Cycle) -> str:
    row, red = cycle.row, cycle.accepted("RED")
    rejected = f" ({row['refused']} rejected)" if row["refused"] else ""
    agents = dict.fromkeys(one.agent.name for one in cycle.attempts)
    outcome = str(row["outcome"] or "in progress").replace("_", " ")
    names = {"landed": "✅ landed", "aborted": "❌ aborted", "outer red": "test kept"}
    result = names.get(outcome, outcome)
    if outcome == "aborted" and (why := one_line(as_text(cycle.records[-1].get("summary")), 460)):
        result += f": {why}"
    cells = (
        row["number"], one_line(as_text(row["item"]), 120), result,
        f"{row['attempts']}{rejected}", ", ".join(red.targets[:2]) if red else "",
        ", ".join(filter(None, agents)),
        f"${row['cost']:.2f}" if row["cost"] else "",
    )  # fmt: skip
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(value: Any) -> str:
    return markdown_text(as_text(value), 300)
