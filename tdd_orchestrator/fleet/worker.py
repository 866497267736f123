"""A worker of a cluster: Dask calls :func:`serve_agent` and :func:`serve_tests` in its threads."""

from __future__ import annotations

import fcntl
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from tdd_orchestrator import __version__, process
from tdd_orchestrator.agents import sandbox
from tdd_orchestrator.agents.table import AgentEnvironment, installed, make_agent
from tdd_orchestrator.agents.validate import put, read_left
from tdd_orchestrator.audit.run_trees import logs, slots
from tdd_orchestrator.cycle.proof import Prover
from tdd_orchestrator.fleet.tasks import (
    SANDBOX,
    AgentResult,
    AgentTask,
    Missing,
    Sources,
    Task,
    TestResult,
    TestTask,
)
from tdd_orchestrator.model.errors import GitFailed, Paused
from tdd_orchestrator.redaction import redactor, secret_values
from tdd_orchestrator.repo.encoding import Entry
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.packs import thin_pack
from tdd_orchestrator.workspace.collect import MAX_FILE, FileChange, collect
from tdd_orchestrator.workspace.folders import listed, remove, state_home
from tdd_orchestrator.workspace.services import running, services_beside, slot
from tdd_orchestrator.workspace.shared import Shared

_KNOWN = 64  # commits that a worker names as a base for a thin pack
_LOOK = 0.5  # seconds between two looks at whether the result is still wanted
_HAVE = "refs/tdd/have"
_SESSION = "session"  # beside the trees: the id of the last session there

_Task = TypeVar("_Task", AgentTask, TestTask)
_Result = TypeVar("_Result", AgentResult, TestResult)


def resources(threads: int, environ: Mapping[str, str] | None = None) -> dict[str, float]:
    """Return what this machine has, as Dask resources: each task takes one of each that it needs."""
    names = [version_resource()]
    names += [agent_resource(row.name) for row in installed(environ, versions=False) if row.path]
    names += [SANDBOX] if sandbox.available() is None else []
    return dict.fromkeys(names, float(threads))


def version_resource() -> str:
    return f"tdd {__version__}"


def agent_resource(name: str) -> str:
    return f"agent {name}"


@dataclass(frozen=True, slots=True)
class Bench:
    """One task's place on this worker: a free folder for trees, beside a clone of the repository."""

    folder: Path
    git: Git
    run_marker: str

    def shared(self, task: Task) -> Shared:
        settings = task.settings
        return Shared(self.folder, (), settings.setup, extra_python=settings.python_path)

    @property
    def objects(self) -> Path:
        return self.git.common_dir / "objects"


def serve_agent(task: AgentTask) -> AgentResult | Missing:
    """Let an agent work on a commit; return its reply and the files that it left."""
    return _serve(task, _work)


def serve_tests(task: TestTask) -> TestResult | Missing:
    """Run suites on a commit in a clean tree."""
    return _serve(task, _run_tests)


def _serve(task: _Task, work: Callable[[Bench, _Task], _Result]) -> _Result | Missing:
    """Do the task; Paused where this machine cannot: its disk is full, or a folder cannot be written."""
    try:
        return _served(task, work)
    except (OSError, GitFailed) as error:
        what = error.what if isinstance(error, GitFailed) else str(error)
        raise Paused(
            f"The worker {_address()} could not do its task: {what.rstrip('.')}.",
            "Repair it or stop it, then run the same command again: it goes on from here.",
        ) from error


def _served(task: _Task, work: Callable[[Bench, _Task], _Result]) -> _Result | Missing:
    marker = f"worker-{secrets.token_hex(8)}"
    top = state_home() / "worker" / task.sources.repository
    with ExitStack() as held:
        git = held.enter_context(_clone(top))
        if not receive(git, task.sources):
            return Missing(task.id, _address(), known(git))
        held.enter_context(_ended_with_its_result(marker))
        trees = slots(top / "trees", 1, lambda folder: _has_session(folder, task))
        folder = held.enter_context(trees)[0]
        folder.mkdir(exist_ok=True)
        return work(Bench(folder, git, marker), task)


@contextmanager
def _clone(top: Path) -> Iterator[Git]:
    """Yield the worker's clone of a repository, made when it is first needed."""
    folder = top / "clone.git"
    top.mkdir(parents=True, exist_ok=True)
    with open(top / "lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "HEAD").exists():
            process.run(["git", "init", "--quiet", "--bare", str(folder)])
    with Git(folder) as git:
        yield git


def receive(git: Git, sources: Sources) -> bool:
    """Unpack what was sent; return whether the commit is in the clone now. Not so where the clone lacks one of
    the pack's bases: the pack was made for another worker."""
    asked = "".join(f"{oid}\n" for oid in sources.bases).encode()
    if sources.pack and b" missing\n" not in git.run("cat-file", "--batch-check", stdin=asked):
        git.run("index-pack", "--fsck-objects", "--fix-thin", "--stdin", stdin=sources.pack)
    if git.finished("cat-file", "-e", f"{sources.commit}^{{tree}}").exit_code:
        return False
    git.run("update-ref", f"{_HAVE}/{sources.commit}", sources.commit)
    return True


def known(git: Git) -> tuple[str, ...]:
    """Return the newest commits that the clone has, each with its whole history."""
    words = ("--sort=-committerdate", f"--count={_KNOWN}", "--format=%(objectname)", _HAVE)
    return tuple(git.run("for-each-ref", *words).decode("ascii").split())


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)


@contextmanager
def _ended_with_its_result(marker: str) -> Iterator[None]:
    """End this task's programs as soon as its result is not wanted any more: the coordinator ended, or gave
    it up, or this worker is told to end. Dask itself cannot end a task that has begun."""
    from distributed import Status, get_worker
    from distributed.worker import thread_state

    worker, key, done = get_worker(), thread_state.key, threading.Event()
    tasks, ending = worker.state.tasks, (Status.closing, Status.closed, Status.failed)

    def watch() -> None:
        while not done.wait(_LOOK):
            if worker.status in ending or key not in tasks or tasks[key].state == "cancelled":
                process.sweep(marker)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _work(bench: Bench, task: AgentTask) -> AgentResult:
    shared, settings, commit = bench.shared(task), task.settings, task.sources.commit
    tree = shared.tree(bench.folder / "agent", bench.objects)
    output = logs(bench.folder) / "output"
    remove(output)
    output.mkdir(parents=True)
    tree.move_to(commit)
    tree.give_git(commit, f"tdd/{task.request.cycle_id}")
    shared.set_up(tree, dict(os.environ), run_marker=bench.run_marker, say=_silent)
    kind = sandbox.choose(settings.sandbox)
    around = AgentEnvironment(
        tell=_silent,
        wrap=None
        if kind == "none"
        else lambda preset: sandbox.agent_wrap(
            preset, kind=kind, network=settings.network, readable=(bench.objects,), passed=settings.agent_env
        ),
        redact=redactor(os.environ),
        root=tree.path,
        prices=settings.prices,
    )
    agent = make_agent(task.agent.name, task.agent, around)
    with (
        _port(bool(task.request.port)) as port,
        running(settings.services, services_beside(tree.path)) as env,
    ):
        request = replace(
            task.request, tree=tree.path, output=output, run_marker=bench.run_marker, port=port, env=env,
            session=task.request.session if _has_session(bench.folder, task) else "",
        )  # fmt: skip
        reply = agent.work(request)
    put(bench.folder / _SESSION, reply.session)
    clean = shared.tree(bench.folder / "ignore", bench.objects)

    def ignored(fresh: list[str]) -> frozenset[str]:
        clean.move_to(commit)
        return clean.ignored(fresh) if fresh else frozenset()

    listing = tree.git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
    known = [os.fsdecode(path) for path in listing.split(b"\0") if path]
    collected = collect(tree, known=known, ignored=ignored)
    secret = [value.encode() for value in secret_values(os.environ)]
    leaks = {file.path for file in collected.changes if any(one in (file.content or b"") for one in secret)}
    files = _stored(bench, commit, [file for file in collected.changes if file.path not in leaks])
    pack = thin_pack(bench.git, files, (commit,))
    outputs = {path.name: read_left(path, MAX_FILE) or b"" for path in listed(output) if path.is_file()}
    left = (*collected.left, *((path, "it holds a secret of the worker's") for path in sorted(leaks)))
    return AgentResult(task.id, replace(reply, transcript=None), files, pack, outputs, _address(), left)


def _has_session(folder: Path, task: Task) -> bool:
    """Return whether the session that an attempt is to continue is the last one of the agent tree in this folder:
    clients find a session by the folder that they worked in."""
    wanted = task.request.session if isinstance(task, AgentTask) else ""
    return bool(wanted) and read_left(folder / _SESSION, MAX_FILE) == wanted.encode()


def _stored(bench: Bench, commit: str, changes: Sequence[FileChange]) -> str:
    """Return the git tree of what the agent left."""
    with Objects(bench.git) as objects:
        entries: dict[bytes, Entry | None] = {
            os.fsencode(file.path): None
            if file.content is None
            else (0o100755 if file.executable else 0o100644, objects.write_blob(file.content))
            for file in changes
        }
        start = objects.read_commit(commit).tree
        return objects.edit_tree(start, entries) if entries else start


def _run_tests(bench: Bench, task: TestTask) -> TestResult:
    shared, settings = bench.shared(task), task.settings
    tree = shared.tree(bench.folder / "proof", bench.objects)
    kind = sandbox.choose(settings.sandbox)
    written = logs(bench.folder)

    def wrap(argv: list[str]) -> list[str]:
        return sandbox.wrap_proof(
            argv, tree.path, kind=kind, network=settings.test_network, writable=(written,),
            readable=(bench.objects,), passed=settings.test_env,
        )  # fmt: skip

    with _port(task.port) as port:
        prover = Prover(
            suites=tuple(suite for suite, _ in task.chosen),
            tree=tree,
            shared=shared,
            work=written,
            environ={**os.environ, **({"TDD_PORT": str(port)} if port else {})},
            blobs=_NoStore(),
            read_blob=_NoStore().read,
            pass_env=settings.test_env,
            services=settings.services,
            wrap=None if kind == "none" else wrap,
            run_marker=bench.run_marker,
            redact=redactor(os.environ),
        )
        if task.limit:
            coverage = prover.measure(task.sources.commit, task.limit)
            return TestResult(task.id, (), str(tree.path), coverage, prover.spent)
        rans = prover.run(task.sources.commit, task.chosen, texts=task.texts, watched=task.watched)
    return TestResult(task.id, tuple(ran for _, ran in rans), str(tree.path))


class _NoStore:
    """A worker runs tests; evidence is kept by the coordinator."""

    def evidence(self, data: bytes) -> str:
        raise AssertionError("a worker keeps no evidence")

    def read(self, oid: str) -> bytes:
        raise AssertionError("a worker keeps no evidence")


@contextmanager
def _port(wanted: bool) -> Iterator[int]:
    with ExitStack() as held:
        yield held.enter_context(slot()) if wanted else 0


def _silent(_: str) -> None: ...
