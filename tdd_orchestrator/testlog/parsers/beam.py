"""Read the output of EUnit (also under rebar3) and Common Test."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.compilers import located
from tdd_orchestrator.testlog.parsers.gather import Block, numbers
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.row_table import text_rows

_EU_SUM = re.compile(
    r" {2}Failed: (?P<failed>\d{1,9})\. {2}Skipped: (?P<skipped>\d{1,9})\. {2}Passed: (?P<passed>\d{1,9})\."
)
_EU_ALL = re.compile(r" {2}(?:All (?P<all>\d{1,9}) tests|(?P<some>\d{1,9}) tests?|Test) passed\.")
_EU_CASE = re.compile(
    r"\s*(?P<name>[a-z]\w*(?::\d{1,9})?: ?\S.*?)\.\.\.(?:\[[\d.]+ s\] )?\*(?P<status>failed|timed out"
    r"|skipped|did not run)\*"
)
_EU_OK = re.compile(r"\s+(?P<name>[a-z]\w*(?::\d{1,9})?: ?\S.*?)\.\.\.(?:\[[\d.]+ s\] )?ok$")
_EU_BAR = re.compile(r" {2}\d{1,9}\) (?P<name>\S+?)(?:: (?:module|.*))?$")
_REBAR_AT = re.compile(r" {5}%% (?P<file>[^\s:]+\.erl):(?P<line>\d{1,9}):in ")
_EU_KIND = re.compile(r"\*\*(?:error|throw|exit):\{?(?P<type>\w+)")


class EUnitReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._block: Block | None = None
        self._rebar = False
        self._stopped = ""

    def feed(self, line: str) -> None:
        if match := _EU_SUM.match(line):
            totals = {key: int(number) for key, number in match.groupdict().items()}
            self.close(passed=totals["passed"], failed=totals["failed"], skipped=totals["skipped"])
        elif match := _EU_ALL.match(line):
            self.close(passed=int(match["all"] or match["some"] or 1))
        elif line.startswith("  There were no tests to run"):
            self.close()
        elif (
            self._rebar
            and (" tests, " in line or " test, " in line)
            and line.rstrip().endswith(("failures", "failure", "skipped", "cancelled"))
        ):
            totals = numbers(line)
            failed, skipped = totals.get("failures", 0), totals.get("skipped", 0) + totals.get("cancelled", 0)
            self.close(passed=totals.get("tests", 0) - failed - skipped, failed=failed, skipped=skipped)
        else:
            self._text(line)

    def _text(self, line: str) -> None:
        if line.startswith(("======================== EUnit", "===> Performing EUnit")):
            self.open, self._rebar = True, line.startswith("===> ")
        elif line.startswith("===> Error running tests") and not self.closed:
            self.ok = False
        elif match := _EU_CASE.match(line):
            self.open = True
            name = match["name"].strip().split(" (module '", 1)[0]
            outcome = Outcome.FAILED if match["status"] in ("failed", "timed out") else Outcome.SKIPPED
            self.keep(Case(name, name, outcome))
            self._block = Block() if outcome is Outcome.FAILED else None
            if match["status"] == "timed out":
                self.explain(message="timed out")
        elif match := _EU_OK.match(line):
            self.keep(Case(match["name"].strip(), match["name"].strip(), Outcome.PASSED))
        elif self._rebar and self.open and (match := _EU_BAR.match(line)):
            name = match["name"]
            self.keep(Case(name, name, Outcome.FAILED))
            self._block = Block()
        elif line.startswith("*** ") and ("failed" in line or "bad test" in line):
            self.ok, self.open = False, True
        elif line.startswith("One or more tests were cancelled"):
            self.ok = False
        elif self._block is not None:
            self._add_detail(line)
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _add_detail(self, line: str) -> None:
        assert self._block is not None
        if self._rebar:
            at = _REBAR_AT.match(line)
            if at:
                self.explain(file=at["file"], line=int(at["line"]))
            elif line.startswith("     Output:"):
                self._block = None
            else:
                self._block.add(line.strip())
                self.explain(message=self._block.text())
        elif line.startswith("in function") or line.startswith("in call"):
            file, number = located(line, ".erl")
            if file and not self.cases[-1].line and not file.startswith("eunit"):
                self.explain(file=file, line=number)
        elif line.startswith("  output:") or not line.strip():
            self._block = None
        else:
            kind = _EU_KIND.match(line)
            self._block.add(line.strip())
            self.explain(
                message=self._block.text(), exception=kind["type"] if kind else self.cases[-1].exception
            )


_CT_END = re.compile(
    r"(?:Testing .{1,300}: )?TEST COMPLETE, (?P<ok>\d{1,9}) ok, (?P<failed>\d{1,9}) failed(?:, "
    r"(?P<skipped>\d{1,9}) skipped)?(?: of (?P<total>\d{1,9}) test cases?)?"
)
_CT_REBAR = re.compile(
    r"Failed (?P<failed>\d{1,9}) tests?\.(?: Skipped (?P<skipped>\d{1,9}) \([^)]*\) tests?\.)? "
    r"Passed (?P<ok>\d{1,9}) tests?\."
)
_CT_ALL = re.compile(r"All (?P<ok>\d{1,9}) tests passed\.$")
_CT_FAIL = re.compile(r"%%% (?P<suite>\w+)(?: ==> (?P<name>[\w.]+))?: FAILED$")
_CT_PLAIN = re.compile(r"(?P<suite>\w+_SUITE):(?P<name>\w+) failed(?: on line (?P<line>\d{1,9}))?$")


class CommonTestReader(Program):
    _block: Block | None = None

    def feed(self, line: str) -> None:
        match = (
            _CT_END.search(line)
            if "TEST COMPLETE, " in line
            else _CT_REBAR.match(line) or _CT_ALL.match(line)
        )
        if match:
            totals = {key: int(number or 0) for key, number in match.groupdict().items()}
            self.close(passed=totals["ok"], failed=totals.get("failed", 0), skipped=totals.get("skipped", 0))
            self._block = None
        elif (line.startswith("Testing ") and "Starting test" in line) or line.startswith(
            "===> Running Common Test"
        ):
            self.open = True
        elif match := _CT_FAIL.match(line) or _CT_PLAIN.match(line):
            parts = match.groupdict()
            name = match["name"] or "init_per_suite"
            known = any(case.name == name for case in self.cases)
            self._block = None if known else Block()
            if not known:
                file = f"{match['suite']}.erl" if parts.get("line") else ""
                self.keep(
                    Case(f"{match['suite']}::{name}", name, Outcome.FAILED, file, int(parts.get("line") or 0))
                )
        elif self._block is not None:
            text = line.split(" ==> ", 1)[-1].strip() if line.startswith("%%% ") else line.strip()
            if not text or line.startswith("- - -"):
                self._block = None if self._block.lines else self._block
            else:
                self._block.add(text)
                self.explain(message=self._block.text())
        elif not self.open and not self.closed:
            self.build.feed(line)


ROWS = text_rows(
    r"""
erlang EUnitReader weight=2 eunit
  words    eunit  |  rebar3
  sign     ^ {2}(?:All \d{1,9} tests|Test|\d{1,9} tests?) passed\.
  sign     ^ {2}Failed: \d{1,9}\. {2}Skipped: \d{1,9}\. {2}Passed: \d{1,9}\.
  sign     ^={20,} EUnit =
  sign     ^[ a-z]\S{0,200}: ?\S.{0,200}\.\.\.(?:\[[\d.]+ s\] )?\*(?:failed|timed out|skipped)\*
  sign     ^===> (?:Performing EUnit|Verifying)
  sign     ^ {5}%% [^\s:]{1,300}\.erl:\d{1,9}:in␣
  sign     ^Finished in [\d.]+ seconds$
  sign     ^\d{1,9} tests, \d{1,9} failures
  sign     ^ {2}There were no tests to run\.
  sign     ^in function [a-z]\w*:\w+/\d{1,9} \(
  begins   ={20,} EUnit =|===> Performing EUnit tests\.{3}$(?!\n={20,} EUnit =)
  ends     ␣{2}(?:All \d{1,9} tests|\d{1,9} tests?|Test) passed\.|  Failed: \d{1,9}\.
            |\d{1,9} tests?, \d{1,9} failures?\b|  There were no tests to run\.
  broken   ===> (?:Compiling \S+ failed|Error running tests)|SIGTERM received - shutting down$
  apart    {ERLANG}
  dies     {SIGNALLED}
erlang CommonTestReader weight=3 common-test
  words    ct_run  |  rebar3 ct
  sign     TEST COMPLETE, \d{1,9} ok, \d{1,9} failed
  sign     ^Testing \S.{0,200}: Starting test
  sign     ^===> Running Common Test
  sign     ^%%% \w+(?: ==> \S+)?: FAILED$
  sign     ^Failed \d{1,9} tests?\..{0,60} Passed \d{1,9} tests?\.
  broken   ===> (?:Compiling \S+ failed|Error running tests)
  apart    {ERLANG}
""",
    EUnitReader,
    CommonTestReader,
)
