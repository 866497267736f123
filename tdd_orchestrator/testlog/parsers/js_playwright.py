"""Read Playwright Test's list, line and dot reporters, which end with counts and lists of tests."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import JsTrace
from tdd_orchestrator.testlog.reading import Reading, Runs

_RUNNING = re.compile(r"^Running (\d+) tests? using \d+ workers?(?:, shard \d+ of \d+)?$")
_END = re.compile(
    r"^ {2}(\d+) (failed|passed|flaky|skipped|did not run|interrupted|errors? (?:was"
    "|were) not a part of any test.*)"
    r"(?: \(\d[\d.]*(?:ms|s|m|h)\))?$"
)
_TIMED_OUT = re.compile(r"^ {0,2}Timed out waiting [\d.]{1,9}(?:ms|s|m|h) for the test suite to run$")
_BLOCK = re.compile(r"^ {2}\d+\) (\S.* › .*?) ─*$")
_LISTED = re.compile(r"^ {4}(\S.* › .*?) ─*$")
_PLACE = re.compile(r"^(?:\[([^\]]{1,100})\] › )?(\S+?):(\d+):\d+ › (.*)$")


class PlaywrightReader(Runs):
    def _begin(self) -> None:
        self._started = False
        self._totals: dict[str, int] = {}
        self._last = ""
        self._traces: dict[str, JsTrace] = {}
        self._failed: dict[str, Case] = {}
        self._trace: JsTrace | None = None
        self._loading: list[JsTrace] = []
        self._no_tests = False
        self._timed_out = ""

    def feed(self, line: str) -> None:
        if not line:
            return
        if line[0] == "R" and _RUNNING.match(line):
            self._next()
            self._started = True
        elif _TIMED_OUT.match(line):
            self._timed_out, self._trace = line.strip(), None
        elif line.startswith("Error: No tests found"):
            self._no_tests, self._trace = True, None
        elif match := _END.match(line):
            self._last, self._trace = match[2].split(" was ")[0].split(" were ")[0], None
            self._totals[self._last] = int(match[1])
        elif self._last and (match := _LISTED.match(line)):
            if self._last in ("failed", "interrupted"):
                self._list(match[1].strip())
        elif match := _BLOCK.match(line):
            self._trace = self._traces.setdefault(match[1].strip(), JsTrace())
        elif not self._started and line[0] != " " and "Error: " in line[:60]:
            self._trace = JsTrace()
            self._loading.append(self._trace)
            self._trace.feed(line)
        elif self._trace is not None:
            self._trace.feed(line)

    def _list(self, heading: str) -> None:
        place = _PLACE.match(heading)
        if not place:
            return
        name = place[4]
        project = f"[{place[1]}] › " if place[1] else ""
        case = Case(f"{project}{place[2]} › {name}", name, Outcome.FAILED, place[2], int(place[3]))
        trace = self._traces.get(heading)
        self._failed[heading] = trace.explain(case) if trace else case

    def _end(self) -> None:
        errors = [trace.build_error(_file_of(trace)) for trace in self._loading]
        if self._no_tests and not errors:
            self._done.append(Reading(Counts(), started=True, finished=True, no_tests=True))
        elif self._totals:
            self._close(self._totals, errors)
        elif self._started or errors:
            self._done.append(Reading(build_errors=errors, started=self._started, timed_out=self._timed_out))

    def _close(self, totals: dict[str, int], errors: list[BuildError]) -> None:
        counts = Counts(
            totals.get("passed", 0) + totals.get("flaky", 0),
            totals.get("failed", 0) + totals.get("interrupted", 0),
            skipped=totals.get("skipped", 0),
        )
        outside = any(key.startswith("error") for key in totals)
        self._close_run(
            counts,
            list(self._failed.values()),
            build_errors=errors,
            timed_out=self._timed_out,
            claims_ok=not counts.failed and not outside,
            no_tests=counts.total == 0 and not outside,
            complete=False,
        )


def _file_of(trace: JsTrace) -> str:
    """Return the file from ``SyntaxError: /repo/a.spec.js: Unexpected token``, or the trace's."""
    head = trace.message.partition(": ")[0]
    return head if "/" in head and " " not in head else trace.file


ROWS = text_rows(
    r"""
javascript PlaywrightReader weight=2 playwright
  words    playwright
  sign     ^Running (\d+) tests? using \d+ workers?(?:, shard \d+ of \d+)?$
  sign     ^ {2}\d+\) (?:\[[^\]]{1,100}\] › )?\S+:\d+:\d+ › .* ─+$
  sign     ^ {2}[✓✘✔✗-] +\d+ (?:\[[^\]]{1,100}\] › )?\S+:\d+:\d+ ›␣
  sign     ^ {2}\d+ (?:passed|flaky) \(\d[\d.]*(?:ms|s|m|h)\)$
  sign     ^Error: No tests found
  sign     ^ {0,2}Timed out waiting [\d.]{1,9}(?:ms|s|m|h) for the test suite to run$
  sign     ^Error: item focused with '\.only' is not allowed due to the '--forbid-only' CLI flag:␣
  sign     ^Error: duplicate test title \"
  sign     ^ {4}Error Context: test-results/
  begins   Running (\d+) tests? using \d+ workers?(?:, shard \d+ of \d+)?$
  ends     ␣{2}\d{1,9} (?:passed|failed|flaky|skipped|did not run|interrupted|errors? w)
           | {0,2}Timed out waiting \d
  broken   Error: No tests found$|Error: item focused with '\.only' is not allowed due to
           |Error: duplicate test title \"|(?:SyntaxError: /|Error: Cannot find module ').*\n(?:
           (?:Require stack:|- .*|)\n){1,20} {3}at \S+:\d{1,9}$
           |Error: .{0,400}\n(?:.{0,400}\n){0,6}? {4}at .{1,300}[/\\]playwright[/\\]lib[/\\]
""",
    PlaywrightReader,
)
