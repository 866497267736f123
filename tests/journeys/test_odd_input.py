"""Failures that are too large, too deep, foreign, coloured or telling, through a whole cycle; and answers that are none."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from kit import GREEN, Kata
from test_recovery import WAITS, WRONG, report

TOKEN = "ghp_" + "a1B2c3D4" * 4 + "e5F6"


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path, config=WAITS + "max_retries = 9\n")
    kata.plan()
    return kata


def test_what_a_failure_says_stops_nothing_and_is_kept_small(kata: Kata) -> None:
    raises = 'write("double.py", "def double(number):\\n    {}\\n")'
    bad = [
        "raise ValueError('x' * 10_000_000)",
        "raise ValueError('\\u001b[31m' + 'größer als 你好 \\\\ud800')",
        "raise ValueError('ghp_' + 'a1B2c3D4' * 4 + 'e5F6 is no key')",
    ]
    kata.script(
        green=[raises.format(bad[0])],
        debugger_role=[raises.format(bad[1]), raises.format(bad[2]), GREEN],
        analyze=[""],
    )
    start = time.monotonic()
    done = kata.next()
    assert done.code == 0, done.err
    assert time.monotonic() - start < 240
    trail = kata.git("log", "-p", "--no-color", "refs/notes/tdd")
    assert TOKEN not in trail
    assert TOKEN not in done.err + done.out
    assert TOKEN not in "".join(kata.prompts("fix"))
    assert "\x1b" not in "".join(kata.prompts("fix"))
    for record in kata.records("error"):
        assert len(str(record)) < 200_000
    for prompt in kata.prompts("fix"):
        assert len(prompt) < 300_000


@pytest.mark.parametrize(
    "answer",
    [
        "here_out = pathlib.Path(os.environ['TDD_OUTPUT_DIR']) / 'investigation.md'\nhere_out.write_bytes(bytes(range(256)) * 9_000)",
        "here_out = pathlib.Path(os.environ['TDD_OUTPUT_DIR']) / 'investigation.md'\nhere_out.write_text('# no\\n' + 'word ' * 400_000)",
        "(pathlib.Path(os.environ['TDD_OUTPUT_DIR']) / 'investigation.md').symlink_to('/etc/passwd')",
        report("RETRY").replace("LOGIC", "MAGIC"),
        report("RETRY").replace("0.9 (read the code)", "very sure"),
        "print('I fixed it, all is well: ESCALATE')",
    ],
    ids=["bytes", "endless", "link", "category", "confidence", "talk"],
)
def test_an_answer_of_the_analyzer_that_is_none_is_told_and_not_followed(kata: Kata, answer: str) -> None:
    kata.script(green=[WRONG.format(3), WRONG.format(30), GREEN], analyze=[answer])
    done = kata.next()
    assert done.code == 0, done.err
    assert "the Error Analyzer" in done.err
    investigation = kata.records("error")[-1]["investigation"]
    assert investigation["by"] == "rules"
    assert "root:" not in kata.git("log", "-p", "refs/notes/tdd")


def test_a_failure_in_a_file_outside_the_tree_has_no_code_to_show_and_stops_nothing(kata: Kata) -> None:
    far = "exec(compile('\\\\n\\\\n1/0', '../shared/util.py', 'exec'))"
    bad = f'write("double.py", "def double(number):\\n    {far}\\n")'
    kata.script(green=[bad, bad, bad, GREEN], debugger_role=[""], analyze=[""])
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.records("error")[0]["diagnosis"]["file"] == "../shared/util.py"
    assert kata.prompts("analyze"), "what is around the failure was asked for"


def test_a_test_file_with_a_line_feed_in_its_name_stops_nothing(kata: Kata) -> None:
    kata.write("tests/test_odd\nname.py", "def test_odd():\n    assert 1 + 1 == 2\n")
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "test: an odd name")
    done = kata.next()
    assert done.code == 0, done.err
