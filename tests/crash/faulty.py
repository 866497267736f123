"""Calls that fail: which a cycle makes, and the same cycle with one of them refused.

``fault.c`` is preloaded: it counts the calls of some kinds that a program makes in some places, and lets the n-th fail.
strace can do as much, but counts every path together; what lies in ``/proc`` differs from run to run, and with it the
numbers.
"""

from __future__ import annotations

import errno
import logging
import math
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kit import ROOT, Done
from warm import Child, Warm
from wreck import Point, Room

LOG = logging.getLogger(__name__)
PATIENCE = 60.0  # seconds of one command, on a busy machine
LINE = 512  # bytes, as in fault.c
SAID = {"ENOSPC": "The disk is full", "EIO": "input/output error", "EMFILE": "Too many files are open"}
LEFT = {"KILL": (0, -9)}  # exit codes; of a refused call those of the contract
OWN, GIT, SHELL = "python", "git", "sh"  # how the programs' names begin
_RANDOM = re.compile(r"c-[0-9a-z]{16}|tdd-\w{8}|tmp_\w+|[0-9a-f]{2,}|[0-9]+")


@dataclass(frozen=True)
class Calls:
    """Calls of some kinds (words of fault.c, with commas) by one program, in places that begin so; and their error."""

    program: str
    kinds: str
    error: str

    def __str__(self) -> str:
        return f"{self.error} at {self.kinds} by {self.program}"


class Library:
    """fault.c, built; ``tell`` says what is to fail next."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.file = folder / "fault.so"
        source = Path(__file__).with_name("fault.c")
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-O1", "-o", self.file, source, "-ldl", "-lpthread"], check=True
        )

    def tell(self, calls: Calls, number: int, places: Iterable[str]) -> None:
        code = getattr(errno, calls.error) if calls.error != "KILL" else 0
        (self.folder / "calls").unlink(missing_ok=True)
        words = (calls.program, calls.kinds, str(number), str(code), *places)
        (self.folder / "plan").write_text(" ".join(words))

    def heard(self) -> list[str]:
        """The calls since ``tell``, in order: kind and path; nothing is counted or struck any more."""
        (self.folder / "plan").unlink()
        log = self.folder / "calls"
        text = log.read_bytes() if log.exists() else b""
        lines = (text[at : at + LINE].decode(errors="replace") for at in range(0, len(text), LINE))
        return [" ".join((words := line.split())[:1] + words[2:]) for line in lines]


class Swift(Room):
    """A room whose commands start warm, with the library preloaded into them and into their git."""

    def __init__(self, folder: Path) -> None:
        (folder / "room/tmp").mkdir(parents=True)
        self.library = Library(folder / "library")
        self.warm = Warm(folder, self.library.file)
        super().__init__(folder)
        self.places = (f"{self.folder}/", f"{ROOT}/prompts/", os.devnull, "/pipe")

    @property
    def env(self) -> dict[str, str]:
        return {**super().env, "TMPDIR": str(self.folder / "tmp")}

    def start(self, *words: str, env: dict[str, str] | None = None, before: tuple[str, ...] = ()) -> Child:  # type: ignore[override]
        assert not before, "what stands before a command would not be warm"
        return self.warm.start(words, self.root, {**os.environ, **self.command_env(), **(env or {})})

    def ran(self, *words: str, env: dict[str, str] | None = None, before: tuple[str, ...] = ()) -> Done:
        child = self.start(*words, env=env, before=before)
        try:
            out, err = child.communicate(PATIENCE)
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGKILL)  # its code will say that it hung
            out, err = child.communicate(PATIENCE)
        return Done(child.returncode, out, err)

    def tdd(self, *words: str, **kw: object) -> Done:
        return self.ran(*words, env=kw.get("env"))  # type: ignore[arg-type]


@dataclass
class Refused(Point):
    """A point where a call failed, or ended its process."""

    stopped: bool = False  # the command said so and left; otherwise it went on as if nothing had been
    moved: str = ""  # the call that was struck, where it is not the one that was meant
    of: int = 0  # how many such calls the undisturbed command makes


def alike(call: str) -> str:
    """A call without what is different in each run: names of objects, of temporary files, numbers."""
    return _RANDOM.sub("#", call)


def spread(calls: Sequence[str]) -> list[int]:
    """The numbers of the calls, from 1, as they are struck: one call of each path, then another one of each, and so on;
    wherever the sweep ends, what it struck lies all over the command."""
    alikes: dict[str, list[int]] = {}
    for number, call in enumerate(calls, 1):
        alikes.setdefault(alike(call), []).append(number)
    turns = [
        attempt_plan
        for numbers in alikes.values()
        for attempt_plan in enumerate(sorted(numbers, key=_scattered))
    ]
    return [
        number
        for _, number in sorted(
            turns, key=lambda attempt_plan: (attempt_plan[0], _scattered(attempt_plan[1]))
        )
    ]


def _scattered(number: int) -> float:
    return number * 0.6180339887498949 % 1  # by the golden section any first few lie far from each other


@dataclass
class Sweep:
    """One row: the calls of one kind, each refused once in a command of its own, and the command given again."""

    room: Room
    library: Library
    calls: Calls
    places: Sequence[str]
    resume: Callable[[Refused], object]  # gives the command again, and says in the point what is wrong
    command: Sequence[str] = ("cycle", "next")
    code: int = 0  # what it leaves with where nothing fails
    env: Mapping[str, str] = field(default_factory=dict)
    starting: bool = False  # the interpreter's own start: what fails there is said by the interpreter

    def points(self, few: int = 0, seconds: float = 0.0) -> Iterator[Refused]:
        """``few``: how many; ``seconds``: for how long; 0 is every one, however long.

        A call whose path is the same in each run is struck by its path and its number among those of that path; one with
        the name of an object or of a temporary file in it by its number among all, which may be its neighbour's.
        """
        calls, again = self.found(), set(self.found())
        until = time.monotonic() + seconds if seconds else math.inf
        LOG.info("%s: %d calls", self.calls, len(calls))
        for number in spread(calls)[: few or None]:
            if time.monotonic() > until:
                break
            call = calls[number - 1]
            kind, path = call.split(" ", 1)
            point = Refused(f"{self.calls} {number}: {call}", of=len(calls))
            if call in again:
                self.strike(point, replace(self.calls, kinds=kind), calls[:number].count(call), (path,))
            else:
                heard = self.strike(point, self.calls, number, self.places)
                point.moved = heard if alike(heard) != alike(call) else ""
            self.resume(point)
            LOG.info("%s %s", "FAULT" if point.wrong else "fine", point)
            yield point

    def found(self) -> list[str]:
        """The calls that one undisturbed command makes, in order."""
        self.room.restore()
        self.library.tell(self.calls, 0, self.places)
        done = self.room.ran(*self.command, env=dict(self.env))
        heard = self.library.heard()
        assert done.code == self.code, done.err
        return heard

    def strike(self, point: Refused, calls: Calls, number: int, places: Sequence[str]) -> str:
        """A command with one call refused; what is wrong goes into the point, and the call that was struck comes back."""
        self.room.restore()
        self.library.tell(calls, number, places)
        done = self.room.ran(*self.command, env=dict(self.env))
        heard = self.library.heard()
        point.reached, point.stopped = len(heard) >= number, done.code != self.code
        point.wrong += [] if self.starting else self.unsaid(done)
        return heard[number - 1] if point.reached else ""

    def unsaid(self, done: Done) -> list[str]:
        """What is wrong with how the command left: a code that is not of the contract, a traceback, or silence."""
        last = done.err[-1000:]
        if done.code not in LEFT.get(self.calls.error, (self.code, 2, 4)) or "Traceback" in done.err:
            return [f"exit {done.code}: {last}"]
        if done.code > self.code and SAID[self.calls.error] not in done.err and "tdd: " not in done.err:
            return [f"nothing said: {last}"]
        return []
