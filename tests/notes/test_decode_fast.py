"""The fast reading of a line says what the slow one says, whatever the line is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tdd_orchestrator.model.errors import TddError
from tdd_orchestrator.notes.codec import decode_fast, decode_line

HEAD = '{"at":"2026","id":"N","v":1,"kind":"incident"'
VALUES = (
    *("1e999", "-1E+999", "1E400 ", "9e305", "12345e304", "123.5e306", "1e-999", "1e5", "2.5E-3", "NaN"),
    *("Infinity", "-Infinity", "1" * 400, "1" * 400 + ".0", "1" * 250 + "e99", "0." + "1" * 400, "-0", "01"),
    *(
        "1.",
        ".5",
        "true",
        "null",
        '"\\ud800"',
        '"\\udc00x"',
        '"\ud800"',
        '"\t"',
        '"\\x"',
        '"é\\n"',
        '"\\u0000"',
    ),
    *("[1,]", "[" * 100 + "]" * 100, "[" * 5000 + "]" * 5000, '{"a":1,"a":2}', "{}x", "'a'", "", "1 2"),
    *('"7e123"', '"' + "7" * 400 + '"', '{"cost":1e999}', "[1E309]", "[1e308 ]", "12345678901234567890123"),
)


def read(decode: Any, line: str) -> Any:
    try:
        return json.dumps(decode(line))
    except (ValueError, TddError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("value", VALUES)
def test_any_value_is_read_alike(value: str) -> None:
    for line in (
        f'{HEAD},"x":{value}}}',
        f'{HEAD},"wall":{value}}}',
        f'{HEAD},"tests":{{"counts":{value}}}}}',
    ):
        assert read(decode_fast, line) == read(decode_line, line)


@pytest.mark.parametrize(
    "line",
    ["", "[]", "1", "{", HEAD, f"{HEAD}}} ", f" {HEAD}}}", f"{HEAD}}}x", '{"at":1}', f"{HEAD[:-1]}", "\x00{}", "\ufeff{}",
     '{"at":"2026","id":"N","v":99,"kind":"later"}', '{"at":"2026","id":"N","v":true,"kind":"later"}'],
)  # fmt: skip
def test_any_line_is_read_alike(line: str) -> None:
    assert read(decode_fast, line) == read(decode_line, line)
