"""What Gradle and sbt print around the tests that they run."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.runners.reading import Reading, TextRow, signs
from tdd_orchestrator.runners.text.c_family import Program
from tdd_orchestrator.runners.text.gather import numbers
from tdd_orchestrator.runners.text.java_trace import Trace

_TASK = re.compile(r"> Task (?P<path>:\S+)(?: (?P<word>FAILED|UP-TO-DATE|NO-SOURCE|FROM-CACHE|SKIPPED))?$")
_TEST_TASK = re.compile(r"(?:^|:)(?:\w*[tT]est(?:DebugUnitTest|ReleaseUnitTest)?|check)$")
_CASE_END = re.compile(r" (?P<word>PASSED|FAILED|SKIPPED|STANDARD_OUT|STANDARD_ERROR)(?: \([\d.]+m?s\))?$")
_DONE = re.compile(r"\d{1,9} tests? completed(?:, \d{1,9} failed)?(?:, \d{1,9} skipped)?$")
_ENDED = re.compile(r"BUILD (?P<word>SUCCESSFUL|FAILED) in ")
_WORDS = {"PASSED": Outcome.PASSED, "FAILED": Outcome.FAILED, "SKIPPED": Outcome.SKIPPED}


class GradleReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._trace: Trace | None = None
        self._ended = ""
        self._wrong: list[str] = []
        self._asking = False
        self._ran = 0  # test tasks that passed
        self._sourceless = 0
        self._counted = 0  # cases before the last "completed" line

    def feed(self, line: str) -> None:
        if line.startswith("> Task ") and (match := _TASK.match(line)):
            self._task(match["path"], match["word"] or "")
        elif (
            " > " in line
            and line[0] not in " >"
            and (match := _CASE_END.search(line, max(0, len(line) - 40)))
        ):
            self._end_case()
            if match["word"] in _WORDS:
                self._case(line[: match.start()], _WORDS[match["word"]])
        elif " completed" in line and _DONE.match(line):
            self._sum(line)
        elif match := _ENDED.match(line):
            self._end_case()
            self._ended = match["word"]
        elif line.startswith(("FAILURE: ", "* ")):
            self._end_case()
            self._asking = line.startswith("* What went wrong")
        elif self._trace is not None:
            self._told(line)
        elif self._asking and line.strip():
            self._wrong.append(line.strip())
        else:
            self.build.feed(line)

    def _task(self, path: str, word: str) -> None:
        self._end_case()
        self.open = True
        if _TEST_TASK.search(path) and not path.endswith(("compileTest", ":check")):
            self._ran += word in ("", "UP-TO-DATE", "FROM-CACHE")
            self._sourceless += word == "NO-SOURCE"

    def _case(self, path: str, outcome: Outcome) -> None:
        name = path.rsplit(" > ", 1)[-1]
        owner = path.split(" > ", 1)[0]
        self.keep(Case(path, name, outcome))
        self._trace = Trace(owner if outcome is Outcome.FAILED else "") if outcome is Outcome.FAILED else None

    def _told(self, line: str) -> None:
        assert self._trace is not None
        if not line.strip() and self._trace.type:
            self._end_case()
        elif line.startswith("    "):
            self._trace.feed(line)

    def _end_case(self) -> None:
        trace, self._trace = self._trace, None
        if trace is not None:
            self.explain(file=trace.file, line=trace.line, message=trace.message, exception=trace.type)

    def _sum(self, line: str) -> None:
        told = numbers(line)
        failed, skipped = told.get("failed", 0), told.get("skipped", 0)
        total = told.get("completed", 0) or int(line.split(" ", 1)[0])
        self.close(passed=total - failed - skipped, failed=failed, skipped=skipped)
        self.open = True
        self._counted = len(self.cases)

    def finish(self) -> Reading:
        self._end_case()
        late = self.cases[self._counted :]
        if late:
            told = {outcome: sum(case.outcome is outcome for case in late) for outcome in _WORDS.values()}
            self.tally.add(
                passed=told[Outcome.PASSED], failed=told[Outcome.FAILED], skipped=told[Outcome.SKIPPED]
            )
        counts = self.tally.of()
        good = self._ended == "SUCCESSFUL"
        red = counts is not None and counts.bad > 0
        errors = self.build.errors if not good else []
        died = next(
            (
                text
                for text in self._wrong
                if "finished with non-zero exit value" in text and "Test Executor" in text
            ),
            "",
        )
        none = any(
            "No tests found for given includes" in text or "did not discover any tests" in text
            for text in self._wrong
        )
        if not good and not errors and not red and not died and not none and self._wrong:
            errors = [BuildError(" ".join(self._wrong)[:600])]
        return Reading(
            counts=counts,
            cases=self.cases,
            build_errors=errors,
            started=self.open or bool(self._ended),
            finished=bool(self._ended),
            claims_ok=good if self._ended else None,
            no_tests=none or (good and counts is None and not self._ran),
            crashed=died,
            unnamed=self._ran if good and counts is None else 0,
        )


_SBT = re.compile(r"\[(?:info|error|warn)\] ?")
_SBT_NUMBERS = re.compile(
    r"Tests: succeeded (?P<ok>\d{1,9}), failed (?P<bad>\d{1,9}), canceled (?P<off>\d{1,9}), ignored (?P<skip>\d{1,9}), pending (?P<todo>\d{1,9})$"
)
_SBT_TOTAL = re.compile(
    r"(?P<word>Passed|Failed|Error): Total (?P<total>\d{1,9}), Failed (?P<bad>\d{1,9}), Errors (?P<err>\d{1,9}), Passed (?P<ok>\d{1,9})(?P<rest>.*)$"
)
_SBT_CASE = re.compile(
    r"(?P<indent> *)- (?P<name>\S.*?)(?P<bad> \*\*\* FAILED \*\*\*)?(?: \([^()]*(?:second|millisecond)s?\))?$"
)
_MUNIT = re.compile(r"==> (?P<mark>[Xi]) (?P<name>\S.*?) {2}[\d.]+s(?: (?P<type>[\w.$]+): (?P<message>.*))?$")
_SBT_PLACE = re.compile(r"(?P<message>.*) \((?P<file>[^():\s]+\.(?:scala|java)):(?P<line>\d{1,9})\)$")
_SBT_AT = re.compile(r"(?P<file>[^\s:]+\.scala):(?P<line>\d{1,9})(?::\d{1,9})?(?: (?P<message>.*))?$")


class ScalaReader(Program):
    """ScalaTest with or without sbt; MUnit and JUnit under sbt."""

    def __init__(self) -> None:
        super().__init__()
        self._scalatest = False
        self._suite = ""
        self._failed = False

    def feed(self, line: str) -> None:
        text = _SBT.sub("", line, count=1)
        if match := _SBT_NUMBERS.match(text):
            told = {word: int(number) for word, number in match.groupdict().items()}
            skipped = told["off"] + told["skip"] + told["todo"]
            self._scalatest = True
            self.close(passed=told["ok"], failed=told["bad"], skipped=skipped)
        elif match := _SBT_TOTAL.match(text):
            if not self._scalatest:
                told = {word: int(match[word]) for word in ("total", "bad", "err", "ok")}
                other = numbers(match["rest"].replace("Ignored ", "").replace(",", " ignored,") + " ignored")
                self.close(
                    passed=told["ok"], failed=told["bad"], errors=told["err"], skipped=other.get("ignored", 0)
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
            self._say(text.strip())
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

    def _say(self, text: str) -> None:
        match = _SBT_PLACE.match(text)
        self._failed = False
        if match:
            self.explain(file=match["file"], line=int(match["line"]), message=match["message"])
        else:
            self.explain(message=text)


_CLJ_HEAD = re.compile(
    r"(?P<word>FAIL|ERROR) in \((?P<name>[^()]+)\) \((?P<file>[^():]+):(?P<line>\d{1,9})\)$"
)
_CLJ_RAN = re.compile(r"Ran (?P<ran>\d{1,9}) tests containing (?P<checks>\d{1,9}) assertions\.$")
_CLJ_END = re.compile(r"(?P<failures>\d{1,9}) failures, (?P<errors>\d{1,9}) errors\.$")


class ClojureReader(Program):
    """clojure.test counts assertions; the tests themselves are told apart by their names."""

    _ran = -1
    _telling = False

    def feed(self, line: str) -> None:
        if match := _CLJ_HEAD.match(line):
            self.open = self._telling = True
            name = match["name"]
            outcome = Outcome.FAILED if match["word"] == "FAIL" else Outcome.ERROR
            self._telling = not any(case.name == name for case in self.cases)
            if self._telling:
                self.keep(Case(name, name, outcome, match["file"], int(match["line"])))
        elif match := _CLJ_RAN.match(line):
            self._ran, self.open, self._telling = int(match["ran"]), True, False
        elif self._ran >= 0 and (match := _CLJ_END.match(line)):
            bad = [case.outcome for case in self.cases]
            failed, errors = bad.count(Outcome.FAILED), bad.count(Outcome.ERROR)
            self.close(passed=self._ran - failed - errors, failed=failed, errors=errors)
            self.ok &= match["failures"] == "0" and match["errors"] == "0"
            self._ran = -1
        elif line.startswith("Testing "):
            self.open, self._telling = True, False
        elif self._telling:
            self._telling = bool(line.strip())
            self.explain(message=f"{self.cases[-1].message}\n{line.strip()}".strip())
        elif not self.open:
            self.build.feed(line)


ROWS = (
    TextRow(
        "gradle",
        "java",
        GradleReader,
        signs(
            r"^> Task :\S+",
            r"^BUILD (?:SUCCESSFUL|FAILED) in ",
            r"^\d{1,9} tests? completed(?:, \d{1,9} failed)?",
            r"^\S.{0,300} > .{1,300} (?:PASSED|FAILED|SKIPPED)$",
            r"^\* What went wrong:$",
        ),
        ("gradle", "gradlew"),
        6,
    ),
    TextRow(
        "scalatest",
        "scala",
        ScalaReader,
        signs(
            r"Tests: succeeded \d{1,9}, failed \d{1,9}, canceled \d{1,9}",
            r"(?:Passed|Failed|Error): Total \d{1,9}, Failed \d{1,9}, Errors \d{1,9}, Passed \d{1,9}",
            r"^\[info\] - \S",
            r"\*\*\* FAILED \*\*\*",
            r"^\[error\] .{0,200}\.scala:\d{1,9}",
            r"==> X \S.{0,300} {2}[\d.]+s ",
        ),
        ("sbt", "scala", "mill"),
        4,
    ),
    TextRow(
        "clojure.test",
        "clojure",
        ClojureReader,
        signs(
            r"^Ran \d{1,9} tests containing \d{1,9} assertions\.$",
            r"^\d{1,9} failures, \d{1,9} errors\.$",
            r"^(?:FAIL|ERROR) in \(",
        ),
        ("lein", "clojure"),
        3,
    ),
)
