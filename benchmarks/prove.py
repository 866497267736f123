"""Prove recent commits of public projects with `tdd prove`, and planted bad changes among them.

    python benchmarks/prove.py PROJECTS.toml [--project NAME] [--limit N] [--out FILE] [--plant FILE]

PROJECTS.toml has one table for each local clone, as `benchmarks/honest.py` explains; nothing is downloaded and no clone is
written to. Taken are the newest commits that change tests and code, whether they are test-first or not.

`--plant FILE` takes the proven Python commits of an earlier run's FILE, spoils each in four ways, one at a time, and expects the
verdict that names it: an old test that was weakened, new tests that never run, a new test that passes on the base instead
of the commit's own, another part of the test command that fails.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
sys.path.insert(0, str(ROOT))
from _commits import Project  # noqa: E402

from tdd_orchestrator.languages.source import compare_tests, find_tests  # noqa: E402


@dataclass
class Row:
    project: str
    commit: str
    subject: str
    verdict: str
    kind: str = ""
    reasons: list[str] = field(default_factory=list)
    tests: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    in_tests: float = 0.0  # seconds in whole runs and in the targets' runs
    planted: str = ""


def repository_of(project: Project, folder: Path) -> Path:
    """Return a clone that shares the objects, with the project's test command in an untracked tdd.toml."""
    repository = folder / "repository"
    subprocess.run(
        ["git", "clone", "-q", "--shared", "--no-checkout", project.clone, str(repository)], check=True
    )
    head = project.git("rev-parse", "HEAD").strip()
    subprocess.run(["git", "checkout", "-q", "--detach", head], cwd=repository, check=True)
    configure(project, repository)
    return repository


def configure(project: Project, repository: Path, more: str = "") -> None:
    command = project.command if isinstance(project.command, str) else shlex.join(project.command)
    shell = isinstance(project.command, str) or bool(more)
    written = json.dumps(command + more) if shell else json.dumps(project.command)
    (repository / "tdd.toml").write_text(
        f'[test]\ncommand = {written}\n{"shell = true" * shell}\n[workspace]\nsandbox = "none"\n'
    )


def tdd(repository: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TDD_STATE_DIR": str(folder / "state"), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "tdd_orchestrator", *words]
    return subprocess.run(command, cwd=repository, env=env, capture_output=True, text=True, check=False)


def prove(project: Project, commit: str, repository: Path, folder: Path) -> tuple[Row, dict[str, Any]]:
    """Prove one commit against its parent."""
    subject = project.git("log", "-1", "--format=%s", commit).strip()
    begun = time.perf_counter()
    done = tdd(repository, folder, "prove", "--json", commit)
    row = Row(project.name, commit[:10], subject[:80], "", seconds=round(time.perf_counter() - begun, 1))
    if done.returncode not in (0, 1, 3):
        row.verdict, row.reasons = f"exit {done.returncode}", [done.stderr[-500:]]
        return row, {}
    answer = json.loads(done.stdout)
    (change,) = answer["changes"]
    row.verdict, row.kind, row.reasons = change["verdict"], change["class"], change["reasons"][:3]
    row.tests = dict(Counter(test["verdict"] for test in change["tests"]))
    row.in_tests = answer["seconds"]
    return row, change


def study(project: Project, limit: int, out: Path) -> list[Row]:
    rows = []
    folder = Path(tempfile.mkdtemp(prefix="tdd-prove-"))
    try:
        repository = repository_of(project, folder)
        for commit in project.candidates():
            if len(rows) == limit:
                break
            row, _change = prove(project, commit, repository, folder)
            rows.append(row)
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(row)) + "\n")
            print(f"{row.project:14} {row.commit} {row.verdict:16} {row.kind:12} {row.seconds:6.1f} s  "
                  f"{row.subject[:50]}  {'; '.join(row.reasons)[:160] if row.verdict != 'proven' else ''}", flush=True)  # fmt: skip
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return rows


PLANTED = {
    "passes on the base": "passes_on_base",
    "never runs": "never_ran",
    "weakened": "weakened_test",
    "other part red": "breaks_existing",
}
"""Each way to spoil a proven Python commit, and the verdict that names it."""


def plant(project: Project, commit: str, how: str, repository: Path) -> str:
    """Spoil one commit, return the spoilt commit on the same parent; "" where it has nothing to spoil."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words],
                              cwd=repository, capture_output=True, text=True, check=True)  # fmt: skip
        return done.stdout.strip()

    git("checkout", "-q", "--force", "--detach", commit)
    paths = [path for path in project.changed(commit) if project.is_test(path) and path.endswith(".py")]
    done = False
    for path in paths:
        file, before = repository / path, project.content(f"{commit}~1", path)
        if before is None or not file.exists():
            continue
        old, new = before.decode(), file.read_text()
        if how == "passes on the base" and not done:
            file.write_text(f"{old}\n\ndef test_planted():\n    assert sorted([2, 1]) == [1, 2]\n")
            done = True
        elif how == "passes on the base":
            file.write_text(old)
        elif how == "never runs":
            text = skipped(old, new, path)
            file.write_text(text)
            done = done or text != new
        elif how == "weakened" and not done:
            text = weakened(old, new, path)
            file.write_text(text)
            done = text != new
    if how == "other part red":
        (repository / "PLANTED_TODO").write_text("to do\n")
        git("add", "-f", "PLANTED_TODO")
        done = True
    if done:
        git("commit", "-q", "-a", "--amend", "--no-verify", "-m", f"planted: {how}")
    return git("rev-parse", "HEAD") if done else ""


def skipped(old: str, new: str, path: str) -> str:
    """Skip every test that the commit added or changed."""
    found = compare_tests(old, new, path)
    lines = new.splitlines(keepends=True)
    for test in sorted((*found.added, *found.changed), key=lambda one: -one.line):
        line = lines[test.line - 1]
        lines.insert(
            test.line - 1, line[: len(line) - len(line.lstrip())] + '@__import__("pytest").mark.skip\n'
        )
    return "".join(lines)


def weakened(old: str, new: str, path: str) -> str:
    """Take the first assertion out of a test that the commit left as it was."""
    edited = {
        test.id for test in (lambda c: (*c.added, *c.changed, *c.cosmetic))(compare_tests(old, new, path))
    }
    for test in find_tests(new, path):
        lines = new.splitlines(keepends=True)
        inside = range(test.line, min(test.end_line, len(lines)))
        found = [n for n in inside if re.match(r"\s+assert .*[\w\"'\]\)]$", lines[n].rstrip("\n"))]
        if test.id not in edited and found and not test.marks:
            line = lines[found[0]]
            lines[found[0]] = line[: len(line) - len(line.lstrip())] + "pass\n"
            return "".join(lines)
    return new


def spoil(project: Project, limit: int, out: Path, proven: list[str]) -> list[Row]:
    """Prove spoilt commits, and say which verdict was not the expected one."""
    rows = []
    folder = Path(tempfile.mkdtemp(prefix="tdd-planted-"))
    try:
        repository = repository_of(project, folder)
        for commit in proven[:limit]:
            for how, expected in PLANTED.items():
                configure(
                    project, repository, " && test ! -e PLANTED_TODO" if how == "other part red" else ""
                )
                spoilt = plant(project, commit, how, repository)
                if not spoilt:
                    continue
                done = tdd(repository, folder, "prove", "--json", spoilt)
                change = json.loads(done.stdout)["changes"][0] if done.returncode in (0, 1, 3) else {}
                row = Row(
                    project.name,
                    commit[:10],
                    how,
                    change.get("verdict", done.stderr[-300:]),
                    planted=expected,
                )
                row.reasons = change.get("reasons", [])[:3]
                rows.append(row)
                with out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(row)) + "\n")
                right = "named" if row.verdict == expected else "MISSED"
                print(
                    f"{row.project:14} {row.commit} {how:20} {right}  {row.verdict}  {'; '.join(row.reasons)[:120]}",
                    flush=True,
                )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return rows


def main(arguments: list[str]) -> bool:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("projects", nargs="?", type=Path)
    parser.add_argument("--project", action="append", default=[])
    parser.add_argument("--limit", type=int, default=10, help="commits of each project")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir(), "tdd-prove.jsonl"))
    parser.add_argument(
        "--plant", type=Path, metavar="FILE", help="spoil the proven commits of an earlier --out FILE"
    )
    options, _ = parser.parse_known_args(arguments)
    if options.projects is None:
        print("no projects: give a PROJECTS.toml (see --help)")
        return True
    tables = tomllib.loads(options.projects.read_text(encoding="utf-8"))["project"]
    projects = [Project.of(one) for one in tables if not options.project or one["name"] in options.project]
    if options.plant:
        earlier = [json.loads(line) for line in options.plant.read_text(encoding="utf-8").splitlines()]
        planted = []
        for project in projects:
            proven = [
                one["commit"]
                for one in earlier
                if one["project"] == project.name and one["verdict"] == "proven"
            ]
            planted += spoil(project, options.limit, options.out, list(dict.fromkeys(proven)))
        missed = [row for row in planted if row.verdict != row.planted]
        print(f"\n{len(planted) - len(missed)} of {len(planted)} planted changes named rightly")
        return not missed
    rows = [row for project in projects for row in study(project, options.limit, options.out)]
    crashed = [row for row in rows if row.verdict.startswith("exit")]
    print(f"\n{len(rows)} commits: {dict(Counter(row.verdict for row in rows))}; crashes: {len(crashed)}")
    return not crashed


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
