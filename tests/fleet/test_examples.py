"""The examples of docs/examples/cluster: what they start can be started so, and a key is nowhere in a file.

They were held against the schemas of the Compose specification and of the Dask operator's resources by hand:
neither schema is shipped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from tdd_orchestrator.cli.worker import worker

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples" / "cluster"


def loaded(name: str) -> Any:
    return yaml.safe_load((EXAMPLES / name).read_text(encoding="utf-8"))


def commands() -> list[list[str]]:
    compose = loaded("compose.yaml")["services"]
    cluster = loaded("kubernetes.yaml")["spec"]
    pods = [cluster[name]["spec"]["containers"][0] for name in ("scheduler", "worker")]
    return [*(one["command"] for one in compose.values()), *(pod["args"] for pod in pods)]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_each_command_is_one(words: list[str]) -> None:
    program, name, *more = words
    assert (program, name) in (("dask", "scheduler"), ("tdd", "worker"))
    if program == "tdd":
        shown = CliRunner().invoke(worker, ["--help"]).output
        assert all(word in shown for word in more if word.startswith("--"))
        worker.make_context("worker", [word if word.startswith("-") else "2" for word in more])


def test_the_service_leads_to_the_scheduler() -> None:
    spec = loaded("kubernetes.yaml")["spec"]["scheduler"]
    [port] = spec["service"]["ports"]
    [there] = spec["spec"]["containers"][0]["ports"]
    assert port["targetPort"] == there["name"]
    assert port["port"] == there["containerPort"]


def test_keys_come_from_the_environment() -> None:
    compose = loaded("compose.yaml")["services"]["worker"]["environment"]
    assert compose["ANTHROPIC_API_KEY"].startswith("${ANTHROPIC_API_KEY:?")
    container = loaded("kubernetes.yaml")["spec"]["worker"]["spec"]["containers"][0]
    assert container["envFrom"] == [{"secretRef": {"name": "tdd-agents"}}]
