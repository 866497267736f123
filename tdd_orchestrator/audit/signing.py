"""Sign notes commits with the user's own key in git's format, and read git's check of signatures."""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from tdd_orchestrator import process
from tdd_orchestrator.audit.commits import Range
from tdd_orchestrator.audit.findings import Finding
from tdd_orchestrator.config.load import FILES
from tdd_orchestrator.model.errors import Paused, Refused, TddError
from tdd_orchestrator.notes.store import Sign
from tdd_orchestrator.repo.encoding import EMPTY_TREE
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

_TIMEOUT = 20.0  # seconds, for a key that asks for a passphrase
_BATCH = 200
_MISSING = re.compile(r"No secret key|No such file|Couldn't load public key|cannot run ", re.IGNORECASE)
_LINE = re.compile(r"(.*) <(.*)> (\d+ [+-]\d{4})")
_NO_SIGNERS = (
    "-c",
    "gpg.ssh.allowedSignersFile=/dev/null",
)  # without a file git says "not signed" of all SSH signatures


@dataclass(frozen=True, slots=True)
class Keys:
    """Settings for signing and checking. ``signers``: the file of allowed SSH signers, "" = none."""

    format: str = "openpgp"
    key: str = ""
    signers: str = ""

    @property
    def closed(self) -> bool:
        """Whether a signature by an unknown key is a fault: the allowed ones are listed."""
        return self.format == "ssh" and bool(self.signers)

    @property
    def options(self) -> tuple[str, ...]:
        """Return the options for ``git log`` that let ``%G?`` tell an uncheckable signature from none."""
        return () if self.signers else _NO_SIGNERS


def keys(git: Git) -> Keys:
    """Read the user's git configuration: gpg.format, user.signingKey (or user.email), allowed signers."""
    kind = _config(git, "gpg.format") or "openpgp"
    key = _config(git, "user.signingKey")
    return Keys(
        kind,
        key or ("" if kind == "ssh" else _config(git, "user.email")),
        _config(git, "gpg.ssh.allowedSignersFile"),
    )


def signer(git: Git) -> Sign:
    """Return a function that signs notes commits and never waits for a passphrase.

    It raises Refused without a key, Paused if the key is locked. The key is only needed to write.
    """

    def sign(tree: str, parents: Sequence[str], message: str, author: str) -> str:
        own = keys(git)
        if not own.key:
            raise Refused(
                "notes.sign is true, and git knows no key of yours.",
                "Set one: git config user.signingKey KEY (and git config gpg.format ssh for an SSH key).",
            )
        parts = _LINE.fullmatch(author)
        assert parts is not None, author
        env = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", parts[1]), ("EMAIL", parts[2]), ("DATE", parts[3]))
        }
        parent_options = [option for parent in parents for option in ("-p", parent)]
        text = message.replace("\0", "").encode("utf-8", "replace")
        done = git.finished(
            "commit-tree", f"-S{own.key}", *parent_options, tree, stdin=text, env=env, timeout=_TIMEOUT
        )
        oid = done.stdout.decode("ascii", "replace").strip()
        if done.exit_code != 0 or len(oid) != 40:
            stderr = done.stderr.decode("utf-8", "replace").strip()
            lines = stderr.splitlines() or [done.error]
            if _MISSING.search(stderr) or _has_no_secret_key(git, own):
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


def gpg_program(git: Git) -> str:
    """Return the program by which git signs with a GPG key."""
    return _config(git, "gpg.openpgp.program") or _config(git, "gpg.program") or "gpg"


def _has_no_secret_key(git: Git, own: Keys) -> bool:
    """Whether gpg has no such key: git does not say why gpg failed."""
    if own.format != "openpgp":
        return False
    listing = process.run(
        (gpg_program(git), "--batch", "--list-secret-keys", "--", own.key),
        limits=process.Limits(timeout=_TIMEOUT),
    )
    return listing.exit_code == 2 and not listing.timed_out


def problem(git: Git) -> TddError | None:
    """Return why records cannot be signed now, found by a test signature; None if they can."""
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
    """Yield commits whose own settings require signing, and whose accepted record is not signed.

    A commit's content cannot be changed afterwards; the whole log could be rewritten.
    """
    own = {oid: step.id for oid, step in found.steps.items()}
    own |= {oid: record["id"] for oid, record in found.squashed.items()}
    own |= {oid: record.id for oid, (_, record) in found.fixes.items()}
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
