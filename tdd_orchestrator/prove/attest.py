"""In-toto statements about a proof, as lines of JSON; in a DSSE envelope where git knows a key to sign with."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from tdd_orchestrator import __version__, process
from tdd_orchestrator.audit.signing import gpg_program, keys
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.report import BAD, Outcome
from tdd_orchestrator.prove.values import ChangeResult, ProveReport
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

    gpg = gpg_program(git)
    if own.format == "openpgp":
        _run(own.key, gpg, "--batch", "--list-secret-keys", own.key)

    def sign(data: bytes) -> tuple[str, bytes]:
        with tempfile.TemporaryDirectory(prefix="tdd-sign-") as folder:
            file = Path(folder, "data")
            file.write_bytes(data)
            left = Path(f"{file}.sig")
            if own.format == "openpgp":
                _run(
                    own.key,
                    gpg,
                    "--batch",
                    "--yes",
                    "--detach-sign",
                    "-u",
                    own.key,
                    "-o",
                    str(left),
                    str(file),
                )
                return own.key, left.read_bytes()
            key, agent = _key_file(own.key, Path(folder))
            _run(own.key, "ssh-keygen", "-Y", "sign", "-n", NAMESPACE, *agent, "-f", key, str(file))
            fingerprint = _run(own.key, "ssh-keygen", "-l", "-f", key).split()[1]
            return fingerprint.decode(), left.read_bytes()

    return sign


_LITERAL = ("key::", "ssh-", "ecdsa-", "sk-")


def _key_file(key: str, folder: Path) -> tuple[str, tuple[str, ...]]:
    """Return the file of an SSH key, and the option that has the agent sign where git holds the public key as
    text."""
    if not key.startswith(_LITERAL):
        return str(Path(key).expanduser()), ()
    file = folder / "key.pub"
    file.write_text(f"{key.removeprefix('key::')}\n", encoding="utf-8")
    return str(file), ("-U",)


def _run(key: str, *words: str) -> bytes:
    """Return what a program prints that uses a key. Refused where it fails."""
    done = process.quick(words, timeout=_TIMEOUT)
    if done.exit_code != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or [done.error]
        raise Refused(
            f"The key '{key}' does not sign: {lines[-1][:200]}.", "Unlock it, or do without --sign."
        )
    return done.stdout


STATEMENT = "https://in-toto.io/Statement/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
VERIFICATION = "https://in-toto.io/attestation/svr/v0.2"
PAYLOAD = "application/vnd.in-toto+json"
VERIFIER = "https://pypi.org/project/tdd-orchestrator/"
_WARNED = frozenset({Outcome.XFAILED, Outcome.XPASSED})
"""Tests that ran and did not plainly pass; a skipped test is in no list."""
Sign = Callable[[bytes], tuple[str, bytes]]
"""Bytes to sign: the key's id, and the signature."""


def statements(report: ProveReport, now: datetime) -> Iterator[dict[str, Any]]:
    """Yield a test-result statement for each HEAD, then one verification result for each proven change."""
    seen: set[str] = set()
    for result in report.results:
        if result.run is not None and result.change.head not in seen:
            seen.add(result.change.head)
            yield _statement(result, TEST_RESULT, _test_result(result))
    for result in report.results:
        if result.proven:
            yield _statement(result, VERIFICATION, _verification(result, now))


def _statement(result: ChangeResult, kind: str, predicate: dict[str, Any]) -> dict[str, Any]:
    subject = {"name": f"git:{result.change.name}", "digest": {"gitCommit": result.change.head}}
    return {"_type": STATEMENT, "subject": [subject], "predicateType": kind, "predicate": predicate}


def _test_result(result: ChangeResult) -> dict[str, Any]:
    run = result.run
    assert run is not None
    failed = [case.id for case in run.cases if case.outcome in BAD]
    return {
        "result": "PASSED" if run.exit_code == 0 and not failed else "FAILED",
        "configuration": [
            {"name": "test command", "content": base64.b64encode(" ".join(run.command).encode()).decode()}
        ],
        "passedTests": [case.id for case in run.cases if case.outcome is Outcome.PASSED],
        "warnedTests": [case.id for case in run.cases if case.outcome in _WARNED],
        "failedTests": failed,
    }


def _verification(result: ChangeResult, now: datetime) -> dict[str, Any]:
    """Return a Simple Verification Result: the properties that were shown of one change."""
    properties = ["TDD_PROVEN", f"TDD_CLASS_{result.kind.upper()}", f"TDD_BASE_{result.change.base}"]
    asked = result.asked
    if asked is not None:
        names = {str(answer.question) for answer in asked.answers if answer.word == "fails"}
        properties += [f"TDD_QUESTION_{name.upper()}" for name in sorted(names)]
    return {
        "verifier": {"id": f"{VERIFIER}{__version__}/", "policies": []},
        "timeCreated": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "properties": properties,
    }


def pre_authentication(payload: bytes) -> bytes:
    """Return the bytes that a DSSE signature covers."""
    kind = PAYLOAD.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def lines(report: ProveReport, now: datetime, sign: Sign | None) -> Iterator[str]:
    """Yield one JSON line for each statement: in an envelope where ``sign`` is given, else the bare
    statement."""
    for statement in statements(report, now):
        text = json.dumps(statement, ensure_ascii=False, separators=(",", ":"))
        if sign is None:
            yield text
            continue
        payload = text.encode("utf-8", "backslashreplace")
        key, signature = sign(pre_authentication(payload))
        envelope = {
            "payloadType": PAYLOAD,
            "payload": base64.b64encode(payload).decode(),
            "signatures": [{"keyid": key, "sig": base64.b64encode(signature).decode()}],
        }
        yield json.dumps(envelope, separators=(",", ":"))
