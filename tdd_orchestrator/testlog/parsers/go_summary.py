"""Read gotestsum's closing sections (failed, skipped, errors) and its line of counts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tdd_orchestrator.model.report import BAD, BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.gather import Block, numbers, place
from tdd_orchestrator.testlog.reading import Reading

PLACED = re.compile(
    r"(?:vet: )?(?P<file>\S[^:]{0,300}\.(?:go|s|c|h|cc|mod"
    r"|work)):(?P<line>\d{1,9})(?::\d{1,9})?: (?P<message>.+)"
)
_DONE = re.compile(r"DONE (?:\d{1,9} runs?, )?\d{1,9} tests?\b.* in [\d.]+m?[\d.]*s$")
_SUMMED = re.compile(
    r"=== (?P<status>FAIL|SKIP): (?P<package>\S+) (?P<name>.*?)(?: \(re-run \d{1,9}\))? \([\d.]+s\)$"
)


class Summary:
    """Reads the summary. ``section``: the open one ('' outside); its errors are added to ``errors``."""

    def __init__(self, errors: list[BuildError]) -> None:
        self.section = ""
        self.stated: Counts | None = None  # by the closing lines
        self._errors = errors
        self._ok = True
        self._block = Block()
        self._summed: list[tuple[str, str, Outcome, Block]] = []

    def feed(self, line: str) -> bool:
        """Read a line; True if it is gotestsum's own."""
        if _DONE.match(line):
            totals = numbers(line)
            total, skipped = totals.get("tests", 0), totals.get("skipped", 0)
            failed, errors = totals.get("failures", 0), totals.get("errors", 0)
            counted = Counts(passed=max(0, total - failed - skipped), failed=failed, skipped=skipped)
            self.stated = (
                counted if self.stated is None else self.stated.plus(counted)
            )  # one line for each run
            self._ok = self._ok and not failed and not errors
            self.section = ""
            return True
        if line in ("=== Failed", "=== Skipped", "=== Errors"):
            self.section = line[4:]
            return True
        match = _SUMMED.match(line) if self.section else None
        if match:
            self._block = Block()
            outcome = Outcome.FAILED if match["status"] == "FAIL" else Outcome.SKIPPED
            self._summed.append((match["package"], match["name"], outcome, self._block))
            return True
        if self.section == "Errors" and (placed := PLACED.match(line)):
            self._errors.append(BuildError(placed["message"], placed["file"], int(placed["line"])))
            return True
        if self.section:
            self._block.add(line)
            return True
        return False

    def reading(
        self, cases: Sequence[Case], errors: list[BuildError], crashed: str, timed_out: str
    ) -> Reading:
        """Return the reading: counts of the closing line, cases of go test and of the sections."""
        stated = self.stated
        assert stated is not None
        known = {case.name for case in cases}
        return Reading(
            counts=stated if stated.total else None,
            cases=[*cases, *self._cases(known)],
            build_errors=errors,
            started=True,
            finished=True,
            claims_ok=self._ok,
            no_tests=not stated.total and self._ok and not errors,
            crashed=crashed,
            timed_out=timed_out,
        )

    def _cases(self, known: set[str]) -> list[Case]:
        made = []
        for package, name, outcome, block in self._summed:
            if not name or name in known:
                continue
            text = block.text()
            file, line = place(text, ".go")
            message = text if outcome in BAD else ""
            made.append(Case(f"{package}::{name}", name, outcome, file, line, message))
        return made


def unique(errors: Sequence[BuildError]) -> list[BuildError]:
    """Drop repeats, and a package's bare name where a place is known."""
    placed = [error for error in dict.fromkeys(errors) if error.file]
    return placed or list(dict.fromkeys(errors))
