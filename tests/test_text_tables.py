"""Tables in plain text: what a reader sees in the table is what the rows hold."""

from __future__ import annotations

from tdd_orchestrator.text import parse_entries

TABLE = r"""
# a comment
python assertion strict
  pattern  \Aassert␣
           |a {2}\n␣
  sample   one\n  two
            three
  sample   four
family name weight=3
  words    a  |  ␣at␣  |  c
             |  d|e
  needs
"""


def test_a_row_has_the_words_of_its_head_and_its_fields() -> None:
    first, second = parse_entries(TABLE)
    assert first.head == ("python", "assertion", "strict")
    assert second.head == ("family", "name", "weight=3")
    assert second.get("pattern") == ""


def test_a_value_goes_on_from_its_column_and_keeps_its_spaces() -> None:
    first, _ = parse_entries(TABLE)
    assert first.get("pattern") == r"\Aassert |a {2}\n "
    assert first.all("sample") == ("one\n  two three", "four")


def test_words_are_told_apart_and_one_may_be_empty() -> None:
    _, second = parse_entries(TABLE)
    assert second.words("words") == ("a", " at ", "c", "d|e")
    assert second.words("needs") == ("",)
    assert second.words("samples") == ()
