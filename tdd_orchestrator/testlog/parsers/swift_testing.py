"""Read the output of Swift Testing (a sign, then a sentence; versions differ in both), and its stream of events."""

from __future__ import annotations

import re
from dataclasses import replace

from tdd_orchestrator.model.report import BAD, Case, Counts, Outcome, count
from tdd_orchestrator.testlog.parsers.program import Block, Program
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading


def joined(text: Reading, report: Reading) -> tuple[Reading, Reading]:
    """Return text and report again: the report with all tests, the text without names, which are
    ambiguous."""
    if not report.finished:
        return text, report
    classic = [case for case in text.cases if not case.id.startswith("::")]
    modern = [case for case in text.cases if case.id.startswith("::")]
    of_modern = [_named(case) for case in report.cases if case.name.endswith(")")]
    of_classic = [_named(case) for case in report.cases if not case.name.endswith(")")]
    known = {case.name for case in classic}
    cases = [
        *classic,
        *(case for case in of_classic if case.name not in known),
        *(_explained(of_modern, modern) if of_modern else modern),
    ]
    counts = count(cases)
    if text.counts and text.counts.total > counts.total:  # --quiet names not all of them
        counts = _at_least(text.counts, counts)
    whole = replace(
        report,
        cases=cases,
        counts=counts,
        no_tests=not counts.total,
        complete=count(cases).total == counts.total,
    )
    return replace(text, cases=[]), whole


def _at_least(printed: Counts, named: Counts) -> Counts:
    """Return the printed counts with at least as many failures as are named."""
    more = max(0, named.bad - printed.bad)
    return replace(printed, passed=max(0, printed.passed - more), failed=printed.failed + more)


def _named(case: Case) -> Case:
    """Return the case as ``Suite.test(of:)``, with an id without parameters, as the source has it."""
    owner = case.id.rpartition("::")[0].partition(".")[2]
    return replace(case, id=case.id.partition("(")[0], name=f"{owner}.{case.name}" if owner else case.name)


def _explained(cases: list[Case], printed: list[Case]) -> list[Case]:
    """Return the reported cases with places and messages of the text, and failures that only the text has."""
    spare = [case for case in printed if case.outcome in BAD]
    unknown = len(spare) - sum(case.outcome in BAD for case in cases)
    found = []
    for case in cases:
        twin = _twin(case, spare) if case.outcome in BAD else None
        if twin:
            spare.remove(twin)
            case = replace(case, file=twin.file, line=twin.line, message=twin.message)
        found.append(case)
    return found + spare[: max(0, unknown)]


def _twin(case: Case, spare: list[Case]) -> Case | None:
    """Return the printed failure of the same test: by name, or by display name and equal message."""
    own = case.name.rpartition(".")[2]
    alike = [one for one in spare if _agree(one, case)]
    named = [one for one in alike if one.name == own]
    labelled = [one for one in alike if not one.name.endswith(")")]
    return next(iter([*named, *labelled]), None)


def _agree(printed: Case, reported: Case) -> bool:
    first = printed.message.partition("\n")[0]
    return bool(first) and reported.message.startswith(first)


LEAD = r"\S\ufe0e? {1,2}(?:\u25cf+ )?"  # the sign, and dots for coloured tags
_NAME = r"(?:\"(?P<shown>.+?)\"(?: \(aka '(?P<real>[^']+)'\))?|(?P<name>(?:`[^`]+`|[^\s\"`()]+)\([^()]*\)))"
_TEST = re.compile(
    LEAD + rf"Test {_NAME}(?: with \d{{1,9}} test cases?)? "
    r"(?P<status>started|passed|failed|skipped|was cancelled|recorded an issue)\b(?P<rest>.*)$"
)
_ISSUE = re.compile(
    r"(?: with \d{1,9} arguments? .{0,300}?)? at (?P<file>[^\s:]+):(?P<line>\d{1,9}):\d{1,9}: "
    "(?P<message>.*)$"
)
_RUN = re.compile(
    LEAD
    + (
        r"Test run with (?P<total>\d{1,9}) tests?(?: in \d{1,9} suites?)? (?P<status>passed|failed"
        "|was cancelled) after "
    )
)
_RUN_START = re.compile(LEAD + r"Test run started\.$")
_OTHER = re.compile(
    LEAD + r"(?:Suite |Test case passing |Passing \d|Iteration \d|Attached '|Test .{1,300} recorded a )"
)
_MORE = ("\u21b3 ", "\u00b1 ", "\u2192 ", "  ")  # comments and differences of the issue before
_ENDS = {"passed": Outcome.PASSED, "failed": Outcome.FAILED}


class Modern:
    """Reads the runs of Swift Testing in a log. Tests of one name in two suites print alike."""

    def __init__(self) -> None:
        self.open = False
        self.runs = 0
        self._block: Block | None = None
        self._results: list[tuple[int, bool]] = []  # of each run: its total, and whether it passed
        self._ended: list[tuple[str, Outcome]] = []
        self._issues: dict[str, list[tuple[str, int, Block]]] = {}
        self._from = 0  # where in _ended this run begins
        self._sums: list[tuple[int, int, int]] = []

    def feed(self, line: str) -> bool:
        """Read a line; True if it belongs to a run."""
        if " Test " not in line[:12] and " \u25cf" not in line[:4]:
            return self._around(line)
        if match := _RUN.match(line):
            self._end(int(match["total"]), match["status"] == "passed")
        elif _RUN_START.match(line):
            self.open, self._block = True, None
            self.runs += 1
        elif match := _TEST.match(line):
            self._test(match)
        else:
            return self._around(line)
        return True

    def _around(self, line: str) -> bool:
        if self._block is not None and self.open:
            if line.startswith(_MORE):
                self._block.add(line[2:])
                return True
            if not _OTHER.match(line):  # a value of several lines
                self._block.add(line)
                return False
            self._block = None
        return self.open and _OTHER.match(line) is not None

    def _test(self, match: re.Match[str]) -> None:
        name, status = match["real"] or match["shown"] or match["name"], match["status"]
        self.open, self._block = True, None
        if status != "recorded an issue":
            if status != "started" and (status != "passed" or len(self._ended) < CASE_LIMIT):
                self._ended.append((name, _ENDS.get(status, Outcome.SKIPPED)))
            return
        issue = _ISSUE.match(match["rest"])
        self._block = Block()
        self._block.add(issue["message"] if issue else match["rest"].strip(" :"))
        spot = (issue["file"], int(issue["line"])) if issue else ("", 0)
        self._issues.setdefault(name, []).append((*spot, self._block))

    def _end(self, total: int, passed: bool) -> None:
        self.open, self._block = False, None
        self.runs = max(1, self.runs)
        self._name_failed()
        here = [outcome for _, outcome in self._ended[self._from :]]
        failed, skipped = here.count(Outcome.FAILED), here.count(Outcome.SKIPPED)
        self._from = len(self._ended)
        self._results.append((total, passed))
        self._sums.append((total, failed or (0 if passed else 1), skipped))

    def _name_failed(self) -> None:
        """Add tests that only have issues: --quiet prints no more."""
        failed = {name for name, outcome in self._ended if outcome is Outcome.FAILED}
        self._ended += [(name, Outcome.FAILED) for name in self._issues if name not in failed]

    def add_to(self, program: Program) -> None:
        for total, failed, skipped in self._sums:
            if total or failed:
                passed = max(0, total - failed - skipped)
                program.close(passed=passed, failed=failed, skipped=skipped)
            else:
                program.close()
        if self.open:
            self._name_failed()
        for name, outcome in self._ended:
            spots = self._issues.get(name) if outcome is Outcome.FAILED else None
            spot = (spots.pop(0) if len(spots) > 1 else spots[0]) if spots else None
            file, line, block = spot or ("", 0, Block())
            bare = name.partition("(")[0] if name.endswith(")") and " (" not in name else name
            program.keep(Case(f"::{bare}", name, outcome, file, line, block.text()))
