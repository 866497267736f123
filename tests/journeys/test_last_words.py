"""What an agent says where it brings no work: kept, shown to the person who must act, and answered by its own row (A9)."""

from __future__ import annotations

import html
from pathlib import Path

import pytest
from kit import GREEN, RED, Kata

REFUSAL = "I'm sorry, but I can't help with that request."
QUESTION = "Before I begin: which do you mean, integers or floats?"
THERE = "The function double is already implemented, so there is nothing to do."
MISSING = "I could not run the tests because the package freezegun is not installed."


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path)
    kata.plan()
    return kata


def say(words: str) -> str:
    return f"print({words!r})"


def test_an_item_that_is_done_by_its_fix_is_not_to_be_tried_again(kata: Kata) -> None:
    """Nothing in the code is wrong after a refusal, so its fix is the item's own cycle, once more."""
    kata.script(green=[say(REFUSAL), GREEN])
    assert kata.next().code == 1
    done = kata.tdd("errors", "fix", kata.records("cycle_ended")[0]["error_id"])
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1].endswith("is closed, and 'doubles a number' is done.")


def test_a_refusal_goes_to_a_person_at_once_and_is_in_every_place_that_a_person_reads(kata: Kata) -> None:
    kata.script(green=[say(REFUSAL)], analyze=[""])
    done = kata.next()
    assert done.code == 1
    assert len(kata.calls("green")) == 1
    assert kata.calls("analyze") == []
    assert f"the agent said: {REFUSAL}" in done.err
    error = kata.records("error")[0]
    assert (error["agent"]["said"], error["agent"]["last_words"]) == ("refusal", REFUSAL)
    assert error["move"]["kind"] == "escalate"
    assert "tdd plan edit" in error["move"]["why"]
    error_id = kata.records("cycle_ended")[0]["error_id"]
    report = kata.tdd("errors", "show", error_id, "--json").json
    assert report["agent"]["last_words"] == REFUSAL
    assert report["error_type"] == "integration"
    assert (report["fix_strategy"], report["estimated_fix_hours"]) == ("", 0)
    assert REFUSAL in report["error_message"]
    assert report["root_cause"] == "The agent changed nothing: it refuses the task."
    heading, summary, then = kata.tdd("errors", "list").out.splitlines()
    assert "refusal" in heading
    assert REFUSAL in summary
    step = "tdd plan edit, then tdd cycle resume"
    assert then.strip() == f"next: {step}"
    assert f"next: {step}" in done.out
    standing = kata.tdd("status").out
    assert REFUSAL in standing
    assert f"next: {step}" in standing
    assert kata.tdd("status", "--json").json["next"] == step
    shown = kata.tdd("errors", "show", error_id).out
    assert REFUSAL in shown
    assert "after 1 attempt\n" in shown
    assert "refusal, by the agent's last words" in shown
    assert "strategy" not in shown
    assert "0 failed, 0 passed" not in shown
    assert "failing assertion" not in shown
    prompt = kata.tdd("errors", "prompt", error_id).out
    assert not any(untrue in prompt for untrue in ("quick_patch", "0.5 h", "Done when", "Affected files"))
    assert "## The agent's last words" in prompt
    assert "Type `refusal`" in prompt
    assert "integration" not in prompt + done.err
    assert REFUSAL in prompt
    assert "failing assertion" not in prompt


OTHER = "The spec contradicts billing rule seven."
WRONG = 'write("double.py", "def double(number):\\n    return 0\\n")\n'


@pytest.mark.parametrize("work", ["", WRONG], ids=["nothing changed", "still failing"])
def test_words_of_no_known_kind_are_in_every_place_that_a_person_reads(kata: Kata, work: str) -> None:
    kata.script(green=[work + say(OTHER)], analyze=[""])
    done = kata.next()
    assert done.code == 1
    assert done.err.count(f"the agent said: {OTHER}") == 4
    ended = kata.records("cycle_ended")[0]
    assert ended["summary"].endswith(f" (the agent said: {OTHER})")
    for words in (
        ("status",), ("cycle", "status"), ("cycle", "show"), ("errors", "list"), ("errors", "show", ended["error_id"]),
        ("errors", "prompt", ended["error_id"]), ("show", "HEAD"), ("report", "markdown"),
    ):  # fmt: skip
        assert OTHER in kata.tdd(*words).out, words
    assert OTHER in html.unescape(kata.tdd("report", "html").out)


@pytest.mark.parametrize("phase", ["RED", "GREEN"])
def test_an_agent_that_says_that_it_is_done_and_changes_nothing_leaves_no_code_to_fix(
    kata: Kata, phase: str
) -> None:
    kata.script(**{phase.lower(): [say("Done.")], "analyze": [""]})
    done = kata.next()
    assert done.code == 1
    assert "the agent changed nothing; the agent changed nothing" not in done.err
    error_id = kata.records("cycle_ended")[0]["error_id"]
    report = kata.tdd("errors", "show", error_id, "--json").json
    cause = "The agent changed nothing in each of 4 attempts. Its last words: Done."
    assert report["root_cause"] == cause
    assert (report["fix_strategy"], report["estimated_fix_hours"]) == ("", 0)
    shown = " ".join(kata.tdd("errors", "show", error_id).out.split())
    assert "type no change" in shown
    assert "tdd cycle resume --hint" in shown
    assert "name another agent in tdd.toml" in shown
    listed = kata.tdd("errors", "list").out
    assert "no change" in listed
    assert "next: tdd plan edit, then tdd cycle resume" in listed
    prompt = kata.tdd("errors", "prompt", error_id).out
    for untrue in ("logic", "full_rework", "3 h", "fix item"):
        assert untrue not in shown + listed + prompt
    assert "Fix:" not in kata.tdd("plan", "list").out
    kata.script(red=[RED], green=[GREEN])
    assert kata.tdd("errors", "fix", error_id).code == 0


def test_a_question_is_answered_once_and_then_a_person_is_asked(kata: Kata) -> None:
    kata.script(green=[say(QUESTION)], analyze=[""])
    done = kata.next()
    assert done.code == 1
    first, second = kata.prompts("green")
    assert "Nobody answers questions: take the simplest reading" not in first
    assert "Nobody answers questions: take the simplest reading" in second
    assert QUESTION in second
    assert [one["agent"]["said"] for one in kata.records("error")] == ["question", "question"]
    assert [one["move"]["kind"] for one in kata.records("error")] == ["retry", "escalate"]
    error_id = kata.records("cycle_ended")[0]["error_id"]
    shown = kata.tdd("errors", "show", error_id).out
    assert "question, by the agent's last words" in shown
    assert "logic" not in shown
    assert f"last words  scripted: {QUESTION}" in shown
    assert "Fix:" not in kata.tdd("plan", "list").out, "a person answers it; nothing is to be built anew"
    kata.script(green=[GREEN])
    assert kata.tdd("cycle", "resume", "--hint", "integers").code == 0
    assert "--hint" in kata.records("error")[1]["move"]["why"]


@pytest.mark.parametrize("words", [("errors", "fix", "last"), ("cycle", "next", "--item", "double")])
def test_an_item_whose_agent_asked_is_tried_again_itself(kata: Kata, words: tuple[str, ...]) -> None:
    """Also once another cycle has begun, where `tdd cycle resume` is of no use any more."""
    kata.script(green=[say(QUESTION)], analyze=[""])
    assert kata.next().code == 1
    (item,) = kata.tdd("plan", "list", "--json").json["items"]
    kata.plan("greets loudly")
    assert kata.next("--phase").code == 0
    assert f"next: tdd plan edit, then tdd cycle next --item {item['id']}\n" in kata.tdd("errors", "list").out
    assert kata.tdd("cycle", "abort").code == 0
    kata.script(green=[GREEN], red=[RED])
    done = kata.tdd(*(item["id"] if word == "double" else word for word in words))
    assert done.code == 0, done.err
    items = kata.tdd("plan", "list", "--json").json["items"]
    assert [one["status"] for one in items] == ["completed", "planned"]
    assert "No failure is open." in kata.tdd("errors", "list").out


def test_an_answered_question_leads_on(kata: Kata) -> None:
    kata.script(green=[say(QUESTION), GREEN])
    assert kata.next().code == 0
    assert kata.verdicts()[1:3] == ["no_change", "proven"]


def test_already_there_leads_to_the_test_that_shows_it(kata: Kata) -> None:
    kata.script(red=[say(THERE)], analyze=[""])
    done = kata.next()
    assert done.code == 1
    assert "Write the test all the same" in kata.prompts("red")[1]
    assert len(kata.calls("red")) == 2
    assert "Look whether it is" in kata.records("error")[1]["move"]["why"]


AGAIN = """write("tests/test_again.py", "from greet import greet\\n\\n\\ndef test_greets_too():\\n    assert greet('ada') == 'hello ada'\\n")"""


@pytest.mark.parametrize(
    ("red", "verdicts"), [([say(THERE), AGAIN], "no_change"), ([AGAIN], "duplicate_test")]
)
def test_a_test_that_the_suite_holds_already_shows_that_the_item_is_covered(
    kata: Kata, red: list[str], verdicts: str
) -> None:
    kata.script(red=red)
    done = kata.next()
    assert done.code == 3
    assert kata.verdicts() == [verdicts, "already_covered"]
    assert len(kata.calls("red")) == 2
    assert "test_greets_too repeats tests/test_greet.py::test_greets" in done.out


def test_a_prompt_says_once_what_the_agent_said(kata: Kata) -> None:
    kata.script(green=[say(QUESTION), GREEN])
    assert kata.next().code == 0
    prompt = kata.prompts("green")[1]
    assert (prompt.count(QUESTION), prompt.count("changed nothing")) == (1, 1)


def test_already_there_in_green_is_told_that_the_tests_fail(kata: Kata) -> None:
    kata.script(green=[say(THERE), GREEN])
    assert kata.next().code == 0
    assert "The tests above fail on the files as they are" in kata.prompts("green")[1]


def test_a_missing_package_is_a_persons_with_the_command(kata: Kata) -> None:
    kata.script(green=[say(MISSING)])
    done = kata.next()
    assert done.code == 1
    assert len(kata.calls("green")) == 1
    error = kata.records("error")[0]
    assert "python -m pip install freezegun" in error["move"]["why"]
    assert "python -m pip install freezegun" in done.err
    assert "next: python -m pip install freezegun, then tdd cycle resume" in done.out
    assert error["diagnosis"]["error_type"] == "dependency"
    error_id = kata.records("cycle_ended")[0]["error_id"]
    for reader in ("show", "prompt"):
        assert ": python -m pip install freezegun" in kata.tdd("errors", reader, error_id).out
    assert "next: python -m pip install freezegun, then tdd cycle resume" in kata.tdd("errors", "list").out


def test_an_agent_whose_own_run_fails_is_no_error_in_the_code(kata: Kata) -> None:
    """Its exit code and its words lead to the agent: there is no code to work over."""
    kata.script(red=["print('no such profile', file=sys.stderr)\nsys.exit(3)"], analyze=[""])
    done = kata.next()
    assert done.code == 1
    assert "error report" in done.err
    assert "The agent's run failed: exit code 3 (no such profile)." in done.err
    assert "Fix:" not in kata.tdd("plan", "list").out
    listed = kata.tdd("errors", "list").out
    assert "agent failed" in listed
    assert "next: tdd doctor --agents, then tdd cycle resume" in listed
    error_id = kata.records("cycle_ended")[0]["error_id"]
    shown = kata.tdd("errors", "show", error_id).out
    assert not any(untrue in shown for untrue in ("strategy", "boundary that failed", "full_rework"))
    assert "Read what its last runs did, and what they said: tdd cycle show." in shown
    kata.script(red=[RED])
    assert kata.tdd("cycle", "resume").code == 0


def test_words_count_for_nothing_where_there_is_work(kata: Kata) -> None:
    kata.script(green=[f"{GREEN}\n{say(REFUSAL)}"])
    assert kata.next().code == 0
    green = kata.records("handoff")[1]["agent"]
    assert (green["said"], green["last_words"]) == ("", REFUSAL)


def test_the_last_words_of_refused_work_are_in_the_retrys_prompt_without_secrets(kata: Kata) -> None:
    wrong = 'write("double.py", "def double(number):\\n    return number + 3\\n")'
    said = "I added three, as floats. The key is sk-ant-api03-" + "Ab3_" * 10
    kata.script(green=[f"{wrong}\n{say(said)}", GREEN])
    assert kata.next().code == 0
    prompt = kata.prompts("green")[1]
    assert "I added three, as floats." in prompt
    assert "Ab3_Ab3_" not in prompt
    assert "Ab3_Ab3_" not in kata.records("error")[0]["agent"]["last_words"]


def test_where_nothing_was_changed_and_nothing_said_no_assertion_is_to_be_read(kata: Kata) -> None:
    kata.configure("[retry]\nmax_retries = 0\n")
    kata.script(red=[say("Done as asked.")], analyze=[""])
    assert kata.next().code == 1
    error_id = kata.records("cycle_ended")[0]["error_id"]
    for shown in (kata.tdd("errors", "show", error_id).out, kata.tdd("errors", "prompt", error_id).out):
        assert "Done as asked." in shown
        assert "failing assertion" not in shown
        assert "failing frame" not in shown


LONG_REFUSAL = f"{REFUSAL} {'Reasons are given at length here, one after the other. ' * 20}"


def test_a_refusal_before_a_long_explanation_is_one(kata: Kata) -> None:
    kata.script(green=[say(LONG_REFUSAL)])
    assert kata.next().code == 1
    assert len(kata.calls("green")) == 1
    words = kata.records("error")[0]["agent"]
    assert (words["said"], len(words["last_words"])) == ("refusal", 500)


def broken(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path)
    (kata.root / "greet.py").write_text("def greet():\n    return 'x'\n")
    kata.git("commit", "-qam", "break it")
    return kata


def test_a_fix_shows_what_its_agent_said_and_asks_no_other_where_a_person_must_act(tmp_path: Path) -> None:
    kata = broken(tmp_path)
    kata.script(fix=[say(MISSING)])
    done = kata.tdd("fix")
    assert done.code == 1
    assert len(kata.calls("fix")) == 1
    assert f"the agent said: {MISSING}" in done.err
    assert "python -m pip install freezegun" in done.err
    assert MISSING in done.out
    (tried,) = [one for one in kata.records("fix") if one["status"] == "rejected"]
    assert (tried["agent"]["said"], tried["agent"]["last_words"]) == ("missing_package", MISSING)
    error_id = kata.tdd("errors", "list", "--json").json["errors"][0]["error_id"]
    assert MISSING in kata.tdd("errors", "show", error_id).out
    prompt = kata.tdd("errors", "prompt", error_id).out
    assert MISSING in prompt
    assert "No code is known to be wrong" not in prompt, "the test fails, whatever the agent said"
    assert "tdd cycle" not in prompt


def test_a_question_of_a_fix_is_answered_in_the_next_prompt(tmp_path: Path) -> None:
    kata = broken(tmp_path)
    good = 'write("greet.py", "def greet(name):\\n    return f\\"Hello, {name}!\\"\\n")'
    kata.script(fix=[say(QUESTION), good])
    kata.tdd("fix")
    first, second = kata.prompts("fix")[:2]
    assert "Nobody answers questions: take the simplest reading" not in first
    assert "**Your last answer was a question. Nobody answers questions: take the simplest reading" in second
    assert "a person said" not in second
    assert QUESTION in second


@pytest.mark.parametrize("words", [QUESTION, THERE])
def test_a_fix_answers_once_and_then_a_person_is_asked(tmp_path: Path, words: str) -> None:
    kata = broken(tmp_path)
    kata.script(fix=[say(words)])
    done = kata.tdd("fix")
    assert done.code == 1
    assert len(kata.calls("fix")) == 2
    assert "the agent again " in done.err
    assert "tdd plan edit" not in done.out + done.err, "no item of the plan is being built"
    error_id = kata.tdd("errors", "list", "--json").json["errors"][0]["error_id"]
    shown = kata.tdd("errors", "show", error_id).out
    assert "after 2 attempts\n" in shown
    for text in (shown, kata.tdd("errors", "prompt", error_id).out):
        assert words in text
        assert not any(untrue in text for untrue in ("full_rework", "about 3 h", "tdd plan edit"))
        assert "The test fails, and the agent " in text


@pytest.mark.parametrize(
    ("words", "then"),
    [
        (MISSING, "python -m pip install freezegun, then tdd fix"),
        (REFUSAL, "tdd errors prompt {id}, fix it by hand, then tdd fix"),
    ],
)
def test_a_fix_that_is_a_persons_says_what_to_run_everywhere(tmp_path: Path, words: str, then: str) -> None:
    kata = broken(tmp_path)
    kata.script(fix=[say(words)])
    done = kata.tdd("fix")
    error_id = kata.tdd("errors", "list", "--json").json["errors"][0]["error_id"]
    then = then.format(id=error_id)
    assert f"next: {then}" in done.out
    listed, shown, prompt = (
        kata.tdd("errors", verb, *more).out
        for verb, *more in (("list",), ("show", error_id), ("prompt", error_id))
    )
    assert f"next: {then}" in listed
    assert words in listed
    assert f"next  {then}" in shown
    assert "after 1 attempt\n" in shown
    assert "see its last words" not in shown + prompt
    status = kata.tdd("status").out
    assert f"{words}\n" in status
    assert status.splitlines()[-1].strip() == f"next: {then.partition(', ')[0]}"


def test_a_test_list_that_is_refused_is_not_asked_for_again(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.script(test_list=[say(REFUSAL)])
    (tmp_path / "feature.txt").write_text("a calculator that adds\n")
    done = kata.tdd("plan", "from", str(tmp_path / "feature.txt"))
    assert done.code == 1
    assert len(kata.calls("test_list")) == 1
    assert f"the agent said: {REFUSAL}" in done.err
    assert "refuses the task" in done.err


def test_a_question_about_a_feature_is_answered_once_and_reaches_a_person(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.script(test_list=[say(QUESTION)])
    (tmp_path / "feature.txt").write_text("a calculator that adds\n")
    done = kata.tdd("plan", "from", str(tmp_path / "feature.txt"))
    assert done.code == 1
    assert len(kata.calls("test_list")) == 2
    assert "Nobody answers questions" in kata.prompts("test_list")[1]
    assert f"the agent again asks a question: {QUESTION}" in done.err
    assert f"the agent again asks a question: {QUESTION}" in kata.tdd("errors", "list").out


def test_a_package_that_the_test_list_agent_lacks_is_named_with_its_command(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.script(test_list=[say(MISSING)])
    (tmp_path / "feature.txt").write_text("a calculator that adds\n")
    done = kata.tdd("plan", "from", str(tmp_path / "feature.txt"))
    assert len(kata.calls("test_list")) == 1
    assert "python -m pip install freezegun" in done.err
    assert "python -m pip install freezegun" in kata.tdd("errors", "list").out


@pytest.mark.parametrize(("words", "means"), [(REFUSAL, "refuses the task"), (QUESTION, "asks a question")])
def test_a_refactoring_that_is_only_talked_about_is_not_called_needless(
    kata: Kata, words: str, means: str
) -> None:
    kata.script(refactor=[say(words)])
    done = kata.next()
    assert done.code == 0
    assert "nothing to improve" not in done.err
    assert f"the agent said: {words}" in done.err
    assert f"warning: no refactoring: the agent {means}" in done.out
    assert len(kata.calls("refactor")) == 1


def test_an_analyzer_that_gives_no_report_is_quoted(kata: Kata) -> None:
    wrong = 'write("double.py", "def double(number):\\n    return number + {}\\n")'
    kata.script(green=[wrong.format(3), wrong.format(30), GREEN], analyze=[say("The log is missing here.")])
    done = kata.next()
    assert "it said: The log is missing here." in done.err
