"""Services of a tree: fresh ones for each run, ended with it; a real PostgreSQL where there is one."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.workspace import services
from tdd_orchestrator.workspace.services import Service, running

ROOT = Path(__file__).resolve().parents[2]
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
        assert all(re.fullmatch(r"tdd\d+", env["NAME"]) for env in (one, two))
        assert one["NAME"] != two["NAME"]
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


def documented(name: str) -> Service:
    """Return a service as docs/configuration.md shows it."""
    blocks = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8").split("```toml\n")[1:]
    tables = (tomllib.loads(block.split("```")[0]).get("workspace", {}) for block in blocks)
    table = next(space["services"][name] for space in tables if name in space.get("services", {}))
    return Service(name, tuple(table["command"]), tuple(table["ready"]), tuple(table["env"].items()))


def answer(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else done.stderr


@pytest.mark.skipif(not shutil.which("initdb") or not shutil.which("psql"), reason="PostgreSQL is missing")
def test_postgresql(public: Path) -> None:
    service = documented("postgresql")
    if os.geteuid() == 0:
        script = f"chown nobody {{folder}} && exec setpriv --reuid=nobody --clear-groups sh -c '{service.command[2]}'"
        service = replace(service, command=("sh", "-c", script))
    with running((service,), public) as env:
        words = ("psql", env["DATABASE_URL"], "-Atc", "create table t (n int); select count(*) from t")
        assert answer(*words).split() == ["CREATE", "TABLE", "0"]
    assert "refused" in answer(*words), "it has ended"


@pytest.mark.skipif(not shutil.which("redis-server"), reason="Redis is missing")
def test_redis(tmp_path: Path) -> None:
    with running((documented("redis"),), tmp_path / "one") as one:
        with running((documented("redis"),), tmp_path / "two") as two:
            assert answer("redis-cli", "-u", one["REDIS_URL"], "set", "key", "value") == "OK"
            assert answer("redis-cli", "-u", two["REDIS_URL"], "get", "key") == ""
        assert answer("redis-cli", "-u", one["REDIS_URL"], "get", "key") == "value"
    assert "refused" in answer("redis-cli", "-u", one["REDIS_URL"], "ping")
