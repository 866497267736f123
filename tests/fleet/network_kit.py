"""A cluster whose workers stand in network namespaces of their own: each reaches the scheduler by a cable that can
be pulled. Needs root and iproute2."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fleet.cluster_kit import LocalCluster

_NET = f"10.213.{os.getpid() % 250}"  # of its own for each process of a test run
_BRIDGE = f"tdd{os.getpid() % 100000}"  # a name of an interface has 15 characters at most


def ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr}"


def require_namespaces() -> None:
    """Skip where this user cannot make a network namespace."""
    if shutil.which("ip") is None:
        pytest.skip("iproute2 is not installed")
    name = f"{_BRIDGE}-try"
    done = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no network namespace: {done.stderr.strip()}")
    ip("netns", "del", name)


class NetworkCluster(LocalCluster):
    def __init__(self, folder: Path) -> None:
        self.names: list[str] = []
        ip("link", "add", _BRIDGE, "type", "bridge")
        ip("addr", "add", f"{_NET}.1/24", "dev", _BRIDGE)
        ip("link", "set", _BRIDGE, "up")
        super().__init__(folder)

    def start_scheduler(self, address: str) -> None:
        super().start_scheduler(address.replace("127.0.0.1", f"{_NET}.1"))

    def cut(self, name: str) -> None:
        """Pull the worker's cable: nothing is refused, nothing arrives."""
        ip("link", "set", self._cable(name), "down")

    def mend(self, name: str) -> None:
        ip("link", "set", self._cable(name), "up")

    def inside(self, name: str) -> list[str]:
        """Return the words that start a command in the namespace of this name, made when it is first needed."""
        if name not in self.names:
            self._lay_cable(name)
        return ["ip", "netns", "exec", self._space(name)]

    def close(self) -> None:
        super().close()
        for name in self.names:
            ip("netns", "del", self._space(name))
        ip("link", "del", _BRIDGE)

    def _cable(self, name: str) -> str:
        return f"{_BRIDGE}v{self.names.index(name)}"

    def _space(self, name: str) -> str:
        return f"{_BRIDGE}-{name}"

    def _command(self, words: list[str], name: str) -> list[str]:
        command = super()._command(words, name)
        return command if name == "scheduler" else [*self.inside(name), *command]

    def _lay_cable(self, name: str) -> None:
        self.names.append(name)
        space, cable = self._space(name), self._cable(name)
        ip("netns", "add", space)
        ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", space)
        ip("link", "set", cable, "master", _BRIDGE, "up")
        ip("-n", space, "addr", "add", f"{_NET}.{len(self.names) + 1}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            ip("-n", space, "link", "set", device, "up")


@contextmanager
def network_cluster(folder: Path, workers: int) -> Iterator[NetworkCluster]:
    require_namespaces()
    cluster = NetworkCluster(folder)
    try:
        for number in range(1, workers + 1):
            cluster.worker(f"w{number}")
        yield cluster
    finally:
        cluster.close()
