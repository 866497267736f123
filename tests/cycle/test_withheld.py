"""Keys anywhere in an agent's file, and in its name: no object holds them."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from pace import within

from tdd_orchestrator.cycle.attempt.candidate import redacted_content, secret_in_name
from tdd_orchestrator.redaction import redactor
from tdd_orchestrator.workspace.collect import MAX_FILE, FileChange
from tests.kit import GREEN, Kata

KEY = "sk-ant-api03-" + "Zq9" * 30
OWN = "Zq8vKp3LmN7xRt2WyB5cDf9GhJ4sAeUo"
REDACT = redactor({}, (OWN,))


def kept(content: bytes, before: bytes = b"", how: str = "changed") -> tuple[bytes, str]:
    return redacted_content(FileChange("a.txt", how, content), lambda: before, (OWN,), REDACT)


@pytest.mark.parametrize("secret", [KEY, OWN])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("beside", ["", "a line\n" * 200_000, "\0", "\u00e9", "\udcff"], ids=ascii)
def test_a_secret_is_seen_wherever_it_stands(secret: str, encoding: str, beside: str) -> None:
    content = f"{beside}{secret}\n".encode(encoding, "surrogatepass")
    held, why = kept(content)
    assert "hold" in why
    assert secret.encode() not in held.replace(b"\0", b"")


def test_what_was_there_before_is_no_news() -> None:
    assert kept(f"x\n{KEY}\n".encode(), f"{KEY}\n".encode()) == (f"x\n{KEY}\n".encode(), "")
    other = KEY.replace("Zq9", "Zq8")
    held, why = kept(f"{other}\n{KEY}\n".encode(), f"{KEY}\n".encode())
    assert "anthropic" in why
    assert other.encode() not in held


@pytest.mark.parametrize("name", [f"s/{KEY}.txt", f"{KEY[:9]}\u200b{KEY[9:]}", f"{OWN}/x"])
def test_a_name_that_is_a_key_is_said(name: str) -> None:
    assert "its name" in secret_in_name(name, (OWN,))
    assert secret_in_name("tests/test_auth.py", (OWN,)) == ""


def test_a_usual_file_takes_no_time_and_a_large_one_not_long() -> None:
    usual = b"def double(n):\n    return 2 * n\n" * 160
    begun = time.perf_counter()
    for _ in range(20):
        assert kept(usual) == (usual, "")
    assert (time.perf_counter() - begun) / 20 < within(0.005)
    begun = time.perf_counter()
    assert kept(b"\0\xff key" * (MAX_FILE // 6))[1] == ""
    assert time.perf_counter() - begun < within(20)


SCENES = {
    "behind the first MiB": f"write('data.txt', 'line of data\\n' * 90_000 + {KEY!r})",
    "in a changed file with a zero byte": f"open('README.md', 'wb').write(b'# Kata\\0\\n' + {KEY.encode()!r})",
    "as a name": f"write({KEY!r} + '.txt', 'hi')",
}


@pytest.mark.journey
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_no_object_holds_a_key(tmp_path: Path, scene: str) -> None:
    kata = Kata(tmp_path)
    kata.script(green=[GREEN + scene, GREEN])
    kata.plan()
    kata.next()
    assert "GREEN" in [record["phase"] for record in kata.records("error")]
    words = ["git", "cat-file", "--batch-all-objects", "--batch"]
    assert KEY.encode() not in subprocess.run(words, cwd=kata.root, capture_output=True, check=True).stdout
    assert KEY not in kata.tdd("log", "--json").out


BROKEN = {
    "a submodule's name that leads out": ("pkg/.gitmodules", '[submodule "../../x"]\n\tpath = x\n\turl = ./x\n'),
    "a submodule's address that is an option": (".gitmodules", '[submodule "x"]\n\tpath = -x\n\turl = --upload-pack=x\n'),
    "attributes with a line too long": (".gitattributes", "*.x " + "a" * 5000 + "\n"),
}  # fmt: skip


@pytest.mark.journey
@pytest.mark.parametrize(("path", "text"), BROKEN.values(), ids=BROKEN)
def test_a_refused_attempt_leaves_nothing_that_git_objects_to(tmp_path: Path, path: str, text: str) -> None:
    kata = Kata(tmp_path)
    kata.script(green=[GREEN + f"write({path!r}, {text!r})", GREEN])
    kata.plan()
    assert kata.next().code == 0
    refused = [record for record in kata.records("error") if record["phase"] == "GREEN"]
    assert [record["verdict"] for record in refused] == ["forbidden_change"]
    assert path in " ".join(refused[0]["reasons"])
    kata.git("fsck", "--strict", "--no-dangling")
    kata.git("init", "-q", "--bare", str(tmp_path / "hub.git"))
    kata.git("--git-dir", str(tmp_path / "hub.git"), "config", "receive.fsckObjects", "true")
    kata.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    assert kata.tdd("sync").code == 0
