"""A cycle that is broken off, and what must be true once the same command has been run again.

The room is a repository whose tests and agent are shell scripts, so that a cycle is short: RED, a GREEN that is
refused once, GREEN, no refactoring. It is made once and copied back for every point of a sweep.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from kit import ROOT, Done, Kata

TESTS = """\
n=0; bad=0
for file in tests/test_*.sh; do
  n=$((n + 1))
  if said=$(sh "$file" 2>&1); then echo "ok $n - $file"; else bad=1; echo "not ok $n - $file"; echo "# $said"; fi
done
echo "1..$n"
exit $bad
"""
PLAYS = """\
cat > /dev/null
echo "$TDD_PHASE $TDD_ATTEMPT" >> CALLS
case "$TDD_PHASE $TDD_ATTEMPT" in
"red "*) printf '%s\\n' '. ./double.sh' 'got=$(double 2)' '[ "$got" = 4 ] || { echo "expected 4, got $got"; exit 1; }' \\
  > tests/test_double.sh ;;
"green 1") printf '%s\\n' 'double() { echo $(($1 + 3)); }' > double.sh ;;
"green "*) printf '%s\\n' 'double() { echo $(($1 * 2)); }' > double.sh; echo doubles >> words.txt ;;
esac
"""
SHIM = """\
#!/bin/sh
echo "$*" >> "{folder}/said"
case "$*" in *"{only}"*) ;; *) exec "{git}" "$@" ;; esac
n=$(($(cat "{folder}/count") + 1))
echo $n > "{folder}/count"
if [ "$n" = "{before}" ]; then kill -9 $PPID; exit 1; fi
if [ "$n" = "{after}" ]; then
  {around} "{git}" "$@"
  code=$?
  echo $code > "{folder}/code"
  kill -9 $PPID
  exit $code
fi
exec "{git}" "$@"
"""
"""Counts the calls whose words contain ``only``, and ends its parent before or after one of them."""


@dataclass
class Facts:
    """What a finished cycle left; two runs are the same where these are equal."""

    tree: str
    commits: int
    subjects: list[str]
    attempts: list[tuple[str, str, int]]  # phase, verdict, retry_count
    item: str


@dataclass
class Point:
    """One point of a sweep: where it struck, and everything that was not as it should be."""

    name: str
    reached: bool = True
    extra: int = 0
    wrong: list[str] = field(default_factory=list)
    trees: bool = False
    commits: bool = False
    locks: bool = False
    kills: int = 1


class Room(Kata):
    """``folder`` holds everything: repository, agent, state, home. ``restore`` puts the first state back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "room"
        self.kept = folder / "kept"
        super().__init__(self.folder)
        self.write("run.sh", TESTS)
        self.write("tests/test_greet.sh", "true\n")
        self.write("words.txt", "greets\n")  # changed by the cycle; its times are others in a copy
        (self.root / "tests/test_greet.py").unlink()
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "chore: tests in shell")
        self.plan()
        self.write("README.md", "# Mine, not committed\n")
        self.write("greet.py", "def greet(name):\n    return 'staged'\n")
        self.git("add", "greet.py")
        self.write("greet.py", "def greet(name):\n    return 'staged, and then changed'\n")
        self.write("scratch.txt", "untracked\n")
        self.write(".env", "IGNORED=1\n")
        self.theirs = self.users()
        self.keep()

    @property
    def env(self) -> dict[str, str]:
        return {"TDD_STATE_DIR": str(self.folder / "state"), "HOME": str(self.folder / "home")}

    def configure(self, more: str = "") -> None:
        agent = self.agent / "agent.sh"
        agent.write_text(PLAYS.replace("CALLS", str(self.agent / "calls")), encoding="utf-8")
        words = json.dumps(["sh", str(agent)])
        self.write(
            "tdd.toml",
            f'[test]\ncommand = "sh run.sh"\nfiles = ["tests/*.sh"]\n[agents]\ndefault = "scripted"\n'
            f"[agents.scripted]\ncommand = {words}\n[retry]\ndelays = [0, 0, 0]\nfix_delays = [0, 0, 0]\n"
            f'transient_delay = 0\n[workspace]\nsandbox = "none"\n{more}',
        )

    def keep(self) -> None:
        """As everything is now, `restore` will put it back."""
        shutil.rmtree(self.kept, ignore_errors=True)
        shutil.copytree(self.folder, self.kept, symlinks=True)

    def restore(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self.kept, self.folder, symlinks=True)

    def tdd(self, *words: str, **kw: object) -> Done:
        env = {**self.env, **(kw.pop("env", None) or {})}  # type: ignore[dict-item]
        return super().tdd(*words, env=env, **kw)  # type: ignore[arg-type]

    def start(
        self, *words: str, env: dict[str, str] | None = None, before: tuple[str, ...] = ()
    ) -> subprocess.Popen[str]:
        """The command left running, in a group of its own; ``before`` stands in front of it (strace and its options)."""
        return subprocess.Popen(
            [*before, *self.command(*words)],
            cwd=self.root,
            env={**os.environ, **self.command_env(), **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=_hears_signals,
        )

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "tdd_orchestrator", *words]

    def command_env(self) -> dict[str, str]:
        return {"PYTHONPATH": str(ROOT), **self.env}

    def ran(self, *words: str, env: dict[str, str] | None = None, before: tuple[str, ...] = ()) -> Done:
        child = self.start(*words, env=env, before=before)
        out, err = child.communicate(timeout=300)
        return Done(child.returncode, out, err)

    def shimmed(self, *, before: int = 0, after: int = 0, only: str = "", around: str = "") -> dict[str, str]:
        """An environment whose ``git`` is the shim; ``around`` stands before the git call that is struck after."""
        folder = self.folder.parent / "shim"
        folder.mkdir(exist_ok=True)
        (folder / "count").write_text("0")
        (folder / "said").write_text("")
        (folder / "code").write_text("")
        git = shutil.which("git")
        shim = folder / "git"
        shim.write_text(
            SHIM.format(folder=folder, before=before, after=after, only=only, around=around, git=git)
        )
        shim.chmod(0o755)
        return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}

    def git_calls(self) -> list[str]:
        """The words of every git call, in order."""
        return (self.folder.parent / "shim" / "said").read_text().splitlines()

    def struck_code(self) -> str:
        """The exit code of the git call that was struck after; 137 where it was ended itself."""
        return (self.folder.parent / "shim" / "code").read_text().strip()

    def agent_calls(self) -> list[str]:
        path = self.agent / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def facts(self) -> Facts:
        lines = self.git("grep", "-h", "-e", '"kind"', "refs/notes/tdd", check=False).splitlines()
        records = sorted((json.loads(line) for line in lines), key=lambda record: str(record["at"]))
        done = [record for record in records if record["kind"] in ("handoff", "error")]
        ended = [record for record in records if record["kind"] == "cycle_ended"]
        return Facts(
            tree=self.git("rev-parse", "HEAD^{tree}"),
            commits=int(self.git("rev-list", "--count", "HEAD")),
            subjects=self.subjects(),
            attempts=[(record["phase"], record["verdict"], record["retry_count"]) for record in done],
            item=",".join(record["outcome"] for record in ended),
        )

    def locks(self) -> list[str]:
        roots = (self.root / ".git", self.folder / "state")
        return [str(path.relative_to(self.folder)) for root in roots for path in root.rglob("*.lock")]

    def processes(self) -> list[str]:
        """Command lines of living processes that work in this room or name it."""
        mark, found = os.fsencode(self.folder), []
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid():
                continue
            try:
                line = Path("/proc", name, "cmdline").read_bytes()
                cwd = os.fsencode(os.readlink(f"/proc/{name}/cwd"))
            except OSError:
                continue
            if line and (mark + b"/" in line or cwd.startswith(mark + b"/")):
                found.append(line.replace(b"\0", b" ").decode("utf-8", "replace")[:200])
        return found

    def users(self) -> dict[str, object]:
        names = ("README.md", "greet.py", "scratch.txt", ".env")
        found: dict[str, object] = {name: (self.root / name).read_bytes() for name in names}
        found["staged"] = self.git("diff", "--cached")
        found["status"] = self.git("status", "--porcelain", "--ignored")
        return found

    def check(self, point: Point, wanted: Facts, calls: int) -> Point:
        """Everything that must be true after the cycle was completed; what is not goes into ``point.wrong``."""
        got = self.facts()
        point.trees, point.commits = got.tree != wanted.tree, got.commits != wanted.commits
        if got != wanted:
            point.wrong.append(f"differs: {got} is not {wanted}")
        point.extra = len(self.agent_calls()) - calls
        if not 0 <= point.extra <= point.kills:
            point.wrong.append(f"agent calls: {self.agent_calls()}")
        if self.users() != self.theirs:
            point.wrong.append(f"the user's bytes: {self.users()} were {self.theirs}")
        point.locks = bool(self.locks())
        if point.locks:
            point.wrong.append(f"locks: {self.locks()}")
        fsck = subprocess.run(["git", "fsck", "--strict", "--no-dangling", "--no-progress"], cwd=self.root, capture_output=True, text=True, check=False)  # fmt: skip
        if fsck.returncode:
            point.wrong.append(f"fsck: {fsck.stdout} {fsck.stderr}")
        left = self.processes()
        if left:
            point.wrong.append(f"still running: {left}")
        return point

    def resume(self, point: Point, wanted: Facts, calls: int) -> Point:
        """The same command again, unhindered, until the cycle is over; then everything is looked at."""
        done = self.tdd("cycle", "next")
        if done.code != 0:
            point.wrong.append(f"resuming: exit {done.code}: {done.err}")
            return point
        return self.check(point, wanted, calls)


def faults(points: list[Point]) -> list[str]:
    """What was not as it must be after a sweep; a sweep that struck nothing shows nothing, and is a fault itself."""
    found = [f"{point}: {'; '.join(point.wrong)}" for point in points if point.wrong]
    return found if any(point.reached for point in points) else [*found, "no point was struck"]


def _hears_signals() -> None:
    """As at a terminal: a test run that a script put in the background ignores SIGINT, and what it starts would too."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def killed_after(room: Room, seconds: float) -> bool:
    """A cycle whose orchestrator alone is killed at some time; False where it had ended before."""
    child = room.start("cycle", "next")
    try:
        child.communicate(timeout=seconds)
        return False
    except subprocess.TimeoutExpired:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        for stream in (child.stdout, child.stderr):
            if stream is not None:
                stream.close()
        return True


def waits_until(true: object, seconds: float = 10.0) -> bool:
    """Whether a callable became true in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if callable(true) and true():
            return True
        time.sleep(0.02)
    return False
