"""``tdd mcp`` through the official client: calls that cannot be answered end in sentences, and the server lives on."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from kit import ROOT, Kata

mcp = pytest.importorskip("mcp", reason="the extra 'mcp' is not installed")


def talk(where: Path, *calls: tuple[str, dict[str, Any]], **environ: str) -> tuple[list[Any], str]:
    """The answers, parsed where they are JSON, and what the server wrote beside the protocol."""
    log = where / ".." / "mcp-stderr.txt"
    server = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "tdd_orchestrator", "mcp"], cwd=str(where),
        env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
    )  # fmt: skip

    async def ask() -> list[Any]:
        with log.open("w") as errlog:
            client = mcp.stdio_client(server, errlog=errlog)
            async with client as (read, write), mcp.ClientSession(read, write) as session:
                await session.initialize()
                texts = [(await session.call_tool(name, words)).content[0].text for name, words in calls]
        return [json.loads(text) if text.startswith("{") else text for text in texts]

    return asyncio.run(ask()), log.read_text()


EVERY = [(name, {}) for name in ("next_step", "prove", "status", "record", "plan", "abort")]
EVERY += [("plan_add", {"title": "x"}), ("hint", {"text": "x"})]


def test_outside_of_a_repository_every_tool_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    said, beside = talk(tmp_path / "empty", *EVERY)
    assert {answer["todo"] for answer in said} == {"Make one with: git init"}
    assert "Traceback" not in beside


def test_calls_that_are_none(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    said, beside = talk(
        kata.root,
        ("nonsense", {}),
        ("record", {"count": "many"}),
        ("record", {"count": -5}),
        ("prove", {}),
        ("next_step", {}),
    )
    unknown, many, few, early, empty = said
    assert "Unknown tool: nonsense" in unknown
    assert "valid integer" in many
    assert few == {"records": []}
    assert early["todo"] == "Ask for the next step first."
    assert empty["error"] == "The plan is empty."
    assert "Traceback" not in beside


def test_errors_are_structured_and_tools_say_what_they_change(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    server = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "tdd_orchestrator", "mcp"], cwd=str(kata.root),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip

    async def ask() -> tuple[Any, Any, Any]:
        async with mcp.stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            refused = await session.call_tool("abort", {})
            return tools, refused, await session.call_tool("plan", {})

    tools, refused, plan = asyncio.run(ask())
    hints = {tool.name: tool.annotations for tool in tools}
    assert {name for name, one in hints.items() if one.read_only_hint} == {"plan", "status", "record"}
    assert {name for name, one in hints.items() if one.destructive_hint} == {"abort"}
    assert refused.is_error
    assert refused.structured_content == {
        "error": "No cycle is running.", "todo": "Begin one: tdd cycle next.", "exit_code": 2,
    }  # fmt: skip
    assert (plan.is_error, plan.structured_content) == (False, {"items": []})


def test_a_long_call_says_what_it_does(tmp_path: Path) -> None:
    """Clients show it, and those that wait for a sign of life go on waiting."""
    kata = Kata(tmp_path)
    kata.plan()
    server = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "tdd_orchestrator", "mcp"], cwd=str(kata.root),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    seen: list[tuple[float, str | None]] = []

    async def note(progress: float, _: float | None, message: str | None) -> None:
        seen.append((progress, message))

    async def ask() -> Any:
        async with mcp.stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()
            return await session.call_tool("next_step", {}, progress_callback=note)

    answer = asyncio.run(ask())
    assert answer.structured_content["phase"] == "RED"
    assert any("running the tests" in (message or "") for _, message in seen), seen
    assert [step for step, _ in seen] == sorted({step for step, _ in seen}), "it only grows"


def test_the_plan_a_hint_and_the_end_of_a_cycle(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    key = "sk-ant-api03-" + "Ab3_" * 10
    said, _ = talk(
        kata.root,
        ("plan_add", {"title": "doubles a number", "description": f"with {key}"}),
        ("next_step", {"model": "some-model-4"}),
        ("prove", {}),
        ("hint", {"text": "integers only"}),
        ("next_step", {}),
        ("abort", {"reason": "another day"}),
        ("plan", {}),
    )
    added, _, refused, hinted, again, ended, plan = said
    assert "Ab3_" not in added["description"]
    assert "nothing has changed" in refused["error"].lower()
    assert (hinted["item"], hinted["next"]) == ("doubles a number", "next_step")
    assert "integers only" in again["brief"]
    assert ended["outcome"] == "cancelled"
    assert [(item["title"], item["status"]) for item in plan["items"]] == [("doubles a number", "planned")]


def test_a_record_that_is_broken_is_told(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    blob = kata.git("hash-object", "-w", "README.md")
    kata.git("update-ref", "refs/notes/tdd", blob)
    said, beside = talk(kata.root, *EVERY)
    assert all(answer["error"] and answer["todo"] for answer in said), said
    assert "Traceback" not in beside


def test_a_fault_of_the_machine_has_its_sentence(tmp_path: Path) -> None:
    """The state folder is a file: nothing can be written there."""
    kata = Kata(tmp_path)
    kata.plan()
    (tmp_path / "state").write_text("")
    said, beside = talk(kata.root, ("next_step", {}), ("status", {}), TDD_STATE_DIR=str(tmp_path / "state"))
    assert said[0]["error"]
    assert "cycle" in said[1]
    assert "Traceback" not in beside
