"""Read what sbt prints around tests of ScalaTest, specs2 and MUnit."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Program, numbers
from tdd_orchestrator.testlog.parsers.ruled import text_rows

_SBT = re.compile(r"\[(?:info|error|warn)\] ?")
_SBT_NUMBERS = re.compile(
    r"Tests: succeeded (?P<ok>\d{1,9}), failed (?P<bad>\d{1,9}), canceled (?P<off>\d{1,9}), "
    r"ignored (?P<skip>\d{1,9}), pending (?P<todo>\d{1,9})$"
)
_SBT_TOTAL = re.compile(
    r"(?P<status>Passed|Failed|Error): Total (?P<total>\d{1,9}), Failed (?P<bad>\d{1,9}), Errors "
    r"(?P<err>\d{1,9}), Passed (?P<ok>\d{1,9})(?P<rest>.*)$"
)
_SBT_CASE = re.compile(
    r"(?P<indent> *)- (?P<name>\S.*?)(?P<bad> \*\*\* FAILED \*\*\*)?(?: \([^()]*(?:second|millisecond)s?\))?$"
)
_MUNIT = re.compile(r"==> (?P<mark>[Xi]) (?P<name>\S.*?) {2}[\d.]+s(?: (?P<type>[\w.$]+): (?P<message>.*))?$")
_SBT_PLACE = re.compile(r"(?P<message>.*) \((?P<file>[^():\s]+\.(?:scala|java)):(?P<line>\d{1,9})\)$")
_SBT_AT = re.compile(r"(?P<file>[^\s:]+\.scala):(?P<line>\d{1,9})(?::\d{1,9})?(?: (?P<message>.*))?$")


class ScalaReader(Program):
    """Reads ScalaTest with or without sbt; MUnit and JUnit under sbt."""

    def __init__(self) -> None:
        super().__init__()
        self._scalatest = False
        self._suite = ""
        self._failed = False

    def feed(self, line: str) -> None:
        text = _SBT.sub("", line, count=1)
        if match := _SBT_NUMBERS.match(text):
            totals = {key: int(number) for key, number in match.groupdict().items()}
            skipped = totals["off"] + totals["skip"] + totals["todo"]
            self._scalatest = True
            self.close(passed=totals["ok"], failed=totals["bad"], skipped=skipped)
        elif match := _SBT_TOTAL.match(text):
            if not self._scalatest:
                totals = {key: int(match[key]) for key in ("total", "bad", "err", "ok")}
                other = numbers(match["rest"].replace("Ignored ", "").replace(",", " ignored,") + " ignored")
                self.close(
                    passed=totals["ok"],
                    failed=totals["bad"],
                    errors=totals["err"],
                    skipped=other.get("ignored", 0),
                )
        elif text.startswith(
            ("Run starting. ", "Run completed in ", "No tests were executed", "No tests to run")
        ):
            self.open = self.open or text.startswith("Run starting")
            if text.startswith("No tests"):
                self.close()
        elif match := _MUNIT.match(text):
            self._munit(match)
        elif match := _SBT_CASE.match(text):
            self._case(match)
        elif self._failed:
            self._add_detail(text.strip())
        else:
            if text.endswith(":") and text[:1].isupper():
                self._suite = text[:-1]
            if line.startswith("[error]") or not self.open:
                self.build.feed(line)

    def _case(self, match: re.Match[str]) -> None:
        self.open = self.open or not self.closed
        name = match["name"]
        outcome = Outcome.FAILED if match["bad"] else Outcome.PASSED
        if name.endswith((" !!! IGNORED !!!", " !!! CANCELED !!!")):
            name, outcome = name.rsplit(" !!!", 2)[0], Outcome.SKIPPED
        self._failed = outcome is Outcome.FAILED
        if (
            any(case.name == name and case.outcome is Outcome.FAILED for case in self.cases[-200:])
            and self._failed
        ):
            self._failed = False
            return
        self.keep(Case(f"{self._suite}::{name}", name, outcome))

    def _munit(self, match: re.Match[str]) -> None:
        self.open = self.open or not self.closed
        bad = match["mark"] == "X"
        name = match["name"]
        place = _SBT_AT.match(match["message"] or "")
        file, line = (place["file"], int(place["line"])) if place else ("", 0)
        message = (place["message"] or "") if place else (match["message"] or "")
        if bad:
            self.keep(Case(name, name, Outcome.FAILED, file, line, message, match["type"] or ""))

    def _add_detail(self, text: str) -> None:
        match = _SBT_PLACE.match(text)
        self._failed = False
        if match:
            self.explain(file=match["file"], line=int(match["line"]), message=match["message"])
        else:
            self.explain(message=text)


ROWS = text_rows(
    r"""
scala ScalaReader weight=4 scalatest
  words    sbt  |  scala  |  mill
  sign     Tests: succeeded \d{1,9}, failed \d{1,9}, canceled \d{1,9}
  sign     (?:Passed|Failed|Error): Total \d{1,9}, Failed \d{1,9}, Errors \d{1,9}, Passed \d{1,9}
  sign     ^\[info\] - \S
  sign     \*\*\* FAILED \*\*\*
  sign     ^\[error\] .{0,200}\.scala:\d{1,9}
  sign     ==> X \S.{0,300} {2}[\d.]+s␣
  broken   \[error\] .{1,300} Compilation failed$
""",
    ScalaReader,
)
