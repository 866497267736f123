"""Every git call of ours, neutral: no hook, filter daemon, pager, signature, prompt or inherited setting has
a say.

The only importer of GitPython. Values from users or agents are never options: callers put
``--end-of-options`` or ``--`` before them, or check that they are object names.
"""

from __future__ import annotations

import errno
import functools
import os
import re
import shutil
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tdd_orchestrator import process
from tdd_orchestrator.model.errors import GitFailed, Refused, raise_if_of_machine

if TYPE_CHECKING:
    from git import Repo


ZERO = "0" * 40
OLDEST_GIT = (2, 38)
"""The first that merges without a work tree, which a cycle on a branch that moved needs."""
INSTALL_GIT = f"Install git {'.'.join(map(str, OLDEST_GIT))} or newer"

_HURT = re.compile(
    "|".join(
        f": {re.escape(os.strerror(number))}$" for number in (errno.EIO, errno.EMFILE, errno.ENFILE)
    ).encode(),
    re.MULTILINE,
)
"""How a warning ends where git passed over something; the environment of its calls has git say it in these
words."""
_NO_REPOSITORY = b"fatal: not a git repository"  # what git says where it cannot read HEAD


class Git:
    """One repository, seen through ``git_dir``; ``work_tree`` and ``index`` only where a command needs them.

    ``calls`` counts the git processes started, for the benchmarks. ``moves`` are the refs that this process
    moved, with where to, in order. ``keep`` are descriptors (the run lock's) that every local git child
    inherits: while one of them lives, the lock is held.
    """

    def __init__(self, git_dir: Path, work_tree: Path | None = None, index: Path | None = None) -> None:
        self.git_dir = Path(git_dir)
        self.work_tree = work_tree
        self.index = index
        self.calls = 0
        self.moves: list[tuple[str, str]] = []
        self._keep: tuple[int, ...] = ()
        self._helpers: dict[tuple[str, ...], subprocess.Popen[bytes]] = {}
        self._env = environment()
        if index is not None:
            self._env["GIT_INDEX_FILE"] = str(index)
        self._prefix = [git_program(self._env.get("PATH", os.defpath)), *OPTIONS, f"--git-dir={self.git_dir}"]
        if work_tree is not None:
            self._prefix.append(f"--work-tree={work_tree}")
        self._cwd = work_tree or self.git_dir
        self._repo: Repo | None = None
        self._common: Path | None = None

    def __enter__(self) -> Git:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for args in list(self._helpers):
            self.drop(*args)
        if self._repo is not None:
            self._repo.close()
            self._repo = None

    @property
    def keep(self) -> tuple[int, ...]:
        return self._keep

    @keep.setter
    def keep(self, descriptors: tuple[int, ...]) -> None:
        for args in list(self._helpers):  # they hold what was kept when they were started
            self.drop(*args)
        self._keep = descriptors

    def helper(self, *args: str) -> subprocess.Popen[bytes]:
        """A git child that stays for the next time; started when it is first asked for, or has died."""
        child = self._helpers.get(args)
        if child is None or child.poll() is not None:
            self.drop(*args)
            child = self._helpers[args] = self.start(*args)
        return child

    def drop(self, *args: str) -> bytes:
        """End such a child; returns what it said on standard error."""
        child = self._helpers.pop(args, None)
        if child is None:
            return b""
        child.kill()
        with suppress(OSError, ValueError):  # it may have gone before its input did
            return child.communicate()[1]
        return b""

    @property
    def common_dir(self) -> Path:
        """Where refs and objects live: ``git_dir`` itself, but for a linked work tree."""
        if self._common is None:
            try:
                relative = (self.git_dir / "commondir").read_text(encoding="utf-8").strip()
                self._common = Path(os.path.normpath(self.git_dir / relative))
            except FileNotFoundError:
                self._common = self.git_dir
        return self._common

    def with_index(self, index: Path) -> Git:
        """The same repository through another index file, with the same inherited descriptors."""
        other = Git(self.git_dir, self.work_tree, index)
        other.keep = self.keep
        return other

    def finished(
        self,
        *args: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        remote: bool = False,
        timeout: float = 0.0,
    ) -> process.Finished:
        """The call's outcome as a value. ``remote``: it may leave a helper behind, so it inherits no lock."""
        self.calls += 1
        return process.quick(
            [*self._prefix, *args],
            cwd=self._cwd,
            env={**(environment(remote=True) if remote else {}), **self._env, **(env or {})},
            stdin=stdin,
            keep=() if remote else self.keep,
            timeout=timeout,
        )

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        ok: Sequence[int] = (0,),
        remote: bool = False,
        timeout: float = 0.0,
    ) -> bytes:
        """Standard output; GitFailed where the exit code is not in ``ok``, or git went on without what the
        machine did not let it read; Refused where git cannot be started."""
        done = self.finished(*args, stdin=stdin, env=env, remote=remote, timeout=timeout)
        if done.exit_code is None:
            raise self._not_started(done.error)
        if done.exit_code not in ok or _HURT.search(done.stderr):
            raise failed(args, done)
        return done.stdout

    def line(self, *args: str, ok: Sequence[int] = (0,)) -> str:
        """Standard output without its last newline, as text (undecodable bytes as surrogates)."""
        return self.run(*args, ok=ok).decode("utf-8", "surrogateescape").rstrip("\n")

    def holds(self, later: str, earlier: str) -> bool:
        """Whether ``earlier`` is ``later`` or an ancestor of it; False also where one of them is missing or
        damaged. GitFailed where the machine did not let git look."""
        words = ("merge-base", "--is-ancestor", "--end-of-options", earlier, later)
        done = self.finished(*words)
        if _HURT.search(done.stderr) or done.stderr.startswith(_NO_REPOSITORY):
            raise failed(words, done)
        return done.exit_code == 0

    def stream(self, *args: str, separator: bytes = b"\0") -> Generator[bytes, None, None]:
        """Standard output piece by piece, the separator taken off; closing the iterator ends git.

        Raises GitFailed at the end where git failed.
        """
        for whole in self.chunks(*args, separator=separator):
            yield from whole.removesuffix(separator).split(separator)

    def chunks(self, *args: str, separator: bytes = b"\0") -> Generator[bytes, None, None]:
        """As :meth:`stream`, many pieces at a time with their separators: for a reader that need not look at
        each."""
        child = self.start(*args, stdin=False)
        assert child.stdout is not None
        rest = b""
        ended = False
        try:
            while chunk := child.stdout.read(1 << 16):
                whole, found, rest = (rest + chunk).rpartition(separator)
                if found:
                    yield whole + found
            if rest:
                yield rest
            ended = True
        finally:
            if not ended:
                child.kill()
            _, stderr = child.communicate()
        if child.returncode or _HURT.search(stderr):
            raise failed(args, process.Finished(args, child.returncode, b"", stderr))

    def start(self, *args: str, stdin: bool = True, stderr: bool = True) -> subprocess.Popen[bytes]:
        """A git child to talk with; the caller ends it. It must end when its input closes."""
        self.calls += 1
        try:
            return process.start(
                [*self._prefix, *args],
                cwd=self._cwd,
                env=self._env,
                keep=self.keep,
                stdin=stdin,
                stderr=stderr,
            )
        except OSError as error:
            raise_if_of_machine(error)
            raise self._not_started(str(error.strerror)) from error

    def _not_started(self, why: str) -> Refused:
        if not self._cwd.is_dir():
            return Refused(f"The folder {self._cwd} is no longer there.")
        return Refused(f"git cannot be started: {why}.", f"{INSTALL_GIT}.")

    def remotes(self) -> tuple[str, ...]:
        """Names of the remotes, as the repository's configuration has them (GitPython)."""
        return tuple(remote.name for remote in self.repo.remotes)

    @property
    def repo(self) -> Repo:
        """GitPython's view: opening, configuration and remotes, off the fast paths (docs/decisions/0016).

        Imported when first asked for (+56 ms of CPU). ``close`` ends it.
        """
        if self._repo is None:
            os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
            from git import Repo

            self._repo = Repo(self.work_tree or self.git_dir, expand_vars=False)
            self._repo.git.set_persistent_git_options(c=list(SETTINGS))
            self._repo.git.update_environment(**FIXED)
        return self._repo


@functools.cache
def git_program(path: str) -> str:
    """Find git once for a PATH: every call would search all folders of it again. "git" where it is not
    found."""
    found = shutil.which("git", path=path) or ""
    return found if os.path.isabs(found) else "git"


def failed(args: Sequence[str], done: process.Finished) -> GitFailed:
    """The failure as a value to raise: arguments without what looks like credentials, streams bounded."""
    words = tuple(without_secret(word) for word in args)
    text = done.stderr[-4096:].decode("utf-8", "replace") or done.error
    code = -1 if done.exit_code is None else done.exit_code
    return GitFailed(words, code, without_secret(text), done.stdout[:4096].decode("utf-8", "replace"))


SETTINGS: tuple[str, ...] = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.quotePath=false",
    "core.filesRefLockTimeout=1000",
    "core.fsync=committed,reference,-loose-object",  # our own loose objects are synced by objects.py
    "core.useReplaceRefs=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "push.gpgSign=false",
    "log.showSignature=false",
    "color.ui=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "credential.interactive=false",
)
OPTIONS = tuple(word for setting in SETTINGS for word in ("-c", setting))

_KEPT = frozenset(
    {
        "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE",
        "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
        "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
        "GIT_CEILING_DIRECTORIES", "GIT_EXEC_PATH", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO",
    }
)  # fmt: skip
"""Who the user is and where their own configuration lies; every other GIT_* could point git elsewhere."""

FIXED = {
    "LC_ALL": "C",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "",  # no such file: its parents would be believed, though no clone has them
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_EDITOR": "false",
    "GIT_FLUSH": "0",  # git log fills its buffer before it writes, and not commit by commit
    "GIT_MERGE_AUTOEDIT": "no",
}


_LOCAL = frozenset(
    {
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "EMAIL",
        "TMPDIR",
        "TZ",
        "XDG_CONFIG_HOME",
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "GNUPGHOME",
        "SSH_AUTH_SOCK",
        "XDG_RUNTIME_DIR",
    }
)
"""What git needs of the rest where it talks to nobody, its signing programs included: a small environment
makes a cheap start."""


_VALUE = re.compile(r"([?&][\w.-]{1,64}=)[^&\s'\"]{1,4096}")


def environment(base: Mapping[str, str] | None = None, *, remote: bool = False) -> dict[str, str]:
    """The environment of a git call: the user's, without what redirects or prompts."""
    given = os.environ if base is None else base
    clean = {
        key: value
        for key, value in given.items()
        if key in _KEPT or key in _LOCAL or (remote and not key.startswith("GIT_"))
    }
    return clean | FIXED


def without_secret(text: str) -> str:
    """``https://user:password@host`` loses its middle, and a query its values: a token may stand in
    either."""
    if "://" not in text:
        return text
    return _VALUE.sub(r"\1***", re.sub(r"(://)[^/\s]{1,4096}@", r"\1***@", text))
