"""CONTRIBUTING.md's recipes work: a copy of the package with their files detects, reads, rewrites and runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`(tdd_orchestrator/\S+\.py)`\n\n```python\n(.*?)^```$", TEXT, re.M | re.S))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a copy of the package that has the recipes' files."""
    folder = tmp_path_factory.mktemp("recipes")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "tdd_orchestrator", folder / "tdd_orchestrator", ignore=ignored)
    for path, text in FILES.items():
        assert not (folder / path).exists(), f"{path} is there already"
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def evaluate(package: Path, code: str) -> object:
    """Return what ``answer`` holds after the code has run against the copy."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import json\n{code}\nprint(json.dumps(answer))"],
        env={**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=package,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_there_are_three_recipes() -> None:
    folders = [Path(path).parent.relative_to("tdd_orchestrator").as_posix() for path in FILES]
    assert folders == ["runners/frameworks", "testlog/parsers", "languages/rows", "agents/clients"]


def test_the_runner_is_detected_and_read(package: Path) -> None:
    assert evaluate(
        package,
        """
from pathlib import Path
from tdd_orchestrator.runners.detect import detect
from tdd_orchestrator.runners.table import by_name
from tdd_orchestrator.testlog import read
row = by_name("tally")
folder = Path("project")
for number, sample in enumerate(row.samples):
    for path, text in sample.files:
        file = folder / str(number) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / str(number)).mkdir(parents=True, exist_ok=True)
found = [detect(folder / str(number), sample.command) for number, sample in enumerate(row.samples)]
report = read(b"tally 1.0\\nwrong: sum\\ntally: 2 right, 1 wrong\\n", exit_code=1, command="tally check")
green = read(b"tally 1.0\\ntally: 3 right, 0 wrong\\n", exit_code=0)
answer = [[one.framework.name for one in found], report.verdict.value, report.counts.passed,
          [case.name for case in report.failing], green.verdict.value, green.runners]
""",
    ) == [["tally", "tally"], "failed", 2, ["sum"], "passed", ["tally"]]


def test_the_language_is_read_and_rewritten(package: Path) -> None:
    assert evaluate(
        package,
        """
from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.languages.twins import poison
sample = language_of("sum.star").samples[0]
found = find_tests(sample.text, sample.path)
twin = poison(sample.text, sample.path, [found[0].id], "ka7tb2vx")
answer = [[test.name for test in found], len(found[0].assertions), 'fail("' in twin.text, dict(twin.not_asked)]
""",
    ) == [["test_sum"], 1, True, {}]


def test_the_agent_is_known(package: Path) -> None:
    assert evaluate(
        package,
        """
from tdd_orchestrator.agents.preset import argv_of
from tdd_orchestrator.agents.preset import PRESETS
answer = ["scribe" in list(PRESETS), argv_of(PRESETS["scribe"], (), read_only=True, places={"prompt": "Hello"})]
""",
    ) == [True, ["scribe", "run", "--json", "--plan", "-p", "Hello"]]


@pytest.mark.parametrize("command", re.findall(r"^make (\w+)", TEXT, re.M))
def test_make_has_the_targets_that_are_named(command: str) -> None:
    assert re.search(rf"^{command}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
