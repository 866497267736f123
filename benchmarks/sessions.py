"""A cycle with two refused attempts in GREEN, by a real client before the scripted model: each attempt afresh, and
resumed in its session.

    python benchmarks/sessions.py [CLIENT...]

The model reads two files before it works where its conversation does not hold them yet. Printed: requests to the
model and input tokens of GREEN, as the client counts them. The clients are those of ``make agents``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "journeys")]

MARK = "# what the model has to read before it works"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
PROMPTS = {
    role: (ROOT / "prompts" / f"{role}.md").read_text("utf-8") for role in ("red", "green", "refactor")
}
AFRESH = """
import sys
from tdd_orchestrator.cycle.attempt import brief
brief.session_of = lambda state, attempt_plan: ""
from tdd_orchestrator.__main__ import main
sys.argv[0] = "tdd"
main()
"""


def heading(role: str) -> str:
    return next(line[2:] for line in PROMPTS[role].splitlines() if line.startswith("# "))


def write(path: str, text: str) -> dict[str, Any]:
    return {"text": "Writing.", "do": [{"write": {"path": path, "content": text}}]}


def rule(role: str, *steps: dict[str, Any], **when: Any) -> dict[str, Any]:
    """One use of the rule for each step; after that the agent says that it is done."""
    prompts = [heading(role), *when.pop("and_also", [])]
    return {
        "name": f"{role} {prompts[1:]} {sorted(when)}", "when": {"prompt": prompts, "tools": True, **when},
        "order": "calls", "steps": list(steps), "after": {"do": [{"done": "Done as asked."}]},
    }  # fmt: skip


def scenario() -> dict[str, Any]:
    read = {"text": "Reading.", "do": [{"read": name} for name in ("one.py", "two.py")]}
    return {
        "models": ["fake-model", "gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"], "side": {"text": "Title"},
        "rules": [
            rule("red", write("tests/test_calc.py", TEST)),
            rule("green", *[read] * 9, not_contains=MARK),
            rule("green", write("calc.py", "def add(a, b):\n    return a + b\n"), and_also=["This is attempt 3 of"]),
            rule("green", write("calc.py", "def add(a, b):\n    return a - b\n"), and_also=["This is attempt 2 of"]),
            rule("green"),
            rule("refactor"),
        ],
    }  # fmt: skip


def measure(preset: str, folder: Path, *, resumed: bool) -> dict[str, int]:
    """Requests, input tokens and sessions of GREEN's attempts, in one cycle that lands."""
    from fake_model import serve
    from real_agents.clients import ALL, install

    program, why = install(preset)
    if program is None:
        raise SystemExit(why)
    client, home, root = ALL[preset], folder / "home", folder / "project"
    home.mkdir(parents=True)
    (root / "tests").mkdir(parents=True)
    server, url = serve(scenario())
    words = json.dumps([str(program), *client.args])
    (root / "tdd.toml").write_text(
        f'[test]\ncommand = "{sys.executable} -m pytest -q"\n[agents]\ndefault = "{preset}"\n[agents.{preset}]\n'
        f'preset = "{client.row}"\nmodel = "{client.model}"\ncommand = {words}\n[retry]\ndelays = [0.1, 0.1, 0.1]\n'
    )
    for name in ("one.py", "two.py"):
        (root / name).write_text(f"{MARK}\n" + "".join(f"value_{n} = {n}\n" for n in range(600)))
    (root / "conftest.py").write_text("")
    (root / "tests" / "test_base.py").write_text(
        "def test_base():\n    import one\n    assert one.value_1 == 1\n"
    )
    environ = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(home), "LANG": "C.UTF-8",
        "TDD_STATE_DIR": str(folder / "state"), "PYTHONPATH": str(ROOT), "TDD_YES": "1", **client.home(home, url),
    }  # fmt: skip
    for line in (
        "init -q -b main",
        "config user.name t",
        "config user.email t@example.invalid",
        "add .",
        "commit -qm start",
    ):
        subprocess.run(["git", *line.split()], cwd=root, env=environ, check=True)
    tdd = [sys.executable, "-m", "tdd_orchestrator"]
    subprocess.run(
        [*tdd, "plan", "add", "add(a, b) returns the sum"],
        cwd=root,
        env=environ,
        check=True,
        capture_output=True,
    )
    command = tdd if resumed else [sys.executable, "-c", AFRESH]
    done = subprocess.run(
        [*command, "cycle", "next"], cwd=root, env=environ, capture_output=True, text=True, check=False
    )
    server.shutdown()
    server.server_close()
    if done.returncode:
        raise SystemExit(f"{preset}: the cycle did not land:\n{done.stdout}{done.stderr}")
    log = subprocess.run(
        [*tdd, "log", "--json", "-n", "100"], cwd=root, env=environ, capture_output=True, check=True
    )
    records = [json.loads(line) for line in log.stdout.splitlines()]
    green = [
        one["agent"] for one in records if one.get("phase") == "GREEN" and one["kind"] in ("handoff", "error")
    ]
    return {
        "attempts": len(green),
        "sessions": len({one["session"] for one in green}),
        "requests": sum(one["turns"] for one in green),
        "input tokens": sum(one["input_tokens"] + one["cached_tokens"] for one in green),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("clients", nargs="*", default=["claude", "codex"])
    for preset in parser.parse_args().clients:
        for resumed in (False, True):
            with tempfile.TemporaryDirectory(prefix="tdd-sessions-") as name:
                found = measure(preset, Path(name), resumed=resumed)
            how = "resumed" if resumed else "afresh"
            if found["sessions"] != (1 if resumed else found["attempts"]):
                raise SystemExit(
                    f"{preset}: {found['sessions']} sessions of {found['attempts']} attempts {how}"
                )
            print(
                f"{preset:9} {how:8} " + "  ".join(f"{value} {key}" for key, value in found.items()),
                flush=True,
            )


if __name__ == "__main__":
    main()
