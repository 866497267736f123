"""Prove recent commits of public projects with `tdd prove`.

    python benchmarks/prove.py PROJECTS.toml [--project NAME] [--limit N] [--out FILE]

A commit that stands in --out FILE is not proven again, so the same call goes on where it was broken off.

PROJECTS.toml has one table for each local clone, as `benchmarks/honest.py` explains; nothing is downloaded and no clone is
written to. Taken are the newest commits that change tests and code, whether they are test-first or not.
"""

from __future__ import annotations

import argparse
import json
import os
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
    evidence: dict[str, Any] = field(
        default_factory=dict
    )  # tests, answers and warnings, to read beside the commit


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


def prove(project: Project, commit: str, repository: Path, folder: Path) -> Row:
    """Prove one commit against its parent."""
    subject = project.git("log", "-1", "--format=%s", commit).strip()
    begun = time.perf_counter()
    done = tdd(repository, folder, "prove", "--json", commit)
    row = Row(project.name, commit[:10], subject[:80], "", seconds=round(time.perf_counter() - begun, 1))
    if done.returncode not in (0, 1, 3):
        row.verdict, row.reasons = f"exit {done.returncode}", [done.stderr[-500:]]
        return row
    answer = json.loads(done.stdout)
    (change,) = answer["changes"]
    row.verdict, row.kind, row.reasons = change["verdict"], change["class"], change["reasons"][:3]
    row.tests = dict(Counter(test["verdict"] for test in change["tests"]))
    row.in_tests = answer["seconds"]
    row.evidence = {name: change[name] for name in ("tests", "questions", "warnings", "counts")}
    return row


def earlier(out: Path) -> list[Row]:
    """Return the rows of an earlier call."""
    lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    return [Row(**json.loads(line)) for line in lines]


def study(project: Project, limit: int, out: Path) -> list[Row]:
    rows = [one for one in earlier(out) if one.project == project.name]
    seen = {one.commit for one in rows}
    folder = Path(tempfile.mkdtemp(prefix="tdd-prove-"))
    try:
        repository = repository_of(project, folder)
        for commit in project.candidates():
            if len(rows) >= limit:
                break
            if commit[:10] in seen:
                continue
            row = prove(project, commit, repository, folder)
            rows.append(row)
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(row)) + "\n")
            print(f"{row.project:14} {row.commit} {row.verdict:16} {row.kind:12} {row.seconds:6.1f} s  "
                  f"{row.subject[:50]}  {'; '.join(row.reasons)[:160] if row.verdict != 'proven' else ''}", flush=True)  # fmt: skip
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
    options, _ = parser.parse_known_args(arguments)
    if options.projects is None:
        print("no projects: give a PROJECTS.toml (see --help)")
        return True
    tables = tomllib.loads(options.projects.read_text(encoding="utf-8"))["project"]
    projects = [Project.of(one) for one in tables if not options.project or one["name"] in options.project]
    rows = [row for project in projects for row in study(project, options.limit, options.out)]
    crashed = [row for row in rows if row.verdict.startswith("exit")]
    print(f"\n{len(rows)} commits: {dict(Counter(row.verdict for row in rows))}; crashes: {len(crashed)}")
    return not crashed


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
