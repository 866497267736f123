"""Run the suites on a commit in the clean tree, look at unexpected failures again, keep the result by tree."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Protocol

from tdd_orchestrator import process
from tdd_orchestrator.cycle.evidence import combine, decode, encode, key_of, summary, whole_id
from tdd_orchestrator.cycle.places import Selection, TestPlace
from tdd_orchestrator.events import log
from tdd_orchestrator.model.coverage import Coverage, merged
from tdd_orchestrator.model.errors import StoreDamaged
from tdd_orchestrator.model.parts import TestEvidence
from tdd_orchestrator.model.records import Record, runs_of
from tdd_orchestrator.model.report import BAD, Case, Counts, Report, RunVerdict
from tdd_orchestrator.process import Outside
from tdd_orchestrator.runners.coverage import measure
from tdd_orchestrator.runners.redacted_run import Redact, no_redaction
from tdd_orchestrator.runners.run import Ran, RunEnvironment, Suite, neutral_env, run_suite
from tdd_orchestrator.workspace.services import Service, running, services_beside
from tdd_orchestrator.workspace.shared import Shared
from tdd_orchestrator.workspace.survey import not_there
from tdd_orchestrator.workspace.tree import Tree

Wrap = Callable[[list[str]], list[str]]
_SUSPECTS = 20  # with more failures than this nothing is flaky: something is broken
_QUARANTINED = 5  # whole reruns where only tests that are known to be flaky fail
_ENDED = frozenset({RunVerdict.PASSED, RunVerdict.FAILED, RunVerdict.ERROR})  # runs that came to their end


def tests_marker(run_marker: str) -> str:
    """Return the marker of test programs: what a suite leaves is ended, and an agent that works meanwhile is not."""
    return f"{run_marker}.tests"


class Blobs(Protocol):
    """Where evidence is kept: the store, and the repository's objects."""

    def evidence(self, data: bytes) -> str: ...


@dataclass(frozen=True, slots=True)
class Proof:
    """The suites' result on one commit's tree. ``flaky``: failed in one whole run and not in another of the
    same tree."""

    report: Report
    tree: str
    key: str
    flaky: frozenset[str] = frozenset()
    output: str = ""
    reused: bool = False

    def case(self, identity: str) -> Case | None:
        return next((case for case in self.report.cases if case.id == identity), None)

    @property
    def trouble(self) -> str:
        """Return what keeps the run from being judged, with what it said at its end where nothing could be read."""
        from tdd_orchestrator.diagnosis.parts import closing_words  # its tables take a while to load

        why = f"{self.report.trouble.rstrip('.')}."
        unread = self.report.verdict is RunVerdict.UNREADABLE and self.output.strip()
        words = closing_words(self.output).rstrip(".") if unread else ""
        return f"{why} It ended with: {words}." if words and words not in why else why


@dataclass(slots=True)
class Prover:
    """``work`` takes logs and reports; ``environ`` is the orchestrator's own environment, never handed on
    whole."""

    suites: tuple[Suite, ...]
    tree: Tree
    shared: Shared
    work: Path
    environ: Mapping[str, str]
    blobs: Blobs
    read_blob: Callable[[str], bytes]
    pass_env: tuple[str, ...] = ()
    wrap: Wrap | None = None
    reruns: int = 2
    run_marker: str = ""
    say: Callable[[str], None] = lambda _: None
    on_output: Callable[[bytes], None] | None = None
    redact: Redact = no_redaction
    outside: Outside = nullcontext  # entered while a program runs
    services: tuple[Service, ...] = ()  # started for each run
    place: TestPlace | None = None  # where the suites are run; None: here
    spent: float = 0.0  # seconds in test commands so far
    without_plugin: set[tuple[str, ...]] = field(default_factory=set)  # see RunEnvironment

    def key(self, tree_oid: str) -> str:
        commands = [suite.command for suite in self.suites]
        environment = {name: self.environ.get(name, "") for name in self.pass_env}
        return key_of(tree_oid, commands, repr(sorted(environment.items())) if environment else "")

    def not_there(self) -> str:
        """Why a test command starts nothing in the proof tree; empty where each of them does."""
        path = neutral_env(self.tree.path, self.environ)["PATH"]
        sentences = (not_there(suite.command, self.tree.path / suite.cwd, path) for suite in self.suites)
        return next(filter(None, sentences), "")

    def recorded(self, tree_oid: str, records: Iterable[Record]) -> Proof | None:
        """The result of this very run, where one of the records has it (E6)."""
        key = self.key(tree_oid)
        for tests in chain.from_iterable(map(runs_of, records)):
            if tests.key == key and tests.evidence:
                try:
                    data = self.read_blob(tests.evidence)
                except StoreDamaged:
                    continue  # somebody's gc took it: what it was is run again
                if hashlib.sha256(data).hexdigest() != tests.evidence_sha256:
                    continue  # not the bytes that were kept, whatever the object's name says
                return Proof(decode(data), tree_oid, key, frozenset(tests.flaky_tests), reused=True)
        return None

    def prove(
        self,
        commit: str,
        tree_oid: str,
        *,
        watched: Sequence[str] = (),
        suspects: Callable[[Report], Sequence[Case]] = lambda report: report.failing,
        repeat: Callable[[Report], Sequence[Case]] = lambda _: (),
        times: int = 1,
        quarantined: Collection[str] = (),
    ) -> Proof:
        """Run every suite on ``commit`` and return the result.

        ``suspects`` names a report's unexpected failures: where there are some, everything is run again, up
        to ``reruns`` times (E4), and more often where only ``quarantined`` tests fail. A run without any is
        the result; where there is none, the first run is. A test that failed unexpectedly in one run and
        passed in another is flaky; one that was left out or skipped has not passed. ``repeat`` names tests
        whose files are run ``times`` times in all, to see whether their outcome changes. ``watched``: test
        files; one that is written during a run is a disagreement.
        """
        rans = self._run_all(commit, watched)
        report, output = _combined(rans), _output(rans)
        unexpected = failed = _ids(suspects(report))
        passed = report.passing_ids
        for number in range(1, max(self.reruns, _QUARANTINED) + 1):
            most = _QUARANTINED if self.reruns and unexpected <= set(quarantined) else self.reruns
            if not unexpected or len(unexpected) > _SUSPECTS or number > most:
                break
            self.say(f"{_named(unexpected)} failed unexpectedly; running the whole suite again ({number})")
            again = self._run_all(commit, watched)
            seen = _combined(again)
            unexpected = _ids(suspects(seen))
            failed, passed = failed | unexpected, passed | seen.passing_ids
            if not unexpected and seen.verdict in _ENDED:
                rans, report, output = again, seen, _output(again)
        counts = report.counts or Counts()
        log(
            "tests ran", commit=commit[:12], verdict=report.verdict, passed=counts.passed,
            failed=counts.failed + counts.errors,
        )  # fmt: skip
        flaky = failed & passed
        flaky |= self._unsteady(commit, rans, _ids(repeat(report)), times - 1)
        return Proof(report, tree_oid, self.key(tree_oid), flaky, output)

    def prepare(self, commit: str) -> None:
        self.tree.move_to(commit)
        self.shared.show_in(self.tree)
        self.shared.set_up(
            self.tree,
            self._env(),
            run_marker=self.run_marker,
            say=self.say,
            sealed=True,
            outside=self.outside,
        )

    def run_rewritten(
        self, commit: str, texts: Mapping[str, str], only: Sequence[Case], limit: float
    ) -> tuple[Report, str]:
        """Run the files of some cases (all, where none is given) on ``commit`` with other texts in some
        files.

        Return the report, with the ids of a whole run, and the end of the output. ``limit``: seconds after
        which a suite is stopped. The tree stays as the run left it: each run begins with a clean one, made by
        git, which follows no link that code under test put in a file's place.
        """
        chosen = [
            (replace(suite, timeout=min(suite.timeout or limit, limit)), cases)
            for suite, cases in self._by_suite(only)
        ]
        rans = self.run(commit, chosen, texts=texts)
        return _combined(rans, len(self.suites)), _output(rans)

    def measure(self, commit: str, limit: float) -> Coverage:
        """Run every suite once more with its runner's coverage tool, on a clean tree of ``commit``.

        Return the lines that were executed. ``limit``: as of ``run_rewritten``.
        """
        if self.place is not None:
            with self.outside():
                lines, seconds = self.place.measure(self.tree, commit, self.suites, limit)
            self.spent += seconds
            return lines
        self.prepare(commit)
        with running(self.services, services_beside(self.tree.path), self.outside) as more:
            found = [
                measure(replace(suite, timeout=min(suite.timeout or limit, limit)), self._environment(more))
                for suite in self.suites
            ]
        names = [
            replace(
                part,
                tests={whole_id(suite.name, test, len(found)): files for test, files in part.tests.items()},
            )
            for suite, (part, _) in zip(self.suites, found, strict=True)
        ]
        self.spent += sum(seconds for _, seconds in found)
        return merged(names)

    def run(
        self,
        commit: str,
        chosen: Selection,
        *,
        texts: Mapping[str, str] | None = None,
        watched: Sequence[str] = (),
    ) -> list[tuple[Suite, Ran]]:
        """Run suites on ``commit``, beginning in a clean tree: here, or where ``place`` says."""
        if self.place is not None:
            with self.outside():
                rans = self.place.run(self.tree, commit, chosen, texts or {}, watched)
        else:
            self.prepare(commit)
            self.tree.rewrite(texts or {})
            with running(self.services, services_beside(self.tree.path), self.outside) as more:
                rans = [self._once(suite, cases, watched, more) for suite, cases in chosen]
        self.spent += sum(ran.seconds for ran in rans)
        return [(suite, ran) for (suite, _), ran in zip(chosen, rans, strict=True)]

    def _by_suite(self, only: Sequence[Case]) -> list[tuple[Suite, list[Case]]]:
        """Return each suite that has one of the cases, with these by the suite's own ids."""
        if len(self.suites) == 1 or not only:
            return [(suite, list(only)) for suite in self.suites]
        found = []
        for suite in self.suites:
            prefix = whole_id(suite.name, "", len(self.suites))
            mine = [
                replace(case, id=case.id.removeprefix(prefix)) for case in only if case.id.startswith(prefix)
            ]
            inside = f"{suite.cwd}/" if suite.cwd else ""
            mine += [
                case for case in only if _is_of_no_suite(case, self.suites) and case.file.startswith(inside)
            ]
            found += [(suite, mine)] if mine else []
        return found or [(suite, []) for suite in self.suites]

    def stop(self) -> None:
        """End what runs: the command is broken off."""
        process.sweep(self.run_marker)
        if self.place is not None:
            self.place.stop()

    def evidence(
        self, proof: Proof, *, targets: Iterable[str] = (), quarantined_until: dict[str, str] | None = None
    ) -> TestEvidence:
        """Store the run as a blob and return its summary for the record."""
        data = encode(proof.report)
        return summary(
            proof.report,
            tree=proof.tree,
            key=proof.key,
            targets=targets,
            flaky=proof.flaky,
            quarantined_until=quarantined_until,
            blob=self.blobs.evidence(data),
            sha256=hashlib.sha256(data).hexdigest(),
        )

    def _run_all(self, commit: str, watched: Sequence[str]) -> list[tuple[Suite, Ran]]:
        """Run every suite once, beginning in a clean tree."""
        return self.run(commit, [(suite, ()) for suite in self.suites], watched=watched)

    def _once(
        self, suite: Suite, only: Sequence[Case], watched: Sequence[str], more: Mapping[str, str]
    ) -> Ran:
        return run_suite(suite, self._environment(more), only=only, watched=watched)

    def _environment(self, more: Mapping[str, str]) -> RunEnvironment:
        """Return where the suites run; ``more``: variables of the services that run beside them."""
        return RunEnvironment(
            self.tree.path,
            self.work,
            {**self._env(), **more},
            self.wrap or (lambda argv: argv),
            self.run_marker,
            self.on_output,
            self.redact,
            self.outside,
            self.without_plugin,
        )

    def _env(self) -> dict[str, str]:
        env = neutral_env(self.tree.path, self.environ, self.shared.python_path())
        env.update({name: self.environ[name] for name in self.pass_env if name in self.environ})
        return env

    def _unsteady(
        self, commit: str, rans: Sequence[tuple[Suite, Ran]], wanted: frozenset[str], times: int
    ) -> frozenset[str]:
        """Return the ids of the wanted tests whose outcome changes between runs of their files on the same
        tree."""
        unsteady: set[str] = set()
        for suite, ran in rans:
            ids = {case.id: whole_id(suite.name, case.id, len(rans)) for case in ran.report.cases}
            chosen = [case for case in ran.report.cases if ids[case.id] in wanted]
            outcomes = {case.id: case.outcome in BAD for case in chosen}
            for _ in range(times if chosen and suite.framework.select else 0):
                for case in self.run(commit, [(suite, chosen)])[0][1].report.cases:
                    if case.id in outcomes and (case.outcome in BAD) != outcomes[case.id]:
                        unsteady.add(ids[case.id])
        return frozenset(unsteady)


def _is_of_no_suite(case: Case, suites: Sequence[Suite]) -> bool:
    """Return whether a case carries no suite's name, so that its file tells where it belongs."""
    return not any(case.id.startswith(whole_id(suite.name, "", len(suites))) for suite in suites)


def _combined(rans: Sequence[tuple[Suite, Ran]], suites: int = 0) -> Report:
    """Return one report of several suites; ``suites``: how many there are, where not all of them ran."""
    return combine([(suite.name, ran.report) for suite, ran in rans], suites or len(rans))


def _output(rans: Sequence[tuple[Suite, Ran]]) -> str:
    return "\n".join(ran.output for _, ran in rans)


def _ids(cases: Iterable[Case]) -> frozenset[str]:
    return frozenset(case.id for case in cases)


def _named(ids: Iterable[str]) -> str:
    first, *others = sorted(ids)
    return f"{first} and {len(others)} more" if others else first
