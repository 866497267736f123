"""Notes commits signed with the user's own key, in git's own format; and what git says of the signatures
there are."""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from tdd_orchestrator.audit.commits import Range
from tdd_orchestrator.audit.findings import Finding
from tdd_orchestrator.config.load import FILES
from tdd_orchestrator.model.errors import Paused, Refused, TddError
from tdd_orchestrator.notes.store import Sign
from tdd_orchestrator.repo.encoding import EMPTY_TREE
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

_TIMEOUT = 20.0  # seconds: a key that waits for a passphrase is not waited for
_BATCH = 200
_MISSING = re.compile(r"No secret key|No such file|Couldn't load public key|cannot run ", re.IGNORECASE)
_LINE = re.compile(r"(.*) <(.*)> (\d+ [+-]\d{4})")
_NO_SIGNERS = (
    "-c",
    "gpg.ssh.allowedSignersFile=/dev/null",
)  # without a file git says "not signed" of all SSH signatures


@dataclass(frozen=True, slots=True)
class Keys:
    """What git is told to sign and to check with. ``signers``: the file of allowed SSH signers, "" = none."""

    format: str = "openpgp"
    key: str = ""
    signers: str = ""

    @property
    def closed(self) -> bool:
        """Whether a signature by a key that is not known is a fault: the allowed ones are listed."""
        return self.format == "ssh" and bool(self.signers)

    @property
    def options(self) -> tuple[str, ...]:
        """What goes before ``log`` so that ``%G?`` tells a signature that cannot be checked from none."""
        return () if self.signers else _NO_SIGNERS


def keys(git: Git) -> Keys:
    """From the user's git configuration: gpg.format, user.signingKey (for GPG else user.email), the allowed
    signers."""
    kind = _config(git, "gpg.format") or "openpgp"
    key = _config(git, "user.signingKey")
    return Keys(
        kind,
        key or ("" if kind == "ssh" else _config(git, "user.email")),
        _config(git, "gpg.ssh.allowedSignersFile"),
    )


def signer(git: Git) -> Sign:
    """Signs notes commits; never hangs for a passphrase. What it makes is Refused where there is no key, and
    Paused where it is locked; the key is looked for when the first record is written, for reading needs
    none."""

    def sign(tree: str, parents: Sequence[str], message: str, author: str) -> str:
        own = keys(git)
        if not own.key:
            raise Refused(
                "notes.sign is true, and git knows no key of yours.",
                "Set one: git config user.signingKey KEY (and git config gpg.format ssh for an SSH key).",
            )
        said = _LINE.fullmatch(author)
        assert said is not None, author
        env = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", said[1]), ("EMAIL", said[2]), ("DATE", said[3]))
        }
        words = [word for parent in parents for word in ("-p", parent)]
        text = message.replace("\0", "").encode("utf-8", "replace")
        done = git.finished(
            "commit-tree", f"-S{own.key}", *words, tree, stdin=text, env=env, timeout=_TIMEOUT
        )
        oid = done.stdout.decode("ascii", "replace").strip()
        if done.exit_code != 0 or len(oid) != 40:
            said_by_git = done.stderr.decode("utf-8", "replace").strip()
            lines = said_by_git.splitlines() or [done.error]
            if _MISSING.search(said_by_git):
                raise Refused(
                    (
                        f"notes.sign is true, and git cannot sign with the key '{own.key}': it is not "
                        "on this machine."
                    ),
                    (
                        "Name another one: git config user.signingKey KEY; or do without: tdd config "
                        "set notes.sign false"
                    ),
                )
            raise Paused(
                f"The record cannot be signed: {lines[0].removeprefix('error: ')[:200]}.",
                (
                    "Unlock your key (ssh-add, gpg-agent), then run the same command again; or set "
                    "notes.sign = false."
                ),
            )
        return oid

    return sign


def problem(git: Git) -> TddError | None:
    """Why records cannot be signed just now, found by signing nothing of importance; None where they can."""
    try:
        signer(git)(
            EMPTY_TREE,
            (),
            "tdd doctor: can records be signed?\n",
            f"tdd <tdd@localhost> {int(time.time())} +0000",
        )
    except (Refused, Paused) as error:
        return error
    return None


def unsigned(objects: Objects, signed: Set[str], found: Range) -> Iterator[Finding]:
    """Commits whose own files say that records are signed, and whose accepted record is not. What a commit
    holds cannot be changed afterwards; that some record was signed once can be, by whoever writes the whole
    trail anew."""
    own = {oid: step.id for oid, step in found.steps.items()}
    own |= {oid: record["id"] for oid, record in found.squashed.items()}
    own |= {oid: record["id"] for oid, (_, record) in found.fixes.items()}
    bare = [oid for oid, identity in own.items() if identity not in signed]
    for start in range(0, len(bare), _BATCH):
        some = bare[start : start + _BATCH]
        for name in FILES:
            for oid, file in zip(some, objects.find_many([f"{oid}:{name}" for oid in some]), strict=True):
                if file is not None and _demands(file[2]):
                    what = (
                        f"The accepted record of {oid[:12]} is unsigned, although the {name} of that "
                        "very commit says notes.sign = true."
                    )
                    yield Finding("unsigned-record", what, oid, own[oid])


def _demands(data: bytes) -> bool:
    try:
        notes = tomllib.loads(data.decode("utf-8", "replace")).get("notes")
    except tomllib.TOMLDecodeError:
        return False
    return isinstance(notes, dict) and notes.get("sign") is True


def _config(git: Git, name: str) -> str:
    return git.line("config", "--get", name, ok=(0, 1)).strip()
