"""Run a kata with its real runner, plainly and in its twins."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from katas import Kata

from tdd_orchestrator.languages.cases import assign_cases
from tdd_orchestrator.languages.find import SourceTest
from tdd_orchestrator.languages.functions import changed_functions
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.languages.twins import Twin, poison, shift, stub
from tdd_orchestrator.model.report import BAD, Case, Outcome, Report, RunVerdict
from tdd_orchestrator.testlog.read import read

TOKEN = "tk7q2vx9ab"
Files = dict[str, str]
KEPT = ("PATH", "HOME", "LANG", "CARGO_HOME", "RUSTUP_HOME", "GOCACHE", "TMPDIR")
ENV = {name: os.environ[name] for name in KEPT if name in os.environ} | {
    "PYTHONDONTWRITEBYTECODE": "1",
    "MIX_ENV": "test",
    "LC_ALL": "C.UTF-8",
}


COMMANDS = {
    "pytest": "{python} -m pytest -q -p no:cacheprovider --junitxml={xml}",
    "node": "node --test --test-reporter=junit --test-reporter-destination={xml} test/",
    "vitest": "node node_modules/vitest/vitest.mjs run --reporter=junit --outputFile={xml}",
    "go": "go test -json ./...",
    "cargo": "cargo test --offline -q --no-fail-fast -- --format=pretty",
    "junit": "mvn -o -B test; code=$?; {{ echo '<testsuites>'; "
    "grep -hv '^<?xml' target/surefire-reports/*.xml; echo '</testsuites>'; }} > {xml}; exit $code",
    "minitest": """ruby -Ilib -Itest -e 'Dir["test/**/*_test.rb"].sort.each{{|f| require "./"+f}}' -- -v""",
    "rspec": "rspec -f json --out {json} -f p",
    "phpunit": "phpunit --log-junit {xml} tests",
    "gtest": "g++ -std=c++17 -O0 -o t t.cc -lgtest -lgtest_main -pthread && ./t --gtest_output=xml:{xml}",
    "exunit": "mix test --trace --no-color",
    "bats": "bats --tap test",
    "busted": "busted -o TAP",
    "prove": "prove -v -Ilib t",
}
REPORTS = {"rspec": "r.json"} | dict.fromkeys(
    ("pytest", "junit", "node", "vitest", "phpunit", "gtest"), "r.xml"
)
PROGRAMS = {"junit": "mvn", "minitest": "ruby", "exunit": "mix", "gtest": "g++", "vitest": "node"}


def missing(runner: str) -> str:
    """Return why a runner cannot be used here; empty where it can."""
    program = PROGRAMS.get(runner, runner)
    if runner != "pytest" and shutil.which(program) is None:
        return f"{program} is not installed"
    if (
        runner == "junit"
        and not Path(ENV["HOME"], ".m2/repository/org/junit/jupiter/junit-jupiter/5.10.2").is_dir()
    ):
        return "JUnit 5.10.2 is not in ~/.m2"
    if runner == "vitest" and not os.environ.get("VITEST"):
        return "VITEST does not name a node_modules folder"
    if runner == "gtest" and not Path("/usr/include/gtest").is_dir():
        return "GoogleTest is not installed"
    return ""


@dataclass
class Run:
    report: Report
    output: str


def run(runner: str, files: Files) -> Run:
    """Run the whole suite of a tree made of these files."""
    tree, reports = Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp())
    try:
        for path, text in files.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
        if runner == "vitest":
            (tree / "node_modules").symlink_to(os.environ["VITEST"])
        command = COMMANDS[runner].format(
            python=sys.executable, xml=reports / "r.xml", json=reports / "r.json"
        )
        done = subprocess.run(
            command,
            shell=True,
            cwd=tree,
            env=ENV,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=180,
        )
        output = done.stdout + done.stderr
        made = reports / REPORTS[runner] if runner in REPORTS else None
        report = read(
            output.encode(),
            exit_code=done.returncode,
            report=made if made and made.exists() else None,
            command=command,
        )
        return Run(report, output)
    finally:
        shutil.rmtree(tree, ignore_errors=True)
        shutil.rmtree(reports, ignore_errors=True)


@dataclass
class Answers:
    """What each question found: `fails`, `still passes`, or `not asked: why`. `plain` is empty where all was well."""

    plain: str = ""
    said: dict[str, str] = field(default_factory=dict)

    @property
    def caught(self) -> list[str]:
        return [name for name, answer in self.said.items() if answer == "still passes"]


def ask(kata: Kata, files: Files, target: str) -> Answers:
    """Ask the three questions about one test of a tree."""
    runner, test_path = kata.runner, kata.test
    plain = run(runner, files)
    test = next((t for t in find_tests(files[test_path], test_path) if t.name == target), None)
    if test is None:
        return Answers("the source has no such test")
    cases = _cases(test, files[test_path], plain)
    named_none = plain.report.verdict == RunVerdict.PASSED and not plain.report.cases
    if (
        plain.report.exit_code != 0
        or not (cases or named_none)
        or {case.outcome for case in cases} - {Outcome.PASSED}
    ):
        named = [f"{case.name}: {case.outcome}" for case in plain.report.cases]
        return Answers(f"exit {plain.report.exit_code}, {plain.report.verdict}, {named} {plain.report.why}")
    answers = Answers()
    for name, question in (("poison", poison), ("shift", shift)):
        twin = question(files[test_path], test_path, [test.id], TOKEN)
        if test.id not in twin.asked:
            answers.said[name] = "not asked: " + twin.not_asked[test.id]
            continue
        again = run(runner, files | {test_path: twin.text})
        answers.said[name] = _answer(name, test, twin, cases, again)
    answers.said["stub"] = _stubbed(kata, files, test, cases)
    return answers


def _cases(test: SourceTest, text: str, done: Run) -> tuple[Case, ...]:
    return assign_cases(find_tests(text, test.path), done.report.cases)[test.id]


def _answer(question: str, test: SourceTest, twin: Twin, before: tuple[Case, ...], done: Run) -> str:
    if not before:  # the runner names only failures: the exit code answers
        failed = done.report.exit_code != 0 and (question != "poison" or TOKEN in done.output)
        return "fails" if failed else "still passes" if done.report.exit_code == 0 else "not asked: no token"
    now = {case.id: case for case in _cases(test, twin.text, done)}
    mine = [now[case.id] for case in before if case.id in now] or list(now.values())
    if question == "stub" and TOKEN in done.output and not any(c.outcome == Outcome.PASSED for c in mine):
        return "fails"
    if any(case.outcome == Outcome.PASSED for case in mine):
        return "still passes"
    if not mine or any(case.outcome not in BAD for case in mine):
        return f"not asked: no case left, {done.report.verdict}, {done.output[-600:]}"
    if question == "poison" and not all(TOKEN in case.message + case.detail for case in mine):
        return "fails" if TOKEN in done.output else "not asked: failed without the token"
    return "fails"


def _stubbed(kata: Kata, files: Files, test: SourceTest, cases: tuple[Case, ...]) -> str:
    code = kata.code
    functions = [function.key for function in changed_functions(kata.before, files[code], code)]
    answer = "not asked: no function changed"
    for world in ("raises", "nothing"):
        twin = stub(files[code], code, functions, TOKEN, "raises" if world == "raises" else "nothing")
        if not twin.asked:
            return answer
        found = _answer(
            "stub", test, Twin(files[test.path]), cases, run(kata.runner, files | {code: twin.text})
        )
        if found.startswith("not asked") and answer == "still passes":
            return answer
        answer = found
        if answer != "still passes":
            return answer
    return answer
