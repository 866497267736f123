"""The store against plain git: last known-good, writing a record, one phase's writing, writers in a race.

``--quick`` measures at 5,000 commits and notes instead of 100,000.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from _measure import bound, interleaved

from tdd_orchestrator.notes.codec import encode
from tdd_orchestrator.notes.known_good import POINTER
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.encoding import Entry
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

PADDING = "x" * 1000
WHO = "Ada <ada@example.org> 1700000000 +0000"


def record(number: int, *, good: bool) -> dict[str, object]:
    return {
        "at": f"2026-01-02T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z",
        "id": f"{number:026}", "v": 1, "kind": "attempt", "prev": "", "phase": "GREEN", "known_good": good,
        "summary": PADDING,
    }  # fmt: skip


def build(where: Path, size: int, good: int) -> list[str]:
    """A linear history of ``size`` commits, each with a note; only commit number ``good`` is known to be good."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(where)], check=True)
    git = ["git", "-C", str(where), "fast-import", "--quiet", f"--export-marks={where}/marks"]
    with subprocess.Popen(git, stdin=subprocess.PIPE) as child:
        out = child.stdin
        assert out is not None
        for number in range(1, size + 1):
            who = WHO.replace("1700000000", str(1_600_000_000 + number)).encode()
            out.write(b"commit refs/heads/main\nmark :%d\ncommitter %s\ndata 2\nc\n" % (number, who))
            out.write(b"M 644 inline file%d\ndata %d\n%d\n" % (number % 10, len(str(number)), number))
        out.write(b"commit refs/notes/tdd\nmark :%d\ncommitter %s\ndata 2\nn\n" % (size + 1, WHO.encode()))
        for number in range(1, size + 1):
            line = encode(record(number, good=number == good))
            out.write(b"N inline :%d\ndata %d\n%s\n" % (number, len(line) + 1, line + b"\n"))
    marks = {
        int(words[0][1:]): words[1] for words in map(str.split, (where / "marks").read_text().splitlines())
    }
    plain(where, "update-ref", "refs/notes/plain", "refs/notes/tdd")
    plain(where, "reset", "-q", "--hard")
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        plain(where, "config", key, value)
    return [marks[number] for number in range(1, size + 1)]


def plain(where: Path, *args: str) -> bytes:
    done = subprocess.run(["git", "-C", str(where), *args], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def known_good(where: Path, start: str, good: str, rounds: int, what: str) -> bool:
    """Asked anew each time, as a command does; and by a store that is open, as a cycle has it.

    The pointer is the one that the record on the good commit left, or the last question that had to go far.
    """
    grep = (
        "log",
        "-1",
        "--first-parent",
        "--notes=refs/notes/tdd",
        "-F",
        '--grep="known_good":true',
        "--format=%H",
        start,
    )
    plain(where, "update-ref", "refs/bench/pointer", good)
    pointer = where / ".git" / POINTER

    def ours() -> None:
        with Git(where / ".git") as git, Objects(git) as objects:
            assert Store(git, objects).known_good(start).commit == good

    def ours_without_pointer() -> None:
        left = pointer.read_bytes()
        pointer.unlink()
        ours()
        if not pointer.exists():
            pointer.write_bytes(left)

    with Git(where / ".git") as git, Objects(git) as objects:
        store = Store(git, objects)
        store.append(good, record(0, good=True), subject="GREEN accepted")

        def asked_again() -> None:
            assert store.known_good(start).commit == good

        times = interleaved(
            {
                "cold": ours_without_pointer,
                "warm": ours,
                "open": asked_again,
                "grep": lambda: plain(where, *grep),
                "pointer": lambda: plain(where, "merge-base", "--is-ancestor", "refs/bench/pointer", start),
            },
            rounds,
        )
    return all(
        [
            bound(f"known-good {what}: without pointer / git log --grep", times["cold"], times["grep"], 1.3),
            bound(
                f"known-good {what}: with pointer / pointer ref and ancestor check",
                times["warm"],
                times["pointer"],
                1.3,
            ),
            bound(
                f"known-good {what}: store open / pointer ref and ancestor check",
                times["open"],
                times["pointer"],
                1.3,
            ),
        ]
    )


def writing(where: Path, commits: list[str], rounds: int) -> tuple[float, float, float]:
    """Medians of: a record by a store that is open, by one opened for it, and one ``git notes add``."""
    body = where / "note.json"
    body.write_bytes(encode(record(1, good=False)) + b"\n")
    turn = iter(commits[::7] * 9)
    content = {"kind": "attempt", "phase": "GREEN", "summary": PADDING, "padding": "y" * 200}
    with Git(where / ".git") as git, Objects(git) as objects:
        store = Store(git, objects)

        def cold() -> None:
            with Git(where / ".git") as own, Objects(own) as fresh:
                Store(own, fresh).append(next(turn), content, subject="GREEN accepted")

        times = interleaved(
            {
                "warm": lambda: store.append(next(turn), content, subject="GREEN accepted"),
                "cold": cold,
                "plain": lambda: plain(
                    where, "notes", "--ref=plain", "add", "-f", "-F", str(body), next(turn)
                ),
            },
            rounds,
        )
    return times["warm"], times["cold"], times["plain"]


def phase(where: Path, rounds: int) -> bool:
    """Three files collected, a commit, a record, a branch and a pin; against add, commit, notes add, update-ref."""
    files = ["src/a.py", "tests/test_a.py", "src/b.py"]
    body = where / "note.json"
    count = [0]
    branch = "refs/heads/tdd/bench"

    def touch() -> None:
        count[0] += 1
        for name in files:
            (where / name).parent.mkdir(exist_ok=True)
            (where / name).write_text(f"value = {count[0]}\n" * 40)

    def ours() -> None:
        touch()
        with Git(where / ".git", where) as git, Objects(git) as objects:
            store = Store(git, objects)
            old = refs.read(git, branch) or head
            entries: dict[bytes, Entry | None] = {
                name.encode(): (0o100644, objects.write_blob((where / name).read_bytes())) for name in files
            }
            tree = objects.edit_tree(objects.read_commit(old).tree, entries)
            new = objects.write_commit(tree, [old], "feat: more\n", author=WHO)
            store.append(
                new,
                {"kind": "attempt", "phase": "GREEN", "summary": PADDING, "known_good": True},
                subject="GREEN accepted",
                moves=[(branch, new, old)],
                pins={f"refs/tdd/attempts/bench/{count[0]}": new},
            )

    def porcelain() -> None:
        touch()
        plain(where, "add", "--", *files)
        plain(where, "commit", "-q", "-m", "feat: more")
        plain(where, "notes", "--ref=plain", "add", "-F", str(body), "HEAD")
        plain(where, "update-ref", "refs/bench/phase", "HEAD")

    head = plain(where, "rev-parse", "HEAD").decode().strip()
    plain(where, "update-ref", branch, head)
    times = interleaved({"ours": ours, "porcelain": porcelain}, rounds)
    return bound("one phase's writing / four porcelain calls", times["ours"], times["porcelain"], 1.0)


WRITER = """
import sys
from pathlib import Path
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
with Git(Path(sys.argv[1])) as git, Objects(git) as objects:
    for number in range(50):
        print(Store(git, objects).append(sys.argv[2], {"kind": "k", "n": number}, subject="race").id)
"""


def race(where: Path, commit: str) -> bool:
    """Eight writers, fifty records each: every acknowledged record is in the note and in the audit log."""
    argv = [sys.executable, "-c", WRITER, str(where / ".git"), commit]
    writers = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    said = {word for writer in writers for word in writer.communicate()[0].split()}
    shown = plain(where, "notes", "--ref=tdd", "show", commit).decode().splitlines()
    held = {json.loads(line)["id"] for line in shown}
    lost = len(said - held)
    print(f"8 writers x 50 records: {len(said)} acknowledged, {lost} lost", flush=True)
    return len(said) == 400 and lost == 0


def main(arguments: list[str]) -> bool:
    size = 5_000 if "--quick" in arguments else 100_000
    back = min(5_000, size - 100)
    rounds = 15 if "--quick" in arguments else 25
    folder = Path(tempfile.mkdtemp(prefix="tdd-bench-"))
    try:
        large, small = folder / "large", folder / "small"
        commits = build(large, size, size - back)
        few = build(small, 1_000, 500)
        good = commits[size - back - 1]
        results = [
            known_good(large, commits[size - back], good, rounds, "1 back"),
            known_good(large, commits[-1], good, rounds, f"{back} back"),
        ]
        warm, cold, add = writing(large, commits, rounds)
        warm_few, _, _ = writing(small, few, rounds)
        results += [
            bound(f"a record at {size} notes, store open / git notes add", warm, add, 1.25),
            bound(f"a record at {size} notes, store opened for it / git notes add", cold, add, 1.25),
            bound(f"a record at {size} notes / at 1,000 notes", warm, warm_few, 1.5),
            phase(large, rounds),
            race(small, few[0]),
        ]
        return all(results)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
