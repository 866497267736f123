"""`tdd hooks install`: what is pushed is verified first; a hook of the user's own is never lost. CI entries that fit."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from kit import GREEN, RED, ROOT, Done, Kata


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path)
    kata.git("init", "-q", "--bare", str(tmp_path / "hub.git"))
    kata.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    return kata


def _push(kata: Kata, *words: str) -> Done:
    done = subprocess.run(
        ["git", "push", "-q", *words, "origin", "main"], cwd=kata.root, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


def _hook(kata: Kata) -> Path:
    return kata.root / ".git" / "hooks" / "pre-push"


def test_a_proven_history_is_pushed_and_an_unproven_one_is_not(kata: Kata) -> None:
    assert kata.tdd("hooks", "install").code == 0
    pushed = _push(kata)
    assert pushed.code == 0, pushed.err
    kata.plan()
    kata.script(red=[RED], green=[GREEN], refactor=[""])
    assert kata.next().code == 0
    pushed = _push(kata)
    assert pushed.code == 0, pushed.err
    assert "Proven" in pushed.err
    kata.write("double.py", "def double(number):\n    return 0\n")
    kata.git("commit", "-q", "-am", "feat: pretended\n\nTdd-Cycle: c-none\nTdd-Phase: GREEN")
    refused = _push(kata)
    assert refused.code == 1
    assert "no-record" in refused.err
    assert "--no-verify" in refused.err
    assert _push(kata, "--no-verify").code == 0


def test_without_records_nothing_stands_in_the_way(kata: Kata) -> None:
    kata.tdd("hooks", "install")
    assert _push(kata).code == 0


def test_the_users_own_hook_is_kept_and_asked_first(kata: Kata) -> None:
    mine = _hook(kata)
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("#!/bin/sh\ncat > ../seen\necho no >&2\nexit 7\n")
    mine.chmod(0o755)
    before = mine.read_bytes()
    said = kata.tdd("hooks", "install")
    assert said.code == 0
    assert "your own hook is kept" in said.out
    refused = _push(kata)
    assert refused.code != 0
    assert "no" in refused.err
    assert "refs/heads/main" in (kata.root.parent / "seen").read_text()
    assert kata.tdd("hooks", "install").out.strip().endswith("installed already.")
    assert kata.tdd("hooks", "install", "--uninstall").code == 0
    assert mine.read_bytes() == before


def test_it_goes_without_a_trace(kata: Kata) -> None:
    kata.tdd("hooks", "install")
    assert _hook(kata).exists()
    assert kata.tdd("hooks", "install", "--uninstall").code == 0
    assert not _hook(kata).exists()
    assert "no hook" in kata.tdd("hooks", "install", "--uninstall").out


def test_hooks_that_others_keep_are_not_touched(kata: Kata) -> None:
    kata.git("config", "core.hooksPath", "../shared-hooks")
    done = kata.tdd("hooks", "install")
    assert done.code == 2
    assert "core.hooksPath" in done.err
    assert not (kata.root.parent / "shared-hooks").exists()


def test_two_foreign_hooks_are_refused(kata: Kata) -> None:
    _hook(kata).parent.mkdir(exist_ok=True)
    _hook(kata).write_text("#!/bin/sh\n")
    _hook(kata).with_name("pre-push.before-tdd").write_text("#!/bin/sh\n")
    assert kata.tdd("hooks", "install").code == 2
    assert _hook(kata).read_text() == "#!/bin/sh\n"


def test_the_action_calls_only_what_there_is() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    [script] = [step["run"] for step in action["runs"]["steps"] if step.get("name") == "tdd verify"]
    used = {word for word in script.replace("(", " ").replace(")", " ").split() if word.startswith("--")}
    from tdd_orchestrator.cli.report import report
    from tdd_orchestrator.cli.verify import verify

    known = {option for parameter in verify.params for option in parameter.opts}
    assert set(re.findall(r'"\$TDD" report (\w+)', script)) <= set(report.commands)
    assert used - {"--is-shallow-repository", "--quiet", "--unshallow"} <= known
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    assert all("${{" not in step.get("run", "") for step in action["runs"]["steps"]), (
        "no expression inside a script"
    )


def test_the_pre_commit_entry_calls_verify() -> None:
    hook, *_ = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["stages"] == ["pre-push"]
    assert "tdd verify" in hook["entry"]


def test_the_hook_imports_nothing_of_the_work_tree() -> None:
    """It starts there, before anything is verified: a module called as one of ours or Python's own would be run."""
    from tdd_orchestrator.audit import hook

    assert " -P -m tdd_orchestrator" in hook._tdd()
    steps = (Path(__file__).parents[2] / "action.yml").read_text()
    assert not [line for line in steps.splitlines() if " -m " in line and " -I -m " not in line]
