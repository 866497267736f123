"""pytest's terminal output (6 to 9, quiet and verbose, with xdist, rerunfailures, subtests and sugar).

pytest closes a run with one line of counts: as wide as its header, or bare where there is no header (``-q``).
Tests may print such a line; so its width, the progress before it and its place decide which one is pytest's.
"""

from __future__ import annotations

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.py_pytest_failures import (
    BANG,
    CLOSING,
    COLLECTED,
    COUNT,
    COUNTED,
    DOTS,
    LETTERS,
    OUTCOMES,
    RESULTS,
    SECTION,
    SHORT,
    STATUS,
    SUB,
    SUGAR_COUNT,
    TITLE,
    USAGE,
    XDIST,
    explain,
    explain_lines,
    is_identity,
    leading_identity,
    split_summary,
)
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import Trace
from tdd_orchestrator.testlog.reading import Reading, summed

_RUNS = 1_000  # runs kept one by one


class PytestReader:
    def __init__(self) -> None:
        self._done: list[Reading] = []
        self._begin(0)

    def _begin(self, width: int) -> None:
        self._width = width  # of the header, 0 where there was none
        self._cases: dict[str, Case] = {}
        self._errors: list[BuildError] = []
        self._letters: dict[str, int] = {}
        self._full = False  # progress reached 100 %
        self._closing = ""
        self._rank = 0  # how certain the closing line is: 3 as wide as the header, 2 after 100 %, 1 bare
        self._sugar: dict[str, int] | None = None
        self._section = ""
        self._title = ""
        self._traces: list[tuple[str, Trace]] = []  # by title, in order
        self._pending = ""
        self._crashed = self._timed_out = ""
        self._internal: Trace | None = None  # an error of pytest's own, or of a plug-in
        self._began = False
        self._stop = False
        self._uncollected = ""
        self._lined: list[str] = []  # failures of one line each (--tb=line)
        self._selected = 0  # tests that pytest announced

    def feed(self, line: str) -> None:
        if not line:
            return
        first = line[0]
        if first == "=":
            self._rule(line)
        elif first in "_―" and (match := TITLE.match(line)):
            self._open(match[1] or match[2], len(line) if match[1] else self._width)
        elif first == "!" and (match := BANG.match(line)):
            self._bang(match[1])
        elif first == "I" and line.startswith("INTERNALERROR> "):
            self._internal = self._internal or Trace()
            self._internal.feed(line[15:] or " ")
        elif self._section == "short test summary info" and self._short(line):
            pass
        elif first == "R" and not self._closing and RESULTS.match(line):
            self._section, self._title, self._sugar = "", "", {}
        elif self._title and not self._goes_on(line):
            self._traces[-1][1].feed(line)
            self._maybe_closing(line)
        elif self._section == "FAILURES":
            self._lined.append(line[:1000])
        else:
            self._loose(line)

    def _rule(self, line: str) -> None:
        match = SECTION.match(line)
        if not match:
            return
        title = match[1]
        if title == "test session starts":
            if self._width or self._closing or self._cases or self._errors or self._full:
                self._end()  # else: dots of another runner
            self._begin(len(line))
            self._began = True
        elif CLOSING.match(title):
            self._close(title, 3 if self._is_wide(line) or (not self._width and len(line) > 60) else 0)
        elif not self._width or abs(len(line) - self._width) <= 2:
            self._section, self._title = title, ""

    def _is_wide(self, line: str) -> bool:
        """Whether the line is as wide as the header; a very wide title has one ``=`` at either side."""
        return abs(len(line) - self._width) <= 2 or (len(line) > self._width > 0 and line[1] == " ")

    def _close(self, title: str, rank: int) -> None:
        if rank >= self._rank and rank:
            self._sugar = None
            self._closing, self._rank = title, rank
            self._section = self._title = self._pending = ""

    def _maybe_closing(self, line: str) -> None:
        if self._rank == 3 and _red(line):
            self._end()  # a quiet run after one that is over
            self._begin(0)
        if line[0].isdigit() and not self._width and CLOSING.match(line):
            self._close(line, 2 if self._full or self._section else 1)
        elif line[0] == "n" and not self._width and CLOSING.match(line):
            self._close(line, 2)

    def _open(self, title: str, width: int) -> None:
        """Begin a failure at its title: in its section, or (instafail, sugar) amid the progress."""
        instant = not self._section and self._began and abs(width - self._width) <= 2
        if instant or self._section in ("FAILURES", "ERRORS"):
            self._title = title
            self._traces.append((title, Trace()))

    def _goes_on(self, line: str) -> bool:
        """Whether progress ends a failure that was printed amid it."""
        if self._section:
            return False
        dots = DOTS.match(line)
        named = line.find(".py::", 0, 300) > 0 and " " not in line[: line.find("::")]
        if not (
            named
            or (dots and (dots[2] or " " in line))
            or XDIST.match(line)
            or line.startswith("Test session ")
        ):
            return False
        self._title = ""
        return True

    def _bang(self, text: str) -> None:
        if text.startswith(("_pytest.outcomes.Exit", "KeyboardInterrupt")):
            self._crashed = text
        if text.endswith(" during collection"):
            self._uncollected = text
        self._stop = True

    def _short(self, line: str) -> bool:
        if "SUBFAIL" in line[:450] and (sub := SUB.match(line)):
            identity, message = split_summary(sub[3])
            self._keep(" ".join(filter(None, (identity, sub[1], sub[2]))), Outcome.FAILED, message)
            return True
        match = SHORT.match(line)
        if not match:
            return False
        status, rest = match[1], match[2]
        identity, message = split_summary(rest)
        if "::" not in identity and status == "ERROR":
            if identity not in self._cases:  # a module with doctests is collected twice
                self._errors.append(
                    BuildError(message or f"{identity} could not be collected", file=identity)
                )
            self._keep(identity, Outcome.ERROR, message, "collect")
            return True
        self._keep(identity, OUTCOMES[status], message)
        return True

    def _keep(self, identity: str, outcome: Outcome, message: str = "", phase: str = "") -> None:
        path = identity.partition("::")[0]
        earlier = self._cases.get(identity)
        if earlier and earlier.outcome is Outcome.PASSED and outcome is Outcome.ERROR and not phase:
            phase = "teardown"
        self._cases[identity] = Case(identity, identity, outcome, path, message=message, phase=phase)

    def _loose(self, line: str) -> None:
        """Read progress (dots, verbose results, sugar's results) and errors before the tests."""
        if match := DOTS.match(line):
            for letter, name in LETTERS.items():
                if number := match[1].count(letter):
                    self._letters[name] = self._letters.get(name, 0) + number
            self._full |= match[2] == "100"
            self._began = True
            return
        if line[0] == "[" and (match := XDIST.match(line)):
            self._keep(match[2], OUTCOMES[match[1]])
            self._full |= "[100%]" in line[:14]
            return
        if self._result(line):
            return
        self._maybe_closing(line)
        if line.startswith("collect") and (match := COLLECTED.match(line)):
            self._selected = int(match[2] or match[1])
        self._sugar_line(line)
        self._start_error(line)

    def _result(self, line: str) -> bool:
        """Read ``node id STATUS [ 50%]``; with -s the status comes at the end of a later line."""
        where = line.find("::")
        starts = 0 < where < 300 and " " not in line[:where]
        status = STATUS.search(line[-240:]) if line[-1] in "])DRSPELN" or line[-1] == " " else None
        if starts:
            self._began = True
            self._pending = leading_identity(line)
        if not status or not self._pending:
            return starts
        if starts:
            cut = line.rfind(status[1], where)
            self._pending = line[:cut].rstrip() if is_identity(line[:cut]) else self._pending
        if line.endswith("[100%]"):
            self._full = True
        if status[1] != "RERUN":
            self._keep(self._pending, OUTCOMES[status[1]])
        return True

    def _sugar_line(self, line: str) -> None:
        if line.startswith("Test session starts (platform: "):
            self._end()
            self._begin(0)
            self._began = True
        elif self._sugar is not None and (match := SUGAR_COUNT.match(line)):
            name = COUNTED.get(match[2])
            if name:
                self._sugar[name] = int(match[1])

    def _start_error(self, line: str) -> None:
        if line.startswith("ImportError while loading conftest "):
            self._section, self._title = "ERRORS", "ERROR collecting conftest.py"
            self._traces.append((self._title, Trace()))
        elif USAGE.match(line):
            self._errors.append(BuildError(line[:300]))
        elif (
            line.rstrip().endswith("+++ Timeout +++++++++++++++++++++++++++++++++++"[-20:])
            and " Timeout " in line
        ):
            self._timed_out = line[-120:]
        elif "Fatal Python error: " in line:
            self._crashed = line[line.index("Fatal Python error: ") :][:200]

    def finish(self) -> Reading:
        self._end()
        return summed(self._done)

    def _end(self) -> None:
        explain(self._traces, self._cases, self._errors)
        explain_lines(self._lined, self._cases)
        if self._uncollected and not self._errors:  # the list of errors was not asked for
            self._errors.append(BuildError(self._uncollected))
        counts = self._counted()
        ended = bool(self._closing) or self._sugar is not None or (self._full and not self._width)
        if self._internal:
            self._errors.append(self._internal.build_error("pytest itself"))
        usage = bool(self._errors) and not self._cases and not self._closing
        if not (self._began or ended or self._errors):
            return
        cases = list(self._cases.values())
        reading = Reading(
            counts, cases, self._errors, started=self._began, finished=ended and not self._internal
        )
        reading.no_tests = ended and (counts is None or counts.total == 0)
        if counts is not None:  # what is skipped stands on lines that name no test, only a place
            ran = counts.total - counts.skipped
            reading.complete = len(cases) == counts.total or (ran > 0 and ran <= len(cases) <= counts.total)
        if (
            counts
            and self._closing
            and not self._stop
            and not (counts.bad or self._errors)
            and counts.total < self._selected
        ):
            reading.crashed = f"{self._selected} tests were collected, and {counts.total} are counted"
        if usage or self._internal:
            reading.started = reading.finished = False
        if self._crashed and ("Exit" in self._crashed or "Keyboard" in self._crashed or not ended):
            reading.crashed = self._crashed
        elif self._timed_out and not ended:
            reading.timed_out = self._timed_out
        self._done.append(reading)
        if len(self._done) > _RUNS:
            self._done = [summed(self._done)]

    def _counted(self) -> Counts | None:
        if self._sugar is not None:
            return Counts(**self._sugar)
        if not self._closing:
            return Counts(**self._letters) if self._full and self._letters else None
        totals: dict[str, int] = {}
        for number, label in COUNT.findall(self._closing.rpartition(" in ")[0]):
            if name := COUNTED.get(label):
                totals[name] = totals.get(name, 0) + int(number)
        return Counts(**totals)


def _red(line: str) -> bool:
    """Whether a bare closing line has bad tests, which pytest counts first."""
    number, _, rest = line.partition(" ")
    return number.isdigit() and rest.startswith(("failed", "error")) and bool(CLOSING.match(line))


_WORKER = r"\[gw[0-9]+\] \[[ 0-9]{1,3}%\] (?:PASSED|SKIPPED|XFAIL) [^ :\n]++::[^ \n]++ *+\n"  # of xdist

ROWS = text_rows(
    r"""
python PytestReader weight=2 pytest
  words    pytest  |  py.test
  sign     ^=+ test session starts =+$
  sign     ^platform \w+ -- Python \d.{0,40}, pytest-\d
  sign     ^=+ (?:FAILURES|ERRORS|short test summary info) =+$
  sign     ^=* ?(?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)
           |no tests ran)[^=]{0,200} in \d+(?:\.\d+)?s(?: \([\d:]+\))?(?: =+)?$
  sign     ^(?:\S{1,300}\.py )?[.FEsxXR]+ +\[ *\d+%\]$
  sign     ^\S{1,300}\.py::\S.{0,300} (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b
  sign     ^Test session starts \(platform:␣
  sign     ^_+ coverage: platform \w+, python \d
  sign     ^(?:FAIL )?Required test coverage of [\d.]+% (?:not )?reached
  sign     ^(?:INTERNALERROR> |ImportError while loading conftest )
  sign     ^(?:ERROR: usage: |pytest: error: |ERROR: file or directory not found: )
  passes   (?:[^ :\n]++::[^ \n]++ (?:(?:PASSED|(?:SKIPPED|XFAIL)(?: \([^()\n]*\))?) *+\[[ 0-9]{1,3}%\]\n|\n
           (?:[^ :\n]++::[^ \n]++ \n){0,5}{WORKER})|{WORKER})
  dies     {CRASHED}
  broken   ImportError while loading conftest '
""",
    PytestReader,
    WORKER=_WORKER,
)
