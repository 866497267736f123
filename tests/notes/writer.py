"""A writer in a process of its own, for races and kills: writer.py GIT_DIR COMMIT NAME COUNT MODE.

It prints the id of each record once it is acknowledged. MODE ``plain`` only writes records; ``moves`` also moves a
branch and a pin with each of them, as a cycle does.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import ZERO, Git
from tdd_orchestrator.repo.lock import RunLock
from tdd_orchestrator.repo.objects import Objects


def main() -> None:
    git_dir, commit, name, count, mode = sys.argv[1:]
    with Git(Path(git_dir)) as git, Objects(git, sync=False) as objects:
        store = Store(git, objects)
        branch = f"refs/tdd/cycles/{name}"
        if mode == "moves":
            RunLock(git).acquire().sweep_locks()
            store.recover()
        start = sum(1 for _ in store.trail()) if mode == "moves" else 0
        for number in range(start, start + int(count)):
            if mode == "plain":
                written = store.append(
                    commit, {"kind": "k", "who": name, "n": number}, subject=f"{name} {number}"
                )
            else:
                old = refs.read(git, branch) or ZERO
                parents = [commit] if old == ZERO else [old]
                new = objects.write_commit(
                    objects.read_commit(commit).tree,
                    parents,
                    f"{number}\n",
                    author=f"A <a@b> {1700000000 + number} +0000",
                )
                written = store.append(
                    new,
                    {"kind": "k", "n": number, "known_good": True},
                    subject=f"{name} {number}",
                    moves=[(branch, new, old), (f"refs/tdd/cycles/{name}-{number % 3}", new, None)],
                    pins={f"refs/tdd/attempts/{name}/{number}": new},
                )
            print(written.id, flush=True)


if __name__ == "__main__":
    main()
