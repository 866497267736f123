"""The two services on a Dask cluster: attempts and test runs are tasks, their inputs and results values.

Scheduling, lost workers and results that come late are Dask's; nothing here knows a machine. The coordinator
stays the only one that writes notes, refs and the branch.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from tdd_orchestrator.agents.agent import Agent, Reply, Request
from tdd_orchestrator.agents.command import TRANSCRIPT
from tdd_orchestrator.agents.preset import PRESETS
from tdd_orchestrator.agents.table import AgentSettings
from tdd_orchestrator.agents.validate import put
from tdd_orchestrator.cycle.places import Selection
from tdd_orchestrator.fleet.tasks import (
    AgentResult,
    AgentTask,
    Missing,
    Settings,
    Sources,
    TestResult,
    TestTask,
)
from tdd_orchestrator.model.coverage import Coverage
from tdd_orchestrator.model.errors import Paused, Refused, add_extra
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.packs import thin_pack
from tdd_orchestrator.runners.redacted_run import Redact, redact_report
from tdd_orchestrator.runners.run import Ran, Suite
from tdd_orchestrator.workspace.tree import Tree

if TYPE_CHECKING:
    from distributed import Client, Future

_LOOK = 0.25  # seconds between two looks at a task
_ASK = 2.0  # seconds between two questions about a task at work: each lane asks the one scheduler
_PATIENCE = 15.0  # seconds in which a worker that fits must come, or come back
_CONNECT = 10.0  # seconds
_TLS = "DASK_DISTRIBUTED__COMM__TLS__"  # Dask's own variables

_Task = TypeVar("_Task", AgentTask, TestTask)
_Result = TypeVar("_Result", AgentResult, TestResult)


@dataclass
class Cluster:
    """The way to a scheduler, connected when it is first needed."""

    address: str
    repository: str
    settings: Settings
    _client: Client | None = field(default=None, init=False)
    _connecting: threading.Lock = field(default_factory=threading.Lock, init=False)

    def close(self) -> None:
        if self._client is not None:
            self._client.close(timeout=2)

    def call(
        self,
        function: Callable[[_Task], _Result | Missing],
        task: _Task,
        needs: Sequence[str],
        tree: Tree,
        stopping: threading.Event,
        prefer: Sequence[str] = (),
    ) -> _Result:
        """Return what a worker made of the task. ``tree`` is whose git packs what a worker lacks;
        ``stopping`` is set where the result is not wanted any more; ``prefer`` are addresses of workers.

        Paused where the scheduler is gone, no worker fits, or each worker that took the task died. What the
        task itself raises is raised here.
        """
        from tdd_orchestrator.fleet.worker import version_resource

        client = self._connected()
        wanted = dict.fromkeys((version_resource(), *self.settings.needs, *needs), 1)
        workers = list(prefer)
        while True:
            future = client.submit(
                function, task, key=f"{task.id}-{secrets.token_hex(4)}", pure=False, resources=wanted,
                workers=workers or None,
            )  # fmt: skip
            try:
                result = self._result(client, future, stopping, 0.0 if workers else _PATIENCE)
            except NoWorkerError:
                if not workers:
                    raise Paused(
                        f"No worker of {self.address} has all of this: {', '.join(wanted)}.",
                        f"Start one that has (tdd worker {self.address}), then run the same command again.",
                    ) from None
                workers = []  # the preferred one is gone; allow_other_workers would forget the resources
                continue
            if result.id != task.id:
                raise AssertionError(f"a result of {result.id} came for {task.id}")
            if not isinstance(result, Missing):
                done: _Result = result
                return done
            task = replace(task, sources=pack_for(tree.git, task.sources, result))
            workers = [result.worker]

    def _connected(self) -> Client:
        with self._connecting:
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> Client:
        try:
            from distributed import Client
        except ImportError as error:
            raise Refused("A scheduler is set, and Dask is not installed.", add_extra("dask")) from error
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what is lost is said here
        check_certificates(self.address, "client")
        try:
            return Client(self.address, timeout=_CONNECT, set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise gone(self.address, error) from error

    def _result(self, client: Client, future: Future, stopping: threading.Event, patience: float) -> Any:
        """Return the task's result. NoWorkerError where no worker fits for so many seconds: Dask itself waits for
        one without a word, also where the last one ends."""
        from distributed.scheduler import KilledWorker

        ended, now = threading.Event(), time.monotonic()
        fitted, ask = now, now
        future.add_done_callback(lambda _: ended.set())
        try:
            while not future.done():
                if stopping.is_set() or client.status not in ("running", "connecting"):
                    raise gone(self.address)
                if (now := time.monotonic()) >= ask:
                    if self._has_a_worker(client, future):
                        fitted, ask = now, now + _ASK
                    elif now - fitted >= patience:
                        raise NoWorkerError
                ended.wait(_LOOK)
            if future.status == "finished":
                return future.result()
            if future.status != "error":
                raise gone(self.address)
            error = future.exception()
            if isinstance(error, KilledWorker):
                raise Paused(
                    "Each worker that took this task ended while it worked on it.",
                    "Look at the workers' logs and memory, then run the same command again.",
                ) from error
            raise error
        finally:
            future.cancel()

    def _has_a_worker(self, client: Client, future: Future) -> bool:
        """Return whether the scheduler found a worker for the task, or did not answer."""
        try:
            states = client.sync(
                client.scheduler.get_task_status, keys=[future.key], callback_timeout=_CONNECT
            )
        except (OSError, TimeoutError):
            return True  # the connection's own state decides
        return bool(states[future.key] != "no-worker")


class NoWorkerError(Exception):
    """No worker of the cluster has what a task needs."""


def gone(address: str, error: BaseException | None = None) -> Paused:
    """Return the error for a scheduler that cannot be reached, with the innermost reason."""
    while error is not None and (error.__cause__ or error.__context__):
        error = error.__cause__ or error.__context__
    why = str(error).strip().rstrip(".") if error is not None else ""
    return Paused(
        f"The scheduler {address} does not answer{f': {why}' if why else ''}.",
        "Start it (dask scheduler), then run the same command again: it goes on from here.",
    )


def check_certificates(address: str, role: str) -> None:
    """Refuse an encrypted address whose certificates are not configured or cannot be read. ``role``: client or
    worker."""
    if not address.startswith("tls://"):
        return
    from distributed.security import Security

    security, names = Security(), ("CA_FILE", f"{role.upper()}__CERT", f"{role.upper()}__KEY")
    todo = f"Set {', '.join(_TLS + name for name in names)} to the files, as for the scheduler."
    try:
        context = security.get_connection_args(role)["ssl_context"]
    except OSError as error:
        files = security.get_tls_config_for_role(role)
        given = ", ".join(str(files[name]) for name in ("ca_file", "cert", "key") if files[name])
        raise Refused(f"The certificates for {address} cannot be read ({given}): {error}.", todo) from error
    if context is None:
        raise Refused(f"{address} is encrypted, and no certificates are configured.", todo)


def pack_for(git: Git, sources: Sources, missing: Missing) -> Sources:
    """Return the sources with a pack for each worker that asked for one so far: Dask may give the task to any.
    So the bases become fewer with each answer, and a pack without bases is whole. It is sent at once where a
    worker has the bases and yet lacks the commit: it got them from a shallow clone."""
    had = sources.bases if sources.pack else missing.known
    bases = tuple(oid for oid in missing.known if oid in had)
    if sources.pack and bases == sources.bases:
        bases = ()
    return replace(sources, pack=thin_pack(git, sources.commit, bases), bases=bases)


@dataclass(frozen=True)
class ClusterAgents:
    """An agent place: agents of the table work on workers, a person and a recording here."""

    cluster: Cluster
    settings_of: Callable[[str], AgentSettings]
    say: Callable[[str], None]
    sessions: dict[str, str] = field(default_factory=dict)  # session -> the worker that has it
    stopping: threading.Event = field(default_factory=threading.Event)

    def work(
        self, tree: Tree, agent: Agent, request: Request, on_output: Callable[[bytes], None] | None
    ) -> Reply:
        from tdd_orchestrator.fleet.worker import agent_resource, serve_agent

        settings = self.settings_of(agent.name)
        kind = settings.preset or ("command" if settings.command else settings.name)
        if kind in ("human", "replay"):
            return agent.work(request, on_output)
        needs = [
            *request.needs,
            *([agent_resource(kind)] if kind in PRESETS and not settings.command else []),
        ]
        cluster = self.cluster
        identity = f"{request.cycle_id}/{request.phase}/{request.attempt}/{request.role}"
        task = AgentTask(
            f"{identity}-{secrets.token_hex(4)}", Sources(cluster.repository, tree.at), cluster.settings,
            settings, request,
        )  # fmt: skip
        has_session = self.sessions.get(request.session)
        prefer = [has_session] if has_session else []
        result = cluster.call(serve_agent, task, needs, tree, self.stopping, prefer)
        if result.reply.session:
            self.sessions[result.reply.session] = result.worker
        tree.show_files(result.pack, result.files)
        for name, data in result.outputs.items():
            if "/" not in name and name not in (".", ".."):
                put(request.output / name, data.decode("utf-8", "replace"))
        for path, reason in result.left:
            self.say(f"{path} stays on the worker: {reason}")
        transcript = request.output / TRANSCRIPT
        return replace(result.reply, transcript=transcript if transcript.exists() else None)

    def stop(self) -> None:
        self.stopping.set()

    def apart(self) -> ClusterAgents:
        return replace(self, stopping=threading.Event())


@dataclass(frozen=True)
class ClusterTests:
    """A test place: suites run on workers."""

    cluster: Cluster
    redact: Redact
    port: bool = False
    stopping: threading.Event = field(default_factory=threading.Event)

    def run(
        self, tree: Tree, commit: str, chosen: Selection, texts: Mapping[str, str], watched: Sequence[str]
    ) -> list[Ran]:
        tree.move_to(commit)  # sources of failures are looked up here
        result = self._call(tree, self._task(commit, chosen, texts, watched))
        return [
            replace(
                ran,
                report=redact_report(ran.report, self.redact),
                output=self.redact(ran.output.replace(result.root, str(tree.path))),
            )
            for ran in result.rans
        ]

    def measure(
        self, tree: Tree, commit: str, suites: Sequence[Suite], limit: float
    ) -> tuple[Coverage, float]:
        task = self._task(commit, [(suite, ()) for suite in suites], {}, ())
        result = self._call(tree, replace(task, limit=limit))
        return replace(result.coverage, why=self.redact(result.coverage.why)), result.seconds

    def _task(
        self, commit: str, chosen: Selection, texts: Mapping[str, str], watched: Sequence[str]
    ) -> TestTask:
        return TestTask(
            f"tests-{commit}-{secrets.token_hex(4)}", Sources(self.cluster.repository, commit),
            self.cluster.settings, tuple((suite, tuple(cases)) for suite, cases in chosen), dict(texts),
            tuple(watched), self.port,
        )  # fmt: skip

    def _call(self, tree: Tree, task: TestTask) -> TestResult:
        from tdd_orchestrator.fleet.worker import serve_tests

        return self.cluster.call(serve_tests, task, (), tree, self.stopping)

    def stop(self) -> None:
        self.stopping.set()

    def apart(self) -> ClusterTests:
        return replace(self, stopping=threading.Event())
