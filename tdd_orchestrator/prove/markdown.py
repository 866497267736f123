"""The comment on a pull request: what a reviewer must know, in one minute."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tdd_orchestrator.prove.reports import answered
from tdd_orchestrator.prove.values import MEANING, ChangeResult, ProveReport, TestRow
from tdd_orchestrator.text import one_line, plain

MARK = "<!-- tdd prove -->"
"""The first line of the comment, by which it is found again and updated in place."""
_MOST_ROWS = 30
_MOST_CHANGES = 50
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#@!~$])")


def markdown(report: ProveReport) -> str:
    """Return the whole comment. Text of the change is escaped: it can neither mark up nor mention."""
    lines = [MARK, f"### {_headline(report)}", ""]
    for result in report.results[:_MOST_CHANGES]:
        lines += [*_change(result, alone=len(report.results) == 1), ""]
    if len(report.results) > _MOST_CHANGES:
        lines += [f"… and {len(report.results) - _MOST_CHANGES} more changes.", ""]
    trees = "1 tree" if report.trees == 1 else f"{report.trees} trees"
    lines.append(f"<sub>tdd prove ran {trees} with your test command, {report.seconds:.0f} s.</sub>")
    return "\n".join(lines) + "\n"


def _headline(report: ProveReport) -> str:
    proven = sum(result.proven for result in report.results)
    if len(report.results) == 1:
        result = report.results[0]
        return "✅ Proven" if result.proven else f"❌ Not proven: {MEANING[result.verdict]}"
    mark = "✅" if report.proven else "❌"
    return f"{mark} {proven} of {len(report.results)} commits proven"


def _change(result: ChangeResult, *, alone: bool) -> Iterator[str]:
    mark = "✅" if result.proven else "❌"
    meaning = "" if result.proven or alone else f" — {MEANING[result.verdict]}"
    yield (
        f"{'' if alone else mark + ' '}`{result.change.name}` {_text(result.change.subject, 100)} · "
        f"{result.kind}{meaning}"
    )
    if not result.proven:
        yield ""
        yield from (f"> {_text(reason, 300)}" for reason in result.reasons[:5])
    rows = [row for row in result.tests if row.how != "removed"]
    if rows:
        yield ""
        yield "| test | without the change | with it | |"
        yield "|---|---|---|---|"
        yield from (_row(row) for row in rows[:_MOST_ROWS])
        if len(rows) > _MOST_ROWS:
            yield f"| … and {len(rows) - _MOST_ROWS} more | | | |"
    removed = [row for row in result.tests if row.how == "removed"]
    if removed:
        yield ""
        yield "Removed tests: " + ", ".join(f"{_text(row.test, 120)} ({row.at_head})" for row in removed[:10])
    told = [*answered(result), *(f"⚠️ {_text(warning, 240)}" for warning in result.warnings[:8])]
    if told:
        yield ""
        yield from (f"- {line}" for line in told)


def _row(row: TestRow) -> str:
    mark = {"proven": "✅", "passes_on_base": "➖"}.get(row.verdict, "❌")
    label = "" if row.verdict == "proven" else f" {row.verdict}"
    name = _text(row.test.partition("::")[2] or row.test, 90)
    return f"| {name} | {_text(row.on_base, 160)} | {row.at_head} | {mark}{label} |"


def _text(text: str, most: int) -> str:
    return _MARKUP.sub(r"\\\1", plain(one_line(text, most)))
