"""Ask poison and shift of the passing tests of other people's projects: ``questions.py TREE COMMAND PATH ...``.

TREE is a checkout, COMMAND runs one test file ({file}, {folder}) and writes a report to {report} where its runner can, PATH is
a test file in it. Every test passes today, so each one that still passes in a twin is a vacuous test, or a false alarm of
ours. Each is printed, with the reasons why others could not be asked.
"""

from __future__ import annotations

import collections
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from tdd_orchestrator.languages.cases import assign_cases
from tdd_orchestrator.languages.find import SourceTest
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.languages.twins import Twin, poison, shift
from tdd_orchestrator.model.report import BAD, Case, Outcome
from tdd_orchestrator.testlog import read

TOKEN = "tk7q2vx9ab"


@dataclass
class Answers:
    """How many tests of a project gave each answer to one question."""

    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    reasons: collections.Counter[str] = field(default_factory=collections.Counter)
    alarms: list[str] = field(default_factory=list)


def run_file(tree: Path, command: str, path: str) -> tuple[tuple[Case, ...], str, float]:
    """Run one test file: its cases, the output, and the seconds."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        place = PurePosixPath(path)
        line = command.format(
            file=path, folder=place.parent, stem=place.stem, report=report, python=sys.executable
        )
        begun = time.monotonic()
        done = subprocess.run(
            line, shell=True, cwd=tree, capture_output=True, text=True, errors="replace", timeout=900
        )
        seconds = time.monotonic() - begun
        output = done.stdout + done.stderr
        made = report if report.is_file() else None
        found = read(output.encode(), exit_code=done.returncode, report=made, command=line)
        return found.cases, output, seconds


def judge(question: str, test: SourceTest, before: tuple[Case, ...], now: tuple[Case, ...]) -> str:
    """Return one word: what a twin's run said about a test that passed."""
    by_id = {case.id: case for case in now}
    mine = [by_id[case.id] for case in before if case.id in by_id]
    passing = [case for case in mine if case.outcome == Outcome.PASSED]
    if passing and (
        question == "poison" or len(passing) == len(mine)
    ):  # a row may leave before its assertion
        return "still passes"
    failing = [case for case in mine if case.outcome in BAD]
    if not failing:
        return "no case left"
    if question == "poison" and not all(TOKEN in case.message + case.detail for case in failing):
        return "failed without the token"
    return "fails"


def ask_file(tree: Path, command: str, path: str, totals: dict[str, Answers]) -> int:
    """Ask all passing tests of a file at once; return how many were asked."""
    text = (tree / path).read_text(encoding="utf-8")
    tests = find_tests(text, path)
    cases, _, _ = run_file(tree, command, path)
    mine = assign_cases(tests, cases)
    passing = [t for t in tests if mine[t.id] and {c.outcome for c in mine[t.id]} == {Outcome.PASSED}]
    missing = [test for test in tests if not mine[test.id]]
    totals["plain"].counts["passing"] += len(passing)
    totals["plain"].counts["not named by the report"] += len(missing)
    totals["plain"].alarms += [test.id for test in missing]
    for name, question in (("poison", poison), ("shift", shift)):
        twin = question(text, path, [test.id for test in passing], TOKEN)
        answers = totals[name]
        try:
            (tree / path).write_text(twin.text, encoding="utf-8")
            now, said, _ = run_file(tree, command, path)
        finally:
            (tree / path).write_text(text, encoding="utf-8")
        later = assign_cases(tests, now)
        _count(name, answers, passing, twin, mine, later)
        if answers.counts["no case left"] and not now:
            print(f"-- {path} {name}: no report: {said[-700:]}", flush=True)
    return len(passing)


def _count(
    name: str,
    answers: Answers,
    tests: list[SourceTest],
    twin: Twin,
    before: dict[str, tuple[Case, ...]],
    later: dict[str, tuple[Case, ...]],
) -> None:
    for test in tests:
        if test.id in twin.not_asked:
            answers.counts["not asked"] += 1
            answers.reasons[twin.not_asked[test.id]] += 1
            continue
        word = judge(name, test, before[test.id], later[test.id])
        answers.counts[word] += 1
        if word != "fails":
            answers.alarms.append(f"{word}: {test.id} (line {test.line})")


def main(arguments: list[str]) -> bool:
    """Print the answers of one project. Returns True: the figures are to be read."""
    if len(arguments) < 3:
        print(__doc__)
        return True
    totals = {name: Answers() for name in ("plain", "poison", "shift")}
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(arguments[0], tree, symlinks=True)
        for path in arguments[2:]:
            asked = ask_file(tree, arguments[1], path, totals)
            print(f"-- {path}: {asked} tests", flush=True)
    for name, answers in totals.items():
        print(f"{name:<8} {dict(answers.counts)}")
        for reason, count in answers.reasons.most_common():
            print(f"         {count:>5}  {reason}")
        for alarm in answers.alarms:
            print(f"         {alarm}")
    return True


if __name__ == "__main__":
    main(sys.argv[1:])
