"""Read the output of bun test, deno test and uvu."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import JsTrace
from tdd_orchestrator.testlog.reading import Reading, Runs

_BUN_FILE = re.compile(r"^(\S+\.[cm]?[jt]sx?):$")
_BUN_CASE = re.compile(r"^(?:\((pass|fail|skip|todo)\)|([✓✗»✎])) (\S.*?)(?: \[\d[\d.]*m?s\])?$")
_BUN_TOTAL = re.compile(r"^ {0,6}(\d+) (pass|fail|skip|todo|errors?|filtered out)$")
_BUN_END = re.compile(r"^Ran (\d+) tests? across \d+ files?\.")
_BUN_ERROR = re.compile(r"^(?:error|[A-Z]\w{0,60}Error): ")
_BUN_MARKS = {"✓": "pass", "✗": "fail", "»": "skip", "✎": "todo"}


class BunReader(Runs):
    """Reads errors before the line that names the test."""

    def _begin(self) -> None:
        self._started = False
        self._file = ""
        self._totals: dict[str, int] = {}
        self._cases: list[Case] = []
        self._errors: list[BuildError] = []
        self._trace = JsTrace()
        self._loading = False

    def feed(self, line: str) -> None:
        if match := _BUN_CASE.match(line):
            self._case(match[1] or _BUN_MARKS[match[2]], match[3])
        elif match := _BUN_FILE.match(line):
            self._file, self._trace, self._started = match[1], JsTrace(), True
        elif match := _BUN_TOTAL.match(line):
            self._totals[match[2].rstrip("s") if match[2].startswith("error") else match[2]] = int(match[1])
        elif match := _BUN_END.match(line):
            self._close(int(match[1]))
        elif line.startswith("bun test v"):
            self._started = True
        elif line.startswith("# Unhandled error between tests"):
            self._loading, self._trace = True, JsTrace()
        elif self._loading and line.startswith("---"):
            if self._trace.message:
                self._errors.append(self._trace.build_error(self._file))
                self._loading = False
        elif line.startswith("The following filters did not match any test files") or line.startswith(
            "No tests found"
        ):
            self._done.append(Reading(Counts(), started=True, finished=True, no_tests=True))
            self._begin()
        else:
            if _BUN_ERROR.match(line):
                self._trace = JsTrace()  # what came before it is the source around the place
            self._trace.feed(line.removeprefix("error: "))

    def _case(self, status: str, name: str) -> None:
        self._started = True
        outcome = {"pass": Outcome.PASSED, "fail": Outcome.FAILED}.get(status, Outcome.SKIPPED)
        case = Case(f"{self._file}::{name}", name, outcome, self._file)
        self._cases.append(self._trace.explain(case) if status == "fail" else case)
        self._trace = JsTrace()

    def _close(self, ran: int) -> None:
        totals = self._totals
        counts = Counts(
            totals.get("pass", 0),
            totals.get("fail", 0),
            skipped=totals.get("skip", 0) + totals.get("todo", 0),
        )
        good, complete = not counts.failed and not totals.get("error"), len(self._cases) == counts.total
        if self._errors and not any(case.outcome is Outcome.FAILED for case in self._cases):
            counts = Counts(counts.passed, 0, counts.failed, counts.skipped)
        facts = {"claims_ok": good, "no_tests": ran == 0, "complete": complete}
        self._close_run(counts, self._cases, build_errors=self._errors, **facts)

    def _end(self) -> None:
        if self._started:
            self._done.append(Reading(cases=self._cases, build_errors=self._errors, started=True))


_DENO_END = re.compile(
    r"^(ok|FAILED) \| (\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed(?: \(\d+ steps?\))?"
    r"(?: \| (\d+) ignored(?: \(\d+ steps?\))?)?(?: \| \d+ (?:measured|filtered out))* \([^()]{1,20}\)$"
)
_DENO_CASE = re.compile(
    r"^(\S.*?) \.\.\. (?:(ok|ignored)|FAILED(?: \(due to .{1,60}\))?)(?: \([^()]{1,20}\))?$"
)
_DENO_PLAN = re.compile(r"^running (\d{1,9}) tests? from \S")
_DENO_TYPES = re.compile(r"^TS\d{1,9} \[ERROR\]: ")
_DENO_ERROR = re.compile(r"^(\S.*?) => (\S+):(\d+):\d+$")


class DenoReader(Runs):
    def _begin(self) -> None:
        self._started = False
        self._cases: dict[str, Case] = {}
        self._traces: dict[str, tuple[str, JsTrace]] = {}
        self._section = ""
        self._planned = 0
        self._trace: JsTrace | None = None
        self._loading: JsTrace | None = None

    def feed(self, line: str) -> None:
        if match := _DENO_END.match(line):
            self._close(int(match[2]), int(match[3]), int(match[4] or 0))
        elif line.strip() in ("ERRORS", "FAILURES"):
            self._section = line.strip()
        elif line.startswith("running ") and (match := _DENO_PLAN.match(line)):
            self._started = True
            self._planned += int(match[1])
        elif self._section and (match := _DENO_ERROR.match(line)):
            self._trace = JsTrace()
            self._traces.setdefault(match[1].partition(" ... ")[0], (match[2], self._trace))
        elif not self._section and (match := _DENO_CASE.match(line)):
            status = match[2]
            outcome = Outcome.PASSED if status == "ok" else Outcome.SKIPPED if status else Outcome.FAILED
            self._cases[match[1]] = Case(match[1], match[1], outcome)
        elif line.startswith("TS") and _DENO_TYPES.match(line):
            self._loading = self._loading or JsTrace()
            self._loading.feed(line)
        elif line.startswith("error: ") and not (self._started or self._done or self._loading):
            self._loading = JsTrace()
            self._loading.feed(line[7:])
        elif self._loading is not None:
            self._loading.feed(line)
        elif self._trace is not None:
            self._trace.feed(line.removeprefix("error: "))

    def _close(self, passed: int, failed: int, ignored: int) -> None:
        for name, (file, trace) in self._traces.items():
            if name in self._cases:
                case = trace.explain(self._cases[name])
                self._cases[name] = (
                    case if case.file else Case(name, name, case.outcome, file, 0, case.message)
                )
        counts = Counts(passed, failed, skipped=ignored)
        short = self._planned > counts.total and not failed
        crashed = f"{self._planned} tests were to run, and {counts.total} did" if short else ""
        self._close_run(counts, list(self._cases.values()), crashed=crashed, complete=False)

    def _end(self) -> None:
        if self._started or self._loading:
            errors = [self._loading.build_error(self._loading.file)] if self._loading else []
            self._done.append(
                Reading(cases=list(self._cases.values()), build_errors=errors, started=self._started)
            )


ROWS = text_rows(
    r"""
javascript BunReader weight=2 bun
  words    bun
  sign     ^bun test v\d
  sign     ^\((?:pass|fail|skip|todo)\) \S
  sign     ^ {0,6}\d+ (?:pass|fail)$
  sign     ^Ran \d+ tests? across \d+ files?\.
  sign     ^ {1,6}\d+ expect\(\) calls$
  begins   bun test v\d
  ends     Ran \d{1,9} tests? across |The following filters did not match |No tests found
javascript DenoReader weight=2 deno
  words    deno
  sign     ^(?:ok|FAILED) \| \d+ passed(?: \(\d+ steps?\))? \| \d+ failed
  sign     ^running \d+ tests? from \S
  sign     ^ (?:ERRORS|FAILURES) $
  sign     ^error: (?:\w{1,60}Error: |Module not found |Type checking failed)
  sign     ^TS\d{1,9} \[ERROR\]:␣
  sign     ^\S.{0,300} => \S+:\d+:\d+$
  opens    -{7} (?:post-test )?output -{7}$
  closes   -{5} (?:post-test )?output end -{5}$
  broken   error: (?:Uncaught|[A-Z]\w{0,60}Error\b|TS\d{1,9} |Module not found |Type checking failed
           |Test failed$)
javascript RuledReader weight=2 uvu
  words    uvu
  trace    js
  case     ␣{3}FAIL {2}(?:(?P<name>\S.{0,200}?) {2})?"(?P<name2>.{1,400})"
  count    ␣{2}(?:Total: +(?P<ran>\d{1,9})|Passed: +(?P<passed>\d{1,9})|Skipped: +(?P<skipped>\d{1,9}))
  total    ␣{2}Duration: .*
  work     ␣?(?:\S.{0,120} )?[•✘ ]{1,4000} {2,4}\(\d+ / \d+\)
  sign     ^ {2}(?:Total|Passed|Skipped): {3,5}\d+$
  sign     ^ {3}FAIL {2}(?:\S.{0,200} {2})?\".*\"$
  sign     ^ {2}Duration: {2}\d
""",
    BunReader,
    DenoReader,
)
