"""Words and numbers that look like a sign and are none: an honest answer is one of those named."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.diagnosis.classify import classify
from tdd_orchestrator.model.diagnosis import ErrorType, RoutingType

_PY = 'Traceback (most recent call last):\n  File "/repo/app/main.py", line 7, in run\n    step()\n'
_JS = "\n    at run (/repo/src/app.js:2:20)\n    at main (/repo/src/index.js:8:3)"
BUILD, RUNTIME, NETWORK = {"build-error"}, {"runtime-error"}, {"network-error"}
UNKNOWN = {"unknown"}

TRAPS: list[tuple[str, set[str]]] = [
    (_PY + "ValueError: id 529 is unknown", RUNTIME),
    (_PY + "ValueError: 429 is not an allowed size", RUNTIME),
    (_PY + "IndexError: index (429) out of range", RUNTIME),
    (_PY + "ValueError: the rate limit must be positive", RUNTIME),
    (_PY + "ValueError: value out of range for sqlite", RUNTIME),
    (_PY + "ValueError: syntax error in line 3 of the price list", RUNTIME),
    (_PY + "ValueError: unterminated string in column 7", RUNTIME),
    (_PY + "LookupError: no such element in the cart", RUNTIME),
    (_PY + "ValueError: page crash is no known reason", RUNTIME),
    (_PY + "RuntimeError: Session closed by its owner", RUNTIME),
    (_PY + "ValueError: 10048 is no price", RUNTIME),
    (_PY + "KeyError: 'table users does not exist'", RUNTIME),
    ("Error: order 529 has no lines" + _JS, RUNTIME),
    ("Error: index file does not exist: /repo/index.json" + _JS, RUNTIME),
    ("Error: unexpected end of input" + _JS, RUNTIME),
    ("Error: worker stopped (3)", RUNTIME | UNKNOWN),
    ("Error: cannot open file: rates.json", RUNTIME | UNKNOWN),
    ('Error: file "rates.json" not found', RUNTIME | UNKNOWN),
    ("app.py:42 ERROR payment declined", RUNTIME | UNKNOWN),
    ("usage: cart.py [-h] file\ncart.py: error: cannot read 'rates.csv'", RUNTIME | UNKNOWN),
    ("Process exited with code 429", UNKNOWN),
    ("src/A.java:3: error: package com.shop.table does not exist\nimport com.shop.table.Cart;", BUILD),
    ("[ERROR] /repo/src/main/java/A.java:[3,4] reference to List is ambiguous", BUILD),
    ("error: literal out of range for `u8`\n --> src/sql.rs:2:17\n  |\n2 |     let SQL: u8 = 256;", BUILD),
    ("./main.go:9:15: cannot use 1.5 (untyped float constant) as int value in assignment (truncated)", BUILD),
    ("ERROR:  Could not find a valid gem 'rmagik' (>= 0) in any repository", BUILD),
    ("curl: (28) Operation timed out after 3000 milliseconds with 0 bytes received", NETWORK),
]


@pytest.mark.parametrize(("text", "honest"), TRAPS, ids=[text.splitlines()[-1][:50] for text, _ in TRAPS])
def test_what_only_looks_like_a_sign(text: str, honest: set[str]) -> None:
    assert classify(text).routing_type.value in honest


_SAMPLES = Path(__file__).parent / "samples"
_ENDINGS = "py|pyi|ts|tsx|js|jsx|go|rs|c|cpp|cs|java|kt|rb|php|lua|swift|hs|sql|scss|vue"
_NUMBERED = re.compile(rf"(\.(?:{_ENDINGS})[:(]|\bline )\d+|^(\s+)\d+(?=:\d+ )", re.MULTILINE)
_STEM = re.compile(rf"\b(?:app|main|cart|a|index|App|Main|Cart|store|client)(?=\.(?:{_ENDINGS})\b)")


@cache
def _read(text: str) -> tuple[RoutingType, ErrorType | None, str]:
    found = classify(text)
    return found.routing_type, found.error_type, f"{found.rule}: {found.evidence[:80]}"


def _short() -> list[dict[str, Any]]:
    rows = [
        json.loads(line)
        for path in sorted(_SAMPLES.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    return [row for row in rows if len(row["text"]) <= 600 and row["routing_type"] != "unknown"]


def _changed(pattern: re.Pattern[str], put: str) -> list[str]:
    """The messages that are understood otherwise when what the pattern finds is another."""
    found = []
    for row in _short():
        other = pattern.sub(lambda hit: (hit[1] or hit[2] or "") + put if hit.re.groups else put, row["text"])
        if other != row["text"]:
            before, after = _read(row["text"]), _read(other)
            if before[:2] != after[:2]:
                found.append(f"{row['id']}: {after[2]}")
    return found


@pytest.mark.parametrize("number", ["401", "404", "429", "500", "529", "3306"])
def test_the_number_of_a_line_says_nothing(number: str) -> None:
    assert _changed(_NUMBERED, number) == []


@pytest.mark.parametrize("name", ["redis", "sqlite3", "selenium", "timeout"])
def test_the_name_of_a_file_says_nothing(name: str) -> None:
    assert _changed(_STEM, name) == []


@pytest.mark.parametrize("before", ["web-1  | ", "2026-11-22T10:00:00.1234567Z "])
def test_what_a_machine_puts_before_each_line_says_nothing(before: str) -> None:
    assert _changed(re.compile("^", re.MULTILINE), before) == []
