"""The outer loop: an acceptance item's test is red first, its children land, and then it passes or goes to GREEN."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit import Kata

pytestmark = pytest.mark.journey
OUTER = (
    'write("tests/test_price.py", "from price import price\\n\\n\\ndef test_price():\\n'
    '    assert price(2, 50) == 90\\n")'
)
CHILD = 'write("tests/test_net.py", "from net import net\\n\\n\\ndef test_net():\\n    assert net(2, 50) == 100\\n")'
NET = 'write("net.py", "def net(count, each):\\n    return count * each\\n")'
PRICE = 'write("price.py", "from net import net\\n\\n\\ndef price(count, each):\\n    return net(count, each) * 9 // 10\\n")'


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    """A repository with an acceptance item and one child; the outer RED was accepted."""
    kata = Kata(tmp_path)
    outer = kata.plan("a price has its discount", "--type", "acceptance")
    kata.plan("a price without discount", "--parent", outer)
    kata.script(red=[OUTER, CHILD])
    done = kata.next()
    assert done.code == 0, done.out + done.err
    assert "waits until what is below it is done" in done.out
    return kata


def states(kata: Kata) -> list[str]:
    return [item["status"] for item in kata.tdd("plan", "list", "--json").json["items"]]


def test_the_outer_test_waits_for_the_children_and_then_lands_without_an_agent(kata: Kata) -> None:
    assert states(kata) == ["in_progress", "planned"]
    assert "tests/test_price.py" not in kata.git("ls-files")  # the branch stays green meanwhile
    assert kata.records("cycle_ended")[-1]["outcome"] == "outer_red"
    kata.script(green=[NET + "\n" + PRICE])
    child = kata.next()
    assert child.code == 0, child.out + child.err
    calls = len(kata.calls())
    done = kata.next()
    assert done.code == 0, done.out + done.err
    assert len(kata.calls()) == calls
    assert states(kata) == ["completed", "completed"]
    last = kata.records("handoff")[-1]
    assert (last["verdict"], last["known_good"], len(last["outer"])) == ("outer_passes", True, 40)
    assert last["questions"]["poison"]["failed"] == 1
    assert "tests/test_price.py" in kata.git("ls-files")
    report = kata.tdd("report", "markdown").out
    assert "2 of 2 items landed" in report
    assert "| 1 | a price has its discount | test kept |" in report
    overview = next(one for one in kata.tdd("stats", "--json").json["metrics"] if one["name"] == "summary")
    assert overview["rows"][0]["in_progress"] == 0
    verified = kata.tdd("verify")
    assert verified.code == 0, verified.out + verified.err
    assert "without the GREEN" not in verified.out + verified.err
    kata.write(
        "tests/test_price.py", "from price import price\n\n\ndef test_price():\n    assert price(0, 0) == 0\n"
    )
    kata.git("commit", "-q", "--amend", "--no-edit", "-a")
    assert kata.tdd("verify").code == 1


def test_an_outer_test_that_still_fails_is_the_red_of_a_whole_cycle(kata: Kata) -> None:
    kata.script(green=[NET, PRICE])
    assert kata.tdd("cycle", "run").code == 0
    assert states(kata) == ["completed", "completed"]
    assert [call["TDD_PHASE"] for call in kata.calls()] == [
        "red", "red", "green", "refactor", "green", "refactor"
    ]  # fmt: skip
    assert kata.subjects()[-2:] == ["test: a price has its discount", "feat: a price has its discount"]
    verified = kata.tdd("verify")
    assert verified.code == 0, verified.out + verified.err
