"""Every error that the product raises on purpose.

TddError                    what is wrong, what to do; never a traceback for the user
├── Refused                 exit 2: usage, configuration, a repository state not to be touched
│   └── BadConfig           file, key, nearest known key
├── NotProven               exit 1: a proof failed outside of a gate, as after a rebase
├── Waiting                 exit 3: a person is needed
│   └── Gated               to decide: an approval, an open circuit breaker
├── Paused                  exit 4: provider unavailable, or a budget is reached
├── Busy                    exit 5: another orchestrator works here
├── GitFailed               a git command failed (exit 70 unless handled)
├── RefMoved                exit 5: a ref is not where it was expected, or is locked by another
└── StoreDamaged            exit 2: a note or ref cannot be read; nothing is assumed
    └── NewerSchema         exit 2: written by a later version
"""

from __future__ import annotations

import errno

_MACHINE = frozenset({errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM})


def is_of_machine(error: BaseException) -> bool:
    """Whether disk, memory or a limit failed, rather than the file, program or agent."""
    return isinstance(error, OSError) and error.errno in _MACHINE


def raise_if_of_machine(error: OSError) -> None:
    """Raise the error if the machine caused it, so that an unreadable file is not taken for a missing one."""
    if is_of_machine(error):
        raise error


class TddError(Exception):
    """``what``: one sentence on the problem; ``todo``: one on what to do."""

    exit_code = 70

    def __init__(self, what: str, todo: str = "") -> None:
        super().__init__(what if not todo else f"{what} {todo}")
        self.what = what
        self.todo = todo


class Refused(TddError):
    exit_code = 2


class BadConfig(Refused):
    pass


class NotProven(TddError):
    exit_code = 1


class Waiting(TddError):
    exit_code = 3


class Gated(Waiting):
    pass


class Paused(TddError):
    """``fault`` (``agents.agent.Fault``) of ``agent`` that it pauses for; ``""`` where it is another reason."""

    exit_code = 4

    def __init__(self, what: str, todo: str = "", *, fault: str = "", agent: str = "") -> None:
        super().__init__(what, todo)
        self.fault, self.agent = fault, agent


class Busy(TddError):
    exit_code = 5


class GitFailed(TddError):
    """A git command that failed: argv without secrets, exit code, both streams (bounded)."""

    def __init__(self, argv: tuple[str, ...], code: int, stderr: str, stdout: str = "") -> None:
        first = stderr.strip().splitlines()[0] if stderr.strip() else f"exit code {code}"
        super().__init__(f"git {argv[0] if argv else ''} failed: {first}")
        self.argv, self.code, self.stderr, self.stdout = argv, code, stderr, stdout


class RefMoved(TddError):
    """Compare-and-swap failed: ``ref`` was not at ``expected`` ("" = not known), or another holds its lock.

    ``committed`` counts the transactions of the same call that had gone through before; ``recorded`` is the
    id of the record that was written all the same.
    """

    exit_code = 5

    def __init__(
        self, ref: str, expected: str, detail: str, *, locked: bool = False, committed: int = 0
    ) -> None:
        super().__init__(
            f"{ref} is locked by another program."
            if locked
            else f"{ref} was moved by someone else: {detail}",
            "Run the same command again.",
        )
        self.ref, self.expected, self.locked, self.committed = ref, expected, locked, committed
        self.recorded = ""


class StoreDamaged(TddError):
    exit_code = 2


class NewerSchema(StoreDamaged):
    pass


def add_extra(extra: str) -> str:
    """What to do where a package of this extra is missing: true however tdd was installed."""
    return (
        f"Install tdd again from its clone, with the extra '{extra}' beside those you use: "
        f"pipx install --force '.[{extra}]' (or: uv tool install --force, pip install)"
    )
