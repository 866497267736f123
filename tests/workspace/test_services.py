"""Services of a tree: fresh ones for each run, ended with it; a real PostgreSQL where there is one."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.workspace import services
from tdd_orchestrator.workspace.services import Service, running

SERVER = """\
import pathlib, socket, sys, time
port, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
time.sleep(0.2)
server = socket.create_server(("127.0.0.1", port))
while True:
    connection, _ = server.accept()
    with connection:
        (folder / "asked").touch()
"""
COMMAND = (sys.executable, "-c", SERVER, "{port}", "{folder}")
ENV = (("ADDRESS", "127.0.0.1:{port}"), ("NAME", "{name}"), ("FOLDER", "{folder}"))


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TDD_STATE_DIR", str(tmp_path / "state"))


def answers(address: str) -> bool:
    host, port = address.split(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


def test_two_trees_have_services_of_their_own_that_end_with_their_run(tmp_path: Path) -> None:
    service = Service("echo", COMMAND, env=ENV)
    with running((service,), tmp_path / "one") as one, running((service,), tmp_path / "two") as two:
        assert answers(one["ADDRESS"])
        assert answers(two["ADDRESS"])
        assert {one["NAME"], two["NAME"]} == {"tdd1", "tdd2"}
        assert one["ADDRESS"] != two["ADDRESS"]
    assert not answers(one["ADDRESS"])
    assert not answers(two["ADDRESS"])


def test_a_run_finds_nothing_of_an_earlier_one(tmp_path: Path) -> None:
    service = Service("echo", COMMAND, env=ENV)
    with running((service,), tmp_path) as env:
        Path(env["FOLDER"], "left").touch()
    with running((service,), tmp_path) as env:
        assert not Path(env["FOLDER"], "left").exists()


def test_a_service_that_ends_or_never_answers_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "_PATIENCE", 0.5)
    broken = Service("db", ("sh", "-c", "echo no such database; exit 3"))
    why = "The service db did not become ready: no such database"
    with pytest.raises(Refused, match=why), running((broken,), tmp_path):
        pass
    deaf = Service("db", ("sleep", "60"), ready=("false",))
    with pytest.raises(Refused, match="it does not answer"), running((deaf,), tmp_path):
        pass
    missing = Service("db", ("no-such-program",))
    with pytest.raises(Refused, match="no-such-program"), running((missing,), tmp_path):
        pass


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that another user may enter: PostgreSQL does not run as root."""
    folder = Path(tempfile.mkdtemp(prefix="tdd-services-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.skipif(
    not shutil.which("initdb") or not shutil.which("psql"), reason="PostgreSQL is not installed"
)
def test_postgresql(public: Path) -> None:
    script = "initdb -D {folder}/data -U postgres --no-sync && exec postgres -D {folder}/data -p {port} -k {folder} -F"
    command = ("sh", "-c", script)
    if os.geteuid() == 0:
        as_nobody = f"chown nobody {{folder}} && exec setpriv --reuid=nobody --clear-groups sh -c '{script}'"
        command = ("sh", "-c", as_nobody)
    ready = ("pg_isready", "-h", "127.0.0.1", "-p", "{port}")
    url = (("DATABASE_URL", "postgresql://postgres@127.0.0.1:{port}/postgres"),)
    with running((Service("db", command, ready, url),), public) as env:
        words = ["psql", env["DATABASE_URL"], "-Atc", "create table t (n int); select count(*) from t"]
        said = subprocess.run(words, capture_output=True, text=True, check=False)
        assert said.stdout.split() == ["CREATE", "TABLE", "0"], said.stderr
    assert subprocess.run(words, capture_output=True, check=False).returncode != 0, "it has ended"
