"""What gotestsum adds at the end: its sections of failed, skipped and broken, and its closing line of
counts."""

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
    r"=== (?P<word>FAIL|SKIP): (?P<package>\S+) (?P<name>.*?)(?: \(re-run \d{1,9}\))? \([\d.]+s\)$"
)


class Summary:
    """``section``: the one that is open (Failed, Errors, Skipped), "" before and after them; ``errors`` grows
    by what stands in the one of that name."""

    def __init__(self, errors: list[BuildError]) -> None:
        self.section = ""
        self.stated: Counts | None = None  # by the closing lines
        self._errors = errors
        self._ok = True
        self._block = Block()
        self._summed: list[tuple[str, str, Outcome, Block]] = []

    def feed(self, line: str) -> bool:
        """Whether the line was gotestsum's own."""
        if _DONE.match(line):
            told = numbers(line)
            total, skipped = told.get("tests", 0), told.get("skipped", 0)
            failed, errors = told.get("failures", 0), told.get("errors", 0)
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
            outcome = Outcome.FAILED if match["word"] == "FAIL" else Outcome.SKIPPED
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
        """The run by the closing line, with the cases that go itself told and those of the sections."""
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
    """Without repeats, and without a package's bare name where a place is known."""
    placed = [error for error in dict.fromkeys(errors) if error.file]
    return placed or list(dict.fromkeys(errors))
