"""`[workspace.services]`: agents and test runs of each lane have fresh services of their own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from workspace.test_services import documented

from fleet.hall import AGENT, RUN, Hall

pytestmark = pytest.mark.journey

SERVER = """\
import socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    server.accept()[0].close()
"""
FRESH = '[ -n "$NOTES" ] && [ ! -e "$NOTES/used" ] && touch "$NOTES/used" || { echo "not ok 1 - fresh"; exit 1; }\n'


def test_each_run_has_a_fresh_service(tmp_path: Path) -> None:
    server = tmp_path / "server.py"
    server.write_text(SERVER, encoding="utf-8")
    table = (
        f"[workspace.services.notes]\ncommand = {json.dumps([sys.executable, str(server), '{port}'])}\n"
        'env = { NOTES = "{folder}" }\n'
    )
    hall = Hall(tmp_path, ["one", "two"], config=table)
    hall.write("run.sh", FRESH + RUN)
    hall.git("commit", "-qam", "test: a suite with a service")
    agent = hall.agent / "agent.sh"
    agent.write_text('[ -n "$NOTES" ] || exit 9\n' + agent.read_text())
    done = hall.run(2)
    assert done.code == 0, done.out + done.err
    assert set(hall.statuses().values()) == {"completed"}
    assert hall.tdd("verify").code == 0
    left = subprocess.run(["pgrep", "-f", str(server)], capture_output=True, check=False)
    assert left.stdout == b""


@pytest.mark.skipif(not shutil.which("redis-server"), reason="Redis is missing")
def test_lanes_share_no_redis_in_the_sandbox(tmp_path: Path) -> None:
    """As docs/configuration.md shows it. Each agent and each run counts from one."""
    redis = documented("redis")
    env = ", ".join(f'{name} = "{value}"' for name, value in redis.env)
    table = (
        f"test_network = true\n[workspace.services.redis]\ncommand = {json.dumps(redis.command)}\n"
        f"ready = {json.dumps(redis.ready)}\nenv = {{ {env} }}\n"
    )
    hall = Hall(tmp_path, ["one", "two"], config=table)
    fresh = '[ "$(redis-cli -u "$REDIS_URL" incr n)" = 1 ] || { echo "not ok 1 - fresh"; exit 1; }\n'
    hall.write("run.sh", fresh + RUN)
    text = (hall.root / "tdd.toml").read_text()
    hall.write("tdd.toml", text.replace('sandbox = "none"', 'sandbox = "auto"'))
    hall.git("commit", "-qam", "test: a suite with Redis")
    agent = hall.agent / "agent.sh"
    agent.write_text(fresh + AGENT.replace(">> HERE/calls", "> /dev/null").replace("HERE", "."))
    done = hall.run(2)
    assert done.code == 0, done.out + done.err
    assert set(hall.statuses().values()) == {"completed"}
    assert hall.tdd("verify").code == 0
