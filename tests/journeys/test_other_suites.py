"""Other suites than one of pytest, other places than a tree of our own, and the editor-side door."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kit import GREEN, ROOT, Kata

UNITTEST = '''
write("tests/test_double.py", """
import unittest

from double import double


class Doubling(unittest.TestCase):
    def test_doubles(self):
        self.assertEqual(double(2), 4)
""")
'''
NODE_RED = '''
write("test/double.test.js", """
const test = require("node:test");
const assert = require("node:assert");
const { double } = require("../double.js");

test("doubles", () => { assert.strictEqual(double(2), 4); });
""")
'''
NODE_GREEN = 'write("double.js", "exports.double = (number) => number * 2;\\n")'
SHELL = """\
#!/bin/sh
# Runs every checks/*.sh and says what became of it, one line each.
failed=0; count=0
for check in checks/*.sh; do
  count=$((count + 1))
  if sh "$check"; then echo "ok $count - $check"; else echo "not ok $count - $check"; failed=1; fi
done
echo "1..$count"
exit $failed
"""


def commit(kata: Kata, message: str = "chore: set up") -> None:
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", message)


def with_command(kata: Kata, command: list[str], more: str = "") -> None:
    """The same configuration with another test command; ``more`` goes into [test]."""
    kata.configure()
    text = (kata.root / "tdd.toml").read_text().splitlines()
    text[1] = f"command = {json.dumps(command)}\n{more}"
    kata.write("tdd.toml", "\n".join(text) + "\n")


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path)
    kata.plan()
    return kata


def test_unittest(tmp_path: Path) -> None:
    kata = Kata(tmp_path, existing=False)
    kata.write("tests/__init__.py", "")
    kata.write(
        "tests/test_old.py",
        "import unittest\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertTrue(True)\n",
    )
    with_command(kata, [sys.executable, "-m", "unittest"])
    commit(kata)
    kata.plan()
    kata.script(red=[UNITTEST], green=["", GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts() == ["proven", "no_change", "proven", "unchanged"]
    assert kata.records("handoff")[1]["tests"]["counts"]["passed"] == 2


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node(tmp_path: Path) -> None:
    kata = Kata(tmp_path, existing=False)
    kata.write("test/old.test.js", 'const test = require("node:test");\ntest("old", () => {});\n')
    kata.write("package.json", '{"name": "kata", "scripts": {"test": "node --test"}}\n')
    with_command(kata, ["node", "--test"])
    commit(kata)
    kata.plan()
    wrong = NODE_GREEN.replace("* 2", "+ 3")
    kata.script(red=[NODE_RED], green=[wrong, NODE_GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts() == ["proven", "still_failing", "proven", "unchanged"]


LINT = """\
const fs = require("node:fs");
const known = ["old.test.js", "double.test.js"];
for (const name of fs.readdirSync("test")) {
  if (!known.includes(name)) { console.error(`test/${name}: Filename is not one of ours`); process.exit(1); }
}
"""


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_a_linter_in_front_of_the_runner_keeps_the_control_out(tmp_path: Path) -> None:
    kata = Kata(tmp_path, existing=False)
    kata.write("test/old.test.js", 'const test = require("node:test");\ntest("old", () => {});\n')
    kata.write("lint.js", LINT)
    kata.write("package.json", '{"name": "kata", "scripts": {"test": "node lint.js && node --test"}}\n')
    with_command(kata, ["npm", "test"], 'framework = "node-test"')
    commit(kata)
    kata.plan()
    cheat = 'write("double.js", "exports.double = () => process.exit(0);\\n")'
    kata.script(red=[NODE_RED], green=[NODE_GREEN.replace("* 2", "+ 3"), cheat, NODE_GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert [said for said in kata.verdicts() if said in ("proven", "still_failing")] == [
        "proven",
        "still_failing",
        "proven",
    ]
    assert len(kata.verdicts()) == 5
    runs = [record["tests"] for record in kata.records("handoff") if record["phase"] != "REFACTOR"]
    assert [run["exit_code"] for run in runs] == [1, 0]
    assert kata.tdd("verify", "HEAD~2..").code == 0


def test_a_suite_of_shell_scripts(tmp_path: Path) -> None:
    kata = Kata(tmp_path, existing=False)
    kata.write("run.sh", SHELL)
    kata.write("checks/old.sh", "true\n")
    with_command(kata, ["sh", "run.sh"], 'files = ["checks/*.sh"]')
    commit(kata)
    kata.plan()
    kata.script(
        red=['write("checks/double.sh", "test \\"$(sh double.sh 2)\\" = 4\\n")'],
        green=['write("double.sh", "echo $(($1 + 3))\\n")', 'write("double.sh", "echo $(($1 * 2))\\n")'],
    )
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts() == ["proven", "still_failing", "proven", "unchanged"]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_two_suites_must_both_be_proven(kata: Kata) -> None:
    kata.write(
        "web/test/old.test.js",
        'const test = require("node:test");\nconst { old } = require("../old.js");\ntest("old", () => { if (old !== 1) throw new Error("old is " + old); });\n',
    )
    kata.write("web/old.js", "exports.old = 1;\n")
    suites = (
        f'[[test.suite]]\nname = "back"\ncommand = {json.dumps([sys.executable, "-m", "pytest", "-q", "tests"])}\n'
        '[[test.suite]]\nname = "web"\ncommand = ["node", "--test"]\ncwd = "web"\n'
    )
    text = (kata.root / "tdd.toml").read_text().splitlines()
    text[1] = ""
    kata.write("tdd.toml", "\n".join(text) + "\n" + suites)
    commit(kata)
    kata.script(green=[GREEN + 'write("web/old.js", "exports.old = 2;\\n")', GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts() == ["proven", "breaks_existing", "proven", "unchanged"]
    assert kata.records("handoff")[0]["tests"]["target_tests"] == ["tests/test_double.py::test_doubles"]
    assert "web: " in kata.records("error")[0]["tests"]["failing_tests"][0]


def test_in_place(tmp_path: Path) -> None:
    """The user's own files are the tree: a clean one only; a kill keeps nothing half done."""
    kata = Kata(tmp_path, config='[workspace]\nmode = "inplace"\nsandbox = "none"\n')
    kata.plan()
    kata.write("README.md", "# Mine\n")
    done = kata.next()
    assert done.code == 2
    assert "clean tree" in done.err
    assert kata.calls() == []
    kata.git("checkout", "-q", "README.md")
    kill = "import signal\nos.kill(os.getppid(), signal.SIGKILL)\nimport time\ntime.sleep(5)"
    kata.script(green=['write("double.py", "half\\n")\n' + kill, GREEN])
    assert kata.next().code == -9
    assert kata.calls("green")[0]["cwd"] == str(kata.root)
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.subjects() == ["chore: begin", "test: doubles a number", "feat: doubles a number"]
    assert kata.git("status", "--porcelain") == ""


def test_a_linked_environment_that_points_at_the_users_files_proves_nothing_of_theirs(tmp_path: Path) -> None:
    """The trap: a .venv with an editable install shows the user's checkout, where the new code is not."""
    kata = Kata(tmp_path, existing=False)
    kata.write(".gitignore", "__pycache__/\n.venv/\n")
    kata.write("src/shop/__init__.py", "")
    kata.write("src/shop/greet.py", "def greet(name):\n    return f'hello {name}'\n")
    kata.write(
        "tests/test_greet.py",
        "from shop.greet import greet\n\n\ndef test_greets():\n    assert greet('ada') == 'hello ada'\n",
    )
    kata.write(
        "pyproject.toml",
        '[project]\nname = "shop"\nversion = "1"\n[tool.setuptools]\npackage-dir = {"" = "src"}\n',
    )
    kata.write("setup.sh", f"echo x >> {tmp_path}/set-up\n")
    with_command(kata, [".venv/bin/python", "-m", "pytest", "-q"])
    text = (
        (kata.root / "tdd.toml")
        .read_text()
        .replace("[workspace]\n", '[workspace]\nlink = [".venv"]\nsetup = "sh setup.sh"\n')
    )
    kata.write("tdd.toml", text)
    commit(kata)
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", str(kata.root / ".venv")],
        check=True,
    )
    packages = next((kata.root / ".venv").glob("lib/python*/site-packages"))
    outer = subprocess.run(
        [sys.executable, "-c", "import pytest; print(pytest.__file__)"],
        capture_output=True,
        text=True,
        check=True,
    )
    (packages / "outer.pth").write_text(str(Path(outer.stdout.strip()).parents[1]) + "\n")
    (packages / "__editable__.shop.pth").write_text(str(kata.root / "src") + "\n")
    kata.plan()
    red = 'write("tests/test_double.py", "from shop.double import double\\n\\n\\ndef test_doubles():\\n    assert double(2) == 4\\n")'
    kata.script(
        red=[red], green=['write("src/shop/double.py", "def double(number):\\n    return number * 2\\n")']
    )
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts() == ["proven", "proven", "unchanged"]
    assert (tmp_path / "set-up").read_text() == "x\nx\n"  # once for the agents' tree, once for the clean one
    assert (kata.root / ".venv").is_dir()


def test_the_door_for_editors(kata: Kata) -> None:
    """The official client over standard input and output, through a whole cycle under the same gates."""
    mcp = pytest.importorskip("mcp", reason="the extra 'mcp' is not installed")
    server = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "tdd_orchestrator", "mcp"], cwd=str(kata.root),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip

    async def talk() -> list[dict[str, Any]]:
        async with mcp.stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()
            names = {tool.name for tool in (await session.list_tools()).tools}
            assert {"next_step", "prove", "status", "record"} < names

            async def call(name: str, **words: Any) -> dict[str, Any]:
                answer = await session.call_tool(name, words)
                found: dict[str, Any] = json.loads(answer.content[0].text)
                return found

            said = [await call("prove"), await call("next_step", model="some-model-4")]
            tree = Path(said[-1]["tree"])
            (tree / "tests" / "test_double.py").write_text("def test_doubles():\n    assert 1 == 1\n")
            said.append(await call("prove"))
            await call("next_step")
            (tree / "tests" / "test_double.py").write_text(
                "from double import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"
            )
            said += [await call("prove"), await call("next_step")]
            (tree / "double.py").write_text("def double(number):\n    return number * 2\n")
            said += [await call("prove"), await call("next_step"), await call("prove")]
            return [*said, await call("status"), await call("record", count=2), await call("next_step")]

    early, red, refused, proven, green, done, refactor, ended, status, record, over = asyncio.run(talk())
    assert early["todo"] == "Ask for the next step first."
    assert (red["phase"], red["item"]) == ("RED", "doubles a number")
    assert "Write **one test** (or a few examples of the one behaviour)" in red["brief"]
    assert (refused["verdict"], refused["accepted"]) == ("unexpected_pass", False)
    assert (proven["verdict"], green["phase"]) == ("proven", "GREEN")
    assert (done["verdict"], refactor["phase"]) == ("proven", "REFACTOR")
    assert (ended["verdict"], ended["outcome"]) == ("unchanged", "landed")
    assert status["cycle"]["outcome"] == "landed"
    assert [one["kind"] for one in record["records"]] == ["cycle_ended", "landing"]
    assert over["done"] is True
    assert {one["agent"]["model"] for one in kata.records("handoff")} == {"some-model-4"}
    assert kata.subjects()[-1] == "feat: doubles a number"


def test_files_of_tests_that_the_command_leaves_out_are_left_out(kata: Kata) -> None:
    kata.write("bench/test_speed.py", "def test_speed():\n    assert True\n")
    kata.write("pyproject.toml", '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n')
    commit(kata)
    done = kata.next()
    assert done.code == 0, done.err
    runs = [record["tests"] for record in kata.records("handoff") if record["phase"] != "REFACTOR"]
    assert [run["exit_code"] for run in runs] == [
        2,
        0,
    ]  # the whole command, as written: its RED does not load
    for jobs in ("1", "3"):
        assert kata.tdd("verify", "--jobs", jobs, "HEAD~2..").code == 0
