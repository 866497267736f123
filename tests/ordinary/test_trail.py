"""O3, O5, O7, E5 and N4 over several commands: flakes across cycles, landed work that is rebased, squashed or built upon."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from . import failing_today
from .bases import CALC, NODE, PYTEST, TEST_CALC, UNITTEST
from .harness import Base, Files, Project, Row
from .rows_commands import JS_RED, JS_RIGHT, RED, RIGHT, UNIT_RED, _flaky

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def known_defect(request: pytest.FixtureRequest) -> None:
    if request.node.name in failing_today.TRAIL:
        request.node.add_marker(pytest.mark.xfail(strict=True, reason="known defect"))


HALVE = {"tests/test_half.py": "from calc import half\n\n\ndef test_halves():\n    assert half(4) == 2\n"}
HALVES = {"calc.py": (RIGHT["calc.py"]) + "\n\ndef half(n):\n    return n / 2\n"}


def project(folder: Path, red: Any = RED, green: Any = RIGHT, base: Base = PYTEST, **kw: Any) -> Project:
    return Project(folder, Row("O7", "trail", base, red, green, **kw))


def landed(folder: Path, **kw: Any) -> Project:
    made = project(folder, **kw)
    made.plan()
    done = made.next()
    assert done.code == 0, done.err
    return made


def commit(made: Project, name: str, text: str, subject: str) -> str:
    made.write(name, text)
    made.git("add", "-A")
    made.git("commit", "-q", "-m", subject)
    return made.git("rev-parse", "HEAD")


def test_a_flake_does_not_refuse_the_next_cycles(tmp_path: Path) -> None:
    flaky: Files = {"tests/test_flaky.py": _flaky("range(2, 99, 2)")}
    made = project(tmp_path, (RED, HALVE), (RIGHT, HALVES), files=flaky)
    for title in ("doubles", "halves"):
        made.plan(title)
        done = made.next()
        assert done.code == 0, done.err
    assert [r["verdict"] for r in made.records("error")] == []
    warnings = " ".join(text for r in made.records("handoff") for text in r.get("warnings") or ())
    assert "test_sometimes" in warnings + done.err


def test_a_red_tree_is_never_known_good(tmp_path: Path) -> None:
    made = landed(tmp_path, files={"tests/test_flaky.py": _flaky("(2, 4, 6)")})
    good = [r for r in made.records("handoff") if r.get("known_good")]
    assert good
    assert all(r["tests"]["exit_code"] == 0 for r in good)


def test_records_tell_the_exit_code_of_the_users_run_and_a_patch_id(tmp_path: Path) -> None:
    made = landed(tmp_path)
    baseline = [r for r in made.records() if r["kind"] == "baseline"]
    assert all(r["tests"]["exit_code"] == 0 for r in baseline)
    handoffs = {r["phase"]: r for r in made.records("handoff")}
    assert handoffs["RED"]["tests"]["exit_code"] == 2  # its new file does not load
    assert handoffs["GREEN"]["tests"]["exit_code"] == 0
    assert handoffs["GREEN"]["patch_id"]


def test_a_cycle_rebased_onto_a_red_branch_is_not_known_good(tmp_path: Path) -> None:
    made = project(tmp_path)
    assert made.tdd("--yes", "init").code == 0
    made.git("add", "-A")
    made.git("commit", "-q", "--allow-empty", "-m", "chore: tdd")
    base = made.git("rev-parse", "HEAD")
    made.plan()
    done = made.next()
    assert done.code == 0, done.err
    made.git("switch", "-q", "-c", "red", base)
    commit(made, "tests/test_broken.py", "def test_broken():\n    assert 1 == 2\n", "test: broken")
    made.git("switch", "-q", "main")
    made.git("rebase", "-q", "red")
    head = made.git("rev-parse", "HEAD")
    told = made.tdd("rollback")
    assert "nothing to undo" not in told.out + told.err
    assert made.git("rev-parse", "HEAD") != head or told.code == 2


def test_a_squash_merge_is_found_by_its_tree_without_trailers(tmp_path: Path) -> None:
    made = project(tmp_path)
    made.git("switch", "-q", "-c", "feature")
    made.plan()
    done = made.next()
    assert done.code == 0, done.err
    made.git("switch", "-q", "main")
    made.git("merge", "--squash", "-q", "feature")
    made.git("commit", "-q", "-m", "Double a number (#12)")
    made.git("branch", "-q", "-D", "feature")
    made.tdd("doctor")
    records = made.tdd("show", "HEAD", "--json")
    assert records.code == 0, records.err
    assert records.json["records"][-1]["known_good"] is True
    head = made.git("rev-parse", "HEAD")
    made.tdd("rollback")
    assert made.git("rev-parse", "HEAD") == head


def test_rollback_never_undoes_work_that_it_did_not_recognise(tmp_path: Path) -> None:
    made = landed(tmp_path)
    mine = commit(made, "notes.md", "by hand\n", "docs: by hand")
    told = made.tdd("rollback")
    assert made.git("merge-base", "--is-ancestor", mine, "HEAD", check=False) == ""
    assert made.git("rev-parse", "HEAD") == mine, told.out + told.err


def test_a_landed_cycle_that_is_reverted_can_be_made_again(tmp_path: Path) -> None:
    made = landed(tmp_path)
    made.git("revert", "--no-edit", "HEAD")
    made.git("revert", "--no-edit", "HEAD~2")
    made.plan("doubles again")
    done = made.next()
    assert done.code == 0, done.err
    assert made.clean_run().returncode == 0


@pytest.mark.parametrize(
    ("base", "red", "green"), [(PYTEST, RED, RIGHT), (UNITTEST, UNIT_RED, RIGHT), (NODE, JS_RED, JS_RIGHT)],
    ids=lambda one: one.name if isinstance(one, Base) else "",
)  # fmt: skip
def test_what_landed_is_verified(tmp_path: Path, base: Base, red: Files, green: Files) -> None:
    made = landed(tmp_path, base=base, red=red, green=green)
    told = made.tdd("verify")
    assert told.code == 0, told.out + told.err


def test_verify_finds_a_part_of_the_command_that_fails_now(tmp_path: Path) -> None:
    make: Files = {
        "Makefile": "test:\n\t{python} -m pytest -q\n\t{python} lint.py\n",
        "lint.py": "print('lint: clean')\n",
    }
    made = landed(tmp_path, files=make, command=("make", "test"))
    cycle = made.git("rev-parse", "HEAD")
    made.git("reset", "-q", "--hard", cycle + "~1")
    made.write("lint.py", "import sys\n\nsys.exit(3)\n")
    made.git("cherry-pick", "-n", cycle)
    made.git("add", "-A")
    message = made.git("log", "-1", "--format=%B", cycle)
    made.git("commit", "-q", "-m", message)
    made.git("notes", "--ref=tdd", "copy", "-f", cycle, "HEAD")
    told = made.tdd("verify")
    assert told.code == 1, told.out + told.err


def test_an_item_that_seems_covered_waits_for_a_person(tmp_path: Path) -> None:
    covered: Files = {
        "tests/test_more.py": "from calc import add\n\n\ndef test_adds_zero():\n    assert add(0, 0) == 0\n"
    }
    made = project(tmp_path, (covered, covered), RIGHT, retries=1)
    item = made.plan("adds zero")
    done = made.next()
    assert done.code == 3, done.err
    assert "adds zero  (waits for your answer)" in made.tdd("plan", "list").out
    assert f"next: tdd cycle approve --item {item}" in made.tdd("status").out
    assert made.tdd("cycle", "reject", "--item", item).code == 0
    assert "waits for your answer" not in made.tdd("plan", "list").out
    assert "next: tdd cycle next" in made.tdd("status").out


def test_an_unrelated_test_that_passes_closes_no_item(tmp_path: Path) -> None:
    unrelated: Files = {"tests/test_more.py": "def test_sums():\n    assert sum([1, 2]) == 3\n"}
    made = project(tmp_path, (unrelated, unrelated), RIGHT, retries=1)
    item = made.plan("doubles")
    done = made.next()
    status = {one["id"]: one["status"] for one in made.tdd("plan", "list", "--json").json["items"]}
    assert done.code == 1, done.err
    assert status[item] != "already_covered"


def test_the_error_of_an_aborted_cycle_is_found_from_the_branch(tmp_path: Path) -> None:
    made = project(tmp_path, RED, {"calc.py": CALC + "\n\ndef double(n):\n    return n\n"})
    assert made.tdd("--yes", "init").code == 0
    made.git("add", "-A")
    made.git("commit", "-q", "--allow-empty", "-m", "chore: tdd")
    made.plan()
    assert made.next().code == 1
    assert '"error"' in made.git("notes", "--ref=tdd", "show", "HEAD")


def test_init_offers_what_fails_already(tmp_path: Path) -> None:
    known: Files = {
        "tests/test_known.py": "from calc import add\n\n\ndef test_known():\n    assert add(1, 1) == 3\n"
    }
    made = project(tmp_path, files=known)
    told = made.tdd("--yes", "init")
    assert told.code == 0, told.err
    made.git("add", "-A")
    made.git("commit", "-q", "--allow-empty", "-m", "chore: tdd")
    made.plan()
    done = made.next()
    assert done.code == 0, done.err


def test_a_test_that_can_be_run_under_a_suite_is_judged_as_under_npm(tmp_path: Path) -> None:
    script = '{"name": "calc", "version": "1.0.0", "scripts": {"test": "node --test"}}\n'
    config = '[[test.suite]]\nname = "js"\ncommand = ["node", "--test"]\n'
    wrong: Files = {"calc.js": (JS_RIGHT["calc.js"]).replace("n * 2", "n + 3")}
    verdicts = []
    ways: tuple[dict[str, Any], ...] = ({"command": ("npm", "test")}, {"config": config})
    for number, more in enumerate(ways):
        made = project(tmp_path / str(number), JS_RED, wrong, NODE, files={"package.json": script}, **more)
        made.plan()
        assert made.next().code == 1
        verdicts.append(made.verdicts())
    assert verdicts[0] == verdicts[1]


def _venv(made: Project) -> None:
    """A .venv with the runner of this one and an editable install of the project, as most people have it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made.root / ".venv"], check=True)
    packages = next((made.root / ".venv/lib").glob("python*/site-packages"))
    ours = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "editable.pth").write_text(f"{made.root / 'src'}\n" + "\n".join(ours) + "\n")


@pytest.mark.parametrize("ignored", [True, False], ids=["ignored", "not ignored"])
def test_an_editable_install_does_not_hide_the_tree(tmp_path: Path, ignored: bool) -> None:
    files: Files = {
        "src/calc/__init__.py": CALC, "tests/test_calc.py": TEST_CALC, "calc.py": None,
        ".gitignore": "__pycache__/\n" + ".venv/\n" * ignored,
    }  # fmt: skip
    right = {"src/calc/__init__.py": RIGHT["calc.py"]}
    base = Base("editable", (".venv/bin/python", "-m", "pytest", "-q"), files)
    config = '[workspace]\nsandbox = "none"\nlink = [".venv"]\n'
    made = project(tmp_path, RED, right, base, config=config)
    _venv(made)
    made.plan()
    done = made.next()
    said = done.err + str([r["reasons"] for r in made.records("error")])
    assert done.code == 0 or "install" in said, said
