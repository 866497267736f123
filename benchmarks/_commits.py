"""Commits of a local clone: which change tests and code, which are test-first, and what each part of one holds."""

from __future__ import annotations

import fnmatch
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CODE = (".py", ".js", ".ts", ".go", ".rb", ".rs", ".php")
PASSED = re.compile(r"^(?:PASSED (?P<pytest>\S+)|\s*--- PASS: (?P<go>\S+)|\s*(?:✔|ok \d+ -) (?P<node>.+?)(?: \([\d.]+ms\))?$)", re.MULTILINE)  # fmt: skip


@dataclass(frozen=True)
class Project:
    name: str
    clone: str
    command: str | list[str]
    tests: list[str]
    skip: list[str]
    commits: list[str]
    names_passes: list[str]  # words added to the command so that it prints the name of each test that passes

    @classmethod
    def of(cls, table: dict[str, Any]) -> Project:
        return cls(table["name"], table["clone"], table["command"], table["tests"], table.get("skip", []),
                   table.get("commits", []), table.get("names_passes", ["-rp"]))  # fmt: skip

    def git(self, *words: str) -> str:
        return subprocess.run(
            ["git", "-C", self.clone, *words], check=True, capture_output=True, text=True
        ).stdout

    def is_test(self, path: str) -> bool:
        return any(fnmatch.fnmatch(path, pattern) for pattern in self.tests)

    def changed(self, commit: str) -> list[str]:
        return self.git("diff", "--name-only", "--no-renames", f"{commit}~1", commit).splitlines()

    def content(self, commit: str, path: str) -> bytes | None:
        done = subprocess.run(
            ["git", "-C", self.clone, "show", f"{commit}:{path}"], capture_output=True, check=False
        )
        return done.stdout if done.returncode == 0 else None

    def candidates(self) -> Iterator[str]:
        """Commits that change tests and code, newest first."""
        for commit in self.commits or self.git("log", "--no-merges", "--format=%H", "-n", "1500").split():
            paths = (
                self.changed(commit) if self.git("rev-list", "--parents", "-n1", commit).count(" ") else []
            )
            tests = [p for p in paths if self.is_test(p) and p.endswith(CODE)]
            code = [p for p in paths if not self.is_test(p) and p.endswith(CODE)]
            skipped = any(fnmatch.fnmatch(p, pattern) for p in paths for pattern in self.skip)
            if tests and code and not skipped:
                yield commit

    def run(self, tree: Path, *more: str) -> subprocess.CompletedProcess[str]:
        command = self.command
        words = f"{command} {' '.join(more)}" if isinstance(command, str) else [*command, *more]
        return subprocess.run(
            words,
            cwd=tree,
            shell=isinstance(words, str),
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )

    def export(self, commit: str, tree: Path, paths: list[str]) -> None:
        """Write ``paths`` as they are in ``commit``; what is not there is removed."""
        for path in paths:
            content = self.content(commit, path)
            if content is None:
                (tree / path).unlink(missing_ok=True)
            else:
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                (tree / path).write_bytes(content)


def provable(project: Project, commit: str, folder: Path) -> tuple[list[str], float] | None:
    """The tests that pass with RED's part alone, and the seconds of a plain run; None where it is not test-first."""
    tree = folder / "tree"
    subprocess.run(["git", "clone", "-q", "--no-checkout", project.clone, str(tree)], check=True)
    subprocess.run(["git", "checkout", "-q", f"{commit}~1"], cwd=tree, check=True)
    if project.run(tree).returncode != 0:
        return None
    paths = project.changed(commit)
    project.export(commit, tree, [p for p in paths if project.is_test(p)])
    if project.run(tree).returncode == 0:
        return None
    red = project.run(
        tree, *project.names_passes
    )  # its exit code may be that of a word the runner does not know
    project.export(commit, tree, paths)
    begun = time.perf_counter()
    if project.run(tree).returncode != 0:
        return None
    seconds = time.perf_counter() - begun
    return sorted({_short(match) for match in PASSED.finditer(red.stdout)} or _titles(red.stdout)), seconds


def _titles(output: str) -> set[str]:
    """The tests that passed where the output names assertions, below the title of each test (tape)."""
    found, title = {}, ""
    for line in output.splitlines():
        title = line[2:] if line.startswith("# ") else title
        if re.match(r"(?:not )?ok \d+ ", line):
            found[title] = found.get(title, True) and line.startswith("ok ")
    return {title for title, passed in found.items() if passed}


Proofs = dict[str, tuple[list[str], float] | None]
"""What ``provable`` returned for a commit; kept beside --out, since it does not depend on this project."""


def _short(match: re.Match[str]) -> str:
    """``Class.test`` of a pytest id without its row; the name as it is of other runners."""
    if match["pytest"]:
        return re.sub(r"\[.*", "", ".".join(match["pytest"].split("::")[1:]))
    return match["go"] or match["node"].rpartition(" › ")[2]  # AVA prints the file before the title
