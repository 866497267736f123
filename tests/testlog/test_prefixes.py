"""What stands before every line is taken away; what only looks like it stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tdd_orchestrator.testlog.parsers import prefixes
from tdd_orchestrator.testlog.parsers.prefixes import unprefixed

STAMP = b"2024-05-01T10:00:00.1234567Z "


@pytest.mark.parametrize(
    ("before", "line"),
    [
        (STAMP, b"  ok 1 - indented"),
        (b"[2024-05-01T10:00:00.123Z] ", b"[INFO] BUILD SUCCESS"),
        (STAMP + b"stdout F ", b"  ok 1 - indented"),
        (b"[0] ", b"PASS src/a.test.js"),
        (b"[10:00:01] ", b"ok"),
        (b"#12 3.456 ", b"ok"),
        (b"\x1b[36mweb-1  | \x1b[0m", b"    1 | x"),
        (b"shop:test: ", b"PASS src/a.test.js"),
        (STAMP + b"web-1  | ", b"ok"),
        (b"2024-05-01T10:00:00.123456Z 01O ", b"  ok 1 - indented"),
        (b"May 01 10:00:00 ", b"ok"),
        (b"May  1 10:00:00 build-host npm[4242]: ", b"  1 passing"),
        (b"10:00:00.123456 ", b"ok"),
        (b"packages/a test: ", b"PASS src/a.test.js"),
        (b"@scope/a: ", b"PASS src/a.test.js"),
        (b"[pod/test-7d8f9/app] ", b"ok"),
        (b"test-pod-7d8f9 app ", b"ok"),
        (b"> ", b"  2 passed (1s)"),
    ],
)
def test_what_stands_before_every_line_is_taken_away(before: bytes, line: bytes) -> None:
    blocks = [(before + line + b"\n") * 10, before + b"later\n", b"bare\n"]
    assert list(unprefixed(blocks)) == [(line + b"\n") * 10, b"later\n", b"bare\n"]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n\n",
        (STAMP + b"one\n") * 3,
        (STAMP + b"request handled\n") * 8 + b"FAILED test_a\n" * 2,
        b"".join(b"Case %d | PASS |\n" % number for number in range(10)),
        b"".join(b"name%d | value\n" % number for number in range(10)),
        b"t.c:2:P:core:a:0: Passed\n" * 10,
        b"src/a.c:12: error: x\n" * 10,
        b"Suite: Test: ok\n" * 10,
        b"ok 1 - a\n" * 10,
        b"test a ... ok\n" * 10,
        b"src/a.test.js test: 1\n" + b"".join(b"case%d test: ok\n" % number for number in range(10)),
        b"10:00 of 12:00 left\n" * 10,
    ],
    ids=range(13),
)
def test_what_only_looks_like_it_stays(text: bytes) -> None:
    assert b"".join(unprefixed([text])) == text


STAMPS = ("2024-05-01T10:00:0{}Z ", "2024-05-01 10:00:0{},123 ", "[2024-05-01 10:00:0{}] ", "[10:00:0{}] ", "#{} 1.5 ",
          "2024-05-01T10:00:0{}Z", "2024-05-01 10:00:0{},12 ", "")  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.sampled_from(STAMPS[:2]),
            st.integers(0, 12),
            st.sampled_from(["", " ", "ok", "1 ", "\x1b[0mx"]),
        ),
        max_size=5,
    ),
    st.lists(st.tuples(st.sampled_from(STAMPS), st.integers(0, 12), st.sampled_from(["", "ok"])), max_size=1),
    st.booleans(),
)
def test_stamps_that_are_alike_go_as_each_of_them_would(
    lines: list[tuple[str, int, str]], other: list[tuple[str, int, str]], ends: bool
) -> None:
    block = "\n".join(stamp.format(digit) + text for stamp, digit, text in [*lines, *other]) + "\n" * ends
    for kind in prefixes._KINDS:
        slowly = kind.after.sub(b"\n", b"\n" + block.encode())[1:]
        assert prefixes._without(kind, block.encode()) == slowly


def test_stamps_that_are_alike_are_seen_to_be() -> None:
    assert prefixes._all_alike(prefixes._KINDS[0], (STAMP + b"one\n") * 3) == len(STAMP)
