"""Finished cycles as the store writes them, one after the other, in a real repository: commits, records, evidence, refs.

Ten times as fast as real cycles, for neither an agent nor a test runs. The end of each cycle is the product's own.
"""

from __future__ import annotations

import hashlib
import json
import struct
import subprocess
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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
from tdd_orchestrator.notes import known_good
from tdd_orchestrator.notes.codec import digest, encode, joined
from tdd_orchestrator.notes.message import Entry, compose
from tdd_orchestrator.notes.store import Store, Written, filled
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.encoding import EMPTY_TREE
from tdd_orchestrator.repo.git import ZERO, Git
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
        base = self._head()
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
        self._land(tip, base)
        self._write(tip, CycleEnded(outcome="landed", commit=tip, completed=number), {**place, "tip": tip})

    def _head(self) -> str:
        head = refs.read(self.git, "refs/heads/main")
        assert head is not None
        return head

    def _land(self, tip: str, base: str) -> None:
        refs.update(self.git, [("refs/heads/main", tip, base)], reason="landed")

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


class ImportedCycles(Cycles):
    """The same records and commits, all written at once when it is closed: for histories of thousands of cycles.

    Nothing is left in the state folder."""

    def __init__(self, where: Path, state: Path) -> None:
        super().__init__(where, state)
        self.objects = self._kept = _Kept(self.git)
        self.store = self._stream = _Stream(self.git, self.objects)
        self._tip = super()._head()

    def play(self, count: int) -> None:
        for _ in range(count):
            self.number += 1
            self._cycle(self.number)

    def _head(self) -> str:
        return self._tip

    def _land(self, tip: str, base: str) -> None:
        self._tip = tip

    def _left_behind(self, number: int, phase: str) -> None:
        """Nothing."""

    def close(self) -> None:
        evidence = {f"{one[:2]}/{one[2:]}".encode(): (0o100644, one) for one in self._stream.kept}
        root = self.objects.edit_tree(EMPTY_TREE, evidence)
        pinned = self.objects.write_commit(root, [], "evidence\n", author=f"{WHO} 1700000000 +0000")
        self._kept.pack()
        self._stream.write()
        newest = list(self._stream.refs.items())[-known_good.LIMIT // 2 :]  # all of them lie below main
        moved = {**dict(newest), "refs/tdd/evidence": pinned, "refs/heads/main": self._tip}
        packed = "".join(f"{oid} {ref}\n" for ref, oid in sorted(moved.items()))
        (self.git.common_dir / "packed-refs").write_text(f"# pack-refs with: sorted \n{packed}")
        (self.git.common_dir / "refs/heads/main").unlink()
        super().close()


class _Kept(Objects):
    """Objects that are kept in memory until they are packed."""

    def __init__(self, git: Git) -> None:
        super().__init__(git, sync=False)
        self._git = git
        self._new: dict[str, tuple[str, bytes]] = {}

    def write(self, kind: str, data: bytes) -> str:
        oid = hashlib.sha1(b"%s %d\0" % (kind.encode(), len(data)) + data).hexdigest()
        self._new[oid] = kind, data
        return oid

    def find(self, name: str) -> tuple[str, str, bytes] | None:
        held = self._new.get(name)
        return (name, *held) if held else super().find(name)

    def pack(self) -> None:
        """Hand all of them to git."""
        kinds = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
        written = [b"PACK", struct.pack(">II", 2, len(self._new))]
        for kind, data in self._new.values():
            size, byte = len(data) >> 4, kinds[kind] << 4 | len(data) & 15
            while size:
                written.append(bytes([byte | 128]))
                size, byte = size >> 7, size & 127
            written += [bytes([byte]), zlib.compress(data, 1)]
        whole = b"".join(written)
        words = ["git", "--git-dir", str(self._git.common_dir), "index-pack", "--stdin"]
        whole += hashlib.sha1(whole).digest()
        subprocess.run(words, input=whole, check=True, capture_output=True)
        self._new.clear()


class _Stream(Store):
    """A store that writes all its records through one fast-import, in the order in which they were appended."""

    def __init__(self, git: Git, objects: Objects) -> None:
        super().__init__(git, objects)
        self.kept: list[str] = []
        self.refs: dict[str, str] = {}
        self._newest: Entry | None = None
        self._notes: dict[str, list[bytes]] = {}
        self._commits: list[bytes] = []
        self._hashes: list[str] = []

    def append(
        self,
        commit: str,
        record: Mapping[str, Any],
        *,
        subject: str,
        moves: Sequence[refs.RefUpdate] = (),
        pins: Mapping[str, str] | None = None,
    ) -> Written:
        newest = self._newest
        full = filled(record, *((newest.record["at"], newest.hash) if newest else ("", "")))
        line, moves = encode(full), [(ref, new, old or ZERO) for ref, new, old in moves]
        self._newest = Entry(full, commit, digest(line), subject)
        note = self._notes.setdefault(commit, [])
        note.append(line)
        text = compose(subject, line, commit, full["id"], moves).encode()
        data = joined(note)
        self._commits.append(
            b"commit %s\ncommitter tdd <tdd@localhost> 1700000000 +0000\ndata %d\n%s\nN inline %s\ndata %d\n%s\n"
            % (self.ref.encode(), len(text), text, commit.encode(), len(data), data)
        )
        self._hashes.append(digest(line))
        self.refs |= {**(pins or {}), **{ref: new for ref, new, _ in moves if new}}
        self.kept += self._evidence
        self._evidence.clear()
        return Written(full["id"], digest(line), "", full)

    def write(self) -> None:
        """Write the notes commits and this clone's journal."""
        words = ["git", "--git-dir", str(self._git.common_dir), "fast-import", "--quiet"]
        subprocess.run(words, input=b"".join(self._commits), check=True)
        self.journal.rewrite(self._hashes)
