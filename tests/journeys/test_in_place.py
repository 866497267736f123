"""Mode 'inplace' works in the user's own files: what they do there between commands, or beside an agent, is not lost (W1)."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from kit import GREEN, RED, Kata

CONFIG = '[workspace]\nmode = "inplace"\nsandbox = "none"\n'


def kata_of(tmp_path: Path, more: str = "", **scenes: list[str]) -> Kata:
    kata = Kata(tmp_path, config=CONFIG + more)
    kata.script(**{"red": [RED], "green": [GREEN], "refactor": [""], **scenes})
    (kata.root / ".git" / "info" / "exclude").write_text("build\n.env.local\n__pycache__\n.pytest_cache\n")
    kata.plan()
    return kata


def shell(kata: Kata, command: str) -> None:
    subprocess.run(command, shell=True, cwd=kata.root, check=True, capture_output=True)


def files(kata: Kata) -> dict[str, bytes]:
    return {
        path.relative_to(kata.root).as_posix(): path.read_bytes()
        for path in kata.root.rglob("*")
        if path.is_file() and ".git" not in path.parts and "__pycache__" not in path.parts
        and ".pytest_cache" not in path.parts
    }  # fmt: skip


def kept(kata: Kata) -> set[str]:
    """What was kept, by its bytes."""
    state = Path(os.environ["TDD_STATE_DIR"]) / "repositories"
    return {path.read_text() for path in state.glob(f"{kata.root.name}-*/foreign/**/*") if path.is_file()}


@dataclass(frozen=True)
class Row:
    """``does`` in the user's shell between two commands; ``said`` in the refusal; ``undo`` makes way."""

    name: str
    does: str
    said: str
    undo: str


REFUSED = (
    Row("a tracked file edited", "echo mine >> README.md", "README.md", "git checkout -q README.md"),
    Row("a new file", "echo mine > notes.txt", "notes.txt", "mv notes.txt .."),
    Row("an edit staged", "echo mine >> README.md; git add README.md", "README.md", "git commit -qm mine"),
    Row("a new file staged", "echo mine > n.txt; git add n.txt", "n.txt", "git commit -qm mine"),
    Row("an agent's file edited", "echo '# mine' >> tests/test_double.py", "test_double.py", "rm tests/test_double.py"),
    Row("another branch", "git checkout -q -b feature", "main is not checked out", "git checkout -q main"),
)  # fmt: skip


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.name)
def test_what_came_between_two_commands_stops_the_next(tmp_path: Path, row: Row) -> None:
    kata = kata_of(tmp_path)
    assert kata.next("--phase").code == 0
    shell(kata, row.does)
    before = files(kata)
    for words in (("cycle", "next"), ("cycle", "abort")):
        done = kata.tdd(*words)
        assert done.code == 2
        assert row.said in done.err
    assert files(kata) == before
    assert not kata.calls("green")
    shell(kata, row.undo)
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.git("status", "--porcelain") == ""
    assert "feat: doubles a number" in kata.subjects()


def test_ignored_files_that_came_between_are_left_alone(tmp_path: Path) -> None:
    kata = kata_of(tmp_path)
    assert kata.next("--phase").code == 0
    shell(kata, "echo K=1 > .env.local; mkdir build; echo a > build/a")
    done = kata.next()
    assert done.code == 0, done.err
    assert (kata.root / ".env.local").read_text() == "K=1\n"
    assert (kata.root / "build" / "a").read_text() == "a\n"


@pytest.mark.parametrize("require", [False, True])
def test_the_record_says_that_no_question_was_asked(tmp_path: Path, require: bool) -> None:
    more = '[retry]\nmax_retries = 0\n[proof]\nrequire = ["shift"]\n' if require else ""
    kata = kata_of(tmp_path, more)
    done = kata.next()
    if require:
        assert (done.code, kata.git("ls-files", "double.py")) == (1, "")
        assert "mode inplace has no other tree to ask in" in kata.records("error")[0]["reasons"][0]
        return
    assert done.code == 0, done.out + done.err
    green = next(record for record in kata.records("handoff") if record["phase"] == "GREEN")
    assert set(green["questions"]["stub"]["not_asked"].values()) == {
        "mode inplace has no other tree to ask in"
    }


def test_what_is_committed_between_is_built_upon(tmp_path: Path) -> None:
    kata = kata_of(tmp_path)
    assert kata.next("--phase").code == 0
    shell(kata, "echo mine > mine.md; echo mine >> README.md; git add mine.md README.md; git commit -qm mine")
    done = kata.next()
    assert done.code == 0, done.err
    assert (kata.root / "mine.md").read_text() == "mine\n"
    assert (kata.root / "README.md").read_text().endswith("mine\n")
    assert kata.git("status", "--porcelain") == ""


def test_edits_made_while_a_person_is_asked_stop_the_landing(tmp_path: Path) -> None:
    kata = kata_of(tmp_path, "[approval]\nbefore_landing = true\n")
    assert kata.tdd("--no-input", "cycle", "next").code != 0
    kata.write("README.md", "mine\n")
    kata.write("todo.txt", "mine\n")
    done = kata.tdd("cycle", "approve")
    assert done.code == 2
    assert "README.md, todo.txt" in done.err
    assert (kata.root / "README.md").read_text() == "mine\n"
    shell(kata, "git checkout -q README.md; rm todo.txt")
    assert kata.tdd("cycle", "approve").code == 0


def test_after_a_kill_what_is_there_is_kept_before_it_goes(tmp_path: Path) -> None:
    kill = "import signal\nos.kill(os.getppid(), signal.SIGKILL)\nimport time\ntime.sleep(5)"
    kata = kata_of(tmp_path, green=[kill, GREEN])
    assert kata.next().code == -9
    kata.write("README.md", "my own edit\n")
    kata.write("notes.txt", "my own notes\n")
    kata.write(".env.local", "my own key\n")
    done = kata.next()
    assert done.code == 0, done.err
    assert {"my own edit\n", "my own notes\n", "my own key\n"} <= kept(kata)
    assert "README.md, notes.txt: not the cycle's own; kept in" in done.err.replace(".env.local, ", "")


def test_what_comes_while_an_agent_works_is_kept(tmp_path: Path) -> None:
    typed = 'write(".env", "typed\\n")\nwrite("big.bin", "\\0 binary")\n'
    kata = kata_of(tmp_path, green=[typed + GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert {"typed\n", "\0 binary"} == kept(kata)
    assert not (kata.root / ".env").exists()


def test_nothing_is_kept_of_what_the_cycle_made(tmp_path: Path) -> None:
    kata = kata_of(tmp_path, green=['write("double.py", "half\\n")', GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert kept(kata) == set()
    assert "not the cycle's" not in done.err
    assert not list(Path(os.environ["TDD_STATE_DIR"]).rglob("inplace.mark"))


def test_a_person_edits_where_their_edits_are_awaited(tmp_path: Path) -> None:
    kata = kata_of(tmp_path)
    human = {"TDD_AGENTS_GREEN": "human"}
    assert kata.next(env=human).code != 0
    once = tmp_path / "killed"
    kill = f"if not pathlib.Path({str(once)!r}).exists():\n    pathlib.Path({str(once)!r}).touch()\n    os.kill(os.getppid(), 9)\n"
    kata.write(
        "double.py", f"import os\nimport pathlib\n\n{kill}\n\ndef double(number):\n    return number * 2\n"
    )
    assert kata.next(env=human).code == -9  # while the work was judged
    done = kata.next(env=human)
    assert done.code == 0, done.err
    assert "feat: doubles a number" in kata.subjects()


def test_the_users_own_files_come_back_from_an_agent_that_removes_or_changes_them(tmp_path: Path) -> None:
    kata = kata_of(tmp_path)
    assert kata.next("--phase").code == 0
    shell(
        kata,
        "echo KEY=1 > .env; mkdir -p __pycache__; echo x > .env.more; echo '*.more' >> .git/info/exclude; echo 1 > a.more",
    )
    spoil = "import pathlib\npathlib.Path('.env').unlink()\npathlib.Path('a.more').write_text('spoilt\\n')\n"
    kata.script(green=[spoil + GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert (kata.root / ".env").read_text() == "KEY=1\n"
    assert (kata.root / "a.more").read_text() == "spoilt\n"
    assert "1\n" in kept(kata)
    assert ".env was removed, and is put back" in done.err
    assert not list(Path(os.environ["TDD_STATE_DIR"]).rglob("*.held"))


def test_after_a_kill_they_come_back_as_well(tmp_path: Path) -> None:
    spoil = "import pathlib, signal, time\npathlib.Path('.env').unlink()\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(5)"
    kata = kata_of(tmp_path)
    assert kata.next("--phase").code == 0
    kata.write(".env", "KEY=1\n")
    kata.script(green=[spoil, GREEN])
    assert kata.next().code == -9
    done = kata.next()
    assert done.code == 0, done.err
    assert (kata.root / ".env").read_text() == "KEY=1\n"
