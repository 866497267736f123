"""A plan of twenty behaviours in a public project, by four scripted agents at once, here and on a local cluster:
``public_plan.py CLONE PYTHON [ITEMS]``.

CLONE: a checkout of pytools/toolz; PYTHON: an interpreter with pytest. The cluster has three workers in network
namespaces of their own (root and iproute2). Each item is a function with its test; agents sleep 2 s. The project's own
suite runs in each proof. For each place: seconds of the clock, landings a minute, the coordinator's own processor time
a cycle, and what `tdd verify` (there, on the cluster) says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from fleet.hall import Hall  # noqa: E402
from fleet.network_kit import network_cluster  # noqa: E402

from benchmarks.fleet import COUNTED  # noqa: E402

JOBS, SECONDS = 4, 2
AGENT = """\
prompt=$(cat)
name=$(printf '%s' "$prompt" | grep -o 'adds [a-z][a-z0-9]*' | head -n 1 | cut -d' ' -f2)
echo "$TDD_PHASE $name $TDD_ATTEMPT $TDD_CYCLE_ID begin $(date +%s%N) $PWD" >> HERE/calls
sleep SECONDS
case "$TDD_PHASE" in
red) printf 'from toolz.%s import %s\\n\\n\\ndef test_%s():\\n    assert %s(3) == 6\\n' $name $name $name $name > toolz/tests/test_$name.py ;;
green) printf 'def %s(number):\\n    return number * 2\\n' $name > toolz/$name.py ;;
esac
"""


class Public(Hall):
    """A copy of the clone with a plan; see :class:`Hall` for what is asked of it."""

    def __init__(self, folder: Path, clone: Path, python: str, items: int, more: str) -> None:
        self.folder, self.root, self.agent = folder, folder / "project", folder / "agent"
        self.agent.mkdir()
        subprocess.run(["git", "clone", "-q", str(clone), str(self.root)], check=True)
        self.git("checkout", "-q", "-B", "main")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.org")
        script = self.agent / "agent.sh"
        script.write_text(AGENT.replace("HERE", str(self.agent)).replace("SECONDS", str(SECONDS)))
        self.write(
            "tdd.toml",
            f'[test]\ncommand = "{python} -m pytest -q -p no:cacheprovider"\n[agents]\ndefault = "scripted"\n'
            f'[agents.scripted]\ncommand = ["sh", "{script}"]\n[workspace]\nsandbox = "none"\n'
            f"[fleet]\njobs = {JOBS}\n{more}",
        )
        names = [f"twice{number}x" for number in range(items)]
        self.write("list.md", "".join(f"- [ ] adds {name}\n" for name in names))
        assert self.tdd("plan", "import", "list.md").code == 0
        (self.root / "list.md").unlink()
        self.git("add", "tdd.toml")
        self.git("commit", "-q", "-m", "chore: tdd")


def play(folder: Path, clone: Path, python: str, items: int, more: str) -> dict[str, object]:
    """Drive the plan to its end; return what it took."""
    public, counted = Public(folder, clone, python, items, more), folder / "seconds"

    def run(*words: str) -> str:
        done = subprocess.run(
            words, cwd=public.root, env={**os.environ, "PYTHONPATH": str(ROOT), **public.env}, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    begun = time.monotonic()
    run(sys.executable, "-c", COUNTED, str(counted), "--quiet", "cycle", "run")
    seconds = time.monotonic() - begun
    assert list(public.statuses().values()) == ["completed"] * items
    assert public.git("status", "--porcelain") == "", "nothing of the user's was touched"
    on = ("--on", "cluster") if more else ()
    verified = run(sys.executable, "-m", "tdd_orchestrator", "verify", "--jobs", str(JOBS), *on)
    return {
        "items": items,
        "seconds": round(seconds, 1),
        "landings_a_minute": round(60 * items / seconds, 1),
        "cpu_a_cycle": round(float(counted.read_text()) / items, 2),
        "agent_calls": len(public.agent_calls()),
        "verify": verified.splitlines()[-1],
    }


def main(arguments: list[str]) -> bool:
    if len(arguments) < 2:
        print("public_plan.py CLONE PYTHON [ITEMS]: no clone is named, so nothing was measured")
        return True
    clone, python = Path(arguments[0]).resolve(), arguments[1]
    items = int(arguments[2]) if len(arguments) > 2 else 20
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    with tempfile.TemporaryDirectory(prefix="tdd-public-") as folder:
        print("here:", json.dumps(play(Path(folder), clone, python, items, "")), flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="tdd-public-") as folder,
        network_cluster(Path(folder, "cluster"), workers=3) as cluster,
    ):
        row = play(Path(folder), clone, python, items, f'scheduler = "{cluster.address}"\n')
        print("cluster of three workers:", json.dumps(row), flush=True)
    return True


if __name__ == "__main__":
    main(sys.argv[1:])
