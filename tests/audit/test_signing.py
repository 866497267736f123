"""Notes commits signed in git's own format, and checked where a signature is."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.model.errors import Paused, Refused

from .conftest import Copied

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not here")


def _key(folder: Path, name: str, passphrase: str = "") -> Path:
    path = folder / name
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", path, "-C", "ada@example.org"],
        check=True,
    )
    return path


@pytest.fixture
def signing(kata: Copied, tmp_path: Path) -> Copied:
    """A repository whose records are signed from now on, by a key that its git knows."""
    key = _key(tmp_path, "key")
    (tmp_path / "allowed").write_text(f"ada@example.org {key.with_suffix('.pub').read_text()}")
    kata.git("config", "gpg.format", "ssh")
    kata.git("config", "user.signingKey", str(key))
    kata.git("config", "gpg.ssh.allowedSignersFile", str(tmp_path / "allowed"))
    with (kata.root / "tdd.toml").open("a") as file:
        file.write("[notes]\nsign = true\n")
    return kata


def _write(kata: Copied) -> None:
    with OpenRepository(kata.root) as opened:
        opened.store.append(
            kata.git("rev-parse", "HEAD"), {"kind": "incident", "error": "x"}, subject="incident: x"
        )


def _rules(kata: Copied) -> dict[str, str]:
    return {finding.rule: finding.level for finding in kata.findings(must_sign=True)}


def test_records_are_signed_and_checked(signing: Copied) -> None:
    _write(signing)
    assert signing.git("log", "-1", "--format=%G? %GS", "refs/notes/tdd") == "G ada@example.org"
    assert signing.git("verify-commit", "refs/notes/tdd") == ""
    done = signing.check(must_sign=True)
    assert done.findings == []
    assert done.signed == 1


def test_an_unsigned_record_after_a_signed_one_is_named(signing: Copied) -> None:
    _write(signing)
    text = (signing.root / "tdd.toml").read_text()
    (signing.root / "tdd.toml").write_text(text.replace("sign = true", "sign = false"))
    _write(signing)
    assert _rules(signing) == {"unsigned-record": "error"}
    assert signing.rules() == set(), "only where the configuration asks for signatures"


def test_a_signature_that_does_not_fit_is_named(signing: Copied) -> None:
    _write(signing)
    raw = signing.git("cat-file", "commit", "refs/notes/tdd")
    forged = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"], cwd=signing.root, capture_output=True,
        input=(raw.replace("\n\nincident: x", "\n\nincident: y") + "\n").encode(), check=True,
    ).stdout.decode().strip()  # fmt: skip
    signing.git("update-ref", "refs/notes/tdd", forged)
    assert _rules(signing) == {"bad-signature": "error"}


def _with(raw: str, kind: str) -> str:
    if kind:
        return raw.replace("SSH SIGNATURE", kind)
    head, _, rest = raw.partition("gpgsig ")
    return head + "gpgsig \n\n" + rest.partition("\n\n")[2]


@pytest.mark.parametrize("odd_one", ["ODD SIGNATURE", ""])
def test_a_signature_of_a_kind_that_git_does_not_know_is_named(signing: Copied, odd_one: str) -> None:
    """git's log ends at such a commit: whoever can push one could keep everybody from verifying."""
    _write(signing)
    raw = signing.git("cat-file", "commit", "refs/notes/tdd")
    _write(signing)
    odd = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"], cwd=signing.root, capture_output=True,
        input=(_with(raw, odd_one) + "\n").encode(), check=True,
    ).stdout.decode().strip()  # fmt: skip
    words = ("-p", odd, "-p", "refs/notes/tdd", "-m", "joined")
    joined = signing.git("commit-tree", "refs/notes/tdd^{tree}", *words)
    signing.git("update-ref", "refs/notes/tdd", joined)
    done = signing.check(must_sign=True)
    assert [(one.rule, one.level) for one in done.findings if "signature" in one.rule] == [
        ("bad-signature", "error")
    ]
    assert odd[:12] in next(one.what for one in done.findings if one.rule == "bad-signature")
    assert done.signed == 3, "the others are checked"


def test_a_key_that_is_not_among_the_allowed_ones_is_named(signing: Copied, tmp_path: Path) -> None:
    signing.git("config", "user.signingKey", str(_key(tmp_path, "other")))
    _write(signing)
    assert _rules(signing) == {"bad-signature": "error"}


def test_a_notes_commit_of_two_records_is_named_once(signing: Copied, tmp_path: Path) -> None:
    signing.git("config", "user.signingKey", str(_key(tmp_path, "other")))
    record = {"kind": "incident", "error": "x"}
    with OpenRepository(signing.root) as opened:
        opened.store.append_all(
            signing.git("rev-parse", "HEAD"), [("incident: x", record), ("incident: y", record)]
        )
    assert [one.rule for one in signing.findings(must_sign=True)] == ["bad-signature"]
    signing.git("config", "--unset", "gpg.ssh.allowedSignersFile")
    (unchecked,) = signing.findings(must_sign=True)
    assert unchecked.what.startswith("1 signature cannot be trusted")


def test_where_nobody_is_known_a_signature_is_only_unchecked(signing: Copied) -> None:
    _write(signing)
    signing.git("config", "--unset", "gpg.ssh.allowedSignersFile")
    assert _rules(signing) == {"unchecked-signature": "warning"}


def test_a_locked_key_is_said_and_nothing_is_written(signing: Copied, tmp_path: Path) -> None:
    before = signing.git("rev-parse", "refs/notes/tdd")
    signing.git("config", "user.signingKey", str(_key(tmp_path, "locked", "secret")))
    with pytest.raises(Paused, match="cannot be signed"):
        _write(signing)
    assert signing.git("rev-parse", "refs/notes/tdd") == before


def test_a_signing_program_that_hangs_is_not_waited_for(
    signing: Copied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "slow"
    program.write_text("#!/bin/sh\nsleep 60\n")
    program.chmod(0o755)
    signing.git("config", "gpg.ssh.program", str(program))
    monkeypatch.setattr("tdd_orchestrator.audit.signing._TIMEOUT", 1.0)
    with pytest.raises(Paused, match="no answer in 1 s"):
        _write(signing)


def test_no_key_at_all_is_refused_when_a_record_is_written_and_not_before(signing: Copied) -> None:
    signing.git("config", "--unset", "user.signingKey")
    assert signing.check(must_sign=True).findings == []
    with pytest.raises(Refused, match=r"no key"):
        _write(signing)


def test_a_key_that_only_the_ssh_agent_holds(
    signing: Copied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As most people have it: user.signingKey is the public key, the private one is in the agent."""
    socket = tmp_path / "agent"
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL)
    try:
        while not socket.exists():
            assert agent.poll() is None
            time.sleep(0.01)
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        subprocess.run(["ssh-add", "-q", tmp_path / "key"], check=True)
        (tmp_path / "key").unlink()
        signing.git("config", "user.signingKey", str(tmp_path / "key.pub"))
        _write(signing)
        assert signing.check(must_sign=True).signed == 1
    finally:
        agent.terminate()
        agent.wait()


@pytest.mark.skipif(shutil.which("gpg") is None, reason="gpg is not here")
def test_a_gpg_key(kata: Copied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "gnupg"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("GNUPGHOME", str(home))
    asked = ["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "ada@example.org"]
    subprocess.run([*asked, "ed25519", "sign", "never"], check=True, capture_output=True)
    kata.git("config", "user.signingKey", "ada@example.org")
    with (kata.root / "tdd.toml").open("a") as file:
        file.write("[notes]\nsign = true\n")
    try:
        _write(kata)
        done = kata.check(must_sign=True)
        assert (done.findings, done.signed) == ([], 1)
        subprocess.run(
            ["gpgconf", "--kill", "gpg-agent"], check=True, capture_output=True
        )  # it removes its sockets
        shutil.rmtree(home, ignore_errors=True)
        assert not home.exists()
        assert _rules(kata) == {"unchecked-signature": "warning"}, "a clone without the key"
    finally:
        subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=False, capture_output=True)


@pytest.mark.skipif(shutil.which("gpg") is None, reason="gpg is not here")
def test_a_gpg_key_that_is_not_here_is_said_as_missing(
    kata: Copied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git says only that gpg failed, for a locked key and for none."""
    home = tmp_path / "gnupg"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("GNUPGHOME", str(home))
    kata.git("config", "user.email", "ada@example.org")
    with (kata.root / "tdd.toml").open("a") as file:
        file.write("[notes]\nsign = true\n")
    with pytest.raises(Refused, match=r"'ada@example.org': it is not on this machine"):
        _write(kata)


def _unsigned_again(kata: Copied) -> None:
    """The whole trail written anew, by somebody without the key."""
    parent: list[str] = []
    with OpenRepository(kata.root) as opened:
        for oid in kata.git("rev-list", "--reverse", "refs/notes/tdd").splitlines():
            commit = opened.objects.read_commit(oid)
            parent = [opened.objects.write_commit(commit.tree, parent, commit.message, author=commit.author)]
    kata.git("update-ref", "refs/notes/tdd", parent[0])


def test_a_trail_without_its_signatures_is_refused_where_the_commits_ask_for_them(signing: Copied) -> None:
    trailers = signing.git("log", "-1", "--format=%B", "HEAD")
    handoff = next(r for line in signing.note() if (r := json.loads(line))["kind"] == "handoff")
    signing.git("commit", "-q", "-a", "-m", trailers)
    record = {key: value for key, value in handoff.items() if key not in ("id", "prev", "at", "v", "tests")}
    commit = signing.git("rev-parse", "HEAD")
    record |= {"candidate": commit, "tree": signing.git("rev-parse", "HEAD^{tree}")}
    with OpenRepository(signing.root) as opened:
        opened.store.append(commit, record, subject="signed")
    assert _rules(signing) == {}
    _unsigned_again(signing)
    assert _rules(signing) == {"unsigned-record": "error"}
    assert signing.findings("HEAD~4..HEAD~1", must_sign=True) == [], "what came before it was never signed"
