"""Bubblewrap: what is inside can write where it may, and nowhere else; skipped with the reason where it does not work."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from tdd_orchestrator.agents import sandbox as room
from tdd_orchestrator.agents.agent import AgentStatus, Fault, Request
from tdd_orchestrator.agents.command import TRANSCRIPT, CommandAgent
from tdd_orchestrator.agents.preset import PRESETS
from tdd_orchestrator.agents.sandbox import Sandbox, agent_wrap, available, choose, wrap, wrap_proof
from tdd_orchestrator.agents.transport import FaultAction, decide
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.policy import RetryPolicy
from tdd_orchestrator.process import Finished, Limits, run

needs_sandbox = pytest.mark.skipif(available() is not None, reason=str(available()))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "tree"


def shell(script: str, tree: Path, **more: object) -> Finished:
    inside = Sandbox(writable=(tree,), **more)  # type: ignore[arg-type]
    return run(wrap(["sh", "-c", script], inside, tree), limits=Limits(timeout=20))


@needs_sandbox
def test_writes_its_tree_and_its_temporary_folder_only(tree: Path) -> None:
    other = tree.parent / "elsewhere"
    done = shell(
        f"echo a > in; echo b > /tmp/b && cat /tmp/b; echo c > {other}/c; echo d > /etc/d; echo e > ~/e; pwd",
        tree,
    )
    assert done.stdout.decode().split() == ["b", str(tree)]
    assert done.stderr.count(b"\n") == 3
    assert (tree / "in").read_text() == "a\n"
    assert not list(other.iterdir())
    assert not Path("/tmp/b").exists()


@needs_sandbox
def test_what_others_left_in_the_temporary_folder_is_in_nobodys_way(tree: Path) -> None:
    """pytest's own folder for ``tmp_path``, above all, which whoever ran pytest before has left there."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="tdd-left-") as left:
        assert shell(f"ls {left}; mkdir -p {left}/own && echo made", tree).stdout.endswith(b"made\n")
        assert not list(Path(left).iterdir())


@needs_sandbox
@pytest.mark.parametrize("top", ["/tmp", "/var/tmp"])
def test_programs_in_the_temporary_folder_are_seen_with_what_stands_beside_them(
    tree: Path, monkeypatch: pytest.MonkeyPatch, top: str
) -> None:
    with tempfile.TemporaryDirectory(dir=top, prefix="tdd-programs-") as folder:
        for name in (
            "venv/bin/tool",
            "venv/lib/part",
            "x/node_modules/tool/main",
            "agent/helper",
            "agent/run",
            "unnamed/file",
        ):
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("seen\n")
        Path(folder, "link").symlink_to(Path(folder, "unnamed", "file"))
        Path(folder, "x", "node_modules", ".bin").mkdir()
        Path(folder, "x", "node_modules", ".bin", "tool").symlink_to("../tool/main")
        monkeypatch.setenv("PATH", f"{folder}/venv/bin:{folder}/x/node_modules/.bin:{os.environ['PATH']}")
        words = [
            "cat",
            f"{folder}/agent/helper",
            f"{folder}/x/node_modules/.bin/tool",
            f"{folder}/venv/lib/part",
        ]
        inside = Sandbox(writable=(tree,), readable=(Path(folder, "agent", "run"),))
        assert run(wrap([*words[:1], *words[1:]], inside, tree)).stdout == b"seen\n" * 3
        assert shell(f"cat $(echo {folder})/unnamed/fil[e]", tree).exit_code != 0


@needs_sandbox
@pytest.mark.parametrize(
    "word", ["/tmp/" + "a" * 5000, "/tmp/..", "/tmp/../etc", "/tmp/nowhere/bin:/tmp//:/tmp/", "/tmp/ && a b"]
)
def test_odd_words_that_begin_as_the_temporary_folder_name_nothing(
    tree: Path, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setenv("ODD", word)
    words = wrap(["echo", word], Sandbox(writable=(tree,)), tree)
    assert words.count("--ro-bind-try") == wrap(["echo"], Sandbox(writable=(tree,)), tree).count(
        "--ro-bind-try"
    )
    assert "/tmp/.." not in words[: words.index("--")]
    assert run(words).stdout.decode().strip() == word


@needs_sandbox
def test_the_temporary_folder_inside_is_the_private_one(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tree.parent / "elsewhere"))
    code = "import tempfile; print(tempfile.mkdtemp())"
    assert run(wrap([sys.executable, "-c", code], Sandbox(writable=(tree,)), tree)).stdout.startswith(
        b"/tmp/"
    )


@needs_sandbox
@pytest.mark.skipif(
    not os.access("/var/lib", os.W_OK), reason="needs a folder that only rights would protect"
)
def test_root_is_held_too(tree: Path) -> None:
    assert shell("touch /var/lib/tdd-was-here || echo held", tree).stdout == b"held\n"
    assert not Path("/var/lib/tdd-was-here").exists()


@needs_sandbox
def test_secrets_of_the_home_are_hidden(tree: Path) -> None:
    home = tree.parent / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id").write_text("secret")
    (home / ".netrc").write_text("secret")
    (home / ".profile").write_text("plain")
    done = shell(f"ls {home}/.ssh; cat {home}/.netrc {home}/.profile", tree, home=home, readable=(home,))
    assert done.stdout == b"plain"
    assert (home / ".netrc").read_text() == "secret"


@needs_sandbox
def test_what_is_made_in_the_home_goes_to_a_private_layer(tree: Path) -> None:
    home = tree.parent / "home"
    for name in (".cache/browser/app", ".cache/go-build/entry", ".config/tool", "go/pkg/mod"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("kept\n")
    (home / "link").symlink_to(".config/tool")
    made = (
        f"mkdir {home}/.tool && mkdir {home}/.cache/tool && mkdir -p {home}/.cache/go-build/00 && echo made;"
    )
    held = f"touch {home}/.config/x {home}/go/pkg/x {home}/.cache/browser/x; echo x > {home}/link;"
    seen = f"cat {home}/link {home}/.cache/browser/app {home}/go/pkg/mod; ls -A {home}/.cache/go-build"
    done = shell(made + held + seen, tree, home=home)
    assert done.stdout == b"made\nkept\nkept\nkept\n00\n"
    assert done.stderr.count(b"Read-only file system") == 4
    assert sorted(place.name for place in home.rglob("*")) == sorted(
        [".cache", ".config", "app", "browser", "entry", "go", "go-build", "link", "mod", "pkg", "tool"]
    )


@needs_sandbox
def test_pip_begins_with_an_empty_cache_as_it_fails_where_it_cannot_write_a_wheel_to_one(tree: Path) -> None:
    """What tox does in every run; the user's wheels are neither seen nor changed."""
    home = tree.parent / "home"
    (home / ".cache/pip/wheels/ab").mkdir(parents=True)
    script = f"ls -A {home}/.cache/pip; mkdir -p {home}/.cache/pip/wheels/6d && echo made"
    assert shell(script, tree, home=home, network=True).stdout == b"made\n"
    assert [place.name for place in (home / ".cache/pip/wheels").iterdir()] == ["ab"]


@needs_sandbox
@pytest.mark.parametrize("entries", [0, 500], ids=["empty", "full"])
def test_a_cache_can_be_made_in_any_home(tree: Path, entries: int) -> None:
    home = tree.parent / "home"
    (home / ".cache").mkdir(parents=True)
    for number in range(entries):
        (home / f"file{number}").touch()
    assert shell(f"mkdir {home}/.cache/tool && echo made", tree, home=home).stdout == b"made\n"
    (home / ".cache").rmdir()
    made = shell(f"mkdir {home}/.cache && echo made", tree, home=home)
    assert made.stdout == (b"" if entries else b"made\n")
    assert not (home / ".cache").exists()


@needs_sandbox
@pytest.mark.parametrize("link", ["home", "home/ada"], ids=["above", "itself"])
def test_a_home_behind_a_link(tree: Path, monkeypatch: pytest.MonkeyPatch, link: str) -> None:
    real = tree.parent / "disk"
    for name in (".ssh/id", "ada/.ssh/id", ".profile", "ada/.profile"):
        (real / name).parent.mkdir(parents=True, exist_ok=True)
        (real / name).write_text(f"{name}\n")
    (tree.parent / link).parent.mkdir(exist_ok=True)
    (tree.parent / link).symlink_to(real)
    home = tree.parent / "home" / "ada"
    monkeypatch.setenv("HOME", str(home))
    below = home.resolve()
    script = f"cat {below}/.profile {below}/.ssh/id; mkdir {below}/.tool && echo made"
    words = wrap_proof(["sh", "-c", script], tree, kind="bubblewrap", network=False)
    assert str(home) not in words
    assert run(words).stdout.endswith(b".profile\nmade\n")
    assert not (home / ".tool").exists()


@needs_sandbox
def test_a_cache_behind_a_link(tree: Path) -> None:
    home, disk = tree.parent / "home", tree.parent / "disk"
    for folder in (home, disk / "old"):
        folder.mkdir(parents=True)
    (home / ".cache").symlink_to(disk)
    done = shell(f"ls {home}/.cache; mkdir {home}/.cache/new && echo made", tree, home=home)
    assert done.stdout == b"old\nmade\n"
    assert not (disk / "new").exists()


@needs_sandbox
def test_an_agents_own_place_behind_a_link(tree: Path) -> None:
    home, output = tree.parent / "home", tree.parent / "output"
    for folder in (home, output, tree.parent / "dotfiles" / "pi"):
        folder.mkdir(parents=True)
    (home / ".pi").symlink_to("../dotfiles/pi")
    environ = {"PATH": os.environ["PATH"], "HOME": str(home)}
    around = agent_wrap(PRESETS["pi"], kind="bubblewrap", environ=environ)
    agent = CommandAgent("mine", ("sh", "-c", "echo s > ~/.pi/s"), wrap=around, environ=environ)
    reply = agent.work(Request("red", "red", "p", tree, output, "c-1"))
    assert reply.status is AgentStatus.SUCCESS, (output / TRANSCRIPT).read_text()
    assert (tree.parent / "dotfiles" / "pi" / "s").exists()


@needs_sandbox
def test_a_sandbox_that_cannot_be_started_pauses_at_once(tree: Path) -> None:
    output = tree.parent / "output"
    output.mkdir()

    def broken(argv: list[str], request: Request) -> list[str]:
        return ["bwrap", "--ro-bind", "/", "/", "--bind", "/no/such/place", "/no/such/place", "--", *argv]

    reply = CommandAgent("mine", ("true",), wrap=broken).work(Request("red", "red", "p", tree, output, "c-1"))
    assert (reply.status, reply.fault) == (AgentStatus.ERROR, Fault.NOT_STARTED)
    assert "bwrap: Can't find source path /no/such/place" in reply.failure_reason
    assert decide(reply, 0, RetryPolicy()).move is FaultAction.PAUSE


@needs_sandbox
@pytest.mark.parametrize(
    ("preset", "variable", "folder"),
    [("opencode", "XDG_STATE_HOME", "opencode"), ("codex", "CODEX_HOME", "sessions"), ("claude", "CLAUDE_CONFIG_DIR", "projects")],
)  # fmt: skip
def test_an_agents_own_place_that_a_variable_names(
    tree: Path, monkeypatch: pytest.MonkeyPatch, preset: str, variable: str, folder: str
) -> None:
    home, output, named = (tree.parent / name for name in ("home", "output", "named"))
    for place in (home, output, named):
        place.mkdir()
    monkeypatch.setenv(variable, str(named))
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), variable: str(named)}
    around = agent_wrap(PRESETS[preset], kind="bubblewrap", environ=environ)
    agent = CommandAgent("mine", ("sh", "-c", f"mkdir -p {named}/{folder}/x"), wrap=around, environ=environ)
    reply = agent.work(Request("red", "red", "p", tree, output, "c-1"))
    assert reply.status is AgentStatus.SUCCESS, (output / TRANSCRIPT).read_text()
    assert (named / folder / "x").is_dir()


@pytest.mark.parametrize("named", [None, "", "relative"])
def test_without_a_home_that_says_where_it_is_the_accounts_own_is_hidden(
    tree: Path, monkeypatch: pytest.MonkeyPatch, named: str | None
) -> None:
    home = tree.parent / "home"
    (home / ".ssh").mkdir(parents=True)
    account = SimpleNamespace(pw_dir=str(home))
    monkeypatch.setattr("pwd.getpwuid", lambda uid: account)
    monkeypatch.delenv("HOME")
    environ = {} if named is None else {"HOME": named}
    monkeypatch.setattr(os, "environ", {**os.environ, **environ})
    hidden = ["--tmpfs", str(home / ".ssh")]
    words = wrap_proof(["true"], tree, kind="bubblewrap", network=False)
    assert hidden in [words[at : at + 2] for at in range(len(words))]
    around = agent_wrap(PRESETS["pi"], kind="bubblewrap", environ=environ)
    assert around is not None
    words = around(["true"], Request("red", "red", "p", tree, tree.parent / "output", "c-1"))
    assert hidden in [words[at : at + 2] for at in range(len(words))]


@needs_sandbox
def test_of_a_cache_that_is_begun_anew_a_program_that_lies_in_it_is_seen(tree: Path) -> None:
    home = tree.parent / "home"
    tool = home / ".cache" / "uv" / "archive" / "bin" / "tool"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\ncat ${0%/*}/../part; ls ${0%/*}/../..\n")
    tool.chmod(0o755)
    (home / ".cache" / "uv" / "archive" / "part").write_text("part\n")
    (home / ".cache" / "uv" / "other").mkdir()
    assert run(wrap([str(tool)], Sandbox(writable=(tree,), home=home), tree)).stdout == b"part\narchive\n"
    inside = Sandbox(writable=(tree,), readable=(tool,), home=home)
    assert run(wrap(["sh", "-c", str(tool)], inside, tree)).stdout == b"part\narchive\n"


@needs_sandbox
def test_without_network_what_uv_has_serves(tree: Path) -> None:
    home = tree.parent / "home"
    wheel = home / ".cache" / "uv" / "archive-v0" / "wheel"
    wheel.parent.mkdir(parents=True)
    wheel.write_text("wheel\n")
    (home / ".cache" / "uv" / ".lock").touch()
    script = f"cat {wheel}; mkdir -p {home}/.cache/uv && echo > {home}/.cache/uv/.lock && echo made; echo > {wheel}"
    assert shell(script, tree, home=home, network=False).stdout == b"wheel\nmade\n"
    assert shell(script, tree, home=home).stdout == b"made\n"
    assert wheel.read_text() == "wheel\n"
    assert (home / ".cache" / "uv" / ".lock").read_text() == ""


@needs_sandbox
def test_what_uv_notes_of_an_interpreter_it_may_note_again(tree: Path) -> None:
    """It keeps a note for each path of an interpreter, and ends where it cannot write one."""
    home = tree.parent / "home"
    notes = home / ".cache" / "uv" / "interpreter-v5" / "3470a12431a434f9"
    notes.mkdir(parents=True)
    assert (
        shell(f"mkdir -p {notes} && touch {notes}/new && echo made", tree, home=home, network=False).stdout
        == b"made\n"
    )
    assert list(notes.iterdir()) == []


@needs_sandbox
@pytest.mark.parametrize("cache", [".vite/vitest", ".vite-temp", ".cache/babel-loader"])
def test_linked_packages_take_the_cache_of_a_test_runner_and_keep_none_of_it(tree: Path, cache: str) -> None:
    """Vitest ends with exit code 1 where it cannot write ``node_modules/.vite/vitest/results.json``."""
    packages = tree.parent / "checkout" / "node_modules"
    (packages / "left-pad").mkdir(parents=True)
    (tree / "node_modules").symlink_to(packages)
    script = (
        f"cd node_modules && mkdir -p {cache} && echo > {cache}/results.json && echo made; echo > left-pad/x"
    )
    for _ in "again":
        done = shell(script, tree, readable=(packages,))
        assert (done.stdout, done.stderr.count(b"\n")) == (b"made\n", 1)
    assert not [path for path in packages.rglob("*") if path.is_file()]


@needs_sandbox
def test_gradle_begins_anew_with_what_the_user_set_and_its_wrappers_programs(tree: Path) -> None:
    gradle = tree.parent / "home" / ".gradle"
    program = "wrapper/dists/gradle-8-bin/hash/gradle-8/bin/gradle"
    for name in (
        "gradle.properties",
        "caches/modules-2/old",
        program,
        "wrapper/dists/gradle-8-bin/hash/zip.lck",
    ):
        (gradle / name).parent.mkdir(parents=True, exist_ok=True)
        (gradle / name).write_text("kept\n")
    script = (
        f"cd {gradle}; cat gradle.properties {program}; mkdir caches daemon && echo made;"
        "echo x > wrapper/dists/gradle-8-bin/hash/zip.lck && echo locked; echo x > gradle.properties"
    )
    assert shell(script, tree, home=gradle.parent).stdout == b"kept\nkept\nmade\nlocked\n"
    assert {path.read_text() for path in gradle.rglob("*") if path.is_file()} == {"kept\n"}


@needs_sandbox
def test_a_variable_that_is_not_passed_on_opens_nothing(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key agent's socket, above all: a read-only view does not stop a connection."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="ssh-") as folder:
        Path(folder, "ticket").write_text("ticket\n")
        for name, value in (
            ("SSH_AUTH_SOCK", f"{folder}/agent.1"),
            ("KRB5CCNAME", f"FILE:{folder}/ticket"),
            ("XDG_RUNTIME_DIR", folder),
            ("MY_DATA", folder),
        ):
            monkeypatch.setenv(name, value)
        assert shell(f"cat {folder}/ticket", tree).stdout == b""
        assert shell(f"cat {folder}/ticket", tree, passed=("MY_DATA",)).stdout == b"ticket\n"


@needs_sandbox
def test_what_an_agents_own_variables_name_is_seen(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="tdd-key-") as folder:
        key = Path(folder, "key.json")
        key.write_text("key")
        monkeypatch.setenv("CODEX_HOME", folder)
        request = Request("red", "red", "p", tree, tree, "c-1")
        for preset, seen in (("codex", b"key"), ("pi", b"")):
            around = agent_wrap(PRESETS[preset], kind="bubblewrap", environ={})
            assert around is not None
            assert run(around(["sh", "-c", f"cat {key}"], request)).stdout == seen


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not look")
def test_what_may_not_be_looked_at_stops_no_sandbox(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="tdd-shut-") as base:
        os.chmod(base, 0o755)
        for name in ("config/.config/gh", "listed/x", "shut/x", "readable/x"):
            Path(base, name).mkdir(parents=True)
        Path(base, "loop").symlink_to("loop")
        for name, mode in (("config/.config", 0), ("listed", 0o744), ("shut", 0o700), ("readable", 0o700)):
            os.chmod(Path(base, name), mode)
        nobody = 65534
        os.setresuid(nobody, nobody, 0)
        try:
            for home in ("config", "listed", "shut"):
                seen = (Path(base, "readable", "x"), Path(base, "loop"))
                assert wrap(["true"], Sandbox(home=Path(base, home), readable=seen), tmp_path)
        finally:
            os.setresuid(0, 0, 0)


@needs_sandbox
def test_no_network_but_loopback_of_its_own(tree: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket;socket.create_connection(('127.0.0.1',{port}),3)"
        inside = Sandbox(writable=(tree,))
        assert run(wrap([sys.executable, "-c", code], inside, tree)).exit_code == 0
        shut = Sandbox(writable=(tree,), network=False)
        assert run(wrap([sys.executable, "-c", code], shut, tree)).exit_code == 1
        own = "import socket;s=socket.create_server(('127.0.0.1',0));socket.create_connection(s.getsockname(),3)"
        assert run(wrap([sys.executable, "-c", own], shut, tree)).exit_code == 0


@needs_sandbox
def test_what_it_starts_ends_with_it(tree: Path) -> None:
    own = f"300.{os.getpid()}"  # nobody else's sleep
    done = shell(f"setsid sleep {own} & echo started", tree)
    assert done.stdout == b"started\n"
    assert f"sleep\0{own}".encode() not in b"".join(
        path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()
    )


@needs_sandbox
def test_an_agent_inside(tree: Path) -> None:
    output = tree.parent / "output"
    output.mkdir()
    home = tree.parent / "home"
    home.mkdir()
    environ = {"PATH": os.environ["PATH"], "HOME": str(home)}
    around = agent_wrap(PRESETS["pi"], kind="bubblewrap", environ=environ)
    code = (
        "import os,pathlib,tempfile;h=pathlib.Path.home();o=pathlib.Path(os.environ['TDD_OUTPUT_DIR'])\n"
        "(o/'report.md').write_text('r'*120);(h/'.pi'/'s').write_text('s');tempfile.mkstemp()\n"
        "for p in (pathlib.Path('x'), h/'y'):\n"
        "    try: p.write_text('x'); print('wrote', p.name)\n"
        "    except OSError as e: print('held', p.name)\n"
    )
    agent = CommandAgent("mine", (sys.executable, "-c", code), wrap=around, environ=environ)
    request = Request("red", "red", "p", tree, output, "c-1")
    reply = agent.work(request)
    assert reply.status is AgentStatus.SUCCESS, (output / TRANSCRIPT).read_text()
    assert (tree / "x").exists()
    assert not (home / "y").exists()
    assert reply.report == "r" * 120
    assert (home / ".pi" / "s").exists()
    (tree / "x").unlink()
    reader = Request("analyze", "analyze", "p", tree, output, "c-1", read_only=True)
    agent.work(reader)
    assert "held x" in (output / TRANSCRIPT).read_text()
    assert not (tree / "x").exists()


@needs_sandbox
def test_a_proof_without_network_writes_its_tree(tree: Path) -> None:
    words = wrap_proof(["sh", "-c", "echo 1 > made; cat made"], tree, kind="bubblewrap", network=False)
    assert run(words, cwd=tree).stdout == b"1\n"


def test_none_leaves_the_command_alone(tree: Path) -> None:
    assert wrap(["a", "b"], Sandbox("none"), tree) == ["a", "b"]
    assert agent_wrap(PRESETS["pi"], kind="none") is None
    assert choose("none") == "none"


def test_without_the_program_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    room.available.cache_clear()
    try:
        assert available() == "bubblewrap is not installed (the program bwrap)."
        assert choose("auto") == "none"
        with pytest.raises(Refused, match="bwrap"):
            choose("bubblewrap")
    finally:
        room.available.cache_clear()
