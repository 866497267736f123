"""Replay real commits as honest cycles: RED gets the commit's tests, GREEN the rest of it, REFACTOR changes nothing.

    python benchmarks/honest.py PROJECTS.toml [--project NAME] [--limit N] [--out FILE]

PROJECTS.toml has one table for each local clone; nothing is downloaded and no clone is written to:

    [[project]]
    name = "sqlparse"
    clone = "/path/to/sqlparse"
    command = ["python", "-m", "pytest", "-q"]   # a string is run in a shell
    tests = ["tests/*"]            # which files of a commit are RED's
    skip = [".github/*"]           # commits that touch one of these are not taken
    commits = []                   # empty: the newest that are provable, up to --limit

A commit is provable when the suite succeeds on its parent, fails with the commit's tests and succeeds on the commit. Tests
that a refusal names and that do pass on the base are dropped, as the refusal says; where a person is asked, the answer is yes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
from _commits import CODE, Project, Proofs, provable  # noqa: E402
from _drop import without_tests  # noqa: E402


@dataclass
class Outcome:
    project: str
    commit: str
    subject: str
    end: str  # accepted | accepted after dropping | accepted after a yes | refused
    why: str = ""
    dropped: int = 0
    seconds: float = 0
    suite: float = 0  # seconds of one plain run


def cycle(project: Project, commit: str, passing: list[str], folder: Path) -> Outcome:
    """The commit as one cycle in a repository of its own."""
    repository, agent = folder / "repository", folder / "agent"
    subprocess.run(["git", "clone", "-q", "--no-checkout", project.clone, str(repository)], check=True)
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run([*git, "checkout", "-q", "-B", "honest", f"{commit}~1"], cwd=repository, check=True)
    agent.mkdir()
    play = {"project": asdict(project), "commit": commit, "passing": passing}
    (agent / "play.json").write_text(json.dumps(play))
    (repository / "tdd.toml").write_text(_configuration(project, agent))
    subprocess.run([*git, "add", "-f", "tdd.toml"], cwd=repository, check=True)
    subprocess.run([*git, "commit", "-q", "-m", "chore: configure tdd"], cwd=repository, check=True)
    subject = project.git("log", "-1", "--format=%s", commit).strip()
    outcome = Outcome(project.name, commit[:10], subject, "refused")
    kind = "bug" if re.search(r"\bfix|bug", subject, re.IGNORECASE) else "behaviour"
    tdd(folder, "plan", "add", subject[:100] or "change", "--type", kind)
    begun = time.perf_counter()
    done = tdd(folder, "cycle", "next")
    asked = done.returncode == 3
    if asked:
        done = tdd(folder, "cycle", "approve")
    outcome.seconds = round(time.perf_counter() - begun, 1)
    drops = agent / "dropped.json"
    outcome.dropped = len(json.loads(drops.read_text())) if drops.exists() else 0
    records = [json.loads(line) for line in tdd(folder, "log", "--json", "-n", "100").stdout.splitlines()]
    landed = any(one["kind"] == "cycle_ended" and one["outcome"] == "landed" for one in records)
    if done.returncode == 0 and landed:
        outcome.end = "accepted" + (" after dropping" * bool(outcome.dropped) or " after a yes" * asked)
    refusals = [one for one in records if one["kind"] == "error"]
    outcome.why = _reasons(refusals) if outcome.end == "refused" else ""
    outcome.why = outcome.why or (f"exit {done.returncode}: {done.stderr[-300:]}" if done.returncode else "")
    if outcome.end == "accepted" and refusals:
        outcome.end, outcome.why = "accepted after a retry", _reasons(refusals)
    return outcome


def _reasons(refusals: list[dict[str, Any]]) -> str:
    """The newest refusal's phase, verdict and reasons."""
    if not refusals:
        return ""
    last = refusals[0]
    return f"{last['phase']} {last['verdict']}: {'; '.join(last['reasons'])[:300]}"


def _configuration(project: Project, agent: Path) -> str:
    shell = "shell = true\n" * isinstance(project.command, str)
    play = json.dumps([sys.executable, str(Path(__file__).resolve()), "--play", str(agent)])
    return (
        f"[test]\ncommand = {json.dumps(project.command)}\n{shell}"
        f'[agents]\ndefault = "honest"\n[agents.honest]\ncommand = {play}\n'
        '[retry]\ndelays = [0, 0, 0]\n[workspace]\nsandbox = "none"\n'
    )


def tdd(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TDD_STATE_DIR": str(folder / "state"), "NO_COLOR": "1",
           "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_COMMITTER_NAME": "Ada",
           "GIT_COMMITTER_EMAIL": "ada@example.org"}  # fmt: skip
    command = [sys.executable, "-m", "tdd_orchestrator", *words]
    return subprocess.run(
        command, cwd=folder / "repository", env=env, capture_output=True, text=True, check=False
    )


_DROP = (
    r"must fail, but (.*) (?:passes already|was not run): drop it|drop as well: (.*)"
    r"|(\S.*) asks for something else now, and does not fail"
    r"|(\S.*) passes where the new code does nothing: drop it"
)


def reasons(prompt: str) -> str:
    """Return why earlier attempts were refused: a diff or an example in the prompt names tests as well."""
    wrong = prompt.partition("## What went wrong before")[2].partition("\n## ")[0]
    outside = re.sub(r"(?ms)^(`{3,})\w*$.*?^\1$", "", wrong)
    return "\n".join(line for line in outside.splitlines() if line.startswith("- "))


def act(agent: Path) -> None:
    """What the honest agent does when it is called: its part of the commit, less what it was told to drop."""
    told = json.loads((agent / "play.json").read_text())
    project, commit = Project(**told["project"]), str(told["commit"])
    prompt, phase, drops = sys.stdin.read(), os.environ["TDD_PHASE"], agent / "dropped.json"
    paths = [p for p in project.changed(commit) if project.is_test(p) == (phase == "red")]
    if phase not in ("red", "green"):
        return
    project.export(commit, Path.cwd(), paths)
    dropped = set(json.loads(drops.read_text())) if drops.exists() else set()
    if phase == "red" and os.environ["TDD_ATTEMPT"] != "1":
        said = reasons(prompt)
        dropped |= {
            name for name in told["passing"] if re.search(rf"\b{re.escape(name.split('.')[-1])}\b", said)
        }
        for sentence in re.findall(_DROP, said):
            dropped |= set(re.findall(r"(?:::|^|, )(\w+)(?=,|$)", " ".join(sentence).strip()))
        drops.write_text(json.dumps(sorted(dropped)))
    for path in paths if dropped else ():
        if path.endswith(CODE) and Path(path).exists():
            before = project.content(f"{commit}~1", path)
            old = before.decode() if before is not None else None
            Path(path).write_text(without_tests(path, Path(path).read_text(), old, dropped))


def replay(project: Project, limit: int, out: Path) -> list[Outcome]:
    found: list[Outcome] = []
    kept = out.with_suffix(".proofs.json")
    proofs: Proofs = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    for commit in project.candidates():
        if len(found) == limit:
            break
        folder = Path(tempfile.mkdtemp(prefix="tdd-honest-"))
        try:
            if commit not in proofs:
                proofs[commit] = provable(project, commit, folder)
                kept.write_text(json.dumps(proofs), encoding="utf-8")
            proof = proofs[commit]
            if proof is None:
                continue
            outcome = cycle(project, commit, proof[0], folder)
            outcome.suite = round(proof[1], 1)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        found.append(outcome)
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")
        print(f"{project.name:14} {outcome.commit} {outcome.end:24} {outcome.seconds:6.1f} s"
              f" (suite {outcome.suite:.1f} s) {outcome.subject[:50]}  {outcome.why}", flush=True)  # fmt: skip
    return found


def main(arguments: list[str]) -> bool:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("projects", nargs="?", type=Path)
    parser.add_argument("--project", action="append", default=[])
    parser.add_argument("--limit", type=int, default=8, help="commits of each project")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir(), "tdd-honest.jsonl"))
    parser.add_argument("--play", type=Path, help=argparse.SUPPRESS)
    options, _ = parser.parse_known_args(arguments)
    if options.play:
        act(options.play)
        return True
    if options.projects is None:
        print("no projects: give a PROJECTS.toml (see --help)")
        return True
    tables = tomllib.loads(options.projects.read_text(encoding="utf-8"))["project"]
    projects = [
        Project.of(table) for table in tables if not options.project or table["name"] in options.project
    ]
    outcomes = [one for project in projects for one in replay(project, options.limit, options.out)]
    ends = Counter(one.end for one in outcomes)
    accepted = sum(count for end, count in ends.items() if end.startswith("accepted"))
    rate = 100 * accepted / len(outcomes) if outcomes else 0
    print(f"\n{accepted} of {len(outcomes)} accepted ({rate:.0f} %, goal 95 %): {dict(ends)}")
    return rate >= 95


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
