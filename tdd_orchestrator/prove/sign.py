"""Sign bytes with the key that git signs commits with."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tdd_orchestrator import process
from tdd_orchestrator.audit.signing import keys
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.prove.attest import Sign
from tdd_orchestrator.repo.git import Git

NAMESPACE = "dsse"  # of an SSH signature
_TIMEOUT = 20.0  # seconds: a key that waits for a passphrase is not waited for


def git_signer(git: Git) -> Sign:
    """Return a function that signs with ``user.signingKey``. Refused where there is no key or it does not
    sign."""
    own = keys(git)
    if not own.key or own.format not in ("ssh", "openpgp"):
        raise Refused(
            "git knows no key of yours to sign with.",
            "Set one: git config user.signingKey KEY (and git config gpg.format ssh for an SSH key).",
        )

    def sign(data: bytes) -> tuple[str, bytes]:
        with tempfile.TemporaryDirectory(prefix="tdd-sign-") as folder:
            file = Path(folder, "data")
            file.write_bytes(data)
            done = process.quick(_command(own.format, own.key, file), cwd=Path(folder), timeout=_TIMEOUT)
            left = file.with_name("data.sig")
            if done.exit_code != 0 or not left.exists():
                words = done.stderr.decode("utf-8", "replace").strip().splitlines() or [done.error]
                raise Refused(
                    f"The key '{own.key}' does not sign: {words[-1][:200]}.",
                    "Unlock it, or do without --sign.",
                )
            return own.key, left.read_bytes()

    return sign


def _command(kind: str, key: str, file: Path) -> list[str]:
    if kind == "ssh":
        return ["ssh-keygen", "-Y", "sign", "-n", NAMESPACE, "-f", str(Path(key).expanduser()), str(file)]
    return ["gpg", "--batch", "--yes", "--detach-sign", "-u", key, "-o", f"{file}.sig", str(file)]
