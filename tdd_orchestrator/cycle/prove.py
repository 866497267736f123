"""Proof: the suites run on a commit in the clean tree, unexpected failures run again, the result kept by tree."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from tdd_orchestrator.cycle.behind import behind, kept_out
from tdd_orchestrator.cycle.evidence import combine, decode, encode, key_of, summary, whole_id
from tdd_orchestrator.model.errors import StoreDamaged
from tdd_orchestrator.model.parts import TestEvidence
from tdd_orchestrator.model.report import BAD, Case, Report
from tdd_orchestrator.runners.control import fits
from tdd_orchestrator.runners.flaky import confirm
from tdd_orchestrator.runners.framework import is_test_file
from tdd_orchestrator.runners.private import Redact, unchanged
from tdd_orchestrator.runners.run import Ran, Suite, neutral_env, run_suite
from tdd_orchestrator.workspace.program import not_there
from tdd_orchestrator.workspace.shared import Shared
from tdd_orchestrator.workspace.tree import Tree

Wrap = Callable[[list[str]], list[str]]
_SUSPECTS = 20  # with more failures than this nothing is flaky: something is broken


class Blobs(Protocol):
    """Where evidence is kept: the store, and the repository's objects."""

    def evidence(self, data: bytes) -> str: ...


@dataclass(frozen=True, slots=True)
class Proof:
    """What the suites said of one commit's tree. ``flaky``: failed first, passed when run again."""

    report: Report
    tree: str
    key: str
    control: bool | None = None
    flaky: frozenset[str] = frozenset()
    output: str = ""
    reused: bool = False

    def case(self, identity: str) -> Case | None:
        return next((case for case in self.report.cases if case.id == identity), None)


@dataclass(frozen=True, slots=True)
class _Part:
    """One suite's share of a run of ``suites`` of them: its tests by the suite's own ids and by the whole run's."""

    suite: Suite
    report: Report
    suites: int

    def own(self, chosen: Iterable[Case]) -> list[Case]:
        ids = {case.id for case in chosen}
        return [case for case in self.report.cases if whole_id(self.suite.name, case.id, self.suites) in ids]

    def whole(self, ids: Iterable[str]) -> set[str]:
        return {whole_id(self.suite.name, one, self.suites) for one in ids}


def _left_out(ran: Ran, neighbour: str) -> bool:
    """Whether the control was not run because the command leaves its neighbour's folder out as well (``testpaths``): every
    test that ran says where it stands, and none of them is there."""
    folders = {os.path.dirname(case.file) for case in ran.report.cases}
    nameless = any(not case.file for case in ran.report.cases)
    told = ran.report.complete and bool(folders) and not nameless
    return ran.control is False and told and os.path.dirname(neighbour) not in folders


@dataclass(slots=True)
class Prover:
    """``work`` takes logs and reports; ``environ`` is the orchestrator's own environment, never handed on whole."""

    suites: tuple[Suite, ...]
    tree: Tree
    shared: Shared
    work: Path
    environ: Mapping[str, str]
    blobs: Blobs
    read_blob: Callable[[str], bytes]
    pass_env: tuple[str, ...] = ()
    wrap: Wrap | None = None
    control: bool = True
    reruns: int = 2
    cookie: str = ""
    say: Callable[[str], None] = lambda _: None
    on_output: Callable[[bytes], None] | None = None
    redact: Redact = unchanged
    outside: set[str] = field(default_factory=set)  # folders with test files that the commands leave out
    watched: tuple[str, ...] = ()  # files of tests of the commit that was proven last

    def key(self, tree_oid: str) -> str:
        commands = [suite.command for suite in self.suites]
        environment = {name: self.environ.get(name, "") for name in self.pass_env}
        return key_of(tree_oid, commands, repr(sorted(environment.items())) if environment else "")

    def not_there(self) -> str:
        """Why a test command starts nothing in the proof tree; empty where each of them does."""
        path = neutral_env(self.tree.path, self.environ)["PATH"]
        said = (not_there(suite.command, self.tree.path / suite.cwd, path) for suite in self.suites)
        return next(filter(None, said), "")

    def recorded(self, tree_oid: str, records: Iterable[Mapping[str, Any]]) -> Proof | None:
        """The result of this very run, where one of the records has it (E6)."""
        key = self.key(tree_oid)
        for record in records:
            for name in ("tests", "baseline_tests"):
                tests = record.get(name) or {}
                if tests.get("key") == key and tests.get("evidence"):
                    try:
                        data = self.read_blob(str(tests["evidence"]))
                    except StoreDamaged:
                        continue  # somebody's gc took it: what it was is run again
                    if hashlib.sha256(data).hexdigest() != tests.get("evidence_sha256"):
                        continue  # not the bytes that were kept, whatever the object's name says
                    report = decode(data)
                    flaky = frozenset(tests.get("flaky_tests", ()))
                    return Proof(report, tree_oid, key, tests.get("control"), flaky, reused=True)
        return None

    def prove(
        self,
        commit: str,
        tree_oid: str,
        *,
        near: Sequence[str] = (),
        suspects: Callable[[Report], Sequence[Case]] = lambda report: report.failing,
        repeat: Callable[[Report], Sequence[Case]] = lambda _: (),
        times: int = 1,
        untouched: bool = False,
    ) -> Proof:
        """Run every suite on ``commit``. ``near``: test files beside which the control may be planted; ``suspects``
        names the failures that deserve a second run; ``repeat`` names tests that are run ``times`` times in all.
        ``untouched``: no agent has changed anything yet, so that the run shows what the commands leave out."""
        self.prepare(commit)
        self.watched = tuple(near)
        rans = [(suite, self._run(suite, near, untouched=untouched)) for suite in self.suites]
        report = combine([(suite.name, ran.report) for suite, ran in rans])
        controls = [ran.control for _, ran in rans if ran.control is not None]
        suspected, repeated = suspects(report), repeat(report)
        flaky: set[str] = set()
        for suite, ran in rans:
            part = _Part(suite, ran.report, len(rans))
            if len(suspected) <= _SUSPECTS:
                flaky |= part.whole(self._again(part, part.own(suspected)))
            flaky |= part.whole(self._unsteady(part, part.own(repeated), times - 1))
        return Proof(
            report,
            tree_oid,
            self.key(tree_oid),
            (all(controls) if controls else None),
            frozenset(flaky),
            "\n".join(ran.output for _, ran in rans),
        )

    def prepare(self, commit: str) -> None:
        self.tree.move_to(commit)
        self.shared.show_in(self.tree)
        self.shared.set_up(self.tree, self._env(), cookie=self.cookie, say=self.say, sealed=True)

    def run_chosen(self, suite: Suite, only: Sequence[Case], near: Sequence[str] = ()) -> Ran:
        """Some tests alone, on the tree as it stands (for a fast no, or to see a failure again)."""
        return self._run(suite, near, only)

    def evidence(
        self,
        proof: Proof,
        *,
        targets: Iterable[str] = (),
        quarantined_until: dict[str, str] | None = None,
    ) -> TestEvidence:
        """Keep the run as a blob and say in the record what it was."""
        data = encode(proof.report)
        return summary(
            proof.report,
            tree=proof.tree,
            key=proof.key,
            targets=targets,
            flaky=proof.flaky,
            quarantined_until=quarantined_until,
            control=proof.control,
            blob=self.blobs.evidence(data),
            sha256=hashlib.sha256(data).hexdigest(),
        )

    def _run(
        self, suite: Suite, near: Sequence[str], only: Sequence[Case] = (), *, untouched: bool = False
    ) -> Ran:
        near_it = next(self._neighbours(suite, near), "") if self.control else ""
        ran = self._once(suite, only, near_it)
        if near_it and not only and _left_out(ran, near_it):
            if untouched:  # what an agent's code does must not teach us where not to look
                self.outside.add(os.path.dirname(near_it))
            run = {case.file for case in ran.report.cases}
            near_it = next((path for path in self._neighbours(suite, near) if path in run), "")
            ran = self._once(suite, only, near_it) if near_it else ran
        if only or not near_it or not kept_out(suite, self.tree.path, ran):
            return ran
        runner = replace(suite, command=suite.framework.command)
        return behind(self._once(suite, (), ""), lambda: self._once(runner, (), near_it))

    def _neighbours(self, suite: Suite, near: Sequence[str]) -> Iterator[str]:
        """Test files of a suite beside which the control may be planted, and would be run."""
        inside = f"{suite.cwd}/" if suite.cwd else ""
        for path in near:
            ours = path.startswith(inside) and is_test_file(path, suite.framework, suite.test_globs)
            if (
                ours
                and os.path.dirname(path) not in self.outside
                and fits(suite.framework, self.tree.path, path)
            ):
                yield path

    def _once(self, suite: Suite, only: Sequence[Case], control_near: str) -> Ran:
        return run_suite(
            suite,
            self.tree.path,
            work=self.work,
            env=self._env(),
            only=only,
            control_near=control_near,
            watched=self.watched,
            wrap=self.wrap or (lambda argv: argv),
            cookie=self.cookie,
            on_output=self.on_output,
            redact=self.redact,
        )

    def _env(self) -> dict[str, str]:
        env = neutral_env(self.tree.path, self.environ, self.shared.python_path())
        env.update({name: self.environ[name] for name in self.pass_env if name in self.environ})
        return env

    def _again(self, part: _Part, left: Sequence[Case]) -> set[str]:
        """Run unexpected failures again on the same tree (E4); one that passes then is flaky, not a regression."""
        if not part.report.complete or part.suite.framework.select is None:
            return set()
        failed = [case.id for case in left]
        reports: list[Report] = []
        while left and len(reports) < self.reruns:
            self.say(
                f"running {len(left)} unexpected failure{'s'[: len(left) != 1]} again ({len(reports) + 1})"
            )
            reports.append(self._run(part.suite, (), left).report)
            broken = confirm(failed, reports).broken
            left = [case for case in left if case.id in broken]
        return set(confirm(failed, reports).flaky)

    def _unsteady(self, part: _Part, chosen: Sequence[Case], times: int) -> set[str]:
        """Tests whose outcome changes between runs on the same tree."""
        outcomes = {case.id: case.outcome in BAD for case in chosen}
        unsteady: set[str] = set()
        for _ in range(times if outcomes and part.suite.framework.select else 0):
            for case in self._run(part.suite, (), chosen).report.cases:
                if case.id in outcomes and (case.outcome in BAD) != outcomes[case.id]:
                    unsteady.add(case.id)
        return unsteady
