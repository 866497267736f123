"""docs/requirements.md explains each number that the code names, and no other."""

from __future__ import annotations

import re

from test_floors import PACKAGE

PAGE = (PACKAGE.parent / "docs" / "requirements.md").read_text(encoding="utf-8")
EXPLAINED = {
    number
    for row in re.findall(r"^\| ([A-Z]\d+(?:, [A-Z]\d+)*) \|", PAGE, re.MULTILINE)
    for number in row.split(", ")
}
NAMED = re.compile(r"\(((?:[A-Z]\d{1,2})(?:[,;-] ?[A-Z]\d{1,2})*)\)")


def test_each_number_in_the_code_is_explained() -> None:
    texts = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    named = {
        number for text in texts for hit in NAMED.findall(text) for number in re.findall(r"[A-Z]\d+", hit)
    }
    assert len(named) > 50
    assert named <= EXPLAINED
