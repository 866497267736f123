"""What `tdd init` and `tdd doctor` say is what the next command would say: each situation that stopped it in silence."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from kit import PYTEST, Kata

from tdd_orchestrator.agents.sandbox import available

PATH = os.pathsep.join((str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"))


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


def empty(tmp_path: Path, **files: str) -> Kata:
    """A repository without tests and without tdd.toml."""
    kata = Kata(tmp_path, existing=False)
    kata.git("rm", "-q", "tdd.toml", "README.md")
    for name, text in files.items():
        kata.write(name.replace("__", "."), text)
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "chore: files")
    return kata


def test_a_disk_that_is_almost_full_is_found(kata: Kata, monkeypatch: pytest.MonkeyPatch) -> None:
    from tdd_orchestrator.app.health.checks import disk
    from tdd_orchestrator.app.open_repository import OpenRepository

    monkeypatch.setenv("TDD_STATE_DIR", str(kata.root.parent / "not/yet/made"))
    with OpenRepository(kata.root) as repository:
        assert list(disk(repository)) == []
        monkeypatch.setattr(
            shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(3 << 20, 3 << 20, 28 << 10)
        )
        (found,) = disk(repository)
    assert found.stops
    assert found.sentence == f"28 kB are free on the disk of {kata.root / '.git'}: make room."


def test_a_red_suite_is_found_and_offered_as_known(kata: Kata) -> None:
    kata.write("greet.py", "def greet(name):\n    return 'bye'\n")
    kata.git("commit", "-q", "-am", "feat: another greeting")
    found = kata.tdd("doctor")
    assert found.code == 1
    assert "tests: The tests fail before anything was changed: tests/test_greet.py::test_greets" in found.out
    assert "fixed: test.known_failing in tdd.toml" in kata.tdd("--yes", "init").out
    assert kata.tdd("doctor").out == "Nothing is wrong.\n"
    kata.plan()
    assert kata.next().code == 0


def test_the_baseline_of_init_is_the_one_of_the_first_cycle(kata: Kata) -> None:
    kata.tdd("init")
    kata.plan()
    assert "running the tests as they are" not in kata.next().err
    assert len(kata.records("baseline")) == 1


def test_a_bad_rule_is_found(kata: Kata) -> None:
    kata.configure('[[rules]]\nname = "mine"\npatern = "x"\n')
    out = kata.tdd("doctor", "--no-tests").out
    assert "diagnosis rule mine" in out
    assert "patern" in out


def test_a_signing_key_that_is_missing_is_found(kata: Kata) -> None:
    kata.configure("[notes]\nsign = true\n")
    kata.git("config", "gpg.format", "ssh")
    assert "settings: notes.sign is true, and git knows no key" in kata.tdd("doctor", "--no-tests").out
    kata.git("config", "user.signingKey", "/nowhere/id_ed25519.pub")
    out = kata.tdd("doctor", "--no-tests").out
    assert "git cannot sign with the key '/nowhere/id_ed25519.pub': it is not on this machine" in out


def test_an_extra_and_a_token_that_are_missing_are_found(kata: Kata) -> None:
    kata.configure('[github]\nrepository = "me/kata"\n')
    out = kata.tdd("doctor", "--no-tests").out
    assert "GITHUB_TOKEN holds no token" in out
    kata.write("package.json", '{"scripts": {"test": "jest"}}')
    kata.configure("[proof]\nmutation = true\n")
    kata.tdd("config", "set", "test.command", "npm test")
    assert "proof.mutation works for Python only" in kata.tdd("doctor", "--no-tests").out


def test_a_recording_that_is_missing_is_found(kata: Kata) -> None:
    kata.configure('[agents.tape]\npreset = "replay"\nrecording = "gone.toml"\n')
    kata.tdd("config", "set", "agents.red", "tape")
    assert "gone.toml: the recording cannot be read" in kata.tdd("doctor", "--no-tests").out


def test_a_plan_ref_that_is_no_plan_is_found_and_not_written_over(kata: Kata) -> None:
    head = kata.git("rev-parse", "HEAD")
    kata.git("update-ref", "refs/notes/tdd-plan", head)
    assert "plan: refs/notes/tdd-plan" in kata.tdd("doctor", "--no-tests").out
    done = kata.tdd("plan", "add", "another")
    assert done.code == 2
    assert kata.tdd("init").code == 1
    assert kata.git("rev-parse", "refs/notes/tdd-plan") == head


def test_a_runner_that_is_missing_is_found(kata: Kata, tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    text = (kata.root / "tdd.toml").read_text().replace(json.dumps(PYTEST), '"python -m pytest -q"')
    kata.write("tdd.toml", text)
    out = kata.tdd("doctor", env={"PATH": f"{python.parent}:/usr/bin:/bin"}).out
    assert "tests: pytest is not installed for python. Install it: python -m pip install pytest" in out


def test_a_python_that_pip_may_not_install_into_asks_for_an_environment(kata: Kata, tmp_path: Path) -> None:
    """Debian's, Fedora's and Homebrew's: `python3 -m pip install` refuses there (PEP 668)."""
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    (tmp_path / "EXTERNALLY-MANAGED").touch()
    patch = f"import sys, sysconfig; sysconfig.get_path = lambda *_: {str(tmp_path)!r}; sys.prefix = sys.base_prefix"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S -c "{patch}\n$2" "$3"\n')
    python.chmod(0o755)
    kata.tdd("config", "set", "test.command", "python3 -m pytest -q")
    path = {"PATH": f"{python.parent}:/usr/bin:/bin"}
    out = kata.tdd("doctor", env=path).out
    assert "tests: pytest is not installed for python3. Install it in an environment of the project" in out
    assert "python3 -m venv .venv && .venv/bin/python -m pip install pytest" in out
    environment_of_its_own(kata)
    kata.write(".gitignore", ".venv/\n")
    out = kata.tdd("doctor", env=path).out
    assert "tests: pytest is not installed for python3, but it is in .venv." in out
    assert "tdd config set test.command '.venv/bin/python3 -m pytest -q'" in out
    assert "The tests say the same here" in kata.tdd("--yes", "init", env=path).out
    assert kata.tdd("config", "get", "workspace.link").out == '[".venv"]\n'


def environment_of_its_own(kata: Kata) -> None:
    """Make ``.venv``, with the packages of the tests' own Python."""
    subprocess.run(
        [sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", ".venv"],
        cwd=kata.root,
        check=True,
    )
    site = next((kata.root / ".venv/lib").glob("python*/site-packages"))
    mine = next(Path(path) for path in sys.path if path.endswith("site-packages"))
    (site / "parent.pth").write_text(f"{mine}\n")


@pytest.mark.skipif(available() is not None, reason=str(available()))
def test_an_agent_is_asked_in_the_sandbox_in_which_it_works(kata: Kata) -> None:
    outside = kata.root / "outside.txt"  # the sandbox shows it, and keeps it as it is
    kata.tdd("config", "set", "agents.mine.command", json.dumps(["sh", "-c", f"echo ready > {outside}"]))
    kata.tdd("config", "set", "agents.default", "mine")
    kata.tdd("config", "set", "workspace.sandbox", "none")
    assert kata.tdd("doctor", "--agents", "--no-tests").out == "Nothing is wrong.\n"
    kata.tdd("config", "set", "workspace.sandbox", "bubblewrap")
    outside.unlink()
    assert "agents: mine: exit code" in kata.tdd("doctor", "--agents", "--no-tests").out
    assert not outside.exists()


def test_an_environment_that_git_does_not_ignore_is_linked_and_may_be_ignored(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.git("rm", "-q", "tdd.toml")
    kata.git("commit", "-q", "-m", "chore: afresh")
    environment_of_its_own(kata)
    before = kata.tdd("init", "--dry-run", env={"PATH": PATH})
    assert 'command = ".venv/bin/python -m pytest' in before.out
    said = kata.tdd("init", env={"PATH": PATH}).out
    assert ".venv is not ignored by git" in said
    assert "echo .venv/ >> .gitignore" in said
    said = kata.tdd("--yes", "init", env={"PATH": PATH}).out
    assert "fixed: .venv/ in .gitignore" in said
    assert (kata.root / ".gitignore").read_text().endswith("\n.venv/\n")
    assert kata.tdd("config", "get", "workspace.link").out == '[".venv"]\n'
    assert kata.tdd("config", "get", "test.command").out.startswith(".venv/bin/python -m pytest")
    assert "The tests say the same here and in a clean tree: 1 passing." in said


def test_what_init_fixes_is_looked_at_again_with_the_new_configuration(kata: Kata) -> None:
    """Its first look must not decide the last: pytest is in ``.venv``, and not beside ``python``."""
    environment = kata.root / ".venv" / "bin" / "python"
    environment.parent.mkdir(parents=True)
    environment.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    environment.chmod(0o755)
    (kata.root / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    bare = kata.root.parent / "bare" / "python"
    bare.parent.mkdir()
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    text = (kata.root / "tdd.toml").read_text().replace(json.dumps(PYTEST), '"python -m pytest -q"')
    kata.write("tdd.toml", text)
    said = kata.tdd("--yes", "init", env={"PATH": f"{bare.parent}:/usr/bin:/bin"}).out
    assert "fixed: workspace.link, test.command in tdd.toml" in said
    assert "pytest is not installed" not in said
    assert "The tests say the same here and in a clean tree: 1 passing." in said


def test_a_module_that_comes_from_another_environment_is_found(kata: Kata, tmp_path: Path) -> None:
    kata.git("mv", "greet.py", "hello.py")
    (kata.root / "src/kata").mkdir(parents=True)
    kata.write("src/kata/__init__.py", "def greet(name):\n    return f'hello {name}'\n")
    kata.write(
        "tests/test_greet.py", "from kata import greet\n\n\ndef test_greets():\n    assert greet('a')\n"
    )
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "refactor: src layout")
    copy = tmp_path / "site" / "kata"
    copy.mkdir(parents=True)
    (copy / "__init__.py").write_text("def greet(name):\n    return 'an old one'\n")
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    add = f"import sys; sys.path.append({str(copy.parent)!r})"
    mine = next(Path(path) for path in sys.path if path.endswith("site-packages"))
    site = tmp_path / "custom"
    site.mkdir()
    (site / "sitecustomize.py").write_text(f"{add}; sys.path.append({str(mine)!r})\n")
    python.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{site}" exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    text = (kata.root / "tdd.toml").read_text().replace(json.dumps(PYTEST), '"python -m pytest -q"')
    kata.write("tdd.toml", text)
    env = {"PATH": f"{python.parent}:/usr/bin:/bin"}
    out = kata.tdd("doctor", env=env).out
    assert "'kata' is imported from an installed copy" in out
    kata.write("pytest.ini", "[pytest]\npythonpath = src\n")  # pytest puts the tree first
    assert kata.tdd("doctor", env=env).out == "Nothing is wrong.\n"
    (kata.root / "pytest.ini").unlink()
    assert "fixed: workspace.python_path in tdd.toml" in kata.tdd("--yes", "init", env=env).out
    assert kata.tdd("doctor", env=env).out == "Nothing is wrong.\n"


@pytest.mark.parametrize("name", ["init", "doctor"])
def test_a_command_that_is_several_commands_is_named(kata: Kata, name: str) -> None:
    kata.write("Makefile", "test:\n\tpython -m pytest -q\n\truff check .\n")
    text = (kata.root / "tdd.toml").read_text().replace(json.dumps(PYTEST), '"make test"')
    kata.write("tdd.toml", text)
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "build: make")
    out = kata.tdd(name, env={"PATH": PATH}).out
    assert "The test command runs 2 commands (python -m pytest -q; ruff check .)" in out
    assert "[[test.suite]]" in out


def test_several_commands_become_suites_on_demand(kata: Kata) -> None:
    text = (kata.root / "tdd.toml").read_text()
    kata.write("tdd.toml", text.replace(json.dumps(PYTEST), '"python -m pytest -q && ruff check ."'))
    out = kata.tdd("--yes", "init", env={"PATH": PATH}).out
    assert "fixed: test.suite in tdd.toml" in out
    assert [one["name"] for one in json.loads(kata.tdd("config", "get", "test.suite").out)] == [
        "pytest",
        "ruff",
    ]
    assert "framework" not in kata.tdd("doctor", env={"PATH": PATH}).out  # a linter has none


def test_a_command_for_a_shell_is_run_in_one_on_demand(kata: Kata) -> None:
    text = (kata.root / "tdd.toml").read_text()
    kata.write("tdd.toml", text.replace(json.dumps(PYTEST), '"python -m pytest -q | cat"'))
    assert "tests: The test command needs a shell" in kata.tdd("doctor", "--no-tests").out
    kata.tdd("--yes", "init", env={"PATH": PATH})
    assert kata.tdd("config", "get", "test.shell").out == "true\n"


def test_a_python_package_without_tests(tmp_path: Path) -> None:
    kata = empty(tmp_path, pyproject__toml='[project]\nname = "kata"\nversion = "1"\n')
    out = kata.tdd("init", "--agent", "human", env={"PATH": PATH}).out
    assert "test command: python -m pytest -q  (pytest: pyproject.toml is there, and no test yet" in out
    assert "no tests yet." in out
    assert "Next: commit tdd.toml, tdd plan add" in out
    kata.plan()
    assert "Next: commit tdd.toml, tdd cycle next." in kata.tdd("init", env={"PATH": PATH}).out
    assert "No coding agent" not in out  # also where none is installed: a person was chosen


@pytest.mark.parametrize(
    "manifest", ['{"name": "kata"}', '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}']
)
def test_a_package_json_without_a_script(tmp_path: Path, manifest: str) -> None:
    kata = empty(tmp_path, package__json=manifest)
    assert "test command: node --test" in kata.tdd("init", "--agent", "human", env={"PATH": PATH}).out


def test_tests_of_which_the_command_says_nothing_are_told_at_once(kata: Kata) -> None:
    text = (kata.root / "tdd.toml").read_text()
    kata.write("tdd.toml", text.replace(json.dumps(PYTEST), '["make", "test"]'))
    kata.write("Makefile", "test:\n\t@echo fine\n")
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "chore: a makefile")
    kata.plan()
    done = kata.next()
    assert done.code == 2
    assert "make test succeeds, and nothing in its output says that a test ran" in done.err
    assert "tests/test_greet.py is here" in done.err
    kata.write("Makefile", "test:\n\t@echo ok 1 - greets\n\t@echo 1..1\n")
    kata.git("commit", "-q", "-a", "-m", "chore: TAP")
    assert "1 passing" in kata.tdd("doctor").err


def test_a_makefile_with_a_test_target(tmp_path: Path) -> None:
    kata = empty(tmp_path, Makefile="test:\n\tsh check.sh\n", check__sh="true\n")
    assert "test command: make test" in kata.tdd("init", "--agent", "human", env={"PATH": PATH}).out


def test_a_package_alone_shows_its_language(tmp_path: Path) -> None:
    kata = empty(tmp_path, README="a kata")
    kata.write("calc/__init__.py", "def add(a, b):\n    return a + b\n")
    assert "pytest: calc/__init__.py is there, and no test yet" in kata.tdd("init", "--dry-run").out


def test_without_a_file_the_tests_run_as_init_would_write_them(tmp_path: Path) -> None:
    kata = empty(tmp_path, Makefile="test:\n\techo ran in $(CURDIR)\n")
    done = kata.tdd("test")
    assert (done.code, "make test" in done.err) == (0, True)
    assert "ran in" in done.out


def test_a_misspelt_agent_is_an_error(kata: Kata) -> None:
    kata.plan()
    assert "Did you mean 'scripted'" in kata.next("--agent", "scriptd").err
    done = kata.tdd("init", "--agent", "clade")
    assert done.code == 2
    assert "There is no agent 'clade'. Did you mean 'claude'?" in done.err
    done = kata.tdd("config", "set", "agents.default", "humann")
    assert done.code == 2
    assert "Did you mean 'human'?" in done.err


def test_init_changes_the_agent_of_a_file_that_is_there(kata: Kata) -> None:
    kata.tdd("init", "--agent", "human")
    assert kata.tdd("config", "get", "agents.default").out == "human\n"
    assert "[agents.scripted]" in (kata.root / "tdd.toml").read_text()


def test_no_agent_is_installed(tmp_path: Path) -> None:
    kata = empty(tmp_path, pyproject__toml='[project]\nname = "kata"\nversion = "1"\n')
    out = kata.tdd("init", env={"PATH": "/usr/bin:/bin"}).out
    assert "No coding agent is installed, so you are the agent" in out


def test_packages_that_are_not_installed_are_named(tmp_path: Path) -> None:
    kata = empty(tmp_path, package__json='{"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "10"}}')
    said = kata.tdd("init").out
    assert "note: The packages of package.json are not installed. Install them: npm install" in said
    assert "running the tests" not in said


def test_packages_that_were_installed_after_init_are_shared_on_demand(tmp_path: Path) -> None:
    test = "const zero = require('zero');\nrequire('node:test')('zero', () => zero());\n"
    manifest = '{"scripts": {"test": "node --test"}, "dependencies": {"zero": "1"}}'
    kata = empty(tmp_path, package__json=manifest, test__js=test, __gitignore="node_modules\n")
    kata.tdd("init")
    kata.write("node_modules/zero/index.js", "module.exports = () => 0;\n")
    assert "tdd config set workspace.link '[\"node_modules\"]'" in kata.tdd("doctor").out
    assert "fixed: workspace.link in tdd.toml" in kata.tdd("--yes", "init").out
    assert kata.tdd("doctor").out == "Nothing is wrong.\n"


def test_what_doctor_advises_without_tdd_toml_works(tmp_path: Path) -> None:
    kata = empty(tmp_path, calc__py="def one():\n    return 1\n")
    found = json.loads(kata.tdd("doctor", "--json", "--no-tests", env={"PATH": PATH}).out)["troubles"]
    advice = next(one["sentence"].rpartition(": tdd ")[2] for one in found if one["check"] == "agents")
    assert kata.tdd(*advice.split(), env={"PATH": PATH}).code == 0
    assert kata.tdd("config", "get", "agents.default").out == "human\n"


def test_a_plan_that_cannot_be_read_refuses_and_writes_nothing(kata: Kata) -> None:
    blob = kata.git("hash-object", "-w", "README.md").strip()
    kata.git("update-ref", "refs/notes/tdd-plan", blob)
    before = kata.git("for-each-ref")
    done = kata.next()
    assert done.code == 2
    assert "refs/notes/tdd-plan names a blob" in done.err
    assert kata.git("for-each-ref") == before


@pytest.mark.skipif(available() is not None, reason=str(available()))
def test_a_suite_that_only_a_sandbox_stops_is_called_that(tmp_path: Path) -> None:
    kata, server = Kata(tmp_path, existing=False), socket.create_server(("127.0.0.1", 0))
    kata.write(
        "check.py",
        "import socket, sys\nsocket.create_connection(('127.0.0.1', int(sys.argv[1])))\nprint('ok 1\\n1..1')\n",
    )
    kata.configure('[workspace]\nsandbox = "bubblewrap"\n')
    command = json.dumps([sys.executable, "check.py", str(server.getsockname()[1])])
    text = (kata.root / "tdd.toml").read_text()
    kata.write("tdd.toml", text.replace(json.dumps(PYTEST), f'{command}\nframework = "tap"'))
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "chore: a script")
    with server:
        out = kata.tdd("doctor").out
    assert "tests: Here the tests end as 'passed', in a sandbox as 'crashed'" in out
    assert "ConnectionRefusedError" in out
    assert "workspace.test_network = true" in out
    assert "workspace.setup" in out
