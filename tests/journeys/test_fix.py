"""``tdd fix``: a red suite fixed failure by failure, under the same guard as a cycle."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from kit import Kata
from red_prices import BY_TEST, KEY, LABEL, TESTS, WAITS, red_prices


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return red_prices(tmp_path)


def test_failures_of_one_cause_are_healed_by_one_fix(kata: Kata) -> None:
    kata.write("README.md", "# Mine\n")
    kata.script(fix=[BY_TEST])
    done = kata.tdd("fix", "--json")
    assert done.code == 0, done.err
    results = {result["test"].rpartition("::")[2]: result for result in done.json["results"]}
    assert {result["status"] for result in results.values()} == {"PASSED"}
    assert len(kata.calls("fix")) == 2
    prices = [results[name] for name in ("test_price", "test_price_again", "test_price_in_capitals")]
    assert sorted(result["reused"] for result in prices) == [False, True, True]
    assert len({result["fingerprint"] for result in prices}) == 1
    assert results["test_label"]["reused"] is False
    assert results["test_label"]["retry_count"] == 1
    assert len(kata.subjects()) == 4
    assert all(line.startswith("fix: ") for line in kata.subjects()[2:])
    assert (kata.root / "README.md").read_text() == "# Mine\n"
    assert "price?" not in (kata.root / "prices.py").read_text()
    call = kata.calls("fix")[0]
    assert (call["TDD_ROLE"], call["TDD_FAILED_PHASE"], call["TDD_ATTEMPT"]) == ("debugger", "GREEN", "1")
    prompt = kata.prompts("fix")[0]
    assert "KeyError" in prompt
    assert "prices.py:5" in prompt
    assert "Fix this error so the test can pass" in prompt
    started, *records = kata.records("fix")
    assert (started["status"], started["tests"]["counts"]["failed"]) == ("started", 4)
    assert [record["status"] for record in records] == ["accepted", "accepted", "ended"]
    assert [record.get("known_good", False) for record in records] == [False, True, True]
    assert [record["tests"]["exit_code"] for record in records] == [1, 0, 0]
    for commit in kata.git("rev-list", "HEAD~2..HEAD").split():
        assert '"kind":"fix"' in kata.git("notes", "--ref=tdd", "show", commit).replace('": ', '":')
    again = kata.tdd("fix")
    assert again.code == 0
    assert "Nothing to fix" in again.out
    assert len(kata.calls("fix")) == 2


def test_a_fix_that_weakens_or_breaks_is_none_and_the_last_run_has_no_agent(kata: Kata) -> None:
    """R3: the count goes up; at the maximum the tests run once more without an agent; then it is FAILED."""
    weaker = 'write("tests/test_prices.py", "def test_price():\\n    assert True\\n")'
    breaks = KEY + 'write("greet.py", "def greet(name):\\n    return name\\n")'
    kata.script(fix=[weaker, breaks, LABEL])
    head = kata.git("rev-parse", "HEAD")
    done = kata.tdd("fix")
    assert done.code == 1
    assert (
        len(kata.calls("fix")) == 2 + 1
    )  # the label is fixed by the third call; one cause is tried twice, for one test
    assert "waiting 0.02 s: the last run, without an agent" in done.err
    assert done.err.count("failed unexpectedly") == 2 + 2, "at the start, and what a fix broke"
    assert "✗ tests/test_prices.py::test_price: tests/test_prices.py: " in done.err
    assert "(forbidden_change)\n" in done.err
    failed = [line for line in done.out.splitlines() if line.startswith("FAILED")]
    assert len(failed) == 3
    assert "2 tries" in failed[0]
    assert "tests/test_prices.py" in done.out
    assert "passed before" in done.out
    assert [line for line in done.out.splitlines() if line.startswith("PASSED")] == [
        "PASSED  tests/test_prices.py::test_label  (1 try)"
    ]
    assert kata.git("show", "HEAD:tests/test_prices.py") == TESTS.rstrip("\n")
    assert kata.git("rev-parse", "HEAD~1") == head
    first = kata.records("fix")[1]["results"][0]
    assert (first["status"], first["retry_count"]) == ("FAILED", 1)
    assert kata.git("for-each-ref", "--format=%(refname)", "refs/tdd/attempts/").count("\n") >= 2
    assert "passed before" in kata.prompts("fix")[2 - 1] or "may not touch" in kata.prompts("fix")[1]


def test_another_error_is_another_specialists(tmp_path: Path) -> None:
    kata = Kata(tmp_path, config=WAITS)
    kata.write("prices.py", "def price(currency:\n    return 1\n")
    kata.write(
        "tests/test_prices.py",
        "from prices import price\n\n\ndef test_price():\n    assert price('eur') == 2\n",
    )
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "feat: prices")
    builds = 'write("prices.py", "def price(currency):\\n    return {}[currency]\\n")'
    works = 'write("prices.py", "def price(currency):\\n    return 2\\n")'
    kata.script(build_doctor_role=[builds], debugger_role=[works])
    command = [sys.executable, "-m", "pytest", "-q", "tests"]
    done = kata.tdd("fix", "--json", "--", *command)
    assert done.code == 0, done.err
    assert [call["TDD_ROLE"] for call in kata.calls("fix")] == ["build-doctor", "debugger"]
    assert all(result["status"] == "PASSED" for result in done.json["results"])
    assert kata.records("fix")[-1]["tests"]["command"] == command


def test_what_no_agent_can_cure_is_waited_for_or_told(kata: Kata, tmp_path: Path) -> None:
    """R4: a service that comes back needs no agent; rights that are missing are told with what was found."""
    runs, tool = tmp_path / "runs", tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    kata.write(
        "tests/test_prices.py",
        f"import pathlib\nimport socket\nimport subprocess\n\n\ndef test_service():\n    runs = pathlib.Path({str(runs)!r})\n"
        "    runs.write_text((runs.read_text() if runs.exists() else '') + 'x')\n    if len(runs.read_text()) < 5:\n"
        f"        socket.create_connection(('127.0.0.1', 9))\n\n\ndef test_tool():\n    subprocess.run([{str(tool)!r}])\n",
    )
    kata.git("commit", "-q", "-am", "test: a service and a tool")
    kata.script(fix=[""])
    done = kata.tdd("fix", "--json")
    assert done.code == 1, done.err
    results = {result["test"].rpartition("::")[2]: result for result in done.json["results"]}
    assert (results["test_service"]["status"], results["test_service"]["agents"]) == ("PASSED", [])
    assert (results["test_tool"]["status"], results["test_tool"]["agents"]) == ("FAILED", [])
    assert "tool is not executable" in results["test_tool"]["errors"][0]
    assert not kata.calls("fix")


@pytest.mark.slow
def test_a_fix_whose_landing_was_broken_off_is_finished_by_the_next_call(kata: Kata, tmp_path: Path) -> None:
    """Killed after the branch moved and before the files followed: the same command brings them along."""
    import os
    import shutil

    kata.script(fix=[BY_TEST])
    real = shutil.which("git")
    shim = tmp_path / "bin" / "git"
    shim.parent.mkdir()
    shim.write_text(
        f'#!/bin/sh\ncase "$*" in *"read-tree -m -u"*) kill -9 $PPID; exit 1;; esac\nexec {real} "$@"\n'
    )
    shim.chmod(0o755)
    before = kata.git("rev-parse", "HEAD")
    kata.tdd("fix", env={"PATH": f"{shim.parent}{os.pathsep}{os.environ['PATH']}"})
    assert kata.git("rev-parse", "HEAD") != before
    assert kata.git("status", "--porcelain") != ""
    kata.tdd("fix")
    assert kata.git("status", "--porcelain") == ""


def test_a_specialist_is_watched_as_every_agent_is(kata: Kata) -> None:
    hook = kata.root / ".git/hooks/post-commit"
    plants = f"open({str(hook)!r}, 'w').write('#!/bin/sh\\n')\n"
    kata.script(fix=[plants + BY_TEST])
    done = kata.tdd("fix")
    assert done.code == 0, done.err
    assert not hook.exists()
    assert ".git/hooks/post-commit was written" in done.err
    assert kata.records("incident")[0]["error_details"]["type"] == "RepositoryTouched"
    assert "TDD_PORT" not in kata.calls("fix")[0], "nobody asked for one"


@pytest.mark.parametrize(
    ("table", "said", "again"),
    [("attempts = 1", "The budget of this fix: 1 of 1 attempts", 4), ("run_attempts = 1", "The budget of this run: 1 of 1 attempts", 0)],
)  # fmt: skip
def test_a_fix_has_a_budget_too(kata: Kata, table: str, said: str, again: int) -> None:
    """What was fixed has landed; the same command goes on with the rest, once there is more to spend."""
    kata.configure(WAITS + f"[budget]\n{table}\n")
    kata.script(fix=[BY_TEST])
    done = kata.tdd("fix")
    assert done.code == 4, done.err
    assert said in done.err
    assert len(kata.calls("fix")) == 1
    assert len(kata.subjects()) == 3
    assert kata.tdd("fix").code == again
    kata.configure(WAITS)
    assert kata.tdd("fix").code == 0
    assert len(kata.calls("fix")) == 2


LIMITED = 'print("Error: 429 too many requests", file=sys.stderr)\nsys.exit(1)'


def test_what_a_provider_took_before_it_paused_is_in_the_record(kata: Kata) -> None:
    """R8: it costs although it led to nothing; how often it was waited for is known after a kill, too."""
    kata.configure(WAITS + "transient_retries = 1\ntransient_delay = 0\n")
    kata.script(fix=[BY_TEST, LIMITED])
    paused = kata.tdd("fix")
    assert paused.code == 4, paused.err
    away = [record for record in kata.records("fix") if record["status"] == "away"]
    assert [(len(record["consulted"]), record["transient"]) for record in away] == [(1, 1), (1, 0)]
    assert away[0]["consulted"][0]["seconds"] > 0
    assert len(kata.calls("fix")) == 3
    kata.script(fix=[BY_TEST])
    done = kata.tdd("fix", "--json")
    assert done.code == 0, done.err
    assert [call["TDD_ATTEMPT"] for call in kata.calls("fix")] == ["1"] * 4
    assert len([record for record in kata.records("fix") if record["status"] == "accepted"]) == 2


@pytest.mark.parametrize("tries", [[LIMITED], ["sys.exit(1)", "sys.exit(1)"]])
def test_another_agent_is_asked_where_the_first_one_fails(kata: Kata, tries: list[str]) -> None:
    other = f"[agents.other]\ncommand = {json.dumps([sys.executable, str(kata.agent / 'agent.py')])}\n"
    kata.configure(WAITS.replace("max_retries = 2", "max_retries = 3") + "transient_retries = 0\n" + other)
    text = (kata.root / "tdd.toml").read_text()
    kata.write("tdd.toml", text.replace("[agents.scripted]\n", '[agents.scripted]\nfallback = "other"\n'))
    kata.script(fix=[*tries, BY_TEST])
    done = kata.tdd("fix", "--json")
    assert done.code == 0, done.err
    assert done.json["results"][0]["agents"][-1] == "debugger (other)"
    assert ("other is asked instead" in done.err) is (tries == [LIMITED])


def test_what_a_specialist_cost_is_in_its_record(kata: Kata) -> None:
    kata.script(fix=[BY_TEST])
    assert kata.tdd("fix").code == 0
    runs = [record["agent"] for record in kata.records("fix")]
    assert [(run["name"], run["role"]) for run in runs] == [
        ("", ""),
        *[("scripted", "debugger")] * 2,
        ("", ""),
    ]
    assert runs[1]["seconds"] > 0


def test_after_an_agent_that_crashed_the_tests_are_run_without_one(kata: Kata) -> None:
    """A7: what failed may have been a passing thing; then nobody is called again."""
    kata.write(
        "tests/test_prices.py",
        "import pathlib\n\n\ndef test_price():\n"
        f"    assert pathlib.Path({str(kata.agent / 'calls.jsonl')!r}).exists()\n",
    )
    kata.git("commit", "-q", "-am", "test: a passing thing")
    kata.script(fix=["os.kill(os.getpid(), 9)"])
    done = kata.tdd("fix", "--json")
    assert done.code == 0, done.err
    assert "without the agent that failed" in done.err
    (result,) = done.json["results"]
    assert (result["status"], result["retry_count"], len(kata.calls("fix"))) == ("PASSED", 1, 1)
    assert "was killed (SIGKILL)" in result["errors"][0]
    assert [record["status"] for record in kata.records("fix")] == ["started", "rejected", "settled", "ended"]
    assert {record["cured_by"] for record in kata.records("fix")} == {""}, "nobody fixed it"


@pytest.mark.parametrize("chosen", [["tests/test_prices.py"], ["-k", "price or label"]])
def test_a_part_of_the_suite_is_healed_as_well(kata: Kata, chosen: list[str]) -> None:
    """A command that names a file or some tests leaves the test that must fail out, before any agent as after one."""
    kata.script(fix=[BY_TEST])
    done = kata.tdd("fix", "--", sys.executable, "-m", "pytest", "-q", *chosen)
    assert done.code == 0, done.out + done.err
    assert "PASSED  tests/test_prices.py::test_label" in done.out


def test_a_part_of_another_runners_suite_is_healed_as_well(kata: Kata) -> None:
    kata.write("tests/__init__.py", "")
    kata.write(
        "tests/test_prices.py",
        "import unittest\n\nfrom prices import price\n\n\nclass Prices(unittest.TestCase):\n"
        "    def test_price(self):\n        self.assertEqual(price('eur'), 1)\n",
    )
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "test: by unittest")
    kata.script(fix=[KEY])
    done = kata.tdd("fix", "--", sys.executable, "-m", "unittest", "tests.test_prices")
    assert done.code == 0, done.out + done.err
    assert "PASSED" in done.out


def test_code_that_skips_what_did_not_load_is_no_fix(kata: Kata) -> None:
    """The build error is gone, and so are the tests that it hid."""
    kata.write("names.py", "def name():\n    return 'one'\n")
    kata.write(
        "tests/test_names.py", "from names import label\n\n\ndef test_label():\n    assert label() == 'one'\n"
    )
    kata.git("add", "names.py", "tests/test_names.py")
    kata.git("commit", "-q", "-m", "test: a label")
    skips = "__import__('py%s' % 'test').skip('later', allow_module_level=True)\n"
    kata.script(
        fix=[BY_TEST, f'write("names.py", {skips!r})'], build_doctor_role=[f'write("names.py", {skips!r})']
    )
    done = kata.tdd("fix", "--json")
    assert done.code == 1
    assert {r["test"]: r["status"] for r in done.json["results"]}["tests/test_names.py"] == "FAILED"
    assert "skip" not in (kata.root / "names.py").read_text()
    assert "test_vanished" in done.err


def test_a_specialist_that_changes_nothing_is_followed_by_the_second(tmp_path: Path) -> None:
    kata = Kata(tmp_path, config=WAITS)
    kata.write("tests/test_wanted.py", "import wanted\n\n\ndef test_wanted():\n    assert wanted.x == 1\n")
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "test: one more")
    kata.script(build_doctor_role=["print('no idea')"], debugger_role=['write("wanted.py", "x = 1\\n")'])
    done = kata.tdd("fix")
    assert done.code == 0, done.out + done.err
    assert [call["TDD_ROLE"] for call in kata.calls("fix")] == ["build-doctor", "debugger"]
