"""One ``git cat-file --batch`` that stays, and answers for any object, packed, loose or borrowed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack, suppress

from tdd_orchestrator.model.errors import StoreDamaged
from tdd_orchestrator.repo.git import Git

Found = tuple[str, str, bytes]
"""(id, kind, content)"""


class Reader:
    """Started with the first question; ended by ``close``, or by itself when its input closes."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._child: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        child.kill()  # it only reads; its orderly end would have to be waited for
        child.wait()

    def ask(self, names: Sequence[str]) -> list[Found | None]:
        """What each name (an id, a ref, ``REF:path``) means, or None; at most a few hundred at a time.

        StoreDamaged where an object is there and cannot be read.
        """
        if any("\n" in name for name in names):
            raise ValueError("a name of an object has no line feed")
        child = self._running()
        assert child.stdin is not None
        with ExitStack() as undo:
            undo.callback(self.close)  # broken off, it has still to say what would be taken for other answers
            try:
                child.stdin.write(os.fsencode("".join(f"{name}\n" for name in names)))
                child.stdin.flush()
                answers = [self._answer(child, name) for name in names]
            except BrokenPipeError as error:
                raise StoreDamaged("git cat-file ended before it had answered.", "Run git fsck.") from error
            undo.pop_all()
        return answers

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self.close()
            self._child = self._git.start("cat-file", "--batch", stderr=False)
        return self._child

    def _answer(self, child: subprocess.Popen[bytes], name: str) -> Found | None:
        assert child.stdout is not None
        head = child.stdout.readline()
        words = head.split()
        if len(words) == 3 and words[2].isdigit():
            data = child.stdout.read(int(words[2]))
            if len(data) == int(words[2]) and child.stdout.read(1) == b"\n":
                return words[0].decode(), words[1].decode(), data
        elif head.endswith((b" missing\n", b" ambiguous\n")):
            return None
        raise StoreDamaged(f"The object {name} cannot be read.", "Run git fsck.")
