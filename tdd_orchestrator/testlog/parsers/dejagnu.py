"""Read the output of DejaGnu."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.c_build import OUTCOMES
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.row_table import text_rows

_DEJA = re.compile(
    r"(?P<status>PASS|FAIL|XPASS|XFAIL|KPASS|KFAIL|UNRESOLVED|UNTESTED|UNSUPPORTED|ERROR): (?P<name>\S.*)$"
)
_DEJA_TOTAL = re.compile(r"# of (?P<status>[a-z ]+?)\t+(?P<number>\d{1,9})$")
_DEJA_FIELDS = {
    "expected passes": "passed", "unexpected failures": "failed", "expected failures": "xfailed",
    "known failures": "xfailed", "unexpected successes": "xpassed", "unknown successes": "xpassed",
    "unresolved testcases": "errors", "untested testcases": "skipped", "unsupported tests": "skipped",
}  # fmt: skip


class DejaGnuReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._summing = False
        self._sourcing = ""

    def feed(self, line: str) -> None:
        if line.startswith("\t\t=== "):
            self._summing = line.endswith("Summary ===")
            self.open = not self._summing
            self.closed += self._summing
        elif self._summing and (match := _DEJA_TOTAL.match(line)):
            self._total(match["status"], int(match["number"]))
        elif not self._summing and (match := _DEJA.match(line)):
            self._case(match["status"], match["name"])
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _total(self, label: str, number: int) -> None:
        field = _DEJA_FIELDS.get(label)
        if field:
            self.tally.add(**{field: number})
            self.ok &= field not in ("failed", "xpassed", "errors")

    def _case(self, status: str, name: str) -> None:
        if status != "ERROR":
            self.keep(Case(name, name, OUTCOMES[status]))
        elif name.startswith("tcl error sourcing "):
            script = name[19:].rstrip(".")
            self._sourcing = script
            self.keep(Case(script, script, Outcome.ERROR, script, message=name))
        elif self._sourcing and not name.startswith("tcl error code"):
            self.explain(message=name)
            self._sourcing = ""
        elif not self._sourcing:
            self.ok = False


ROWS = text_rows(
    r"""
c DejaGnuReader weight=4 dejagnu
  words    runtest
  sign     ^\t\t=== \S.{0,200} (?:tests|Summary) ===$
  sign     ^# of (?:expected passes|unexpected failures|unexpected successes|unresolved testcases)\t
  sign     ^Running target \S
""",
    DejaGnuReader,
)
