"""With `proof.withhold`, GREEN's agent sees a part of RED's table of examples, and all of it must pass."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.kit import Kata

pytestmark = pytest.mark.journey

YEARS = {2023: False, 2024: True, 1900: False, 2000: True, 2100: False, 2400: True, 2025: False, 2028: True}
TABLE = (
    "import pytest\nfrom leap import is_leap\n\n\n@pytest.mark.parametrize('year, leap', [\n"
    + "".join(f"    ({year}, {leap}),\n" for year, leap in YEARS.items())
    + "])\ndef test_leap(year, leap):\n    assert is_leap(year) is leap\n"
)
RED = f"write('tests/test_leap.py', {TABLE!r})"
HONEST = "write('leap.py', 'def is_leap(year):\\n    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)\\n')"
LOOKUP = """
import re
rows = re.findall(r"\\((\\d+), (True|False)\\)", pathlib.Path("tests/test_leap.py").read_text())
(here / f"seen-{number}").write_text(" ".join(year for year, _ in rows))
leap = [int(year) for year, true in rows if true == "True"]
other = [int(year) for year, true in rows if true == "False"]
write("leap.py", f"def is_leap(year):\\n    if year in {leap}:\\n        return True\\n    if year in {other}:\\n        return False\\n")
"""


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path, config="[proof]\nwithhold = true\n")
    kata.plan("tells leap years")
    return kata


def test_a_look_up_of_the_examples_is_refused_and_a_rule_passes(kata: Kata) -> None:
    kata.script(red=[RED], green=[LOOKUP, HONEST])
    done = kata.next()
    assert done.code == 0, done.out + done.err
    seen = {int(year) for year in (kata.agent / "seen-0").read_text().split()}
    assert "it made commits" not in done.out + done.err
    hidden = YEARS.keys() - seen
    assert len(hidden) == 2
    assert {2023, 2028} <= seen  # the first and the last
    assert not re.search("|".join(map(str, hidden)), kata.prompts("green")[0])
    refused = kata.records("error")[0]
    assert (
        "passes every example that the agent was shown, and not the 2 withheld examples"
        in refused["reasons"][0]
    )
    green = next(record for record in kata.records("handoff") if record["phase"] == "GREEN")
    assert "2 withheld examples of RED's tables pass as well" in green["reasons"]
    assert kata.git("show", "main:tests/test_leap.py") == TABLE.rstrip()  # nothing is lost from the commit
    assert kata.tdd("verify").code == 0


def test_the_next_attempt_sees_what_was_hidden_before(kata: Kata) -> None:
    kata.script(red=[RED], green=[LOOKUP, LOOKUP, HONEST])
    assert kata.next().code == 0
    first, second = ((kata.agent / f"seen-{number}").read_text().split() for number in (0, 1))
    assert len(first) == len(second) == 6
    assert set(first) | set(second) == {str(year) for year in YEARS}
    assert [record["verdict"] for record in kata.records("error")] == ["partly_failing"] * 2


def test_without_a_table_the_record_says_so(kata: Kata) -> None:
    assert kata.next().code == 0
    green = next(record for record in kata.records("handoff") if record["phase"] == "GREEN")
    assert "no example was withheld: RED wrote no table of examples that can be read" in green["warnings"]
