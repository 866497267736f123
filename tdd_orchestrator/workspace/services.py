"""Free ports, and the programs that tests need beside them: fresh ones for each agent and each test run.

A service starts with an empty folder and a free port, so no run finds what another one left. It ends with
the run.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator import process
from tdd_orchestrator.model.errors import Paused, Refused
from tdd_orchestrator.workspace.folders import remove

_PATIENCE = 60.0  # seconds in which a service must be ready
_LOOK = 0.05  # seconds between two looks at whether it is
_ASKING = process.Limits(head=4096, tail=4096, timeout=10)


@dataclass(frozen=True, slots=True)
class Service:
    """``command`` runs in the foreground until it is ended; ``ready`` exits with 0 once it can be used (no
    command: once its port takes connections). Both, and the values of ``env``, may hold {port}, {name} and
    {folder}."""

    name: str
    command: tuple[str, ...]
    ready: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()


def services_beside(tree: Path) -> Path:
    """Return the folder for the services of a tree."""
    return tree.with_name(f"{tree.name}.services")


@contextmanager
def running(
    services: Sequence[Service], folder: Path, outside: process.Outside = nullcontext
) -> Iterator[dict[str, str]]:
    """Start the services, each in a folder of its own below ``folder``; yield the variables that lead to
    them. Refused where one does not become ready."""
    env: dict[str, str] = {}
    with ExitStack() as held:
        for service in services:
            place = folder / service.name
            remove(place)
            place.mkdir(parents=True)
            port = held.enter_context(slot())
            values = {"port": str(port), "name": f"tdd{port - FIRST + 1}", "folder": str(place)}
            held.enter_context(_started(service, values, place, outside))
            env |= {name: _filled(text, values) for name, text in service.env}
        yield env


@contextmanager
def _started(
    service: Service, values: Mapping[str, str], folder: Path, outside: process.Outside
) -> Iterator[None]:
    marker, log = f"service-{secrets.token_hex(8)}", folder.with_name(f"{folder.name}.log")
    words = [_filled(word, values) for word in service.command]
    ended: list[process.Finished] = []
    stop = threading.Event()
    limits = process.Limits(stop=stop)

    def serve() -> None:
        ended.append(process.run(words, cwd=folder, limits=limits, log=log, merge=True, run_marker=marker))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        with outside():
            _wait_until_ready(service, values, folder, ended)
        yield
    finally:
        stop.set()  # not by its marker: Redis writes over its environment
        thread.join()


def _wait_until_ready(
    service: Service, values: Mapping[str, str], folder: Path, ended: Sequence[process.Finished]
) -> None:
    until = time.monotonic() + _PATIENCE
    while not _is_ready(service, values, folder):
        if ended or time.monotonic() > until:
            said = (ended[0].error or ended[0].stdout.decode("utf-8", "replace")) if ended else ""
            last = said.strip().splitlines()[-1:] or ["it does not answer"]
            raise Refused(
                f"The service {service.name} did not become ready: {last[0]}.",
                f"Try its command by hand, then set workspace.services.{service.name} in tdd.toml.",
            )
        time.sleep(_LOOK)


def _is_ready(service: Service, values: Mapping[str, str], folder: Path) -> bool:
    if service.ready:
        words = [_filled(word, values) for word in service.ready]
        return process.run(words, cwd=folder, env=os.environ, limits=_ASKING).exit_code == 0
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", int(values["port"]))) == 0


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


FIRST, SLOTS = 43110, 100


@contextmanager
def slot() -> Iterator[int]:
    """Yield the first port that is free and that nobody else of this machine was given, by any user. Raises Paused
    if there is none."""
    for port in range(FIRST, FIRST + SLOTS):
        with (
            socket.socket() as guard
        ):  # bound as long as the port is given: a service takes a while to listen
            if _bound(guard, port + SLOTS) and _free(port):
                yield port
                return
    raise Paused(
        f"No port is free: all {SLOTS} slots ({FIRST} to {FIRST + SLOTS - 1}) are taken (a resource error).",
        "End an orchestrator or a server that holds one, then run the same command again.",
    )


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return _bound(probe, port)


def _bound(probe: socket.socket, port: int) -> bool:
    try:
        probe.bind(("127.0.0.1", port))
    except OSError:
        return False
    return True
