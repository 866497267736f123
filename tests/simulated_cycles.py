"""Finished cycles as the store writes them, one after the other, in a real repository: commits, records, evidence, refs.

Ten times as fast as real cycles, for neither an agent nor a test runs. The end of each cycle is the product's own.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

from tdd_orchestrator.cycle.loop import tidy
from tdd_orchestrator.model.parts import AgentInfo, CountsInfo, FilesChanged, TestEvidence
from tdd_orchestrator.model.records import (
    Baseline,
    CycleEnded,
    CycleStarted,
    Handoff,
    Intent,
    Landing,
    Record,
)
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.workspace.folders import Places

WHO = "Ada <ada@example.org>"


def repository(where: Path) -> Path:
    """An empty repository with one commit on main."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(where)], check=True)
    words = [
        "-c",
        "user.name=Ada",
        "-c",
        "user.email=ada@example.org",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "one",
    ]
    subprocess.run(["git", "-C", str(where), *words], check=True)
    return where


class Cycles:
    """Plays cycles in ``where``; ``state`` is the folder for transcripts and logs; ``notes`` is what tidying up said."""

    def __init__(self, where: Path, state: Path) -> None:
        self.git = Git(where / ".git")
        self.objects = Objects(self.git, sync=False)
        self.store = Store(self.git, self.objects)
        self.places = Places(state, state / "agent", state / "proof", state / "runs")
        self.number = 0
        self.said: list[str] = []

    def close(self) -> None:
        self.objects.close()
        self.git.close()

    def play(self, count: int) -> None:
        for _ in range(count):
            self.number += 1
            self._cycle(self.number)
            tidy(self.git, self.objects, self.places, self.number, self.said.append)

    def _cycle(self, number: int) -> None:
        base = refs.read(self.git, "refs/heads/main")
        assert base is not None
        place = {"cycle_id": f"c-{number:014}", "cycle_number": number, "item_id": f"i{number:03}",
                 "item": f"the cart does the right thing, case {number}", "branch": "main", "base": base}  # fmt: skip
        self._write(base, Baseline(tests=self._evidence(number, "baseline")), {})
        self._write(
            base, CycleStarted(baseline_tests=self._evidence(number, "baseline")), {**place, "tip": base}
        )
        tip = base
        for phase, path in (
            ("RED", f"tests/test_{number % 7}.py"),
            ("GREEN", f"src/m{number % 7}.py"),
            ("REFACTOR", "README"),
        ):
            here = {**place, "tip": tip, "phase": phase, "next_phase": phase, "attempt": 1}
            agent = AgentInfo(name="claude", role=phase.lower())
            self._write(tip, Intent(role=phase.lower(), agent=agent, on=tip), here)
            commit = self._commit(tip, path, f"# {phase} of cycle {number}\n" * 12)
            done = Handoff(agent=agent, tests=self._evidence(number, phase), files_changed=FilesChanged(added=[path]),
                           candidate=commit, tree=self.objects.read_commit(commit).tree, completed=number,
                           reasons=["3 tests pass"], known_good=phase != "RED")  # fmt: skip
            pins = {f"refs/tdd/attempts/c-{number:014}/{phase.lower()}-1": commit}
            self._write(commit, done, {**here, "tip": commit}, moves=[(f"refs/tdd/cycles/c-{number:014}", commit, None)], pins=pins)  # fmt: skip
            self._left_behind(number, phase)
            tip = commit
        self._write(tip, Landing(old=base, new=tip), {**place, "tip": tip})
        refs.update(self.git, [("refs/heads/main", tip, base)], reason="landed")
        self._write(tip, CycleEnded(outcome="landed", commit=tip, completed=number), {**place, "tip": tip})

    def _write(self, commit: str, record: Record, place: dict[str, object], **kw: object) -> None:
        data = {**record.model_dump(mode="json"), **place}
        for name in ("at", "id", "v", "prev", "completed_items"):
            data.pop(name, None)
        if data["kind"] not in ("baseline", "handoff") or not data["known_good"]:
            data.pop("known_good", None)
        self.store.append(commit, data, subject=f"{data['kind']} {self.number}", **kw)  # type: ignore[arg-type]

    def _evidence(self, number: int, what: str) -> TestEvidence:
        cases = [
            {"id": f"tests/test_{one}.py::test_case", "outcome": "passed", "seconds": 0.01}
            for one in range(60)
        ]
        data = json.dumps({"of": f"{what} {number}", "cases": cases}).encode()
        return TestEvidence(
            command=["python", "-m", "pytest", "-q"], framework="pytest", run_verdict="passed",
            counts=CountsInfo(passed=60), evidence=self.store.evidence(data),
            evidence_sha256=hashlib.sha256(data).hexdigest(), target_tests=[f"tests/test_{number}.py::test_case"],
        )  # fmt: skip

    def _commit(self, parent: str, path: str, text: str) -> str:
        blob = self.objects.write_blob(text.encode())
        tree = self.objects.edit_tree(
            self.objects.read_commit(parent).tree, {path.encode(): (0o100644, blob)}
        )
        author = f"{WHO} {1_700_000_000 + self.number} +0000"
        return self.objects.write_commit(tree, [parent], f"feat: {path}\n", author=author)

    def _left_behind(self, number: int, phase: str) -> None:
        """A transcript, and the logs of two test runs."""
        run = self.places.run(f"c-{number:014}", phase, 1)
        (run / "transcript.txt").write_bytes(b"the agent said this and that\n" * 2000)
        for log in range(2):
            folder = self.places.root / "logs" / f"run-{number}-{phase}-{log}"
            folder.mkdir(parents=True)
            (folder / "output.log").write_bytes(b"tests/test_cart.py::test_case PASSED\n" * 200)
