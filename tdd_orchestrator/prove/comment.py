"""The answer for people: the comment on a pull request, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from tdd_orchestrator.cycle.counterfactual.answers import listed
from tdd_orchestrator.prove.values import (
    ADVICE,
    MEANING,
    ChangeClass,
    ChangeResult,
    ChangeVerdict,
    ProveReport,
    TestRow,
)
from tdd_orchestrator.text import markdown_text

MARK = "<!-- tdd prove -->"
"""The first line of the comment, by which it is found again and updated in place."""
_MOST_ROWS = 20
_MOST_BYTES = 60_000  # GitHub takes 65,536 characters
_CLASSES = {
    ChangeClass.BEHAVIOR: "a change of behavior",
    ChangeClass.REFACTORING: "a refactoring: the same tests pass",
    ChangeClass.RENAME: "a renaming: the same tests pass",
    ChangeClass.DOCUMENTATION: "no code changed: the same tests pass",
    ChangeClass.DEPENDENCIES: "dependencies, settings, benchmarks or examples: the same tests pass",
    ChangeClass.TESTS: "tests alone",
    ChangeClass.DEAD_CODE: "code removed with its tests",
    ChangeClass.REVERT: "an older commit taken back",
}


def markdown(report: ProveReport) -> str:
    """Return the whole comment, refused changes first. Text of a change is escaped: it can neither mark up nor
    mention."""
    head = f"{MARK}\n### {_headline(report)}\n"
    trees = "1 tree" if report.trees == 1 else f"{report.trees} trees"
    foot = f"<sub>tdd prove ran {trees} with your test command, {report.seconds:.0f} s.</sub>\n"
    left, shown = _MOST_BYTES - len((head + foot).encode()) - 100, list[str]()
    for result in sorted(report.results, key=lambda one: one.proven):
        block = "\n".join(_change(result, alone=len(report.results) == 1)) + "\n"
        left -= len(block.encode("utf-8", "replace")) + 1
        if left < 0:
            shown.append(f"… and {len(report.results) - len(shown)} more changes.\n")
            break
        shown.append(block)
    return "\n".join((head, *shown, foot))


def _headline(report: ProveReport) -> str:
    proven = sum(result.proven for result in report.results)
    if len(report.results) == 1:
        result = report.results[0]
        return "✅ Proven" if result.proven else f"❌ Not proven: {MEANING[result.verdict]}"
    mark = "✅" if report.proven else "❌"
    return f"{mark} {proven} of {len(report.results)} commits proven"


def _change(result: ChangeResult, *, alone: bool) -> Iterator[str]:
    mark = "" if alone else "✅ " if result.proven else "❌ "
    meaning = "" if result.proven or alone else f": **{MEANING[result.verdict]}**"
    subject = markdown_text(result.change.subject, 100) or "No subject"
    yield f"{mark}{subject} (`{result.change.name}`, {_CLASSES[result.kind]}){meaning}"
    if not result.proven:
        yield ""
        yield from (f"- {markdown_text(reason, 300)}" for reason in result.reasons[:5])
        advice = ADVICE.get(result.verdict)
        yield from ("", f"**To do:** {advice}") if advice else ()
    rows = [row for row in result.tests if row.how != "removed"]
    if rows:
        yield ""
        yield "| | test | without the change | with the change |"
        yield "|---|---|---|---|"
        yield from (_row(row, alike) for row, alike in _with_repeats(rows[:_MOST_ROWS]))
        if len(rows) > _MOST_ROWS:
            yield f"| | … and {len(rows) - _MOST_ROWS} more | | |"
    removed = [row for row in result.tests if row.how == "removed"]
    if removed:
        yield ""
        yield "Removed tests:"
        yield from (
            f"- {markdown_text(row.test, 120)} ({markdown_text(row.at_head, 80)})" for row in removed[:10]
        )
    if result.asked is not None and any(answered(result)):
        yield ""
        yield "Could these tests fail at all? Each was run again, changed so that it must:"
        yield from (f"- {line}" for line in answered(result))
    if result.warnings:
        yield from ("", "⚠️ Worth a look:")
        yield from (f"- {markdown_text(warning, 240)}" for warning in result.warnings[:8])


def _with_repeats(rows: list[TestRow]) -> Iterator[tuple[TestRow, bool]]:
    """Yield each row, and whether it failed on BASE as the row before it."""
    before = ""
    for row in rows:
        yield row, bool(row.on_base) and row.on_base == before
        before = row.on_base


def _row(row: TestRow, alike: bool) -> str:
    mark = {"proven": "✅", "passes_on_base": "➖", "never_ran": "➖"}.get(row.verdict, "❌")
    name = markdown_text(row.test.partition("::")[2] or row.test, 90)
    wrong = "" if mark != "❌" else f" ({MEANING[ChangeVerdict(row.verdict)]})"
    on_base = "the same" if alike else markdown_text(row.on_base, 160)
    return f"| {mark} | {name}{wrong} | {on_base} | {markdown_text(row.at_head, 80)} |"


_QUESTIONS = {
    "poison": "with a failing statement at the end",
    "shift": "with other expected values",
    "stub": "without the new functions",
}


def answered(result: ChangeResult) -> Iterator[str]:
    """Yield one sentence for each question that was asked."""
    for one in listed(result.asked):
        if one["asked"]:
            yield f"{_QUESTIONS[one['question']]}: {one['failed']} of {one['asked']} tests fail, as they must"
