"""``tdd fix`` where something is odd: the branch moves, a test is lost from sight, there is nobody to send, nothing to fix."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from kit import Kata
from red_prices import BY_TEST, LABEL, PRICES, WAITS, red_prices


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return red_prices(tmp_path)


def test_a_branch_that_moves_meanwhile_keeps_what_it_has(kata: Kata) -> None:
    moves = f"import subprocess\nsubprocess.run(['git', 'commit', '-q', '--allow-empty', '-m', 'mine'], cwd={str(kata.root)!r})\n"
    kata.script(fix=[BY_TEST + moves, BY_TEST])
    done = kata.tdd("fix")
    assert done.code == 4, done.err
    assert "main moved while a fix for it was made." in done.err
    assert kata.subjects()[-1] == "mine"
    kept = done.err.split("git cherry-pick ")[1].split(".")[0]
    assert kata.git("cat-file", "-t", kept) == "commit"
    assert kata.tdd("fix").code == 0


def test_a_fix_that_fails_names_one_next_step_also_the_second_time(kata: Kata) -> None:
    kata.write("prices.py", PRICES.replace("currency.upper()", "currency"))
    kata.write(
        "tests/test_prices.py",
        "from prices import label\n\n\ndef test_label():\n    assert label('eur') == 'eur!'\n",
    )
    kata.git("commit", "-q", "-am", "test: one cause")
    kata.script(fix=[""])
    for _ in range(2):
        done = kata.tdd("fix")
        assert done.code == 1, done.err
        [report] = kata.tdd("errors", "list", "--json").json["errors"]
        step = f"tdd errors prompt {report['error_id']}"
        assert done.out.splitlines()[-1] == f"next: {step}, fix it by hand, then tdd fix"
        status = kata.tdd("status").out
        assert "  tdd fix failed: " in status
        assert status.splitlines()[-1] == f"  next: {step}"
        assert kata.tdd("errors", "prompt", report["error_id"]).code == 0


def test_each_test_of_one_cause_is_shown_at_its_own_place(kata: Kata) -> None:
    kata.write("prices.py", "def label(currency):\n    return 3\n")
    test = "\n\ndef test_{0}():\n    assert label('eur') == {0}\n"
    kata.write("tests/test_prices.py", "from prices import label\n" + test.format(4) + test.format(5))
    kata.git("commit", "-q", "-am", "test: one cause")
    kata.script(fix=[""])
    lines = kata.tdd("fix").out.splitlines()
    assert [
        line.strip().split(": ")[0]
        for line in lines
        if "tests/test_prices.py:" in line and ": assert" in line
    ] == [
        "tests/test_prices.py:5",
        "tests/test_prices.py:9",
    ]


def test_what_is_lost_from_sight_is_not_healed(kata: Kata) -> None:
    """E2: a failing test that no longer runs, or a run that cannot be read, is not a pass."""
    kata.write("prices.py", PRICES + "CASES = ['a', 'b']\n")
    kata.write(
        "tests/test_prices.py",
        "import pytest\n\nfrom prices import CASES, label\n\n\n@pytest.mark.parametrize('case', CASES)\ndef test_label(case):\n"
        "    assert label(case) == case + '!'\n",
    )
    kata.git("commit", "-q", "-am", "test: cases")
    kata.script(fix=[LABEL + LABEL.replace('"?", "!"', "\"'a', 'b'\", \"'a'\"")])
    done = kata.tdd("fix", "--json")
    told = {result["test"].rpartition("::")[2]: result for result in done.json["results"]}
    assert told["test_label[a]"]["status"] == "PASSED"
    assert told["test_label[b]"]["status"] == "FAILED"
    assert "is not run any more" in told["test_label[b]"]["errors"][0]
    assert done.code == 1


NOT_RUN = (
    "import sys\nF = sys.modules['_py' + 'test.python'].Function\nold = F.runtest\n"
    "F.runtest = lambda self: None if self.name == 'test_label' else old(self)\n"
)
CHEAT = BY_TEST.replace(LABEL, f"open('prices.py', 'a').write({NOT_RUN!r})\n")
"""The whole suite passes then, and so does ``test_label`` with a failing statement at its end: its body is not run."""


def test_a_fix_that_keeps_its_test_from_failing_is_none(kata: Kata) -> None:
    kata.script(fix=[CHEAT])
    done = kata.tdd("fix", "--json")
    results = {result["test"].rpartition("::")[2]: result for result in done.json["results"]}
    assert (done.code, results["test_label"]["status"]) == (1, "FAILED"), done.err
    assert results["test_price"]["status"] == "PASSED"
    assert any("the fix keeps it from failing" in error for error in results["test_label"]["errors"])
    assert "runtest" not in (kata.root / "prices.py").read_text()


def test_a_recorded_fix_is_asked_again_by_verify(kata: Kata) -> None:
    kata.script(fix=[CHEAT])
    assert kata.tdd("fix", env={"TDD_PROOF_QUESTIONS": "[]"}).code == 0
    done = kata.tdd("verify")
    assert done.code == 1, done.out
    assert "tampered" in done.out + done.err
    assert "the fix keeps it from failing" in done.out + done.err


def test_a_last_run_that_cannot_be_read_heals_nothing(kata: Kata, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    kata.write(
        "tests/test_prices.py",
        f"import os\nimport pathlib\n\n\ndef test_odd():\n    runs = pathlib.Path({str(runs)!r})\n"
        "    runs.write_text((runs.read_text() if runs.exists() else '') + 'x')\n"
        "    os._exit(0) if len(runs.read_text()) > 3 else None\n    assert False\n",
    )
    kata.git("commit", "-q", "-am", "test: odd")
    kata.script(fix=[""])
    done = kata.tdd("fix", "--json")
    assert (done.code, done.json["results"][0]["status"]) == (1, "FAILED"), done.err


@pytest.mark.parametrize(
    ("more", "args", "said"),
    [("known_failing = ['tests/test_prices.py::test_label']", [], "what fails is known"), ("", ["-k", "zzz"], "no test was run")],
)  # fmt: skip
def test_nothing_to_heal_says_why(kata: Kata, more: str, args: list[str], said: str) -> None:
    kata.write(
        "tests/test_prices.py",
        "from prices import label\n\n\ndef test_label():\n    assert label('a') == 'a!'\n",
    )
    kata.git("commit", "-q", "-am", "test: one")
    kata.write("tdd.toml", (kata.root / "tdd.toml").read_text().replace("[agents]", f"{more}\n[agents]", 1))
    done = kata.tdd("fix", *(["--", sys.executable, "-m", "pytest", "-q", *args] if args else []))
    assert (done.code, kata.calls()) == (0, []), done.err
    assert f"Nothing to fix: {said}" in done.out


def test_a_report_is_closed_for_what_was_seen_of_its_test(kata: Kata) -> None:
    """Another error, and a command that does not run the test, are no reasons to say that it passes again."""
    test = "tests/test_prices.py::test_label"
    kata.write(
        "tests/test_prices.py",
        "from prices import label\n\n\ndef test_label():\n    assert label('a') == 'a!'\n",
    )
    kata.git("commit", "-q", "-am", "test: one")
    kata.script(fix=[""])
    assert kata.tdd("fix").code == 1
    elsewhere = kata.tdd("fix", "--", sys.executable, "-m", "pytest", "-q", "tests/test_greet.py")
    assert "closed" not in elsewhere.err
    kata.write("prices.py", "def label(name):\n    raise KeyError(name)\n")
    kata.git("commit", "-q", "-am", "feat: another error")
    assert "is closed: its test fails with another error now" in kata.tdd("fix").err
    assert [one["item"] for one in kata.tdd("errors", "list", "--json").json["errors"]] == [test]
    kata.write("prices.py", "def label(name):\n    return name + '!'\n")
    kata.git("commit", "-q", "-am", "fix: it")
    assert "is closed: its test passes again" in kata.tdd("fix").err
    assert "No failure is open" in kata.tdd("errors", "list").out


def test_without_an_agent_nothing_is_written(kata: Kata) -> None:
    kata.write("tdd.toml", (kata.root / "tdd.toml").read_text().replace('default = "scripted"\n', ""))
    done = kata.tdd("fix")
    assert done.code == 2
    assert "No agent is set" in done.err
    assert kata.records() == []


def test_more_results_than_a_record_holds_are_kept_beside_it(kata: Kata) -> None:
    kata.write(
        "tests/test_prices.py",
        "import pytest\n\nfrom prices import label\n\n\n@pytest.mark.parametrize('case', range(200))\ndef test_label(case):\n"
        "    assert label('a') == 'a!'\n",
    )
    kata.git("commit", "-q", "-am", "test: many")
    kata.script(fix=[LABEL])
    done = kata.tdd("fix", "--json")
    assert (done.code, len(done.json["results"])) == (0, 200), done.err
    ended = kata.records("fix")[-1]
    assert 0 < len(ended["results"]) < 200
    assert json.loads(kata.git("cat-file", "blob", ended["evidence"])) == done.json["results"]


def test_a_commit_on_which_a_fix_was_only_tried_is_not_its_own(kata: Kata) -> None:
    """`tdd verify --require-all` lets a fix's own commit pass, and no other."""
    kata.script(fix=[""])
    kata.tdd("fix", "--", sys.executable, "-m", "pytest", "-q", "-k", "price_again")
    tried = kata.tdd("verify", "--require-all", "HEAD~1..HEAD")
    assert tried.code != 0
    assert "has no accepted record" in tried.out + tried.err
    kata.script(fix=[BY_TEST])
    assert kata.tdd("fix").code == 0
    healed = kata.tdd("verify", "--require-all", "HEAD~1..HEAD")
    assert "has no accepted record" not in healed.out + healed.err


def test_before_landing_a_person_is_asked_for_a_fix_as_for_a_cycle(kata: Kata) -> None:
    """R7: nothing reaches the branch unasked; what was approved lands without another agent."""
    kata.configure(WAITS + "[approval]\nbefore_landing = true\n")
    kata.script(fix=[BY_TEST])
    done = kata.tdd("fix")
    assert done.code == 3, done.out + done.err
    assert "waits for a person (before landing)" in done.err
    assert "tdd cycle approve" in done.err
    assert kata.subjects()[-1] == "feat: prices"
    shown = done.err.split("git show ")[1].split(")")[0]
    assert kata.tdd("fix").code == 3, "nobody has answered yet"
    assert len(kata.calls("fix")) == 1
    approved = kata.tdd("cycle", "approve", "--comment", "looks right")
    assert approved.code == 0, approved.err
    assert kata.git("rev-parse", "HEAD").startswith(shown)
    assert kata.git("status", "--porcelain", "prices.py") == ""
    assert "tdd fix" in approved.out
    assert kata.tdd("fix").code == 3, "each landing is asked for"
    assert kata.tdd("cycle", "approve").code == 0
    healed = kata.tdd("fix", "--json")
    assert (healed.code, len(kata.calls("fix"))) == (0, 2), healed.err
    assert {result["status"] for result in healed.json["results"]} == {"PASSED"}
    answers = [(one["decision"], one["comment"]) for one in kata.records("approval")]
    assert answers == [("wanted", ""), ("approved", "looks right"), ("wanted", ""), ("approved", "")]
    assert kata.tdd("cycle", "approve").code == 2, "nothing waits any more"


def test_the_status_tells_of_a_fix_that_waits_until_it_is_answered(kata: Kata) -> None:
    kata.configure(WAITS + "[approval]\nbefore_landing = true\n")
    kata.script(fix=[BY_TEST])
    kata.plan()
    assert "waits" not in kata.tdd("cycle", "status").out
    assert kata.tdd("fix").code == 3
    asked = kata.records("approval")[-1]
    told = kata.tdd("cycle", "status").out
    assert told == (
        f"A proven fix of `tdd fix` waits for a person: git show {asked['tip'][:12]} (for main)\n"
        "  all cycles: 1 agent call, tokens unknown, cost unknown\n"
        "  next: tdd cycle approve, or tdd cycle reject\n"
    )
    shown = kata.tdd("cycle", "status", "--json").json
    assert (shown["cycle"], shown["fix"]["tip"], shown["fix"]["decision"]) == (None, asked["tip"], "wanted")
    assert kata.tdd("cycle", "reject").code == 0
    assert "No cycle yet." in kata.tdd("cycle", "status").out
    assert kata.tdd("cycle", "status", "--json").json["fix"] is None


def test_a_rejected_fix_stays_off_the_branch_and_is_kept(kata: Kata) -> None:
    kata.configure(WAITS + "[approval]\nbefore_landing = true\n")
    kata.script(fix=[BY_TEST])
    assert kata.tdd("fix").code == 3
    waiting = kata.records("approval")[0]["tip"]
    rejected = kata.tdd("cycle", "reject", "--comment", "not so")
    assert rejected.code == 0, rejected.err
    assert waiting[:12] in rejected.out
    assert kata.subjects()[-1] == "feat: prices"
    assert waiting in kata.git("for-each-ref", "--format=%(objectname)", "refs/tdd/attempts/")
    assert kata.tdd("cycle", "reject").code == 2
    kata.script(fix=[BY_TEST + "# once more\n"])
    assert kata.tdd("fix").code == 3, "begun anew: somebody works on it, and it is asked for"
    first, second = kata.prompts("fix")
    assert "not so" not in first
    assert f"A person rejected the fix {waiting[:12]} (`git show {waiting[:12]}`): not so" in second
    assert "was fixed before" not in second, "what was rejected is no fix"


def test_a_suite_that_names_no_test_is_said_in_one_sentence(kata: Kata) -> None:
    done = kata.tdd("fix", "--", "sh", "-c", "echo odd; exit 1")
    assert done.code == 2
    assert "The suite fails and names no test: " in done.err
    assert ".." not in done.err.splitlines()[-2]
